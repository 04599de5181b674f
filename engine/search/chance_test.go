package search_test

import (
	"math/rand/v2"
	"testing"

	"perfbisect/engine/search"
)

// A benchmark that takes a few values in turn repeats them by chance. There is no
// step, so hardly anybody may be named, and nobody for a "metric without noise".
func TestRepeatingByChance(t *testing.T) {
	named := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		h := newHunter(t, 30, func(int) float64 { return []float64{24, 27, 27, 27, 27, 46, 46, 46, 46}[rng.IntN(9)] })
		h.v.Options.Resolution = 1
		if f := h.run(); f.Outcome == search.Found || f.Outcome == search.FoundAmong {
			named++
		}
	}
	if named > 12 {
		t.Errorf("%d of 300 hunts named a commit", named)
	}
}

// Few printed digits: a gap of two steps is found, one of a single step may be
// rounding, and is not called the same speed.
func TestCoarseDigits(t *testing.T) {
	for _, c := range []struct {
		good, bad, step float64
		want            search.FindingOutcome
	}{
		{0.2, 0.4, 0.1, search.Found},
		{1.5, 3, 0.1, search.Found},
		{0.001, 0.002, 0.001, search.GapTooSmall},
		{10, 10.1, 0.1, search.GapTooSmall},
		{100, 100.1, 0.1, search.NoRegression},
	} {
		h := newHunter(t, 30, func(pos int) float64 {
			if pos >= 12 {
				return c.bad
			}
			return c.good
		})
		h.v.Options.Resolution = c.step
		if f := h.run(); f.Outcome != c.want {
			t.Errorf("%v to %v in steps of %v: %s (%s)", c.good, c.bad, c.step, f.Outcome, f.Reason)
		}
	}
}
