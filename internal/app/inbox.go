package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/session"
)

// inboxEvery is how often the inbox is looked at: a read of an empty folder.
const inboxEvery = 200 * time.Millisecond

// watch wakes the hunt when something is in its inbox, and ends the running
// command when that is a request to pause or to finish.
func (h *hunt) watch(ctx context.Context) {
	tick := time.NewTicker(inboxEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		requests := h.run.Peek()
		if len(requests) == 0 {
			continue
		}
		for _, q := range requests {
			if q.Action == "pause" || q.Action == "finish" {
				h.interrupt.now()
			}
		}
		select {
		case h.kick <- struct{}{}:
		default:
		}
	}
}

// interrupter ends the command that runs now, if any.
type interrupter struct {
	mu     sync.Mutex
	cancel context.CancelFunc
}

func (i *interrupter) set(cancel context.CancelFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cancel = cancel
}

func (i *interrupter) now() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.cancel != nil {
		i.cancel()
	}
}

// await sleeps until something is in the inbox.
func (h *hunt) await(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-h.kick:
		return nil
	}
}

// control does what is asked in the inbox. A request that makes no sense (any
// more) is dropped: its sender sees the unchanged state.
func (h *hunt) control(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return h.run.Receive(func(q session.Request) error { return h.obey(ctx, q) })
}

func (h *hunt) obey(ctx context.Context, q session.Request) error {
	if h.state.Status.Ended() {
		return nil // it ended before the request came: nothing follows an end
	}
	switch q.Action {
	case "pause":
		return errPause
	case "finish":
		return errFinish
	case "step":
		h.stepsLeft += q.Steps
		if q.Steps == 0 {
			h.stepsLeft = -1 // no limit
		}
	case "answer":
		if h.state.Question != nil && h.state.Question.ID == q.QuestionID {
			return h.answer(q.QuestionID, q.Answer)
		}
	case "mark":
		return h.mark(ctx, q.Commit, search.Verdict(q.Verdict))
	case "undo":
		if seq := h.state.LastUndoable(); seq > 0 {
			return h.append(engine.Event{Kind: engine.EventUndone, Undo: seq})
		}
	}
	return nil
}

// mark journals the user's verdict on the position of a commit.
func (h *hunt) mark(_ context.Context, commit string, v search.Verdict) error {
	if h.state.Plan == nil {
		return nil
	}
	if i := h.state.Plan.IndexOf(commit); i >= 0 {
		return h.append(engine.Event{Kind: engine.EventMarked, Position: i, Mark: &search.Mark{Verdict: v}})
	}
	return nil
}

// tell hands a request to whoever works on the run: this process, another one,
// or, when nobody does, to a hunt that is opened for this request alone.
func (a *App) tell(ctx context.Context, run *session.Run, q session.Request) error {
	if _, live := run.Live(); live {
		return a.deliver(ctx, run, q)
	}
	asked, err := readAsked(run)
	if err != nil {
		return err
	}
	h, err := a.open(run, asked)
	var locked *session.LockedError
	if errors.As(err, &locked) {
		return a.deliver(ctx, run, q) // somebody came in between
	}
	if err != nil {
		return &unopenedError{err}
	}
	defer h.journal.Close()
	err = h.obey(ctx, q)
	if errors.Is(err, errPause) && h.state.Status == engine.Paused {
		return nil
	}
	if errors.Is(err, errPause) || errors.Is(err, errFinish) {
		return h.leave(err)
	}
	return err
}

// unopenedError says that nothing was done, because the run could not be opened.
type unopenedError struct{ error }

func (e *unopenedError) Unwrap() error { return e.error }

// deliver puts q into the inbox and waits until it was taken out.
func (a *App) deliver(ctx context.Context, run *session.Run, q session.Request) error {
	name, err := run.Send(q)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if session.Obeyed(name) {
			return nil
		}
		if _, live := run.Live(); !live {
			return nil // it ended; what was asked is done by the next one, or moot
		}
		select {
		case <-ctx.Done():
			return nil // a long measurement goes on; the request is kept
		case <-tick.C:
		}
	}
}
