package gitrepo

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A git that was killed while it deleted a reference leaves a lock that blocks
// the whole repository. The same lock may be that of a git of the user's.
func TestRecoverSharedLocks(t *testing.T) {
	tests := []struct {
		name  string
		leave func(t *testing.T, lock string)
		stays bool
	}{
		{"of the killed git", func(*testing.T, string) {}, false},
		{"older than the run", func(t *testing.T, lock string) {
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(lock, old, old); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"of a git that works on", func(t *testing.T, lock string) {
			time.AfterFunc(sharedWait/2, func() {
				later := time.Now().Add(time.Second)
				_ = os.Chtimes(lock, later, later)
			})
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			a := r.commit("one", "f", "1\n")
			r.commit("two", "f", "2\n")
			var steps []string
			w := prepare(t, r, WorkspaceOptions{Mode: ModeInPlace, Run: "x", Record: func(s string) error {
				steps = append(steps, s)
				return nil
			}})
			checkout(t, w, a)
			w.lock.abandon()
			forgetOwner(t, filepath.Join(r.dir, ".git/perfbisect/owner.lock"))
			lock := filepath.Join(r.dir, ".git/packed-refs.lock")
			r.write(".git/packed-refs.lock", "")
			tt.leave(t, lock)
			if err := Recover(t.Context(), r.dir, steps...); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(lock); (err == nil) != tt.stays {
				t.Errorf("the lock: %v, stays should be %t", err, tt.stays)
			}
			if got := readFile(t, filepath.Join(r.dir, "f")); got != "2\n" {
				t.Errorf("f = %q", got)
			}
		})
	}
}
