package app

import (
	"context"
	"slices"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// conclude turns a finding into the hunt's result: it looks into a culprit that
// is a merge or moves a dependency, compares machine code, proves what is to be
// proved, writes the reports, cleans up and journals the end, in this order, so
// that a kill on the way repeats what was not done.
func (h *hunt) conclude(ctx context.Context, f *search.Finding) (done bool, err error) {
	for _, step := range []func(context.Context, *search.Finding) (bool, error){h.checkIdentity, h.lookInside, h.lookBehind, h.attribute, h.improvement, h.prove} {
		if again, err := step(ctx, f); again || err != nil {
			return false, err
		}
	}
	r := engine.NewResult(h.state, f)
	r.Run = h.run.ID
	h.adoptMerge(r)
	h.adoptInner(r)
	r.Proofs = h.proofs()
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

// adoptMerge makes the commit that a hunt inside a merge named the culprit, and
// says through which merge it came.
func (h *hunt) adoptMerge(r *engine.Result) {
	n := h.nested("merge")
	if n == nil || n.Result == nil {
		return
	}
	in := n.Result
	if in.Outcome != search.Found && in.Outcome != search.FoundAmong {
		r.Reason += " The commits that the merge brought in do not show it by themselves: " + in.Reason
		return
	}
	if in.Culprit == r.Culprit {
		return // of an octopus: the merge itself
	}
	enterMerge(r, in)
}

// enterMerge makes the answer of the hunt inside r's culprit that of r.
func enterMerge(r, in *engine.Result) {
	r.ExplainedPct = explainedInside(r, in) // while r still names the merge
	r.Via = slices.Concat([]string{r.Culprit}, in.Via)
	r.Outcome, r.Culprit, r.LastGood, r.Candidates = in.Outcome, in.Culprit, in.LastGood, in.Candidates
	r.Good, r.Bad, r.ChangePct = in.Good, in.Bad, in.ChangePct
	r.Probability = min(r.Probability, in.Probability)
	r.Reason, r.Inner = in.Reason, in.Inner
}

// explainedInside is the share of the gap between the ends of r, in percent, that
// the steps of r explain when the step in its merge is the one that the hunt
// inside named. It is 0, which is told nowhere, when no gap was measured.
func explainedInside(r, in *engine.Result) float64 {
	gap := r.EndBad.Value - r.EndGood.Value
	if r.EndGood.N == 0 || r.EndBad.N == 0 || gap == 0 {
		return 0
	}
	steps := in.Bad.Value - in.Good.Value
	for _, f := range r.Found {
		if f.Culprit != r.Culprit {
			steps += f.Bad.Value - f.Good.Value
		}
	}
	return min(max(100*steps/gap, -mostExplained), mostExplained)
}

// mostExplained bounds a share, in percent: a gap of nearly nothing says nothing.
const mostExplained = 1e6

// adoptInner adds the commit that a hunt behind a moved dependency named.
func (h *hunt) adoptInner(r *engine.Result) {
	for _, kind := range []string{"submodule", "pin"} {
		n := h.nested(kind)
		if n == nil || n.Result == nil || r.Inner != nil {
			continue
		}
		in := n.Result
		if in.Outcome != search.Found && in.Outcome != search.FoundAmong {
			r.Reason += " A search among the commits of the " + kind + " named none: " + in.Reason
			continue
		}
		q, err := h.askedOf(n.Run)
		if err != nil || q.Outer == nil {
			continue
		}
		r.Inner = &engine.Inner{
			Kind: kind, Path: q.Outer.Path, Repo: q.Spec.Repo, Culprit: in.Culprit, LastGood: in.LastGood,
			Candidates: in.Candidates, Probability: in.Probability,
		}
	}
}
