package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// sharedLocks are those of the whole repository that a git of in-place mode
// takes: update-ref -d locks packed-refs and writes the new one beside it, and
// with reftable every change of a reference locks the list of tables.
var sharedLocks = []string{"packed-refs.lock", "packed-refs.new", "reftable/tables.list.lock"}

// How long a lock of the whole repository must stand still before it counts as
// left behind. Git itself holds one for milliseconds, and gives up on another's
// after one second (core.packedRefsTimeout). A git that works in the repository
// may be its owner, or an editor's that reads there for days.
const (
	sharedWait     = 3 * time.Second
	sharedWaitBusy = 30 * time.Second
)

// removeSharedLocks removes what a killed git of this run left at the references
// of the whole repository. Other git commands take the same locks, so it removes
// only one that is younger than the journal and has stood still. The lock of the
// journal is held: no git of ours is left.
func (p *inPlace) removeSharedLocks(ctx context.Context) error {
	for _, name := range sharedLocks {
		lock := filepath.Join(p.repo.common, filepath.FromSlash(name))
		info, err := os.Lstat(lock)
		if err != nil || p.s.At.IsZero() || info.ModTime().Before(p.s.At) {
			continue
		}
		left, err := p.standsStill(ctx, lock, info)
		if err != nil {
			return fmt.Errorf("waiting whether %q goes away: %w", lock, err)
		}
		if left {
			_ = os.Remove(lock)
		}
	}
	return nil
}

// standsStill waits until a lock has stood for long enough, or is another's.
func (p *inPlace) standsStill(ctx context.Context, lock string, info os.FileInfo) (bool, error) {
	for begin := time.Now(); ; {
		now, err := os.Lstat(lock)
		if err != nil || !os.SameFile(info, now) || !now.ModTime().Equal(info.ModTime()) {
			return false, nil
		}
		waited := time.Since(begin)
		if waited > sharedWaitBusy || waited > sharedWait && !gitWorksIn(p.repo.root, p.repo.common) {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// gitWorksIn says whether a process called git has its working directory in one
// of the folders. Where there is no /proc, nothing is seen.
func gitWorksIn(folders ...string) bool {
	dirs, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, dir := range dirs {
		name, _ := os.ReadFile(filepath.Join(filepath.Dir(dir), "comm"))
		if !strings.HasPrefix(string(name), "git") {
			continue
		}
		cwd, err := os.Readlink(dir)
		if err != nil {
			continue
		}
		for _, folder := range folders {
			if cwd == folder || strings.HasPrefix(cwd, folder+"/") {
				return true
			}
		}
	}
	return false
}
