package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Files in the journal folder: the user's index as it was, and the index of the
// snapshot, whose entries know the times of the files at that moment.
const (
	userIndex = "index"
	workIndex = "index.work"
)

// snapshot writes the user's tree and index into the object database, and what
// cannot go there into the journal.
func (p *inPlace) snapshot(ctx context.Context, submodules bool) error {
	if err := p.copyIndex(ctx); err != nil {
		return err
	}
	ignored, err := p.git().run(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return err
	}
	p.s.Ignored = ignored
	if err := p.addWork(ctx); err != nil {
		return err
	}
	if submodules {
		if err := p.saveSubmodules(ctx); err != nil {
			return err
		}
	}
	if err := errors.Join(p.keepRaw(ctx, nil), p.keepModes(ctx, nil), p.keepFolders(ctx)); err != nil {
		return err
	}
	return p.commitWork(ctx)
}

// copyIndex copies the index file, byte for byte.
func (p *inPlace) copyIndex(ctx context.Context) error {
	err := copyFile(p.path(userIndex), filepath.Join(p.repo.gitDir, "index"))
	if p.s.NoIndex = errors.Is(err, fs.ErrNotExist); p.s.NoIndex {
		err = nil
	}
	if err != nil {
		return err
	}
	shared, err := p.git().line(ctx, "rev-parse", "--path-format=absolute", "--shared-index-path")
	if err != nil || shared == "" {
		return err
	}
	// git may name one that is not there yet, or any more.
	if err := copyFile(p.path("shared"), shared); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	p.s.Shared = filepath.Base(shared)
	return nil
}

// copyFile replaces dest by a copy of src and waits until it is on disk. The
// copy has the time of src: git tells by an index file's time which entries are
// younger than it and cannot be trusted to be unchanged.
func copyFile(dest, src string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(dest, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return os.Chtimes(dest, info.ModTime(), info.ModTime())
}

// addWork makes workIndex: all tracked files as they are, all untracked files
// that are not ignored, and those ignored ones that a step would overwrite.
func (p *inPlace) addWork(ctx context.Context) error {
	if err := p.startIndex(workIndex); err != nil {
		return err
	}
	c := p.with(workIndex)
	if err := p.unflag(ctx, c); err != nil {
		return err
	}
	if err := p.addAll(ctx, c); err != nil {
		return err
	}
	// What HEAD has and the tree has not: going back to HEAD would overwrite
	// whatever is in its place, perhaps ignored files.
	gone, err := c.run(ctx, "diff-index", "--cached", "-z", "--name-only", "--no-renames", "--diff-filter=D", p.s.Head)
	if err != nil {
		return err
	}
	var also []string
	for _, path := range append(splitNUL(gone), splitNUL(p.s.Touched)...) {
		also = append(also, inTheWay(p.repo.root, path)...)
	}
	return p.addPaths(ctx, also)
}

// startIndex begins an index of ours with the user's entries.
func (p *inPlace) startIndex(name string) error {
	_ = os.Remove(p.path(name + ".lock")) // of a git that was killed
	if p.s.NoIndex {
		err := os.Remove(p.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	return copyFile(p.path(name), p.path(userIndex))
}

// unflag clears assume-unchanged and, outside of sparse checkouts, where it
// says that a file is absent, skip-worktree: git would take the files for
// unchanged, neither save nor check them out.
func (p *inPlace) unflag(ctx context.Context, c command) error {
	out, err := c.run(ctx, "ls-files", "-v", "-z")
	if err != nil {
		return err
	}
	flagged := map[string][]string{}
	for _, line := range splitNUL(out) {
		tag, path, _ := strings.Cut(line, " ")
		if tag == "S" || tag == "s" {
			flagged["--no-skip-worktree"] = append(flagged["--no-skip-worktree"], path)
		}
		if tag != strings.ToUpper(tag) {
			flagged["--no-assume-unchanged"] = append(flagged["--no-assume-unchanged"], path)
		}
	}
	if p.s.Sparse {
		delete(flagged, "--no-skip-worktree")
	}
	for flag, paths := range flagged {
		c.stdin = strings.NewReader(strings.Join(paths, "\x00"))
		if _, err := c.run(ctx, "update-index", flag, "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// addAll records the tree in c's index: changes of tracked files, then
// untracked files. Not git add -A, which dies over a nested repository without
// commits and records others as submodules.
func (p *inPlace) addAll(ctx context.Context, c command) error {
	args := []string{"add", "-u"}
	if p.s.Sparse {
		args = append(args, "--sparse")
	}
	if _, err := c.run(ctx, args...); err != nil {
		return err
	}
	others, err := untracked(ctx, c)
	if err != nil {
		return err
	}
	return updateIndex(ctx, c, others)
}

// untracked lists files that are neither in c's index nor ignored. Nested
// repositories, which git lists with a slash at the end, are left out.
func untracked(ctx context.Context, c command) (files []string, err error) {
	out, err := c.run(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	for _, path := range splitNUL(out) {
		if !strings.HasSuffix(path, "/") {
			files = append(files, path)
		}
	}
	return files, err
}

// updateIndex records files as they are. Replacing, because git add -u does not
// see that a folder is gone where there is now a link that leads in a circle.
func updateIndex(ctx context.Context, c command, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	c.stdin = strings.NewReader(strings.Join(paths, "\x00"))
	_, err := c.run(ctx, "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	return err
}

// addPaths records files, ignored or not. A repository inside the tree cannot
// be recorded.
func (p *inPlace) addPaths(ctx context.Context, paths []string) error {
	for _, path := range paths {
		if strings.Contains("/"+path+"/", "/.git/") {
			return &RefusedError{Reason: fmt.Sprintf("a nested repository is in the way of a commit's files: %q", path), Hint: "use clone mode"}
		}
	}
	return updateIndex(ctx, p.with(workIndex), paths)
}

// saveMore adds to the snapshot those of the files in the way that were there,
// ignored, when it was taken. Others are tracked, in the snapshot already, or
// came since; the last are kept as they are now.
func (p *inPlace) saveMore(ctx context.Context, inTheWay []string) error {
	known := map[string]bool{}
	for _, c := range []command{p.with(workIndex), p.git()} {
		out, err := c.run(ctx, "ls-files", "-z")
		if err != nil {
			return err
		}
		for _, path := range splitNUL(out) {
			known[path] = true
		}
	}
	var more []string
	came, ignored := false, p.ignoredBefore()
	for _, path := range inTheWay {
		switch {
		case known[path]:
		case ignored(path):
			more = append(more, path)
		default:
			came = true
		}
	}
	if came {
		if err := p.keepCurrent(ctx, "forced step"); err != nil {
			return err
		}
	}
	if len(more) == 0 {
		return nil
	}
	if err := p.addPaths(ctx, more); err != nil {
		return err
	}
	if err := errors.Join(p.keepRaw(ctx, more), p.keepModes(ctx, more)); err != nil {
		return err
	}
	if err := p.commitWork(ctx); err != nil {
		return err
	}
	return p.store(stateSaved)
}

// commitWork commits the snapshot and points our reference at it.
func (p *inPlace) commitWork(ctx context.Context) (err error) {
	if p.s.Work, err = p.with(workIndex).line(ctx, "write-tree", "--missing-ok"); err != nil {
		return err
	}
	const scratch = "index.tree"
	if err := p.startIndex(scratch); err != nil {
		return err
	}
	// What was staged is in no commit and, where the file went on changing, in
	// no tree of files either.
	staged, err := p.with(scratch).line(ctx, "write-tree", "--missing-ok")
	if err != nil {
		return err
	}
	parents := []string{p.s.Head}
	raw, err := p.rawTree(ctx)
	if err != nil {
		return err
	}
	for _, tree := range []string{staged, raw} {
		if tree == "" {
			continue
		}
		commit, err := p.commitTree(ctx, tree, "index", p.s.Head)
		if err != nil {
			return err
		}
		parents = append(parents, commit)
	}
	if p.s.Commit, err = p.commitTree(ctx, p.s.Work, checkoutSaved, parents...); err != nil {
		return err
	}
	p.s.Ref = saveRefs + refName(p.s.Run)
	_, err = p.git().run(ctx, "update-ref", p.s.Ref, p.s.Commit)
	return err
}

// Where our references are. They are kept for keepRefs after a restore.
const (
	saveRefs   = "refs/perfbisect/save/"
	beforeRefs = "refs/perfbisect/before-restore/"
	keepRefs   = 30 * 24 * time.Hour
)

var unsafeInRef = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// SavedRefs are the reference under which in-place mode saves the checkout for a
// run, and a pattern (of git for-each-ref) for those of what it found before a
// restore.
func SavedRefs(run string) (save, before string) {
	return saveRefs + refName(run), beforeRefs + refName(run) + "-*"
}

func refName(run string) string { return "r" + unsafeInRef.ReplaceAllString(run, "-") }

// checkoutSaved is what the commit of the files saves. It tells the branch too,
// for whoever has to restore by hand.
const checkoutSaved = "checkout"

func (p *inPlace) commitTree(ctx context.Context, tree, what string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-m", fmt.Sprintf("perfbisect: %s saved by run %s", what, p.s.Run)}
	if what == checkoutSaved && len(p.s.Branch) > 0 {
		args = append(args, "-m", branchLine+string(p.s.Branch))
	}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	c := p.git()
	now := fmt.Sprintf("%d +0000", time.Now().Unix())
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		c.env = append(c.env, "GIT_"+who+"_NAME=perfbisect", "GIT_"+who+"_EMAIL=perfbisect@localhost", "GIT_"+who+"_DATE="+now)
	}
	return c.line(ctx, args...)
}

// saveSubmodules notes where the HEADs of the user's submodules are.
func (p *inPlace) saveSubmodules(ctx context.Context) error {
	links, err := gitlinks(ctx, p.git(), p.s.Head)
	if err != nil {
		return err
	}
	for path := range links {
		c := p.git()
		c.dir = filepath.Join(p.repo.root, path)
		if _, err := os.Lstat(filepath.Join(c.dir, ".git")); err != nil {
			continue
		}
		head, err := c.line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
		if err != nil {
			return err
		}
		branch, err := c.line(ctx, "symbolic-ref", "--quiet", "HEAD")
		if err != nil && exitCode(err) != 1 {
			return err
		}
		p.s.Subs = append(p.s.Subs, savedSub{[]byte(path), head, []byte(branch)})
	}
	return nil
}
