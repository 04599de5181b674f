package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Owner is who holds a lock.
type Owner struct {
	PID  int       `json:"pid"`
	Host string    `json:"host"`
	Time time.Time `json:"time"` // when the lock was taken
	What string    `json:"what,omitempty"`
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
type lock struct{ f *flock.Flock }

func acquire(path string) (*lock, error) { return acquireFor(path, "") }

func acquireFor(path, what string) (*lock, error) {
	f := flock.New(path, flock.SetPermissions(0o600))
	// Live holds a shared lock for a moment, so one refusal proves nothing.
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	ok, err := f.TryLockContext(ctx, 10*time.Millisecond)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	if !ok {
		return nil, &LockedError{Path: path, Owner: readOwner(path)}
	}
	host, _ := os.Hostname()
	owner, _ := json.Marshal(Owner{PID: os.Getpid(), Host: host, Time: time.Now().UTC(), What: what})
	if err := os.WriteFile(path, owner, 0o600); err != nil { // in place: a rename would leave the lock on the old file
		f.Close()
		return nil, err
	}
	return &lock{f}, nil
}

func readOwner(path string) Owner {
	var o Owner
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &o) // being rewritten: the owner is unknown for a moment
	}
	return o
}

func (l *lock) release() { l.f.Close() }

// Acquire locks anything that hunts must not share, such as a slot. The holder
// is told as what. Release it when done; the kernel does so on a kill.
func Acquire(path, what string) (release func(), err error) {
	l, err := acquireFor(path, what)
	if err != nil {
		return nil, err
	}
	return l.release, nil
}

// Live reports whether some process works on the run, and who it is.
func (r *Run) Live() (Owner, bool) {
	f := flock.New(r.path("lock"), flock.SetPermissions(0o600), flock.SetFlag(os.O_RDWR))
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
