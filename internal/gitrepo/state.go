package gitrepo

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// State is what a tool must know before it touches a checkout, or reports on
// one.
type State struct {
	Head       string   // hash; "" when unborn
	Branch     string   // short name; "" when detached
	Detached   bool     // HEAD is no branch
	Unborn     bool     // the branch has no commit yet
	Bare       bool     // there is no checkout
	InProgress []string // merge, rebase, cherry-pick, revert, bisect
	Unmerged   []string // paths
	// DirtySubmodules have changed or untracked content of their own. Another
	// commit than the recorded one alone does not count.
	DirtySubmodules []string
	IndexLocked     bool // index.lock exists
	Shallow         bool // history ends early
	Partial         bool // a promisor remote has the missing objects
	Sparse          bool // sparse checkout
}

// progressFiles tell of an operation that waits for the user.
var progressFiles = []struct{ file, operation string }{
	{"MERGE_HEAD", "merge"},
	{"rebase-merge", "rebase"},
	{"rebase-apply", "rebase"}, // or am
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"sequencer", "cherry-pick"}, // or revert, of several commits
	{"BISECT_LOG", "bisect"},
}

// State looks at the user's checkout. It takes no lock and writes nothing.
func (r *Repo) State(ctx context.Context) (State, error) {
	s := State{Bare: !r.checkout, Shallow: r.shallow}
	var err error
	if s.Partial, err = r.partial(ctx); err != nil {
		return s, err
	}
	if s.Sparse, err = r.flag(ctx, "core.sparseCheckout"); err != nil {
		return s, err
	}
	if s.Bare {
		return s, r.bareHead(ctx, &s)
	}
	for _, p := range progressFiles {
		if _, err := os.Stat(filepath.Join(r.gitDir, p.file)); err == nil && !slices.Contains(s.InProgress, p.operation) {
			s.InProgress = append(s.InProgress, p.operation)
		}
	}
	_, err = os.Lstat(filepath.Join(r.gitDir, "index.lock"))
	s.IndexLocked = err == nil
	err = r.git().stream(ctx, func(out io.Reader) error { return eachNUL(out, s.statusField()) },
		"status", "--porcelain=v2", "--branch", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return s, fmt.Errorf("reading the state of %q: %w", r.root, err)
	}
	return s, nil
}

// statusField reads git status --porcelain=v2 -z: "# branch.oid HASH", "u XY SUB
// ... PATH" (10 blank-separated fields before it), "1 XY SUB ... PATH" (8),
// where SUB is "S<c><m><u>" for a submodule.
func (s *State) statusField() func(string) error {
	return func(field string) error {
		f := strings.SplitN(field, " ", 9)
		switch {
		case strings.HasPrefix(field, "# branch.oid "):
			s.Head = f[2]
			if s.Unborn = f[2] == "(initial)"; s.Unborn {
				s.Head = ""
			}
		case strings.HasPrefix(field, "# branch.head "):
			// A branch may be called "(detached)"; git cannot say so here.
			s.Branch = f[2]
			if s.Detached = f[2] == "(detached)"; s.Detached {
				s.Branch = ""
			}
		case f[0] == "u":
			s.Unmerged = append(s.Unmerged, strings.SplitN(field, " ", 11)[10])
		case f[0] == "1" && len(f) == 9 && f[2][0] == 'S' && f[2][2:] != "..":
			s.DirtySubmodules = append(s.DirtySubmodules, f[8])
		}
		return nil
	}
}

func (r *Repo) bareHead(ctx context.Context, s *State) error {
	branch, err := r.git().line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return err
	}
	s.Branch, s.Detached = branch, err != nil
	hash, err := r.git().line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil && exitCode(err) != 1 {
		return err
	}
	s.Head, s.Unborn = hash, hash == ""
	return nil
}

// flag reads a boolean setting, false if it is not set.
func (r *Repo) flag(ctx context.Context, key string) (bool, error) {
	value, err := r.git().line(ctx, "config", "--type=bool", "--get", key)
	if exitCode(err) == 1 {
		return false, nil
	}
	return value == "true", err
}

// partial says whether objects may be missing here that a remote has promised.
func (r *Repo) partial(ctx context.Context) (bool, error) {
	out, err := r.git().run(ctx, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	if exitCode(err) == 1 {
		return false, nil
	}
	return len(out) > 0, err
}

// Dirty lists the user's uncommitted changes as git status --porcelain prints
// them ("XY PATH", a rename "XY OLD -> NEW"), paths unquoted. Untracked folders
// are one line. It takes no lock. Empty in a repository without a checkout.
func (r *Repo) Dirty(ctx context.Context) ([]string, error) {
	if !r.checkout {
		return nil, nil
	}
	var lines []string
	renamed := false
	err := r.git().stream(ctx, func(out io.Reader) error {
		return eachNUL(out, func(field string) error {
			if renamed { // the old path of the line before
				last := &lines[len(lines)-1]
				*last = (*last)[:3] + field + " -> " + (*last)[3:]
				renamed = false
				return nil
			}
			renamed = len(field) > 2 && strings.ContainsAny(field[:2], "RC")
			lines = append(lines, field)
			return nil
		})
	}, "status", "--porcelain=v1", "-z", "--untracked-files=normal", "--find-renames", "--ignore-submodules=none")
	if err != nil {
		return nil, fmt.Errorf("reading the state of %q: %w", r.root, err)
	}
	return lines, nil
}
