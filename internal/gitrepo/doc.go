// Package gitrepo answers questions about a git repository and steps a tree of
// our own from commit to commit.
//
// One rule divides the work: git names and moves, go-git reads immutable
// objects by full hash. A full hash has one meaning, so nothing in which the
// two programs differ (references, reflogs, configuration, replace references,
// filters, index formats) can make go-git's answer wrong: it is right, or it is
// "not found", and then git is asked.
//
// The package never changes the user's checkout, index, references, stash list
// or configuration, with two exceptions that the caller chooses: a linked
// worktree leaves an administrative folder under .git/worktrees until it is
// closed, and in-place mode saves the user's tree, moves it, and puts it back
// exactly. It never uses git stash, never runs the user's hooks, never fetches
// from the network unless an object is missing.
//
// Read it in this order: git.go (how git is run), repo.go (what a repository
// is), history.go and object.go (questions), workspace.go (trees), clone.go,
// linked.go, inplace.go, restore.go (the three kinds of trees), recover.go,
// left.go (what a run left, by its marks alone).
package gitrepo
