package engine

import "perfbisect/engine/search"

// New returns the planner that the options name. An unknown name is the
// adaptive one; the command line refuses unknown names before.
func New(o search.Options) search.Planner {
	switch o.Strategy {
	case "classic":
		return search.Classic{}
	case "compare":
		return search.Compare{}
	}
	return search.Adaptive{}
}

// Next asks p what to do. It does not change s. It is Ask while a question
// waits, and Done without a finding for a hunt that has ended or has no plan.
func (s *State) Next(p search.Planner) search.Decision {
	switch {
	case s.Plan == nil || s.Status.Ended():
		return search.Decision{Kind: search.Done, Phase: search.PhaseDone}
	case s.Question != nil:
		return search.Decision{Kind: search.Ask, Question: s.Question}
	}
	v := s.View
	v.Exhausted = s.Exhausted()
	return s.Plan.spellDecision(p.Decide(&v))
}

// Exhausted reports whether the budget in runs or in time is spent. A hunt
// without a plan has no budget.
func (s *State) Exhausted() bool {
	return s.Plan != nil && (s.Plan.MaxRuns > 0 && s.Runs >= s.Plan.MaxRuns ||
		s.Plan.MaxTimeS > 0 && s.AtS >= s.Plan.MaxTimeS)
}
