package search

import (
	"slices"
	"strings"
	"testing"
)

// positions flattens visits into the positions of their runs.
func positions(steps []Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(strings.Repeat(string(rune('A'+s.Position)), s.Runs))
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

func TestCompareAlternates(t *testing.T) {
	tests := []struct {
		name    string // why the row is here
		n, runs int
		want    string // runs by visit
	}{
		{"two commits, ABBA", 1, 4, "A BB A A BB A"},
		{"an odd number ends with a round there", 1, 3, "A BB A A B"},
		{"one run each", 1, 1, "A B"},
		{"three commits, there and back", 2, 2, "A B CC B A"},
		{"one commit", 0, 4, "AA AA"},
	}
	for _, test := range tests {
		g := newGame(t, test.n, func(p, _ int) (float64, Outcome) { return 100 + float64(p), OK })
		g.view.Options.NumRuns = test.runs
		f := g.play(Compare{})
		if got := positions(g.steps); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if f.Outcome != Measured || len(f.Levels) != test.n+1 || f.EndGood.N != test.runs {
			t.Errorf("%s: %+v", test.name, f)
		}
	}
}

func TestCompareSaysWhetherTheyDiffer(t *testing.T) {
	scatter := []float64{0, 1, -1, 0.5, -0.5, 0.2, -0.2, 0.8, -0.8, 0.1}
	noisy := func(gap float64) bench {
		return func(p, k int) (float64, Outcome) { return 100 + gap*float64(p) + scatter[(k+3*p)%len(scatter)], OK }
	}
	tests := []struct {
		name   string // why the row is here
		bench  bench
		runs   int
		differ bool
	}{
		{"a gap of 20 scatters with 3 runs", noisy(20), 3, true},
		{"a gap of half a scatter is noise", noisy(0.5), 3, false},
		{"one run each says nothing", noisy(20), 1, false},
		{"more runs see a smaller gap", noisy(2), 10, true},
		{"which 3 runs do not", noisy(2), 3, false},
		{"no gap", noisy(0), 10, false},
		{"no scatter: any gap is real", func(p, _ int) (float64, Outcome) { return float64(p + 1), OK }, 2, true},
	}
	for _, test := range tests {
		g := newGame(t, 1, test.bench)
		g.view.Options.NumRuns = test.runs
		f := g.play(Compare{})
		if f.Differ != test.differ || f.Reason == "" {
			t.Errorf("%s: differ %v: %s", test.name, f.Differ, f.Reason)
		}
	}
}

// Higher is better and it fell: the change is + = worse all the same.
func TestComparePolarity(t *testing.T) {
	g := newGame(t, 1, func(p, _ int) (float64, Outcome) { return 100 - 20*float64(p), OK })
	g.view.Options.Better = Higher
	if f := g.play(Compare{}); f.ChangePct != 20 || !strings.Contains(f.Reason, "20.0 % worse") {
		t.Errorf("%v %s", f.ChangePct, f.Reason)
	}
}

func TestCompareResumesWhereItStopped(t *testing.T) {
	g := newGame(t, 1, stepAt(1))
	g.view.Options.NumRuns = 4
	g.visit(Step{Position: 0, Runs: 1})
	g.visit(Step{Position: 1, Runs: 1})
	g.play(Compare{})
	if got, want := positions(g.steps), "A B B A A BB A"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A commit that fails is no result, and the other one is still measured.
func TestCompareWithAFailure(t *testing.T) {
	for _, outcome := range []Outcome{BuildFailed, RunFailed, Timeout, NoMetric, GPUFault} {
		g := newGame(t, 1, broken(stepAt(1), outcome, 1))
		f := g.play(Compare{})
		if f.Outcome != Undecided || f.EndGood.N != 3 || f.Differ || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0].Text, outcome.Words()) {
			t.Errorf("%s: %+v", outcome, f)
		}
	}
}

func TestCompareStopsWhenTheBudgetIsSpent(t *testing.T) {
	g := newGame(t, 1, stepAt(1))
	g.maxRuns = 1
	if f := g.play(Compare{}); f.Outcome != Undecided || !strings.Contains(f.Reason, "budget") {
		t.Errorf("%+v", f)
	}
	if len(g.steps) > 3 || !slices.Equal(g.askedIDs(), nil) {
		t.Errorf("%d visits", len(g.steps))
	}
}
