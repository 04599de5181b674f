package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Life is a file that stays locked as long as anything of this process runs.
//
// The processes that end a benchmark's tree inherit it. When we are killed they
// need a second or two for that, and during this time what they end may still
// write into our tree: whoever takes the tree over must wait for them.
type Life struct {
	store *Store
	path  string
	file  *os.File
}

// lifePrefix begins the names of the files: "life-HOST-PID-RANDOM.lock".
const lifePrefix = "life-"

// NewLife makes the life of this process, and removes those that have ended, and
// the presences of the dead.
func (s *Store) NewLife() (*Life, error) {
	if err := os.MkdirAll(s.locks, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of locks: %w", err)
	}
	s.sweep(context.Background())
	for range 100 {
		l, err := s.tryLife()
		if l != nil || err != nil {
			return l, err
		}
	}
	return nil, errors.New("making the lock of this process: it was removed again and again")
}

// Sweep removes what the dead left in the folder of locks, once what they had
// started has ended too; for that it waits, but not for ever.
func (s *Store) Sweep() {
	ctx, cancel := context.WithTimeout(context.Background(), outliveWait)
	defer cancel()
	s.sweep(ctx)
}

// sweep removes what the dead left. For lives that end because their process has
// died it waits until ctx ends; at others it looks once.
func (s *Store) sweep(ctx context.Context) {
	entries, _ := os.ReadDir(s.locks)
	for _, e := range entries {
		path := filepath.Join(s.locks, e.Name())
		switch {
		case dying(e.Name()):
			_ = awaitEnd(ctx, path)
		case strings.HasPrefix(e.Name(), lifePrefix), strings.HasPrefix(e.Name(), busyPrefix+hostTag()):
			_ = awaitEnd(context.Background(), path) // one that lives stays
		}
	}
}

// dying reports whether a file is the life of a process of this machine that is
// gone: what it started ends soon.
func dying(name string) bool {
	rest, here := strings.CutPrefix(name, lifePrefix+hostTag())
	text, _, _ := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(text)
	return here && err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// tryLife returns nil if another process took the file for that of a dead one in
// the moment before it was locked.
func (s *Store) tryLife() (*Life, error) {
	path := filepath.Join(s.locks, lifePrefix+hostTag()+strconv.Itoa(os.Getpid())+"-"+randomHex(4)+".lock")
	f, err := newLocked(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("making the lock of this process: %w", err)
	case f == nil:
		return nil, nil
	}
	return &Life{s, path, f}, nil
}

// newLocked makes a file and locks it. It returns nil if another process took it
// for that of a dead one in the moment before it was locked, and removed it.
func newLocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, os.Remove(path), f.Close())
	}
	mine, err1 := f.Stat()
	there, err2 := os.Stat(path)
	if err1 == nil && err2 == nil && os.SameFile(mine, there) {
		return f, nil
	}
	return nil, f.Close()
}

// File is what processes that must be waited for inherit.
func (l *Life) File() *os.File { return l.file }

// Close ends the life, when nothing of this process runs any more, and sweeps: of
// processes that were killed while this one lived nobody else may come by.
func (l *Life) Close() error {
	err := errors.Join(os.Remove(l.path), l.file.Close())
	l.store.Sweep()
	return err
}

// outliveWait is how long an owner waits for what a killed one left. The
// supervisors need less than five seconds, even for what ignores SIGTERM.
const outliveWait = 10 * time.Second

// outlive waits until nothing of a former owner runs any more.
func (o Owner) outlive() error {
	if o.Life == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), outliveWait)
	defer cancel()
	if err := awaitEnd(ctx, o.Life); err != nil {
		return fmt.Errorf("processes that process %d left behind when it was killed still run after %v (they hold %q)", o.PID, outliveWait, o.Life)
	}
	return nil
}

// awaitEnd waits until ctx ends for the life at path to end, at least looking
// once, and removes its file.
func awaitEnd(ctx context.Context, path string) error {
	f := flock.New(path, flock.SetFlag(os.O_RDONLY))
	defer f.Close()
	ok, err := f.TryRLock()
	if !ok && err == nil && ctx.Done() != nil {
		ok, err = f.TryRLockContext(ctx, 10*time.Millisecond)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !ok:
		return errors.New("still locked")
	}
	_ = os.Remove(path)
	return nil
}
