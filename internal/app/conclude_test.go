package app

import (
	"slices"
	"testing"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

func TestEnterMerge(t *testing.T) {
	level := func(v float64) search.Level { return search.Level{Value: v, N: 3} }
	outer := func(good, bad search.Level, found ...engine.ResultFound) *engine.Result {
		return &engine.Result{Culprit: "merge", EndGood: good, EndBad: bad, Found: found}
	}
	merge := engine.ResultFound{Culprit: "merge", Good: level(10), Bad: level(20)}
	other := engine.ResultFound{Culprit: "other", Good: level(20), Bad: level(22)}
	tests := []struct {
		r         *engine.Result
		good, bad float64
		want      float64
		why       string
	}{
		{outer(level(10), level(20), merge), 10, 14, 40, "the merge brought in more than this commit"},
		{outer(level(10), level(20)), 10, 20, 100, "the whole of it"},
		{outer(level(20), level(10), merge), 20, 15, 50, "higher is better"},
		{outer(level(10), level(30), merge, other), 10, 14, 30, "another step is named as well"},
		{outer(search.Level{}, level(20), merge), 10, 14, 0, "good was not measured"},
		{outer(level(10), level(10), merge), 10, 14, 0, "no gap"},
	}
	for _, tt := range tests {
		in := &engine.Result{Culprit: "inside", Good: level(tt.good), Bad: level(tt.bad)}
		enterMerge(tt.r, in)
		if got := tt.r.ExplainedPct; got != tt.want {
			t.Errorf("%v %%, want %v: %s", got, tt.want, tt.why)
		}
		if tt.r.Culprit != "inside" || !slices.Equal(tt.r.Via, []string{"merge"}) {
			t.Errorf("culprit %q by %q: %s", tt.r.Culprit, tt.r.Via, tt.why)
		}
	}
}
