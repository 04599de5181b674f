package search_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"perfbisect/engine/search"
)

// A range that gets faster before it gets slower is told from a step that looks
// larger than the gap because a few runs scatter.
func TestFasterThenSlowerNeedsMoreThanScatter(t *testing.T) {
	step := func(pos int) float64 {
		if pos >= 40 {
			return 120
		}
		return 100
	}
	valley := func(pos int) float64 {
		if pos >= 20 && pos < 40 {
			return 60
		}
		return step(pos)
	}
	for _, c := range []struct {
		name  string
		level func(int) float64
		sigma float64
		warns bool
	}{
		{"one step, 20 scatters", step, 1, false},
		{"one step, 5 scatters", step, 4, false},
		{"faster, then slower", valley, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				rng := rand.New(rand.NewPCG(seed, 11))
				h := newHunter(t, 64, func(pos int) float64 { return c.level(pos) + c.sigma*rng.NormFloat64() })
				f := h.run()
				warned := slices.ContainsFunc(f.Warnings, func(w search.Warning) bool { return w.Code == "faster_then_slower" })
				if warned != c.warns {
					t.Errorf("seed %d: %s at %d explains %.0f %%, warnings %v", seed, f.Outcome, f.Culprit, f.ExplainedPct, f.Warnings)
				}
			}
		})
	}
}

// One pair says, two pairs say.
func TestReasonCountsPairs(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 12))
		h := newHunter(t, 32, func(pos int) float64 {
			if pos >= 9 {
				return 120 + rng.NormFloat64()
			}
			return 100 + rng.NormFloat64()
		})
		reason := h.run().Reason
		for _, want := range []string{"; 1 pair of runs in turn says ", " pairs of runs in turn say "} {
			seen[want] = seen[want] || strings.Contains(reason, want)
		}
		if strings.Contains(reason, " 1 pairs") {
			t.Error(reason)
		}
	}
	if !seen["; 1 pair of runs in turn says "] {
		t.Errorf("no hunt ended with one pair: %v", seen)
	}
}
