package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
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
		return err
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
	return h.release(ctx, false)
}

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

// Step lets a run in step mode visit more positions; steps 0 switches it to
// auto.
func (a *App) Step(ctx context.Context, id string, steps int) (*Status, error) {
	if steps < 0 || steps > 1000 {
		return nil, fmt.Errorf("steps is %d, must be 0 (switch to auto) to 1000", steps)
	}
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	if _, err := a.Resume(ctx, run.ID); err != nil {
		return nil, err
	}
	if err := a.tell(ctx, run, session.Request{Action: "step", Steps: steps}); err != nil {
		return nil, err
	}
	return a.Status(ctx, run.ID)
}

// Mark journals the user's own verdict on a commit: good, bad, skip, or clear
// to take it back.
func (a *App) Mark(ctx context.Context, id, commit, verdict string) (*Status, error) {
	allowed := []string{"good", "bad", "skip", "clear"}
	if !slices.Contains(allowed, verdict) {
		return nil, fmt.Errorf("verdict is %q, must be one of: %s", verdict, strings.Join(allowed, ", "))
	}
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	hash, err := a.commitOf(ctx, run, commit)
	if err != nil {
		return nil, err
	}
	if err := a.tell(ctx, run, session.Request{Action: "mark", Commit: hash, Verdict: verdict}); err != nil {
		return nil, err
	}
	return a.Status(ctx, run.ID)
}

// commitOf resolves a revision and checks that the run searches it.
func (a *App) commitOf(ctx context.Context, run *session.Run, rev string) (string, error) {
	q, state, err := a.load(run)
	if err != nil {
		return "", err
	}
	if err := unended(run, state); err != nil {
		return "", err
	}
	if state.Plan == nil {
		return "", fmt.Errorf("run %s has no range yet: it waits for an answer", run.ID)
	}
	repo, err := gitrepo.Open(ctx, q.Spec.Repo)
	if err != nil {
		return "", err
	}
	hash, err := repo.Resolve(ctx, rev)
	if err != nil {
		return "", err
	}
	if state.Plan.IndexOf(hash) < 0 {
		return "", fmt.Errorf("commit %s is not in the range of run %s", short(hash), run.ID)
	}
	return hash, nil
}

// unended refuses what would change the facts under a result.
func unended(run *session.Run, s *engine.State) error {
	if !s.Status.Ended() {
		return nil
	}
	return fmt.Errorf("run %s has ended (%s): its result stands; begin another run, and mark its commits while it works", run.ID, s.Status)
}

// Undo takes the user's last mark or answer back.
func (a *App) Undo(ctx context.Context, id string) (*Status, error) {
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	_, state, err := a.load(run)
	if err != nil {
		return nil, err
	}
	if err := unended(run, state); err != nil {
		return nil, err
	}
	if state.LastUndoable() == 0 {
		return nil, fmt.Errorf("run %s has no mark or answer to undo", run.ID)
	}
	if err := a.tell(ctx, run, session.Request{Action: "undo"}); err != nil {
		return nil, err
	}
	return a.Status(ctx, run.ID)
}

// Answer answers the pending question of a run; questionID may be "" for
// whichever is pending. A run that nobody works on is taken up again.
func (a *App) Answer(ctx context.Context, id, questionID, answer string) (*Status, error) {
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	_, state, err := a.load(run)
	if err != nil {
		return nil, err
	}
	q := state.Question
	switch {
	case q == nil:
		return nil, fmt.Errorf("run %s has no pending question", run.ID)
	case questionID != "" && questionID != q.ID:
		return nil, fmt.Errorf("question %q is not pending in run %s; the pending one is %q", questionID, run.ID, q.ID)
	}
	if answer, err = accept(q, answer); err != nil {
		return nil, err
	}
	if err := a.tell(ctx, run, session.Request{Action: "answer", QuestionID: q.ID, Answer: answer}); err != nil {
		return nil, err
	}
	return a.Resume(ctx, run.ID)
}

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
		if err := a.tell(ctx, run, session.Request{Action: action}); err != nil {
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

// short is the form of a hash that people read.
func short(hash string) string { return hash[:min(len(hash), 10)] }

// accept checks an answer against the options of its question. An option may be
// abbreviated as long as only one begins so.
func accept(q *search.Question, answer string) (string, error) {
	answer = strings.TrimSpace(answer)
	if answer == "" {
		answer = q.Default
	}
	if len(q.Options) == 0 && answer != "" {
		return answer, nil
	}
	var hits []string
	for _, o := range q.Options {
		if o == answer {
			return o, nil
		}
		if answer != "" && strings.HasPrefix(o, answer) {
			hits = append(hits, o)
		}
	}
	if len(hits) == 1 {
		return hits[0], nil
	}
	return "", fmt.Errorf("answer is %q, must be one of: %s", answer, strings.Join(q.Options, ", "))
}
