package app

import (
	"errors"
	"strings"
	"syscall"

	"perfbisect/internal/bench"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/proc"
	"perfbisect/internal/session"
)

// troubleError is an error of the machine we run on, not of the request or of a
// commit: the journal could not be written.
type troubleError struct{ error }

func (e *troubleError) Unwrap() error { return e.error }

// trouble reports whether err is of the kind that goes away (a full disk, a file
// system that is read-only for now, a supervisor that was killed). Then the hunt
// is paused: nothing that was measured is lost.
func trouble(err error) bool {
	if _, ok := errors.AsType[*troubleError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*bench.LogError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*session.LockedError](err); ok {
		return true // another hunt took the slot while this one waited
	}
	if e, ok := errors.AsType[*gitrepo.GitError](err); ok && strings.Contains(strings.ToLower(e.Stderr), syscall.ENOSPC.Error()) {
		return true
	}
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, proc.ErrLost} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// lose remembers why a hunt of this process ended when its journal cannot tell.
func (a *App) lose(id string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lost[id] = err
}

// lostWhy is what lose remembered, or "".
func (a *App) lostWhy(id string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.lost[id]; err != nil {
		return reason(err, errPause)
	}
	return ""
}
