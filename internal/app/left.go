package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"perfbisect/engine"
	"perfbisect/internal/bench"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/session"
)

// What a run left is found by the marks that our trees carry, not by its journal
// alone: that may be damaged, and the repository may be gone.

// leavings are what a run has left in one folder of ours, and in the checkout of
// the repository that the folder is for.
type leavings struct {
	dir   string // that the lock of the slot lies in
	repo  string // "" when it is not known, or cannot be opened
	steps []string
	sure  bool // a tree carries the run's name; else the journal alone speaks of it

	beside bool // parked trees, caches or the slot's lock do
}

func (l leavings) slot() string { return slotIn(l.dir) }

// recovered is the step of an effect that says that recover has done its work.
const recovered = "recovered"

// recover removes what a killed process of this run left. keep leaves our clone,
// with what is built in it, for a resume.
func (h *hunt) recover(ctx context.Context, keep bool) error {
	found, err := h.giveBack(ctx, keep)
	if err != nil || !found || keep {
		return err
	}
	return h.effect(recovered, "", "")
}

// giveBack is recover without a word in the journal. It reports whether there was
// anything.
func (h *hunt) giveBack(ctx context.Context, keep bool) (found bool, err error) {
	list, err := h.findLeft(ctx, keep)
	for _, l := range list {
		err = errors.Join(err, h.remove(ctx, l, keep))
	}
	return len(list) > 0, err
}

// findLeft finds what this run has left. A repository that is gone is an error
// only where its checkout was in the hands of the run.
func (h *hunt) findLeft(ctx context.Context, keep bool) (list []leavings, err error) {
	own := ""
	recorded := treeSteps(h.state.Events())
	if h.spec.Repo != "" {
		if err = h.openRepo(ctx); err == nil {
			own = h.slotDir()
		} else if h.spec.Checkout != "in-place" || len(recorded) == 0 {
			err = nil
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(globEscape(h.app.cfg.CacheDir), "*"))
	if _, serr := os.Stat(own); own != "" && serr != nil {
		dirs = append(dirs, own) // a checkout in place needs no folder of ours
	}
	for _, dir := range dirs {
		l := leavings{dir: dir}
		if dir == own {
			l.repo = h.spec.Repo
		}
		if err := l.look(ctx, h.run.ID, keep, dir == own && h.unlock != nil); err != nil {
			return list, err
		}
		if dir == own && !keep {
			l.steps = append(l.steps, recorded...)
		}
		if l.sure || l.beside || len(l.steps) > 0 {
			list = append(list, l)
		}
	}
	return list, err
}

// look finds what carries the name of a run. held says that the slot's lock does
// because we have it.
func (l *leavings) look(ctx context.Context, run string, keep, held bool) error {
	left, err := gitrepo.Left(ctx, l.repo, l.slot(), run)
	if err != nil {
		return err
	}
	if keep {
		delete(left, gitrepo.ModeClone)
	}
	for _, step := range left {
		l.steps = append(l.steps, step)
	}
	l.sure = len(left) > 0
	if keep {
		return nil
	}
	t := trees{run: run, slot: l.slot()}
	parked, err := filepath.Glob(globEscape(t.prefix()) + "*")
	_, cached := os.Stat(cachesOf(l.slot(), run))
	killed := !held && session.LastOwner(filepath.Join(l.dir, "lock")).What == "run "+run
	l.beside = len(parked) > 0 || cached == nil || killed
	return err
}

// remove removes what was found, the trees under the lock of the slot. Another
// run that works there has removed what only the journal still speaks of. What
// lies beside is for this run alone, whoever has the slot.
func (h *hunt) remove(ctx context.Context, l leavings, keep bool) error {
	var err error
	if !keep {
		t := trees{run: h.run.ID, slot: l.slot()}
		err = errors.Join(t.clear(), removeCaches(l.slot(), h.run.ID))
	}
	unlock, lerr := h.lockSlot(l)
	if _, locked := errors.AsType[*session.LockedError](lerr); locked && !l.sure {
		return err
	}
	if lerr != nil {
		return errors.Join(err, lerr)
	}
	defer unlock()
	rerr := gitrepo.Recover(ctx, l.repo, l.steps...)
	if e, ok := errors.AsType[*gitrepo.RestoredError](rerr); ok {
		rerr = h.tellRestored(e)
	}
	err = errors.Join(err, rerr)
	if !keep {
		err = errors.Join(err, removeBeside(l.slot(), h.run.ID))
	}
	return err
}

// tellRestored journals what e tells. Where there is no journal to tell it in, it
// is an error only if something is not back.
func (h *hunt) tellRestored(e *gitrepo.RestoredError) error {
	if e.Moved && (h.journal == nil || h.state.Status.Ended()) {
		return e
	}
	return h.warnCheckout(e.Notes)
}

// lockSlot takes the slot of the folder where leavings are, unless it is ours
// already.
func (h *hunt) lockSlot(l leavings) (unlock func(), err error) {
	if l.repo != "" && h.unlock != nil {
		return func() {}, nil
	}
	// Where the state folder cannot be written there is none. What we start here
	// is git alone, which has locks of its own.
	alive, _ := h.app.ownLife()
	release, err := h.acquireSlot(l.dir, alive)
	return func() {
		release()
		_ = os.Remove(l.dir) // stays unless empty
	}, err
}

// treeSteps are the steps of trees that may still be there, as a journal tells.
func treeSteps(events []engine.Event) (steps []string) {
	for _, e := range events {
		switch {
		case e.Kind != engine.EventEffect:
		case e.Effect.Step == "tree" && gitrepo.Closes(e.Effect.Path), e.Effect.Step == recovered:
			steps = nil
		case e.Effect.Step == "tree":
			steps = append(steps, e.Effect.Path)
		}
	}
	return steps
}

// removeBeside removes what lies beside a tree of a run: caches, dumps, and trees
// that a benchmark gave another name.
func removeBeside(slot, run string) error {
	err := errors.Join(removeCaches(slot, run), bench.RemoveTree(dumpDir(slot)))
	dirs, _ := filepath.Glob(filepath.Join(globEscape(filepath.Dir(slot)), "*"))
	for _, dir := range dirs {
		if dir != slot && gitrepo.Marked(dir) == run {
			err = errors.Join(err, bench.RemoveTree(dir))
		}
	}
	return err
}

func removeCaches(slot, run string) error {
	caches := cachesOf(slot, run)
	err := bench.RemoveTree(caches)
	_ = os.Remove(filepath.Dir(caches)) // stays while another run's are there
	return err
}
