package gitrepo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Pending is an in-place journal that is there.
type Pending struct {
	Run    string
	State  string // saving: nothing was changed yet; saved, restoring: the checkout is ours
	At     time.Time
	Head   string // hash that was checked out
	Branch string // full reference name, "" if HEAD was detached
	Ref    string // where the snapshot is
	PID    int    // of the owner
	Alive  bool   // the owner still runs
}

func (p *inPlace) pending(alive bool) Pending {
	return Pending{Run: p.s.Run, State: p.s.State, At: p.s.At, Head: p.s.Head, Branch: string(p.s.Branch), Ref: p.s.Ref, Alive: alive}
}

// InPlacePending looks for the journal of an in-place run in the checkout that
// dir lies in: nil if there is none. It changes nothing.
func InPlacePending(ctx context.Context, dir string) (*Pending, error) {
	r, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	p := &inPlace{repo: r, dir: journalFolder(r.gitDir)}
	if _, err := os.Stat(p.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := p.load(); err != nil {
		return nil, err
	}
	found := p.pending(false)
	o := readOwner(p.path(ownerFile))
	found.PID, found.Alive = o.PID, o.alive()
	return &found, nil
}

// Recover undoes what a killed process left: it removes exactly our clone or
// worktree folders that the recorded steps name, and restores the checkout of
// repoDir (unless it is "") if an in-place journal of the same run lies there. It may be repeated. It refuses
// (*BusyError) while the owner lives, and first waits for, then ends, git
// commands that the dead owner left running. Steps of others are ignored, and
// steps that cannot be read are an error once everything else is done.
func Recover(ctx context.Context, repoDir string, steps ...string) error {
	var errs []error
	for _, s := range openSteps(steps, &errs) {
		errs = append(errs, s.undo())
	}
	if repoDir != "" {
		errs = append(errs, recoverInPlace(ctx, repoDir, runsOf(steps)))
	}
	return errors.Join(errs...)
}

// runsOf are the runs that recorded steps.
func runsOf(steps []string) (runs []string) {
	for _, line := range steps {
		var s step
		if json.Unmarshal([]byte(line), &s) == nil {
			runs = append(runs, s.Run)
		}
	}
	return runs
}

// openSteps are the prepare steps that no closed step ended.
func openSteps(steps []string, errs *[]error) map[string]step {
	open := map[string]step{}
	for _, line := range steps {
		var s step
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			*errs = append(*errs, fmt.Errorf("reading recorded step %q: %w", line, err))
			continue
		}
		switch s.Op {
		case "prepare":
			open[s.Dir] = s
		case "closed":
			delete(open, s.Dir)
		}
	}
	return open
}

// CheckoutIn is the checkout that recorded steps tell was taken in place, or "".
func CheckoutIn(steps []string) string {
	for _, line := range steps {
		var s step
		if json.Unmarshal([]byte(line), &s) == nil && s.Mode == ModeInPlace {
			return s.Dir
		}
	}
	return ""
}

// Closes says whether a recorded step tells that its tree is gone (in-place:
// restored), so that there is nothing to recover up to here.
func Closes(recorded string) bool {
	var s step
	return json.Unmarshal([]byte(recorded), &s) == nil && s.Op == "closed"
}

// undo removes the folders of one tree, under its lock. In-place mode has its
// journal in the repository.
func (s step) undo() error {
	base, gitDir := s.Dir, filepath.Join(s.Dir, ".git")
	switch s.Mode {
	case ModeInPlace:
		return nil
	case ModeWorktree:
		base = filepath.Dir(s.Dir)
		gitDir = adminFolder(s.Common, base)
	}
	if !filepath.IsAbs(base) || !filepath.IsAbs(s.Common) || s.Mode == ModeWorktree && filepath.Base(s.Dir) != linkedName(base) {
		return fmt.Errorf("recovering %q: the recorded step is not one of ours", s.Dir)
	}
	if !ours(base, gitDir) {
		return nil // killed before it was taken
	}
	if m, err := readMark(gitDir); err == nil && m.Run != s.Run {
		return nil // another run has taken its place since
	}
	lock, err := takeLock(base+".lock", s.Common, s.Run)
	if err != nil {
		return err
	}
	defer lock.release()
	err = removeHarness(base)
	if s.Mode == ModeWorktree {
		return errors.Join(err, removeLinkedFolders(s.Common, base))
	}
	return errors.Join(err, removeAll(base))
}

// recoverInPlace restores the checkout if there is a journal, and removes the
// remains of one that was being dropped.
func recoverInPlace(ctx context.Context, repoDir string, runs []string) error {
	r, err := Open(ctx, repoDir)
	if err != nil {
		return err
	}
	dir := journalFolder(r.gitDir)
	if err := removeAll(dir + "-done"); err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	run := (&inPlace{repo: r, dir: dir}).holder(ctx, runs)
	if run != "" && !slices.Contains(runs, run) {
		return nil // another run has it
	}
	p, err := openJournal(ctx, r, run)
	if err != nil {
		return err
	}
	defer p.lock.release()
	err = p.restore(ctx, p.s.State == stateSaved)
	if err == nil && len(p.notes) > 0 {
		err = &RestoredError{Notes: p.notes, Moved: p.moved}
	}
	return err
}

// RestoredError says that all files and the index are back exactly, but that
// something else is not as it was, because somebody changed it meanwhile, or that
// what came meanwhile was taken away and where it is kept.
type RestoredError struct {
	Notes []string
	Moved bool // HEAD is not where it was; else all that was saved is back
}

func (e *RestoredError) Error() string {
	return "the checkout was restored, but: " + strings.Join(e.Notes, "; ")
}
