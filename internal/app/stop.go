package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perfbisect/internal/session"
)

// Stop pauses a run, or finishes it and removes what it made. Both may be said
// again.
func (a *App) Stop(ctx context.Context, id, action string) (*Status, error) {
	if action != "pause" && action != "finish" {
		return nil, fmt.Errorf("action is %q, must be one of: pause, finish", action)
	}
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	_, state, damage := read(run)
	if damage != nil {
		return a.stopDamaged(ctx, run, action, damage)
	}
	if state.Status.Ended() {
		err := a.cleanUp(ctx, run)
		s, serr := a.Status(ctx, run.ID)
		return s, errors.Join(err, serr)
	}
	// Again when the process that was asked died over it.
	for try := 1; ; try++ {
		err := a.tell(ctx, run, session.Request{Action: action})
		if e, unopened := errors.AsType[*unopenedError](err); unopened && action == "finish" {
			err = a.endUnwritten(ctx, run, e.error)
		}
		if err != nil {
			return nil, err
		}
		st, err := a.settled(ctx, run)
		if err != nil || action == "pause" || st.State.Ended() || try == 3 || ctx.Err() != nil {
			return st, err
		}
		if _, live := run.Live(); live {
			return st, nil // the summary says so
		}
	}
}

// settled waits until nobody works on the run any more, for a while.
func (a *App) settled(ctx context.Context, run *session.Run) (*Status, error) {
	ctx2, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, live := run.Live(); !live {
			return a.Status(ctx, run.ID)
		}
		select {
		case <-ctx2.Done():
			s, err := a.Status(ctx, run.ID)
			if err == nil && !s.State.Ended() {
				s.Summary = "The process that works on the run has not reacted yet; the request is kept and obeyed as soon as it does. " + s.Summary
			}
			return s, err
		case <-tick.C:
		}
	}
}

// cleanUp removes what an ended run left, because it was killed just then or
// because removing it did not work.
func (a *App) cleanUp(ctx context.Context, run *session.Run) error {
	asked, err := readAsked(run)
	if err != nil {
		return err
	}
	h, err := a.open(run, asked)
	if err != nil {
		return err
	}
	defer h.journal.Close()
	defer a.store.Sweep() // of the process that ended it and was killed then
	return h.release(ctx, false)
}
