package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/session"
)

// hunt is the work on one run by this process. One goroutine owns it.
type hunt struct {
	app     *App
	run     *session.Run
	asked   asked
	spec    Spec // with the answers so far
	journal *session.Journal
	state   *engine.State

	repo   *gitrepo.Repo
	place  *place // where commits are checked out and measured; nil until needed
	aside  *place // what place was when the hunt began to wait
	unlock func() // gives the slot back
	child  bool   // the parent hunt owns slot and place
	top    string // run id of the hunt that users know, when this one is within it

	stepsLeft int           // in step mode: positions that may still be visited
	interrupt interrupter   // ends the command that runs now
	kick      chan struct{} // something is in the inbox
	tried     tried         // the first run, before there is a plan
	warm      string        // commit that ran last in our tree without a checkout since
	states    states        // of the machine, as far as they are compared
	leaving   bool          // the tree is being given back
	logs      logs
	passed    map[int]bool // positions that were not run because of their code
}

// Endings of a hunt's goroutine that are not failures of the hunt.
var (
	errPause  = errors.New("paused")
	errFinish = errors.New("stopped")
	// errInterrupted ends a command because the inbox asks to pause or finish;
	// the loop then reads which.
	errInterrupted = errors.New("interrupted")
)

// launch takes the locks of the run and of its repository's slot, and works on
// the run in the background. A *session.LockedError says who has one of them.
func (a *App) launch(ctx context.Context, run *session.Run, q asked) error {
	h, err := a.open(run, q)
	if err != nil {
		return err
	}
	if err := h.takeSlot(ctx); err != nil {
		return errors.Join(err, h.journal.Close())
	}
	// Before launch returns, so that nobody who looks next sees the old pause. The
	// loop says it again, and what is wrong, if it could not be written.
	_ = h.resumed()
	a.mu.Lock()
	a.hunts[run.ID] = h
	delete(a.lost, run.ID)
	a.mu.Unlock()
	a.group.Add(1)
	go func() {
		defer a.group.Done()
		h.work(a.life)
		a.mu.Lock()
		delete(a.hunts, run.ID)
		a.mu.Unlock()
	}()
	return nil
}

// open takes the run's lock and replays its journal.
func (a *App) open(run *session.Run, q asked) (*hunt, error) {
	journal, events, err := run.Lock()
	if err != nil {
		return nil, err
	}
	h := &hunt{app: a, run: run, asked: q, journal: journal, kick: make(chan struct{}, 1)}
	h.states.env = knownEnv(events)
	if h.state, err = engine.Fold(events); err == nil {
		err = h.refresh()
	}
	if err != nil {
		journal.Close()
		return nil, fmt.Errorf("opening run %s: %w", run.ID, err)
	}
	return h, nil
}

// refresh completes the spec by the answers in the journal.
func (h *hunt) refresh() (err error) {
	h.spec, err = h.asked.Spec.with(h.state.Events())
	return err
}

// append journals a fact and folds it into the state. Nothing may be done
// because of a fact before append has returned.
func (h *hunt) append(e engine.Event) error {
	if h.state.Plan != nil && e.Commit == "" && (e.Kind == engine.EventBuilt || e.Kind == engine.EventRan || e.Kind == engine.EventMarked) {
		e.Commit = h.state.Plan.Positions[e.Position].Commit
	}
	e, err := h.journal.Append(e)
	if err != nil {
		return &troubleError{err}
	}
	return h.state.Apply(e)
}

// effect journals what is about to be done to the world outside the journal.
func (h *hunt) effect(step, path, note string) error {
	return h.append(engine.Event{Kind: engine.EventEffect, Effect: &engine.Effect{Step: step, Path: path, Note: note}})
}

// warn journals a warning, once for each code, commit and text.
func (h *hunt) warn(code, commit, text string) error {
	return h.warnUnless(code, commit, text, func(w search.Warning) bool { return w.Commit == commit && w.Text == text })
}

// warnOnce journals the first warning of a code: later ones would only have
// other numbers in their text.
func (h *hunt) warnOnce(code, text string) error {
	return h.warnUnless(code, "", text, func(search.Warning) bool { return true })
}

func (h *hunt) warnUnless(code, commit, text string, same func(search.Warning) bool) error {
	if slices.ContainsFunc(h.state.Warnings, func(w search.Warning) bool { return w.Code == code && same(w) }) {
		return nil
	}
	return h.append(engine.Event{Kind: engine.EventWarned, Warning: warning(code, commit, text)})
}

func warning(code, commit, text string) *search.Warning {
	return &search.Warning{Code: code, Text: text, Commit: commit}
}

// work is the goroutine of a hunt: it goes on until the hunt ends, pauses, or
// ctx ends, and leaves the journal closed and the user's tree as it was.
func (h *hunt) work(ctx context.Context) {
	defer h.journal.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go h.watch(ctx)
	err := h.loop(ctx)
	if ctxErr := context.Cause(ctx); ctxErr != nil && err != nil {
		err = fmt.Errorf("%w: %w", errPause, ctxErr)
	}
	_ = h.leave(err) // journaled
}

// leave journals why the work ended and cleans up as far as that calls for. It
// takes the time that it needs: a checkout that is put back half is worse than a
// long wait, and git's own deadlines bound it. It returns what could not be
// cleaned up; then stopping the run again tries again.
func (h *hunt) leave(err error) error {
	if trouble(err) {
		err = fmt.Errorf("%w: %w", errPause, err)
	}
	keep := errors.Is(err, errPause)
	h.leaving = true
	left := h.release(context.Background(), keep)
	if left != nil {
		_ = h.warn("cleanup", "", left.Error()) // the journal may be what fails
	}
	end := engine.Event{Kind: engine.EventFailed}
	switch {
	case err == nil: // finished is journaled already
		return left
	case keep:
		end.Kind, end.Reason = engine.EventPaused, reason(err, errPause)
	case errors.Is(err, errFinish) && left != nil:
		end.Kind, end.Reason = engine.EventPaused, "cleaning up: "+left.Error()
	case errors.Is(err, errFinish):
		end.Kind, end.Reason = engine.EventStopped, reason(err, errFinish)
	default:
		end.Reason = err.Error()
	}
	if aerr := h.append(end); aerr != nil {
		h.app.lose(h.run.ID, cmp.Or(err, aerr))
	}
	return left
}

// reason is what stands behind a sentinel in err, in words.
func reason(err, sentinel error) string {
	text := err.Error()
	if rest, ok := strings.CutPrefix(text, sentinel.Error()+": "); ok {
		return rest
	}
	return "on request"
}

// loop does one thing after another until the hunt has ended.
func (h *hunt) loop(ctx context.Context) error {
	if h.asked.Kind == "capture" {
		return fmt.Errorf("%w: a dump that was cut short is made again, not resumed", errFinish)
	}
	if err := h.resumed(); err != nil {
		return err
	}
	h.stepsLeft = 1
	for {
		if err := h.control(ctx); err != nil {
			return err
		}
		done, err := h.turn(ctx)
		if errors.Is(err, errInterrupted) || errors.Is(err, errAsked) {
			continue
		}
		if done || err != nil {
			return err
		}
	}
}

// resumed journals that a paused hunt goes on.
func (h *hunt) resumed() error {
	if h.state.Status != engine.Paused || h.asked.Kind == "capture" {
		return nil
	}
	return h.append(engine.Event{Kind: engine.EventResumed})
}

// turn does the next thing: complete the request, wait for an answer, measure
// or finish.
func (h *hunt) turn(ctx context.Context) (done bool, err error) {
	if h.state.Question != nil {
		if err := h.stepAside(ctx); err != nil {
			return false, err
		}
		return false, h.await(ctx)
	}
	if h.state.Plan == nil {
		if err := h.stepBack(ctx); err != nil {
			return false, err
		}
		return false, h.prepare(ctx)
	}
	if f, err := h.sameTrees(ctx); f != nil || err != nil {
		return h.concludeOr(ctx, f, err)
	}
	d := h.state.Next(engine.New(h.state.Plan.Options))
	switch d.Kind {
	case search.Ask:
		return false, h.ask(*d.Question)
	case search.Done:
		if err := h.stepBack(ctx); err != nil {
			return false, err
		}
		return h.conclude(ctx, d.Finding)
	}
	return false, h.measure(ctx, d)
}

// ask journals a question, and its default answer at once with --yes.
func (h *hunt) ask(q search.Question) error {
	if err := h.append(engine.Event{Kind: engine.EventAsked, Question: &q}); err != nil {
		return err
	}
	if h.child && q.Default == "" {
		return fmt.Errorf("%w: nobody could answer: %s", errFinish, q.Text)
	}
	if !h.asked.Spec.Yes || q.Default == "" {
		return nil
	}
	return h.answer(q.ID, q.Default)
}

// resettle gives the tree back, so that it is taken again with the new answers.
func (h *hunt) resettle() error {
	if h.place == nil {
		return nil
	}
	err := closeTree(context.Background(), h.place.ws)
	h.place = nil
	return err
}

func (h *hunt) answer(id, answer string) error {
	if err := h.append(engine.Event{Kind: engine.EventAnswered, QuestionID: id, Answer: answer}); err != nil {
		return err
	}
	if id == "force" {
		if answer != "yes" {
			return errors.New("checking out in place: files of yours are in the way; move them, or use --checkout clone")
		}
		if err := h.resettle(); err != nil {
			return err
		}
	}
	return h.refresh()
}
