package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is the time between two attempts to get a lock that is held.
const lockPoll = 200 * time.Millisecond

// LockedError says that another hunt on this machine holds a GPU.
type LockedError struct {
	// GPU is the device, or "any": a hunt that may use all of them.
	GPU string
	// Owner is what the holder wrote about itself, "" if it wrote nothing yet.
	Owner string
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("GPU %s is in use by another hunt: %s", e.GPU, or(e.Owner, "owner unknown"))
}

// GPULock is held on one or more GPUs. The kernel drops it when the process dies.
type GPULock struct{ locks []*flock.Flock }

// LockGPUs locks gpus, as VisibleGPUs names them, for this process, with files in
// dir, which all hunts on the machine must share. An empty list locks them all.
// It waits until ctx ends, then returns a *LockedError; a ctx that has ended
// means to try once. owner says who holds it, for the others' messages.
func LockGPUs(ctx context.Context, dir string, gpus []string, owner string) (*GPULock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("locking GPU: %w", err)
	}
	l := &GPULock{}
	// Whoever names devices shares "any" with others who do, and excludes those
	// who may use all. The order is the same for all, so that nobody waits in a ring.
	err := l.take(ctx, dir, "any", owner, len(gpus) > 0)
	names := slices.Compact(slices.Sorted(slices.Values(gpus)))
	for _, gpu := range names {
		if err == nil {
			err = l.take(ctx, dir, gpu, owner, false)
		}
	}
	if err != nil {
		return nil, errors.Join(err, l.Unlock())
	}
	return l, nil
}

func (l *GPULock) take(ctx context.Context, dir, gpu, owner string, shared bool) error {
	path := filepath.Join(dir, "gpu-"+fileName(gpu)+".lock")
	f := flock.New(path)
	try, wait := f.TryLock, f.TryLockContext
	if shared {
		try, wait = f.TryRLock, f.TryRLockContext
	}
	ok, err := try()
	if !ok && err == nil && ctx.Err() == nil {
		if ok, err = wait(ctx, lockPoll); ctx.Err() != nil {
			err = nil // the owner is the better answer
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("locking GPU %s: %w", gpu, err)
	case !ok:
		return &LockedError{GPU: gpu, Owner: readText(dir, filepath.Base(path)+".owner")}
	}
	l.locks = append(l.locks, f)
	// The name helps others to a better message; the lock holds without it.
	_ = os.WriteFile(path+".owner", []byte(owner+"\n"), 0o600)
	return nil
}

// Unlock releases the lock. The files stay: removing one would let two hunts lock
// two files of the same name.
func (l *GPULock) Unlock() error {
	var err error
	for _, f := range slices.Backward(l.locks) {
		err = errors.Join(err, f.Unlock())
	}
	l.locks = nil
	return err
}

// fileName keeps what is safe in a file name.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' {
			return r
		}
		return '_'
	}, s)
}

// VisibleGPUs returns the devices that env selects, or nil if it selects none:
// then all of them count. ROCR_VISIBLE_DEVICES is applied first and the HIP
// variable counts among what is left; for HIP, CUDA_VISIBLE_DEVICES means the
// same as its own. Source: ROCm documentation, "GPU isolation techniques".
func VisibleGPUs(env []string) []string {
	physical := devices(lookup(env, "ROCR_VISIBLE_DEVICES"))
	chosen := devices(lookup(env, "HIP_VISIBLE_DEVICES"))
	if chosen == nil {
		chosen = devices(lookup(env, "CUDA_VISIBLE_DEVICES"))
	}
	if physical == nil {
		return chosen
	}
	if chosen == nil {
		return physical
	}
	var out []string
	for _, c := range chosen {
		if i, err := strconv.Atoi(c); err == nil && i >= 0 && i < len(physical) {
			out = append(out, physical[i])
		}
	}
	return out
}

// devices splits a list such as "0,2" or "GPU-4b2e…".
func devices(list string) []string {
	var out []string
	for _, d := range strings.Split(list, ",") {
		if d = strings.TrimSpace(d); d != "" {
			out = append(out, d)
		}
	}
	return out
}
