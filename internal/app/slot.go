package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perfbisect/internal/bench"
	"perfbisect/internal/session"
)

// takeSlot opens the repository and takes its slot: one hunt at a time has it.
func (h *hunt) takeSlot(ctx context.Context) error {
	if err := h.openRepo(ctx); err != nil || h.unlock != nil || h.child {
		return err
	}
	alive, err := h.app.ownLife()
	if err != nil {
		return err
	}
	if h.unlock, err = h.acquireSlot(h.slotDir(), alive); err != nil {
		return fmt.Errorf("taking the slot of %s: %w", h.spec.Repo, err)
	}
	return nil
}

// acquireSlot takes the slot in a folder of ours, which it makes.
func (h *hunt) acquireSlot(dir string, alive *session.Life) (unlock func(), err error) {
	err = fs.ErrNotExist
	for try := 0; errors.Is(err, fs.ErrNotExist) && try < 10; try++ { // the last owner removes the folder
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("making our folder: %w", err)
		}
		unlock, err = session.Acquire(filepath.Join(dir, "lock"), "run "+h.run.ID, alive)
	}
	return unlock, h.app.taken(err)
}

// taken adds to an error what the run that has the slot does there, and how to
// have the slot. A run that only waits holds it where its tree is a part of the
// user's repository.
func (a *App) taken(err error) error {
	var locked *session.LockedError
	if !errors.As(err, &locked) {
		return err
	}
	id, ok := strings.CutPrefix(locked.Owner.What, "run ")
	if !ok {
		return err
	}
	run, oerr := a.store.Open(id)
	if oerr != nil {
		return &HintError{Err: err, Hints: []string{"run " + id + " is kept in another folder: perfbisect status " + id + " with the --state-dir that it was begun with tells what it does"}}
	}
	does := "it works there now: perfbisect wait " + id + " (tool bisect_status) returns when it is done"
	if _, s, _ := read(run); s.Question != nil {
		does = "it waits for an answer: perfbisect status " + id + " (tool bisect_status) shows the question, perfbisect answer " + id + " ANSWER (tool bisect_answer) goes on"
	}
	return &HintError{Err: err, Hints: []string{
		does,
		"to have the repository now: perfbisect stop --pause " + id + " (tool bisect_stop) interrupts it, perfbisect resume " + id + " goes on with it later",
	}}
}

// giveSlot lets the next hunt have the slot.
func (h *hunt) giveSlot() {
	if h.unlock == nil {
		return
	}
	h.unlock()
	h.unlock = nil
	_ = os.Remove(h.slotDir()) // stays unless empty
}

func (h *hunt) slotDir() string { return filepath.Join(h.app.cfg.CacheDir, h.repo.ID()) }

// removeOtherCaches removes the caches of runs that have no parked tree.
func (h *hunt) removeOtherCaches(t *trees) error {
	all := filepath.Dir(h.caches())
	entries, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	parked, perr := t.all()
	err = errors.Join(err, perr)
	for _, e := range entries {
		if e.Name() != h.run.ID && !slices.ContainsFunc(parked, func(p parkedTree) bool { return p.run == e.Name() }) {
			err = errors.Join(err, bench.RemoveTree(filepath.Join(all, e.Name())))
		}
	}
	return err
}

// comesBack reports whether a run may go on, as far as its journal can be read.
func (a *App) comesBack(id string) bool {
	run, err := a.store.Open(id)
	if err != nil || run.ID != id {
		return false
	}
	_, s, damage := read(run)
	return damage == nil && !s.Status.Ended()
}

func (h *hunt) caches() string { return cachesOf(h.slot(), h.run.ID) }

func (h *hunt) slot() string { return slotIn(h.slotDir()) }

// slotIn is where the trees lie in a folder of ours.
func slotIn(dir string) string { return filepath.Join(dir, "slot-0") }

// cachesOf is the folder with each commit's kernel caches. Another run may build
// the same commit in another way, so each has its own.
func cachesOf(slot, run string) string { return filepath.Join(slot+".caches", run) }
