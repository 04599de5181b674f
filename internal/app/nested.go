package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
)

// nested is the run of a kind that works for this hunt, the newest if an earlier
// one was damaged, or nil.
func (h *hunt) nested(kind string) *engine.Nested {
	for i := range slices.Backward(h.state.Nested) {
		if h.state.Nested[i].Kind == kind {
			return &h.state.Nested[i]
		}
	}
	return nil
}

// request is this hunt's request for a run that works for it: it asks nothing
// and does not do itself what the whole hunt is to do.
func (h *hunt) request() asked {
	q := asked{Spec: h.spec, Root: h.asked.Root, Good: h.asked.Good, Bad: h.asked.Bad, Parent: h.run.ID, Inside: true, Revs: h.asked.Revs, Outer: h.asked.Outer}
	q.Spec.Skip, q.Spec.Prove, q.Spec.Ladder, q.Spec.Reuse, q.Spec.Mode, q.Spec.Yes = nil, nil, "", "", "auto", true
	q.Spec.Reference, q.Spec.All = 0, false
	if p := h.state.Plan; p != nil {
		q.Spec.Metric, q.Spec.Better = p.Metric, string(p.Options.Better)
	}
	return q
}

// comparison is the request to measure a few commits, runs times each.
func (h *hunt) comparison(runs int, commits []string) asked {
	q := h.request()
	q.Kind, q.Commits, q.Spec.NumRuns = "compare", commits, runs
	q.Good, q.Bad = commits[0], commits[len(commits)-1]
	return q
}

// delegate works on the nested run of a kind until it has ended, and returns its
// result. It is nil, without an error, when the journal grew meanwhile: the loop
// then decides anew and comes back.
func (h *hunt) delegate(ctx context.Context, kind string, q asked) (*engine.Result, error) {
	if n := h.nested(kind); n != nil {
		if n.Result != nil {
			return n.Result, nil
		}
		damage := h.app.unusable(n.Run)
		if damage == nil {
			return nil, h.resumeNested(ctx, *n)
		}
		if err := h.warn(damagedCode, "", fmt.Sprintf("a run that worked for this one cannot go on and is begun again: %v", damage)); err != nil {
			return nil, err
		}
	}
	run, err := h.app.make(q)
	if err != nil {
		return nil, err
	}
	return nil, h.append(engine.Event{Kind: engine.EventNested, Nested: &engine.Nested{Run: run.ID, Kind: kind}})
}

// unusable says why a run cannot be gone on with, nil if it can.
func (a *App) unusable(id string) error {
	run, err := a.store.Open(id)
	if err != nil {
		return err
	}
	_, _, damage := read(run)
	return damage
}

func (h *hunt) askedOf(id string) (asked, error) {
	run, err := h.app.store.Open(id)
	if err != nil {
		return asked{}, err
	}
	return readAsked(run)
}

// resumeNested works on a nested run with this hunt's tree until it ends.
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
	if err := h.lend(ctx, child); err != nil {
		child.journal.Close()
		return err
	}
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

// lend gives a nested run this hunt's tree, and the repository whose commits it
// searches.
func (h *hunt) lend(ctx context.Context, child *hunt) (err error) {
	if err := h.settle(ctx); err != nil {
		return err
	}
	child.repo, child.place, child.child, child.top = h.repo, h.place, true, cmp.Or(h.top, h.run.ID)
	if child.asked.Outer != nil && child.asked.Spec.Repo != h.spec.Repo {
		child.repo, err = gitrepo.Open(ctx, child.asked.Spec.Repo)
	}
	return err
}

// lookInside hunts inside a culprit that is a merge, when the user wants that.
// It reports true when it journaled something, so that the loop decides anew.
func (h *hunt) lookInside(ctx context.Context, f *search.Finding) (bool, error) {
	if f.Outcome != search.Found || f.Culprit < 0 || !h.state.Plan.Positions[f.Culprit].Merge || !h.state.Plan.FirstParent {
		return false, nil
	}
	merge := h.state.Plan.Positions[f.Culprit].Commit
	q, ok, err := h.insideMerge(ctx, merge)
	if err != nil || !ok {
		return false, err
	}
	id := "merge:" + short(merge)
	switch h.state.View.Answers[id] {
	case "no":
		return false, nil
	case "yes":
		r, err := h.delegate(ctx, "merge", q)
		if err != nil || r == nil {
			return true, err
		}
		return false, h.inherit("merge")
	}
	return true, h.ask(search.Question{
		ID: id, Options: []string{"yes", "no"}, Default: "yes",
		Text: fmt.Sprintf("The culprit %s is a merge. Search among the commits that it brought in?", short(merge)),
	})
}

// insideMerge is the request to hunt among the commits that a merge brought in:
// from where the branch left the first-parent line to the branch's tip. Of
// several branches it is all that they brought, up to the merge. ok is false
// when it brought nothing of its own.
func (h *hunt) insideMerge(ctx context.Context, merge string) (q asked, ok bool, err error) {
	c, err := h.repo.Commit(ctx, merge)
	if err != nil || len(c.Parents) < 2 {
		return q, false, err
	}
	q = h.request()
	if len(c.Parents) > 2 {
		q.Spec.FirstParent = false
		q.between(c.Parents[0], merge)
		return q, true, nil
	}
	base, err := h.repo.MergeBase(ctx, c.Parents[0], c.Parents[1])
	if err != nil || base == c.Parents[1] {
		return q, false, err
	}
	q.between(base, c.Parents[1])
	return q, true, nil
}

// between sets the ends.
func (q *asked) between(good, bad string) {
	q.Spec.Good, q.Spec.Bad, q.Good, q.Bad = good, bad, good, bad
}

// inherit takes the machine-code note of a nested hunt over: it is about the
// commit that is named in the end.
func (h *hunt) inherit(kind string) error {
	n := h.nested(kind)
	if n.Result.Outcome != search.Found && n.Result.Outcome != search.FoundAmong {
		return nil
	}
	run, err := h.app.store.Open(n.Run)
	if err != nil {
		return err
	}
	_, state, err := h.app.load(run)
	if err != nil {
		return err
	}
	if note := state.Note(noteCode); note != nil {
		return h.note(*note)
	}
	return nil
}
