package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"perfbisect/engine"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/session"
)

// A run whose journal or request is damaged is looked at and given back as far as
// it can be read, and never gone on with: what is lost may change what the rest
// means.

// damagedCode is the code of the warning that a journal is no whole one.
const damagedCode = "journal_damaged"

// read replays as much of a run as can be read. damage says what cannot be, and
// is nil when all can.
func read(run *session.Run) (q asked, s *engine.State, damage error) {
	q, damage = readAsked(run)
	events, err := run.Events()
	s, ferr := foldPrefix(events)
	if ferr != nil {
		err = run.Damaged(s.Seq+1, ferr)
	}
	return q, s, errors.Join(damage, err)
}

// foldPrefix replays events up to the first that does not follow from those
// before it.
func foldPrefix(events []engine.Event) (*engine.State, error) {
	s := &engine.State{}
	for _, e := range events {
		if err := s.Apply(e); err != nil {
			return s, err
		}
	}
	return s, nil
}

// load is read for those who need all of it.
func (a *App) load(run *session.Run) (asked, *engine.State, error) {
	q, s, damage := read(run)
	if damage != nil {
		return q, nil, refused(run, damage)
	}
	return q, s, nil
}

// refused is what may not be done with a damaged run, and what may.
func refused(run *session.Run, damage error) error {
	return &HintError{Err: damage, Hints: []string{
		"perfbisect stop " + run.ID + " (tool bisect_stop, action finish) gives back what the run holds; then begin it again with the same arguments",
		"perfbisect status " + run.ID + " tells what of it can be read",
	}}
}

// showDamage makes the status of the readable part say that it is one. A result
// that was written before the damage stands.
func (s *Status) showDamage(damage error) {
	text := damage.Error()
	s.Warnings = append(s.Warnings, *warning(damagedCode, "", text))
	if s.State.Ended() {
		s.Summary = strings.TrimSpace(s.Summary + " But " + text + ". What stands before that is whole.")
		return
	}
	s.State, s.Question, s.Reason = engine.Failed, nil, text
	s.Summary = fmt.Sprintf("The run has no result and cannot go on: %s. Before that place there are %d runs and %d builds.", text, s.Progress.Runs, s.Progress.Builds)
	s.Next = fmt.Sprintf("call bisect_stop with run_id %q and action finish, or run `perfbisect stop %s`: it gives back what the run holds; then call bisect_start again", s.RunID, s.RunID)
}

// stopDamaged ends a damaged run. A process that works on it ends first, as it
// knows what it does.
func (a *App) stopDamaged(ctx context.Context, run *session.Run, action string, damage error) (*Status, error) {
	if _, live := run.Live(); live {
		if err := a.deliver(ctx, run, session.Request{Action: action}); err != nil {
			return nil, err
		}
		st, err := a.settled(ctx, run)
		if _, live := run.Live(); live || err != nil || action == "pause" {
			return st, err
		}
	}
	if action == "pause" {
		return nil, refused(run, fmt.Errorf("pausing run %s: %w", run.ID, damage))
	}
	if err := a.endDamaged(ctx, run); err != nil {
		return nil, err
	}
	return a.Status(ctx, run.ID)
}

// endDamaged gives back what a damaged run holds, and then makes its journal one
// that ends. What could not be given back leaves it as it is, for another try.
func (a *App) endDamaged(ctx context.Context, run *session.Run) error {
	hold, err := run.Hold()
	if err != nil {
		return a.endUnwritten(ctx, run, err)
	}
	defer hold.Release()
	q, state, damage := read(run)
	if damage == nil {
		return nil // somebody else has just ended it
	}
	h := &hunt{app: a, run: run, asked: q, spec: q.Spec, state: state}
	unknown := h.guessRepo(ctx)
	if err := h.giveBackAll(ctx); err != nil {
		return &HintError{
			Err:   fmt.Errorf("stopping run %s: %w (and %w)", run.ID, err, damage),
			Hints: []string{"perfbisect stop " + run.ID + " tries again what is left to do"},
		}
	}
	if _, journal := errors.AsType[*session.DamagedError](damage); journal {
		return hold.Mend(state.Seq, func(kept string) []engine.Event { return ending(state, damage, kept, unknown) })
	}
	return hold.Add(ending(state, damage, "", unknown))
}

// giveBackAll gives back all that a hunt without a journal has left.
func (h *hunt) giveBackAll(ctx context.Context) error {
	_, err := h.giveBack(context.WithoutCancel(ctx), false)
	return err
}

// endUnwritten gives back what a run holds whose folder cannot be written, as on
// a full or read-only disk or when it is another user's. Its end cannot be noted: that is
// the error in any case.
func (a *App) endUnwritten(ctx context.Context, run *session.Run, why error) error {
	if _, live := run.Live(); live || !unwritable(why) {
		return why
	}
	q, state, _ := read(run)
	h := &hunt{app: a, run: run, asked: q, spec: q.Spec, state: state}
	unknown := h.guessRepo(ctx)
	if err := h.giveBackAll(ctx); err != nil {
		return errors.Join(why, err)
	}
	return &HintError{
		Err:   fmt.Errorf("what run %s held was given back%s, but its end cannot be noted: %w", run.ID, unknown, why),
		Hints: []string{"perfbisect stop " + run.ID + " again, once " + run.Dir + " can be written, ends it"},
	}
}

func unwritable(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrPermission, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT}, func(e error) bool { return errors.Is(err, e) })
}

// guessRepo sets the repository of a run whose request cannot be read: from its
// journal, or the one in the working folder if its checkout is in the run's hands.
// It returns what to say when neither tells.
func (h *hunt) guessRepo(ctx context.Context) (unknown string) {
	if h.spec.Repo != "" {
		return ""
	}
	h.spec.Checkout = string(gitrepo.ModeInPlace)
	if h.spec.Repo = gitrepo.CheckoutIn(treeSteps(h.state.Events())); h.spec.Repo != "" {
		return ""
	}
	if left, err := gitrepo.Left(ctx, ".", "", h.run.ID); err == nil && left[gitrepo.ModeInPlace] != "" {
		h.spec.Repo = "."
		return ""
	}
	return fmt.Sprintf(". Whether it had a checkout in place is not known: if so, perfbisect stop %s, run inside that repository, puts it back", h.run.ID)
}

// ending are the last facts of a damaged run, unless it has ended.
func ending(s *engine.State, damage error, kept, unknown string) []engine.Event {
	text := damage.Error()
	if kept != "" {
		text += ". The damaged file is kept as " + kept
	}
	text += unknown
	warned := engine.Event{Kind: engine.EventWarned, Warning: warning(damagedCode, "", text)}
	if s.Status.Ended() {
		return []engine.Event{warned}
	}
	return []engine.Event{warned, {Kind: engine.EventStopped, Reason: fmt.Sprintf(
		"%s. What else the run held was given back; %d runs and %d builds from before the damage are kept", text, s.Runs, s.Builds)}}
}
