package search_test

import (
	"slices"
	"testing"

	"perfbisect/engine/search"
)

// A mark splits the range of an exact hunt at a position without a run.
func TestExactMarks(t *testing.T) {
	good, bad := search.Mark{Verdict: search.VerdictGood}, search.Mark{Verdict: search.VerdictBad}
	tests := []struct {
		why   string
		marks map[int]search.Mark
		fails map[int]search.Outcome
	}{
		{"one, and no cell has both its ends measured", map[int]search.Mark{20: good}, nil},
		{"around the culprit", map[int]search.Mark{39: good, 40: bad}, nil},
		{"wrong: the metric has the last word", map[int]search.Mark{20: bad, 50: good}, nil},
		{"sure, and around the culprit", map[int]search.Mark{39: {Verdict: search.VerdictGood, Certain: true}, 40: {Verdict: search.VerdictBad, Certain: true}}, nil},
		{"on a commit that does not build", map[int]search.Mark{20: good}, map[int]search.Outcome{20: search.BuildFailed}},
	}
	for _, tt := range tests {
		h := newHunter(t, 64, func(pos int) float64 {
			if pos >= 40 {
				return 128
			}
			return 64
		})
		h.v.Options.Exact = true
		h.v.Marks = tt.marks
		if tt.fails != nil {
			h.fails = tt.fails
		}
		if f := h.run(); f.Culprit != 40 && !slices.Contains(f.Candidates, 40) {
			t.Errorf("%s: %s, %v of %v", tt.why, f.Outcome, f.Culprit, f.Candidates)
		}
	}
}
