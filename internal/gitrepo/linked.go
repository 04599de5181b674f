package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// linkedName is the base name of a linked worktree at base, and so the name of
// its administrative folder: one that nobody else has, and that can be told
// again from base alone.
func linkedName(base string) string {
	sum := sha256.Sum256([]byte(base))
	return "perfbisect-" + hex.EncodeToString(sum[:6])
}

// makeLinked makes or repairs a linked worktree in a folder below Dir.
//
// Note: a git worktree add that is killed can leave a half-made administrative
// folder over which other git commands of the user die, and which neither
// prune nor remove mends. So the folder's name is recorded first, a half-made
// one (without our mark) is removed as a folder, and git is told to end, not
// killed, when we are.
func (w *Workspace) makeLinked(ctx context.Context) error {
	base := w.opts.Dir
	w.dir, w.gitDir = filepath.Join(base, linkedName(base)), adminFolder(w.repo.common, base)
	if err := w.claim(base); err != nil {
		return err
	}
	if !w.reusable(ctx) {
		if err := w.addLinked(ctx); err != nil {
			return err
		}
	}
	return w.loadHarness(ctx, base+".harness")
}

func adminFolder(common, base string) string {
	return filepath.Join(common, "worktrees", linkedName(base))
}

func (w *Workspace) addLinked(ctx context.Context) error {
	if err := removeLinkedFolders(w.repo.common, w.opts.Dir); err != nil {
		return err
	}
	if err := os.MkdirAll(w.opts.Dir, 0o700); err != nil {
		return err
	}
	start, err := w.repo.anyCommit(ctx)
	if err != nil {
		return err
	}
	c := w.git()
	c.dir = w.repo.root
	if _, err := c.run(ctx, "worktree", "add", "--quiet", "--detach", "--no-checkout", w.dir, start); err != nil {
		return errors.Join(err, removeLinkedFolders(w.repo.common, w.opts.Dir))
	}
	if _, err := os.Stat(w.gitDir); err != nil {
		return fmt.Errorf("git made the worktree under another name: %w", err)
	}
	return w.writeMark(w.gitDir)
}

// anyCommit is a commit to begin with: HEAD, or where that is unborn the tip of
// any reference.
func (r *Repo) anyCommit(ctx context.Context) (string, error) {
	if hash, err := r.git().line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		return hash, nil
	}
	hash, err := r.git().line(ctx, "rev-list", "-1", "--all")
	if err == nil && hash == "" {
		err = fmt.Errorf("the repository has no commits: %w", ErrNotFound)
	}
	return hash, err
}

// removeLinkedFolders removes exactly what makeLinked made for base: the
// administrative folder, moved out of git's sight first because git dies over
// one that is half gone, and the tree.
func removeLinkedFolders(common, base string) error {
	admin := adminFolder(common, base)
	trash := filepath.Join(common, linkedName(base)+".trash")
	err := os.Rename(admin, trash)
	if errors.Is(err, fs.ErrExist) { // trash of a removal that was killed
		if err = removeAll(trash); err == nil {
			err = os.Rename(admin, trash)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := removeAll(trash); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(common, "worktrees")) // stays unless empty
	return removeAll(base)
}

func (w *Workspace) removeLinked(context.Context) error {
	return errors.Join(removeHarness(w.opts.Dir), removeLinkedFolders(w.repo.common, w.opts.Dir))
}
