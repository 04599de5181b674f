package enginetest_test

import (
	"math"
	"testing"

	"perfbisect/engine/enginetest"
	"perfbisect/engine/search"
)

// Without noise the search is plain bisection: every culprit, log2 N runs and
// two a side at the ends.
func TestNoiselessChainIsBisection(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 64, 100} {
		for seed := range uint64(40) {
			w := enginetest.NewWorld(enginetest.Problem{N: n, D: 5, Noise: enginetest.Clean, Options: enginetest.DefaultOptions()}, seed)
			h, err := enginetest.Hunt(w, search.Adaptive{})
			if err != nil {
				t.Fatalf("N=%d seed %d: %v", n, seed, err)
			}
			if h.Finding.Outcome != search.Found || h.Finding.Culprit != w.Culprits[0] {
				t.Errorf("N=%d seed %d: %s at %d, the culprit is %d", n, seed, h.Finding.Outcome, h.Finding.Culprit, w.Culprits[0])
			}
			if most := 4 + 2 + int(math.Ceil(math.Log2(float64(n)))); h.Runs > most {
				t.Errorf("N=%d seed %d: %d runs, the ends, bisection and the proof take %d", n, seed, h.Runs, most)
			}
		}
	}
}
