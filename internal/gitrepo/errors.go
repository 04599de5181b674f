package gitrepo

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What Open and the questions can fail with, beside a GitError.
var (
	// ErrNotRepository: the folder is in no git repository.
	ErrNotRepository = errors.New("not a git repository")
	// ErrGitMissing: there is no git command in PATH.
	ErrGitMissing = errors.New("git was not found in PATH")
	// ErrGitTooOld: git is older than MinGit.
	ErrGitTooOld = errors.New("git is too old")
	// ErrDubiousOwnership: git refuses a repository of another user. The error
	// carries git's own message with the command that allows it; the decision
	// is the user's.
	ErrDubiousOwnership = errors.New("git refuses a repository owned by another user")
	// ErrNotFound: an object or path does not exist.
	ErrNotFound = errors.New("not found")
	// ErrTooLarge: a blob exceeds the limit that the caller gave.
	ErrTooLarge = errors.New("too large")
)

// UnknownRevError is a revision that names no commit.
type UnknownRevError struct {
	Rev    string
	Reason string   // git's words, or ours; never empty
	Near   []string // names of the repository that look alike, nearest first, at most 3
	Hint   string   // a command that may help, or ""
}

func (e *UnknownRevError) Error() string {
	msg := fmt.Sprintf("resolving revision %q: %s", e.Rev, e.Reason)
	if len(e.Near) > 0 {
		quoted := make([]string, len(e.Near))
		for i, n := range e.Near {
			quoted[i] = fmt.Sprintf("%q", n)
		}
		msg += "; did you mean " + strings.Join(quoted, ", ") + "?"
	}
	return msg
}

// ShallowError says that a question needs history that a shallow clone lacks.
type ShallowError struct {
	What string
	Hint string // the command that fetches the rest of the history
}

func (e *ShallowError) Error() string {
	return fmt.Sprintf("%s: the repository is a shallow clone and its history ends before that; run: %s", e.What, e.Hint)
}

// BusyError says that a live process holds the tree that was asked for.
type BusyError struct {
	Path string
	PID  int
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("taking %q: process %d is using it", e.Path, e.PID)
}

// RefusedError says why in-place mode does not touch the user's checkout.
type RefusedError struct {
	Reason string
	Hint   string
}

func (e *RefusedError) Error() string { return "refusing to work in place: " + e.Reason }

// Hints are commands or advice to show beside the error.
func (e *RefusedError) Hints() []string { return hint(e.Hint) }

// Hints are commands to show beside the error.
func (e *ShallowError) Hints() []string { return hint(e.Hint) }

// Hints are commands to show beside the error.
func (e *UnknownRevError) Hints() []string { return hint(e.Hint) }

func hint(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// ClashError says that files of the user's which git does not track are in the way
// of a commit.
type ClashError struct{ Err error } // what git says

func (e *ClashError) Error() string { return e.Err.Error() }

func (e *ClashError) Unwrap() error { return e.Err }

// overwriting are git's words for that (unpack-trees.c); every git that we run
// speaks English.
var overwriting = []string{"would be overwritten", "would be removed", "would lose untracked files"}

// wouldOverwrite reports whether git refused to overwrite what it does not track.
func wouldOverwrite(err error) bool {
	e, ok := errors.AsType[*GitError](err)
	return ok && slices.ContainsFunc(overwriting, func(words string) bool { return strings.Contains(e.Stderr, words) })
}

// isLocked reports whether git found a lock of another git (lockfile.c).
func isLocked(err error) bool {
	e, ok := errors.AsType[*GitError](err)
	return ok && strings.Contains(e.Stderr, ".lock': File exists")
}
