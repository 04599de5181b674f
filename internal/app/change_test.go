package app

import (
	"testing"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

func TestChangeOf(t *testing.T) {
	line := &engine.Plan{Positions: []engine.Position{
		{Commit: "good"}, {Commit: "a", Same: []string{"a1", "a2"}}, {Commit: "b", Same: []string{"b1"}}, {Commit: "c"},
	}}
	dag := &engine.Plan{Positions: []engine.Position{{Commit: "good"}, {Commit: "a", Same: []string{"a1"}, Parents: []int32{0}}, {Commit: "b", Parents: []int32{0}}}}
	found := func(last, culprit string) *engine.Result {
		return &engine.Result{Outcome: search.Found, LastGood: last, Culprit: culprit}
	}
	tests := []struct {
		r        *engine.Result
		p        *engine.Plan
		from, to string
		why      string
	}{
		{found("a", "b"), line, "a2", "b", "what a1 and a2 change is not b's"},
		{found("b", "c"), line, "b1", "c", "one commit like the last good one"},
		{found("good", "a"), line, "good", "a", "none like it"},
		{&engine.Result{Outcome: search.FoundAmong, LastGood: "a", Candidates: []string{"b", "c"}}, line, "a2", "c", "the whole set"},
		{found("a", "b"), dag, "a", "b", "a commit like it may lie on another branch"},
		{found("x", "y"), line, "x", "y", "inside a merge: other commits than the plan's"},
		{found("a", "b"), nil, "a", "b", "no plan"},
		{&engine.Result{Outcome: search.Undecided, LastGood: "a", Candidates: []string{"b"}}, line, "", "", "nothing is named"},
		{nil, line, "", "", "no result"},
	}
	for _, tt := range tests {
		if from, to := changeOf(tt.r, tt.p); from != tt.from || to != tt.to {
			t.Errorf("%q to %q, want %q to %q: %s", from, to, tt.from, tt.to, tt.why)
		}
	}
}
