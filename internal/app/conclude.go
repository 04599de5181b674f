package app

import (
	"context"
	"fmt"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// conclude turns a finding into the hunt's result: it looks into a culprit that
// is a merge, writes the reports, cleans up and journals the end, in this
// order, so that a kill on the way repeats what was not done.
func (h *hunt) conclude(ctx context.Context, f *search.Finding) (done bool, err error) {
	if again, err := h.lookInside(ctx, f); again || err != nil {
		return false, err
	}
	r := engine.NewResult(h.state, f)
	r.Run = h.run.ID
	h.adoptNested(r)
	if err := h.report(ctx, r); err != nil {
		return false, err
	}
	if err := h.release(ctx, false); err != nil {
		if err := h.warn("cleanup", "", err.Error()); err != nil {
			return false, err
		}
	}
	return true, h.append(engine.Event{Kind: engine.EventFinished, Result: r})
}

// lookInside hunts inside a culprit that is a merge, when the user wants that.
// It reports true when it journaled something, so that the loop decides anew.
func (h *hunt) lookInside(ctx context.Context, f *search.Finding) (bool, error) {
	if f.Outcome != search.Found || f.Culprit < 0 || !h.state.Plan.Positions[f.Culprit].Merge || !h.state.Plan.FirstParent {
		return false, nil
	}
	merge := h.state.Plan.Positions[f.Culprit].Commit
	for _, n := range h.state.Nested {
		if n.Kind == "merge" && n.Result == nil {
			return true, h.resumeNested(ctx, n)
		}
		if n.Kind == "merge" {
			return false, nil
		}
	}
	id := "merge:" + short(merge)
	switch h.state.View.Answers[id] {
	case "no":
		return false, nil
	case "yes":
		return h.insideMerge(ctx, merge)
	}
	return true, h.ask(search.Question{
		ID: id, Options: []string{"yes", "no"}, Default: "yes",
		Text: fmt.Sprintf("The culprit %s is a merge. Search among the commits that it brought in?", short(merge)),
	})
}

// insideMerge starts the hunt among the commits that a merge brought in: from
// where the branch left the first-parent line to the branch's tip.
func (h *hunt) insideMerge(ctx context.Context, merge string) (bool, error) {
	c, err := h.repo.Commit(ctx, merge)
	if err != nil {
		return false, err
	}
	base, err := h.repo.MergeBase(ctx, c.Parents[0], c.Parents[1])
	if err != nil || base == c.Parents[1] {
		return false, err // nothing of its own
	}
	q := h.asked
	q.Spec = h.spec
	q.Spec.Good, q.Spec.Bad, q.Spec.Skip, q.Spec.Yes = base, c.Parents[1], nil, true
	q.Spec.Metric, q.Spec.Better = h.state.Plan.Metric, string(h.state.Plan.Options.Better)
	q.Good, q.Bad, q.Parent = base, c.Parents[1], h.run.ID
	run, err := h.app.make(q)
	if err != nil {
		return false, err
	}
	return true, h.append(engine.Event{Kind: engine.EventNested, Nested: &engine.Nested{Run: run.ID, Kind: "merge"}})
}

// resumeNested works on a nested hunt with this hunt's tree until it ends.
func (h *hunt) resumeNested(ctx context.Context, n engine.Nested) error {
	run, err := h.app.store.Open(n.Run)
	if err != nil {
		return err
	}
	q, err := readAsked(run)
	if err != nil {
		return err
	}
	child, err := h.app.open(run, q)
	if err != nil {
		return err
	}
	if err := h.settle(ctx); err != nil {
		child.journal.Close()
		return err
	}
	child.repo, child.place, child.child = h.repo, h.place, true
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	h.interrupt.set(cancel) // a request to pause this hunt pauses the inner one
	child.work(inner)
	h.interrupt.set(nil)
	if inner.Err() != nil {
		return context.Cause(ctx) // nil: the inbox says what is wanted
	}
	n.Result = child.state.Result
	if n.Result == nil {
		n.Result = &engine.Result{Type: "result", Run: run.ID, Outcome: search.Undecided, Reason: child.state.Reason}
	}
	return h.append(engine.Event{Kind: engine.EventNested, Nested: &n})
}

// adoptNested makes the commit that a nested hunt named the culprit, and says
// through which merge it came.
func (h *hunt) adoptNested(r *engine.Result) {
	for _, n := range h.state.Nested {
		if n.Kind != "merge" || n.Result == nil {
			continue
		}
		if n.Result.Outcome != search.Found && n.Result.Outcome != search.FoundAmong {
			r.Reason += " The commits that the merge brought in do not show it by themselves: " + n.Result.Reason
			continue
		}
		r.Via = append(r.Via, r.Culprit)
		r.Outcome, r.Culprit, r.LastGood, r.Candidates = n.Result.Outcome, n.Result.Culprit, n.Result.LastGood, n.Result.Candidates
		r.Probability = min(r.Probability, n.Result.Probability)
		r.Via = append(r.Via, n.Result.Via...)
		r.Reason = n.Result.Reason
	}
}
