package search

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// The faults of the recipe that this procedure corrects, one test each. Those
// in reading output and in the user's tree are tested where output is read and
// trees are made.

// The first commit after good was taken for good without a measurement.
func TestFaultTheFirstCommitCannotBeNamed(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for culprit := 1; culprit <= n; culprit++ {
			if f := newGame(t, n, stepAt(culprit)).play(Classic{}); f.Outcome != Found || f.Culprit != culprit || f.LastGood != culprit-1 {
				t.Errorf("%d of %d: %s %d after %d", culprit, n, f.Outcome, f.Culprit, f.LastGood)
			}
		}
	}
}

// Commits of merged branches were listed and then halved as if each contained
// all commits before it in the list. Here 1 and 4 are one branch, 2 and 3
// another, 5 merges them; the culprit is 1, and 2 and 3 are fast without it.
func TestFaultBranchesWereHalvedAsALine(t *testing.T) {
	parents := [][]int32{{}, {0}, {0}, {2}, {1}, {4, 3}}
	slow := map[int]bool{1: true, 4: true, 5: true}
	world := func(p, _ int) (float64, Outcome) {
		if slow[p] {
			return 140, OK
		}
		return 100, OK
	}
	asLine := newGame(t, 5, world)
	if f := asLine.play(Classic{}); f.Culprit == 1 {
		t.Fatal("the example does not show the fault")
	}
	g := newGame(t, 5, world)
	g.view.Parents = parents
	if f := g.play(Classic{}); f.Culprit != 1 || f.LastGood != 0 {
		t.Errorf("culprit %d after %d, want 1 after 0", f.Culprit, f.LastGood)
	}
}

// "Within 10 % of the threshold" was 10 % of the value, so with a gap of 6 %
// every commit was ambiguous. It is 10 % of the gap.
func TestFaultEveryCommitOfASmallGapWasAmbiguous(t *testing.T) {
	g := newGame(t, 16, func(p, _ int) (float64, Outcome) {
		if p < 7 {
			return 100, OK
		}
		return 106, OK
	})
	f := g.play(Classic{})
	if f.Culprit != 7 || len(g.asked) > 0 {
		t.Errorf("culprit %d, asked %v", f.Culprit, g.askedIDs())
	}
	for _, s := range g.steps {
		if s.Runs > 3 {
			t.Errorf("commit %d got %d runs", s.Position, s.Runs)
		}
	}
}

// The edges of the band, on both sides of 30 % of a gap of 100.
func TestTheBandAroundTheThreshold(t *testing.T) {
	tests := []struct {
		value   float64
		runs    int
		culprit int // of 1 and 2
	}{
		{math.Nextafter(120, 0), 3, 2}, {120, 5, 0}, {130, 5, 0}, {140, 5, 0}, {math.Nextafter(140, 200), 3, 1},
	}
	for _, test := range tests {
		g := newGame(t, 2, func(p, _ int) (float64, Outcome) {
			return []float64{100, test.value, 200}[p], OK
		})
		f := g.play(Classic{})
		runs := 0
		for _, s := range g.steps {
			if s.Position == 1 {
				runs += s.Runs
			}
		}
		if runs != test.runs || (test.runs == 5) != (len(g.asked) == 1) || test.culprit != 0 && f.Culprit != test.culprit {
			t.Errorf("%v: %d runs, asked %v, culprit %d", test.value, runs, g.askedIDs(), f.Culprit)
		}
	}
}

// A second failure in a row ended the run.
func TestFaultASecondFailureEndedTheRun(t *testing.T) {
	g := newGame(t, 32, broken(stepAt(21), BuildFailed, 16, 17, 15, 14, 18, 8))
	if f := g.play(Classic{}); f.Outcome != Found || f.Culprit != 21 {
		t.Errorf("%s %d", f.Outcome, f.Culprit)
	}
	if order := g.judged(); order[0] != 16 || order[1] != 17 || abs(order[2]-16) < 3 {
		t.Errorf("order %v: want the middle, its neighbour, then a jump out of the block", order)
	}
}

// A culprit that does not build was silently replaced by its successor.
func TestFaultABrokenCulpritWasReplaced(t *testing.T) {
	g := newGame(t, 32, broken(stepAt(11), BuildFailed, 10, 11, 12))
	f := g.play(Classic{})
	if f.Outcome != FoundAmong || f.Culprit != -1 || !slices.Equal(f.Candidates, []int{10, 11, 12, 13}) || f.LastGood != 9 {
		t.Errorf("%s %d, candidates %v after %d", f.Outcome, f.Culprit, f.Candidates, f.LastGood)
	}
	if !strings.Contains(f.Reason, "4 commits") || f.Advice == "" {
		t.Errorf("reason %q, advice %q", f.Reason, f.Advice)
	}
}

// Build failure, benchmark failure and a missing metric were one thing, and it
// counted. None of them is slow, and the question says which it was.
func TestFaultFailuresWereOneThing(t *testing.T) {
	for _, outcome := range []Outcome{BuildFailed, RunFailed, Timeout, NoMetric, GPUFault, Skipped} {
		g := newGame(t, 16, broken(stepAt(12), outcome, 8, 9))
		g.view.Options.SkipOnFail = false
		g.answers = map[string]string{"failures:1": "continue", "failures:2": "continue"}
		if f := g.play(Classic{}); f.Outcome != Found || f.Culprit != 12 {
			t.Errorf("%s: %s %d", outcome, f.Outcome, f.Culprit)
		}
		if len(g.asked) == 0 || !strings.Contains(g.asked[0].Text, outcome.Words()) || !strings.Contains(g.asked[0].Text, "commit #8") {
			t.Errorf("%s: asked %+v", outcome, g.asked)
		}
	}
}

// Good was run three times, then bad three times, so a machine that warms up
// made a gap. There is none here, and the last run is 12 % faster than the first.
func TestFaultWarmUpBecameTheGap(t *testing.T) {
	clock := 0.0
	g := newGame(t, 8, func(int, int) (float64, Outcome) {
		clock++
		return 100 * (1 + 0.3*math.Exp(-clock/2)), OK
	})
	f := g.play(Classic{})
	if f.Outcome != NoRegression {
		t.Errorf("%s: %s", f.Outcome, f.Reason)
	}
	if got, want := positions(g.steps), "A I A I A I"; got != want {
		t.Errorf("ends run as %q, want %q", got, want)
	}
	if g.warmups != len(g.steps) {
		t.Errorf("%d warm-up runs for %d checkouts", g.warmups, len(g.steps))
	}
}

// Several steps between the ends are not passed over in silence.
func TestClassicWarnsOfSeveralSteps(t *testing.T) {
	tests := []struct {
		name   string // why the row is here
		values func(p int) float64
		want   string // code of the warning
	}{
		{"two steps down", func(p int) float64 { return []float64{100, 100, 100, 150, 150, 150, 200, 200, 200}[p] }, "several_steps"},
		{"faster in the middle than good", func(p int) float64 { return []float64{100, 100, 60, 60, 60, 140, 140, 140, 140}[p] }, "outside_ends"},
		{"one step", func(p int) float64 { return []float64{100, 101, 99, 140, 139, 141, 140, 140, 140}[p] }, ""},
	}
	for _, test := range tests {
		f := newGame(t, 8, func(p, _ int) (float64, Outcome) { return test.values(p), OK }).play(Classic{})
		got := ""
		for _, w := range f.Warnings {
			got += w.Code
		}
		if f.Outcome != Found || got != test.want {
			t.Errorf("%s: %s, warnings %v", test.name, f.Outcome, f.Warnings)
		}
	}
}
