package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Owner is who holds a lock.
type Owner struct {
	PID  int       `json:"pid"`
	Host string    `json:"host"`
	Time time.Time `json:"time"` // when the lock was taken
	What string    `json:"what,omitempty"`
	Life string    `json:"life,omitempty"` // file that is locked while anything of the owner runs
}

// LockedError says who works on something already.
type LockedError struct {
	Path  string
	Owner Owner
}

func (e *LockedError) Error() string {
	if e.Owner.PID == 0 {
		return "locked by another process"
	}
	return fmt.Sprintf("locked by process %d on %s since %s%s", e.Owner.PID, e.Owner.Host,
		e.Owner.Time.Local().Format("2006-01-02 15:04:05"), e.Owner.of())
}

func (o Owner) of() string {
	if o.What == "" {
		return ""
	}
	return " (" + o.What + ")"
}

// lock is a held lock file. The kernel gives it back when the process dies, so
// a lock never outlives its owner; the file's content only tells who it is.
type lock struct {
	f    *flock.Flock
	path string
}

// errReplaced says that the file that was locked is not the one at the path any
// more: its last owner removed it meanwhile.
var errReplaced = errors.New("lock file was replaced")

// acquire locks the file at path. life, which may be nil, tells the next owner
// what to wait for when we are killed.
func acquire(path, what string, life *Life) (*lock, error) {
	for {
		l, err := tryAcquire(path, what, life)
		if !errors.Is(err, errReplaced) {
			return l, err
		}
	}
}

func tryAcquire(path, what string, life *Life) (*lock, error) {
	f := flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR))
	// Live holds a shared lock for a moment, so one refusal proves nothing.
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	ok, err := f.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	if !ok {
		f.Close()
		return nil, &LockedError{Path: path, Owner: readOwner(path)}
	}
	l := &lock{f, path}
	if err := l.takeOver(what, life); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// takeOver writes down who holds the lock now, once nothing of a former owner
// that was killed works on what the lock is for.
func (l *lock) takeOver(what string, life *Life) error {
	if !l.current() {
		return errReplaced
	}
	o := Owner{PID: os.Getpid(), Time: time.Now().UTC(), What: what}
	o.Host, _ = os.Hostname()
	if life != nil {
		o.Life = life.path
	}
	if former := readOwner(l.path); former.Life != o.Life && former.Host == o.Host {
		if err := former.outlive(); err != nil {
			return err
		}
	}
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := overwrite(l.path, data); err != nil && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	return nil // on a full disk nobody is told who has the lock, but it is ours
}

// overwrite replaces what a file holds in place: a rename would leave the lock
// on the old one. Writing comes before cutting, so that a full disk is no
// obstacle where as much was written before.
func overwrite(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Truncate(int64(len(data)))
	} else {
		err = errors.Join(err, f.Truncate(0))
	}
	return errors.Join(err, f.Close())
}

// current says whether the locked file is still the one at the path.
func (l *lock) current() bool {
	mine, err1 := l.f.Stat()
	there, err2 := os.Stat(l.path)
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}

// release removes the lock file and lets go.
func (l *lock) release() {
	if l.current() {
		_ = os.Remove(l.path)
	}
	l.f.Close()
}

// LastOwner is who took the lock at path last and did not give it back, dead or
// alive.
func LastOwner(path string) Owner { return readOwner(path) }

func readOwner(path string) Owner {
	var o Owner
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &o) // being rewritten: the owner is unknown for a moment
	}
	return o
}

// Acquire locks anything that hunts must not share, such as a slot. The holder
// is told as what. Release it when done; the kernel does so on a kill, and then
// the next owner first waits for what still runs under life.
func Acquire(path, what string, life *Life) (release func(), err error) {
	l, err := acquire(path, what, life)
	if err != nil {
		return nil, err
	}
	return l.release, nil
}

// Live reports whether some process works on the run, and who it is.
func (r *Run) Live() (Owner, bool) {
	f := flock.New(r.path("lock"), flock.SetPermissions(0o600), flock.SetFlag(os.O_RDONLY))
	ok, err := f.TryRLock()
	if err != nil {
		return Owner{}, false // no lock file yet
	}
	if ok {
		f.Close()
		return Owner{}, false
	}
	f.Close()
	return readOwner(r.path("lock")), true
}
