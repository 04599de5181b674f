package search

import (
	"slices"
	"strings"
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
		before := parents[q]
		if before == nil {
			before = []int32{int32(q - 1)}
		}
		for _, parent := range before {
			if set[int(parent)] {
				set[q] = true
			}
		}
	}
	return set
}

// stepIn is stepAt in a history with branches.
func stepIn(parents [][]int32, culprit int) bench {
	slow := descendants(parents, culprit)
	return func(p, _ int) (float64, Outcome) {
		if slow[p] {
			return 140, OK
		}
		return 100, OK
	}
}

// In a history with branches the commits that are slow are those that contain
// the culprit, wherever they stand in the list.
func TestClassicFindsEveryCulpritInBranches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parents := drawHistory(t)
		n := len(parents) - 1
		culprit := rapid.IntRange(1, n).Draw(t, "culprit")
		dead := rapid.SliceOfNDistinct(rapid.IntRange(0, n), 0, n/3, rapid.ID[int]).Draw(t, "broken")
		dead = slices.DeleteFunc(dead, func(p int) bool { return p == 0 || p == n })
		g := newGame(t, n, broken(stepIn(parents, culprit), BuildFailed, dead...))
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

// Marks in a history with branches: 1-2 and 3-4 are two branches, 5 merges
// them, 6 is the bad end.
func TestClassicMarksInBranches(t *testing.T) {
	parents := [][]int32{{}, {0}, {1}, {0}, {3}, {2, 4}, nil}
	tests := []struct {
		name    string // why the row is here
		marks   map[int]Verdict
		asked   string
		culprit int
		avoided []int
	}{
		{"bad keeps its own branch", map[int]Verdict{4: VerdictBad}, "", 3, []int{1, 2, 4, 5}},
		{"good drops its own branch", map[int]Verdict{2: VerdictGood}, "", 3, []int{1, 2}},
		{"good on the other branch says nothing against bad", map[int]Verdict{2: VerdictGood, 4: VerdictBad}, "", 3, []int{1, 2, 4}},
		{"good that contains bad is asked about", map[int]Verdict{3: VerdictBad, 5: VerdictGood}, "mark:5:good", 3, nil},
		{"bad within good is asked about, in the order of the range", map[int]Verdict{4: VerdictGood, 3: VerdictBad}, "mark:4:good", 3, nil},
		{"the bad end cannot be good", map[int]Verdict{6: VerdictGood}, "mark:6:good", 3, nil},
		{"the good end cannot be bad", map[int]Verdict{0: VerdictBad}, "mark:0:bad", 3, nil},
	}
	for _, test := range tests {
		g := newGame(t, 6, stepIn(parents, 3))
		g.view.Parents = parents
		for p, verdict := range test.marks {
			g.view.Marks[p] = Mark{Verdict: verdict}
		}
		g.answers = map[string]string{test.asked: "ignore"}
		f := g.play(Classic{})
		if got := strings.Join(g.askedIDs(), " "); got != test.asked || f.Culprit != test.culprit {
			t.Errorf("%s: asked %q, culprit %d, want %q, %d", test.name, got, f.Culprit, test.asked, test.culprit)
		}
		for _, p := range g.judged() {
			if slices.Contains(test.avoided, p) {
				t.Errorf("%s: commit %d was measured", test.name, p)
			}
		}
	}
}

// An end of a history with branches has no neighbour that could stand for it.
func TestClassicBrokenEndInBranches(t *testing.T) {
	parents := [][]int32{{}, {0}, {0}, {1, 2}}
	for _, end := range []int{0, 3} {
		g := newGame(t, 3, broken(stepIn(parents, 1), BuildFailed, end))
		g.view.Parents = parents
		if f := g.play(Classic{}); f.Outcome != Undecided || !strings.Contains(f.Reason, Name(end)) {
			t.Errorf("end %d: %s, %s", end, f.Outcome, f.Reason)
		}
	}
}

// In a range of many thousands only a sample is weighed; it still halves.
func TestClassicHalvesALongHistory(t *testing.T) {
	parents := [][]int32{{}}
	for p := 1; p < 20_000; p++ {
		parents = append(parents, []int32{int32(p - 1)})
	}
	g := newGame(t, len(parents)-1, stepAt(12_345))
	g.view.Parents = parents
	if f := g.play(Classic{}); f.Culprit != 12_345 || len(g.judged()) > 18 { // log2(19,999) = 14.3
		t.Errorf("culprit %d after %d commits", f.Culprit, len(g.judged()))
	}
}

// A merge of two long branches is halved across both, not along one.
func TestClassicHalvesBranches(t *testing.T) {
	const side = 64
	parents := [][]int32{{}}
	for p := 1; p <= 2*side; p++ { // the two branches, in turn
		parents = append(parents, []int32{int32(max(0, p-2))})
	}
	parents = append(parents, []int32{2*side - 1, 2 * side})
	g := newGame(t, len(parents)-1, stepIn(parents, 77))
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
