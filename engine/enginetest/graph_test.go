package enginetest_test

import (
	"testing"

	"perfbisect/engine/enginetest"
	"perfbisect/engine/search"
)

// branches is a history of merged feature branches: every block of five positions is
// a branch of three commits from the block's start, a commit on the main line and
// the merge of both.
func branches(blocks int) [][]int32 {
	parents := [][]int32{nil}
	main := int32(0)
	for range blocks {
		a := int32(len(parents))
		parents = append(parents, []int32{main}, []int32{a}, []int32{a + 1}, []int32{main}, []int32{a + 3, a + 2})
		main = a + 4
	}
	return parents
}

// A noisy hunt through merges names the culprit, on a branch, on the main line or
// a merge itself, in about the runs that a chain of the same length takes.
func TestNoisyGraph(t *testing.T) {
	parents := branches(20)
	p := enginetest.Problem{N: len(parents) - 1, D: 6, Noise: enginetest.Gauss, Parents: parents, Options: enginetest.DefaultOptions()}
	runs := 0
	for seed := range uint64(25) {
		w := enginetest.NewWorld(p, seed)
		h, err := enginetest.Hunt(w, search.Adaptive{})
		if err != nil {
			t.Fatal(err)
		}
		runs += h.Runs
		if f := h.Finding; !w.Right(f) || len(f.Candidates) > 3 {
			t.Errorf("seed %d: %s %v, the culprit is %v", seed, f.Outcome, f.Candidates, w.Culprits)
		}
	}
	if mean := float64(runs) / 25; mean > 35 {
		t.Errorf("%.1f runs on average", mean)
	}
}
