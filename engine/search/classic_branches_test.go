package search

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawHistory draws a history with branches and merges in which the last
// position descends from all others.
func drawHistory(t *rapid.T) [][]int32 {
	n := rapid.IntRange(1, 24).Draw(t, "n")
	parents := make([][]int32, n+1)
	parents[0] = []int32{}
	tips := map[int32]bool{0: true}
	for p := 1; p <= n; p++ {
		first := int32(rapid.IntRange(max(0, p-4), p-1).Draw(t, "parent"))
		parents[p] = []int32{first}
		if q := int32(rapid.IntRange(0, p-1).Draw(t, "second")); q != first && rapid.Bool().Draw(t, "merge") {
			parents[p] = append(parents[p], q)
		}
		for _, q := range parents[p] {
			delete(tips, q)
		}
		tips[int32(p)] = true
	}
	for tip := range tips {
		if int(tip) != n && !slices.Contains(parents[n], tip) {
			parents[n] = append(parents[n], tip)
		}
	}
	return parents
}

// descendants marks p and everything built on it.
func descendants(parents [][]int32, p int) map[int]bool {
	set := map[int]bool{p: true}
	for q := p + 1; q < len(parents); q++ {
		for _, parent := range parents[q] {
			if set[int(parent)] {
				set[q] = true
			}
		}
	}
	return set
}

// In a history with branches the commits that are slow are those that contain
// the culprit, wherever they stand in the list.
func TestClassicFindsEveryCulpritInBranches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parents := drawHistory(t)
		n := len(parents) - 1
		culprit := rapid.IntRange(1, n).Draw(t, "culprit")
		slow := descendants(parents, culprit)
		dead := rapid.SliceOfNDistinct(rapid.IntRange(0, n), 0, n/3, rapid.ID[int]).Draw(t, "broken")
		dead = slices.DeleteFunc(dead, func(p int) bool { return p == 0 || p == n })
		g := newGame(t, n, broken(func(p, _ int) (float64, Outcome) {
			if slow[p] {
				return 140, OK
			}
			return 100, OK
		}, BuildFailed, dead...))
		g.view.Parents = parents
		f := g.play(Classic{})
		if !slices.Contains(f.Candidates, culprit) {
			t.Fatalf("culprit %d is not in %v; history %v, broken %v", culprit, f.Candidates, parents, dead)
		}
		if len(dead) == 0 && (f.Outcome != Found || f.Culprit != culprit || len(g.judged()) > n) {
			t.Fatalf("%s %d after %d commits, want %d", f.Outcome, f.Culprit, len(g.judged()), culprit)
		}
		for _, p := range f.Candidates[:len(f.Candidates)-1] {
			if !slices.Contains(dead, p) {
				t.Fatalf("candidate %d could have been measured", p)
			}
		}
		if f.Outcome == Found && !slices.Contains(parents[culprit], int32(f.LastGood)) {
			t.Fatalf("last good %d is no parent of %d", f.LastGood, culprit)
		}
	})
}

// A merge of two long branches is halved across both, not along one.
func TestClassicHalvesBranches(t *testing.T) {
	const side = 64
	parents := [][]int32{{}}
	for p := 1; p <= 2*side; p++ { // the two branches, in turn
		parents = append(parents, []int32{int32(max(0, p-2))})
	}
	parents = append(parents, []int32{2*side - 1, 2 * side})
	slow := descendants(parents, 77)
	g := newGame(t, len(parents)-1, func(p, _ int) (float64, Outcome) {
		if slow[p] {
			return 140, OK
		}
		return 100, OK
	})
	g.view.Parents = parents
	f := g.play(Classic{})
	if f.Culprit != 77 {
		t.Errorf("culprit %d", f.Culprit)
	}
	if n := len(g.judged()); n > 8 { // log2(129) = 7.01
		t.Errorf("%d commits were judged, halving takes 8", n)
	}
}

func BenchmarkClassicPickInBranches(b *testing.B) {
	parents := [][]int32{{}}
	for p := 1; p < 80_000; p++ {
		parents = append(parents, []int32{int32(p - 1)})
		if p%3 == 0 {
			parents[p] = []int32{int32(p - 1), int32(p - 3)}
		}
	}
	for b.Loop() {
		newBranches(parents, 0, len(parents)-1).pick()
	}
}
