package app

import (
	"context"
	"errors"
	"fmt"

	"perfbisect/engine"
)

// Compare measures commits against each other, alternating between them: both
// ends of a run, or any one or two commits. It is a run like any other, without
// a search: Status, Wait and Report know it by its own id.
func (a *App) Compare(ctx context.Context, r CompareRequest) (*Status, error) {
	if r.RunID != "" {
		return a.compareEnds(ctx, r.RunID)
	}
	if n := len(r.Commits); n < 1 || n > 2 {
		return nil, fmt.Errorf("commits has %d entries, must have one or two", n)
	}
	spec := r.Spec
	spec.Good, spec.Bad = r.Commits[0], r.Commits[len(r.Commits)-1]
	if err := spec.absolutize(); err != nil {
		return nil, err
	}
	if err := errors.Join(spec.Validate(), spec.checkFiles()); err != nil {
		return nil, err
	}
	q, err := a.resolve(ctx, spec)
	if err != nil {
		return nil, err
	}
	q.Kind = "compare"
	return a.begin(ctx, q)
}

// compareEnds measures both ends of a run again.
func (a *App) compareEnds(ctx context.Context, id string) (*Status, error) {
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	q, state, err := a.load(run)
	if err != nil {
		return nil, err
	}
	if state.Plan == nil {
		return nil, fmt.Errorf("run %s has no range yet: it waits for an answer", run.ID)
	}
	if !state.Status.Ended() && a.worked(run) {
		return nil, fmt.Errorf("run %s is being measured: pause it before its ends are measured again", run.ID)
	}
	if q.Spec, err = q.Spec.with(state.Events()); err != nil {
		return nil, err
	}
	p := state.Plan
	q.Spec.Metric, q.Spec.Better = p.Metric, string(p.Options.Better)
	q.Kind, q.Parent, q.Good, q.Bad = "compare", run.ID, p.Positions[0].Commit, p.Positions[len(p.Positions)-1].Commit
	return a.begin(ctx, q)
}

// comparePlan is the plan of a comparison: the commits themselves.
func (h *hunt) comparePlan() *engine.Plan {
	o := h.spec.searchOptions()
	if len(h.asked.Commits) > 0 {
		p := &engine.Plan{Metric: h.spec.Metric, Options: o}
		p.Options.Strategy = "compare"
		for _, commit := range h.asked.Commits {
			p.Positions = append(p.Positions, engine.Position{Commit: commit})
		}
		return p
	}
	o.Strategy = "compare"
	p := &engine.Plan{Positions: []engine.Position{{Commit: h.asked.Good}}, Metric: h.spec.Metric, Options: o}
	if h.asked.Parent == "" { // else the budget is that of the parent
		p.MaxRuns, p.MaxTimeS = h.spec.MaxRuns, h.spec.MaxTimeS
	}
	if h.asked.Bad != h.asked.Good {
		p.Positions = append(p.Positions, engine.Position{Commit: h.asked.Bad})
	}
	return p
}
