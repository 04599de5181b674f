package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/session"
)

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
// to take it back. What speaks against it is among the warnings of the status.
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
	_, state, err := a.load(run)
	if err != nil {
		return nil, err
	}
	if err := checkMark(state.Plan, hash, search.Verdict(verdict)); err != nil {
		return nil, err
	}
	against := contradictions(state, hash, search.Verdict(verdict))
	if err := a.tell(ctx, run, session.Request{Action: "mark", Commit: hash, Verdict: verdict}); err != nil {
		return nil, err
	}
	st, err := a.Status(ctx, run.ID)
	if err == nil {
		st.Warnings = append(slices.Clone(st.Warnings), against...)
	}
	return st, err
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

// short is the form of a hash that people read.
func short(hash string) string { return hash[:min(len(hash), 10)] }

// accept checks an answer against the options of its question. An option may be
// abbreviated as long as only one begins so.
func accept(q *search.Question, answer string) (string, error) {
	answer = strings.TrimSpace(answer)
	if answer == "" {
		answer = q.Default
	}
	if strings.ContainsRune(answer, 0) {
		return "", fmt.Errorf("answer is %q, which holds a NUL byte", answer)
	}
	switch {
	case len(q.Options) > 0:
	case answer == "":
		return "", fmt.Errorf("the answer to question %q is empty", q.ID)
	default:
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
