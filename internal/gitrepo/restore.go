package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// RestoreError says that the user's checkout could not be put back exactly. The
// journal and the references stay.
type RestoreError struct {
	Run  string
	Ref  string // the commit under it has every file as it was; its second parent the index
	What string // what differs or went wrong
	Err  error
}

func (e *RestoreError) Error() string {
	return fmt.Sprintf("restoring the checkout saved by run %q: %s; everything is kept: files with git ls-tree -r %s, what was staged with git ls-tree -r %s^2, one file with git show %s:PATH", e.Run, e.What, e.Ref, e.Ref, e.Ref)
}

func (e *RestoreError) Unwrap() error { return e.Err }

// restore puts the user's checkout back exactly, from any state that a killed
// save, step or restore may have left, and verifies it. It may be repeated.
// killed says that nobody had the checkout meanwhile.
func (p *inPlace) restore(ctx context.Context, killed bool) error {
	if p.s.State == stateSaving {
		return p.discard(ctx)
	}
	if err := p.store(stateRestoring); err != nil {
		return &RestoreError{Run: p.s.Run, Ref: p.s.Ref, What: fmt.Sprintf("beginning: %v", err), Err: err}
	}
	p.removeTreeLocks(ctx)
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"keeping what is there now", func(ctx context.Context) error {
			err := p.keepCurrent(ctx, "restore")
			if killed && err == nil {
				p.noteKilled(ctx)
			}
			return err
		}},
		{"checking out the commit", p.backToHead},
		{"writing the files", p.writeWork},
		{"removing what came since", p.removeNew},
		{"putting rights back", p.putModes},
		{"moving submodules back", p.restoreSubmodules},
		{"putting the index back", p.putIndex},
		{"putting the branch back", p.putBranch},
		{"verifying", p.verify},
	} {
		if err := step.do(ctx); err != nil {
			return &RestoreError{Run: p.s.Run, Ref: p.s.Ref, What: fmt.Sprintf("%s: %v", step.what, err), Err: err}
		}
	}
	p.pruneRefs(ctx)
	return p.drop()
}

// removeTreeLocks removes what killed git commands left in the checkout, its
// submodules and the references of this run.
func (p *inPlace) removeTreeLocks(ctx context.Context) {
	removeLocks(p.repo.gitDir, treeLocks)
	for _, sub := range p.s.Subs {
		c := p.git()
		c.dir = filepath.Join(p.repo.root, string(sub.Path))
		if gitDir, err := c.line(ctx, "rev-parse", "--path-format=absolute", "--git-dir"); err == nil {
			removeLocks(gitDir, treeLocks)
		}
	}
	p.removeRefLocks()
}

// removeRefLocks removes what a killed git left beside the references of this
// run. Those of the checkout itself are ours to remove only once it is saved.
func (p *inPlace) removeRefLocks() {
	for _, pattern := range []string{saveRefs + refName(p.s.Run) + ".lock", beforeRefs + refName(p.s.Run) + "-*.lock"} {
		left, _ := filepath.Glob(filepath.Join(globQuote(p.repo.common), pattern))
		for _, lock := range left {
			_ = os.Remove(lock)
		}
	}
}

// globQuote makes a path match itself.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// discard ends a save that never finished: nothing of the user's was written.
func (p *inPlace) discard(ctx context.Context) error {
	ref := saveRefs + refName(p.s.Run)
	p.removeRefLocks()
	// Only if it is there: deleting locks packed-refs, which is not ours alone.
	if _, err := p.git().run(ctx, "rev-parse", "--verify", "--quiet", ref); err == nil {
		if _, err := p.git().run(ctx, "update-ref", "-d", ref); err != nil {
			return err
		}
	}
	return p.drop()
}

// drop removes the journal: out of sight in one step, then for good.
func (p *inPlace) drop() error {
	done := p.dir + "-done"
	if err := removeAll(done); err != nil {
		return err
	}
	if err := os.Rename(p.dir, done); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(syncFolder(p.repo.gitDir), removeAll(done))
}

// keepCurrent commits the tree as it is now under a reference of its own, once
// with each idea of what is tracked, the commit's and the snapshot's. So not
// even an edit that the user made while we worked can be lost.
func (p *inPlace) keepCurrent(ctx context.Context, when string) error {
	head, err := p.git().line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err != nil {
		return err
	}
	parents := []string{head}
	var tree string
	for _, base := range []string{filepath.Join(p.repo.gitDir, "index"), p.path(workIndex)} {
		const scratch = "index.now"
		_ = os.Remove(p.path(scratch + ".lock"))
		if err := copyFile(p.path(scratch), base); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		c := p.with(scratch)
		if err := p.addAll(ctx, c); err != nil {
			return err
		}
		if tree, err = c.line(ctx, "write-tree", "--missing-ok"); err != nil {
			return err
		}
		commit, err := p.commitTree(ctx, tree, "tree before "+when, parents...)
		if err != nil {
			return err
		}
		parents = []string{commit}
	}
	p.kept = beforeRefs + refName(p.s.Run) + "-" + tree[:12]
	_, err = p.git().run(ctx, "update-ref", p.kept, parents[0])
	return err
}

// backToHead checks the user's commit out. Forced: all that it overwrites is in
// the snapshot or was just kept.
func (p *inPlace) backToHead(ctx context.Context) error {
	_, err := p.git().run(ctx, "checkout", "--quiet", "--force", "--detach", "--no-recurse-submodules", p.s.Head)
	return err
}

// writeWork writes the files of the snapshot that are not as they were. The
// snapshot's index knows the times of the files, so those that no step touched
// are not even read.
func (p *inPlace) writeWork(ctx context.Context) error {
	const scratch = "index.now"
	_ = os.Remove(p.path(scratch + ".lock"))
	if err := copyFile(p.path(scratch), p.path(workIndex)); err != nil {
		return err
	}
	c := p.with(scratch)
	if _, err := c.run(ctx, "update-index", "-q", "--refresh"); err != nil && exitCode(err) != 1 {
		return err
	}
	if _, err := c.run(ctx, "checkout-index", "--all", "--force", "-u", "-q"); err != nil {
		return err
	}
	return p.writeRaw(ctx)
}

// removeNew removes tracked files that the user had deleted, and files that
// came while we worked; those are under before-restore.
func (p *inPlace) removeNew(ctx context.Context) error {
	c := p.with("index.now")
	out, err := c.run(ctx, "diff-index", "--cached", "-z", "--name-only", "--no-renames", "--diff-filter=D", p.s.Head)
	if err != nil {
		return err
	}
	added, err := untracked(ctx, c)
	if err != nil {
		return err
	}
	tracked, err := c.run(ctx, "ls-files", "-z")
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, file := range splitNUL(tracked) {
		keep[file] = true
	}
	for _, file := range splitNUL(p.s.Touched) {
		if !keep[file] {
			added = append(added, file)
		}
	}
	if err := removeFiles(p.repo.root, append(splitNUL(out), p.notIgnoredBefore(added)...)); err != nil {
		return err
	}
	return p.removeFolders(ctx, c)
}

// notIgnoredBefore leaves out what was there as an ignored file when the
// snapshot was taken: that is the user's, whatever the rules say now.
func (p *inPlace) notIgnoredBefore(files []string) (out []string) {
	ignored := p.ignoredBefore()
	for _, file := range files {
		if !ignored(file) {
			out = append(out, file)
		}
	}
	return out
}

func (p *inPlace) ignoredBefore() func(file string) bool {
	names := map[string]bool{}
	for _, name := range splitNUL(p.s.Ignored) {
		names[name] = true
	}
	return func(file string) bool {
		theirs := names[file]
		for dir := path.Dir(file); dir != "." && !theirs; dir = path.Dir(dir) {
			theirs = names[dir+"/"]
		}
		return theirs
	}
}

func removeFiles(tree string, files []string) error {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, file := range files {
		if err := removeFile(root, file); err != nil {
			return err
		}
	}
	return nil
}

// removeFile removes a file, a link or an empty folder (of a submodule), and the
// folders that it leaves empty.
func removeFile(root *os.Root, file string) error {
	info, err := root.Lstat(file)
	if err != nil {
		return nil
	}
	if err := root.Remove(file); err != nil {
		if info.IsDir() {
			return nil
		}
		return err
	}
	for dir := path.Dir(file); dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
	}
	return nil
}

func (p *inPlace) restoreSubmodules(ctx context.Context) error {
	for _, sub := range p.s.Subs {
		c := p.git()
		c.dir = filepath.Join(p.repo.root, string(sub.Path))
		if err := stepTo(ctx, c, sub.Head); err != nil {
			return fmt.Errorf("submodule %q: %w", sub.Path, err)
		}
		if err := p.attach(ctx, c, string(sub.Branch), sub.Head); err != nil {
			return err
		}
	}
	return nil
}

// putIndex puts the saved index file in the place of the live one, the way git
// does: through index.lock.
func (p *inPlace) putIndex(ctx context.Context) error {
	live := filepath.Join(p.repo.gitDir, "index")
	if p.s.NoIndex {
		if err := os.Remove(live); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if p.s.Shared != "" {
		if err := copyFile(filepath.Join(p.repo.gitDir, p.s.Shared), p.path("shared")); err != nil {
			return err
		}
	}
	if err := copyFile(live+".lock", p.path(userIndex)); err != nil {
		return err
	}
	if info, err := os.Stat(live); err == nil {
		_ = os.Chmod(live+".lock", info.Mode().Perm())
	}
	if err := os.Rename(live+".lock", live); err != nil {
		return err
	}
	_, err := p.git().run(ctx, "update-index", "-q", "--refresh")
	if exitCode(err) == 1 { // some files differ, as they did before
		err = nil
	}
	return err
}

func (p *inPlace) putBranch(ctx context.Context) error {
	return p.attach(ctx, p.git(), string(p.s.Branch), p.s.Head)
}

// attach points HEAD at a branch, unless somebody moved that meanwhile.
func (p *inPlace) attach(ctx context.Context, c command, branch, head string) error {
	if branch == "" {
		return nil
	}
	now, err := c.line(ctx, "rev-parse", "--verify", "--quiet", branch+"^{commit}")
	if err != nil && exitCode(err) != 1 {
		return err
	}
	if now != head {
		p.moved = true
		p.notes = append(p.notes, fmt.Sprintf("%s moved from %.12s to %.12s meanwhile: HEAD stays detached at the former in %q", branch, head, now, c.dir))
		return nil
	}
	_, err = c.run(ctx, "symbolic-ref", "HEAD", branch)
	return err
}

// verify takes the snapshot again and compares files, index and HEAD.
func (p *inPlace) verify(ctx context.Context) error {
	const scratch = "index.check"
	_ = os.Remove(p.path(scratch + ".lock"))
	if err := copyFile(p.path(scratch), p.path(workIndex)); err != nil {
		return err
	}
	c := p.with(scratch)
	if err := p.addAll(ctx, c); err != nil {
		return err
	}
	tree, err := c.line(ctx, "write-tree", "--missing-ok")
	if err != nil {
		return err
	}
	if tree != p.s.Work {
		return fmt.Errorf("the files are tree %.12s and were %.12s; compare: git diff %s %s", tree, p.s.Work, p.s.Work, tree)
	}
	if err := p.verifyRaw(); err != nil {
		return err
	}
	if p.s.NoIndex {
		return nil
	}
	want, err1 := p.with(userIndex).run(ctx, "ls-files", "--stage", "-v", "-z")
	got, err2 := p.git().run(ctx, "ls-files", "--stage", "-v", "-z")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if string(want) != string(got) {
		return errors.New("the index is not what it was")
	}
	head, err := p.git().line(ctx, "rev-parse", "--verify", "HEAD^{commit}")
	if err == nil && head != p.s.Head {
		err = fmt.Errorf("HEAD is at %.12s and was at %.12s", head, p.s.Head)
	}
	return err
}

// pruneRefs deletes references of ours that are older than keepRefs. What
// cannot be read or deleted stays for the next time.
func (p *inPlace) pruneRefs(ctx context.Context) {
	out, err := p.git().run(ctx, "for-each-ref", "--format=%(committerdate:unix) %(refname)", "refs/perfbisect/")
	if err != nil {
		return
	}
	for line := range strings.Lines(string(out)) {
		date, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		sec, err := strconv.ParseInt(date, 10, 64)
		if err == nil && time.Since(time.Unix(sec, 0)) > keepRefs {
			_, _ = p.git().run(ctx, "update-ref", "-d", ref)
		}
	}
}
