package app

import (
	"context"
	"fmt"

	"perfbisect/engine/search"
	"perfbisect/internal/metric"
)

// StepLine is one visit to a commit, as narrated while a hunt runs.
type StepLine struct {
	Type    string         `json:"type"` // "step"
	N       int            `json:"n"`    // 1, 2, 3 …
	Commit  string         `json:"commit"`
	Phase   search.Phase   `json:"phase,omitempty"`
	Outcome search.Outcome `json:"outcome"`
	Values  []float64      `json:"values"`
	Shown   string         `json:"shown"` // the values for people
	Why     string         `json:"why,omitempty"`
}

// Steps returns the visits of a run from the n-th on, 0 being the first. The
// last one may still be going on.
func (a *App) Steps(_ context.Context, id string, n int) ([]StepLine, error) {
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	_, s, err := a.load(run)
	if err != nil || s.Plan == nil {
		return nil, err
	}
	var lines []StepLine
	for i := n; i < len(s.Visits); i++ {
		v := s.Visits[i]
		lines = append(lines, StepLine{
			Type: "step", N: i + 1, Commit: s.Plan.Positions[v.Position].Commit, Phase: v.Phase, Outcome: v.Outcome,
			Values: append([]float64{}, v.Values...), Shown: shown(v.Values, s.Plan.Unit), Why: v.Why,
		})
	}
	return lines, nil
}

// shown writes values for people: one as it is, several as their value or smallest … largest.
func shown(values []float64, unit string) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		return metric.Format(values[0], unit)
	}
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low == high {
		return fmt.Sprintf("%s (%d equal runs)", metric.Format(low, unit), len(values))
	}
	return fmt.Sprintf("%s … %s (%d runs)", metric.Format(low, unit), metric.Format(high, unit), len(values))
}
