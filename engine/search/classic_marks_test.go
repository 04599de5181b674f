package search

import (
	"slices"
	"strings"
	"testing"
)

func TestClassicRespectsMarks(t *testing.T) {
	mark := func(v Verdict) Mark { return Mark{Verdict: v} }
	tests := []struct {
		name       string // why the row is here
		marks      map[int]Mark
		answers    map[string]string
		asked      string
		outcome    FindingOutcome
		candidates []int
		avoided    []int // positions that need no run any more
	}{
		{name: "bad narrows from above", marks: map[int]Mark{6: mark(VerdictBad)}, outcome: Found, candidates: []int{5}, avoided: []int{6, 8, 12}},
		{name: "good narrows from below", marks: map[int]Mark{4: mark(VerdictGood)}, outcome: Found, candidates: []int{5}, avoided: []int{1, 2, 3, 4}},
		{name: "both beside each other end the search", marks: map[int]Mark{9: mark(VerdictGood), 10: mark(VerdictBad)}, outcome: Found, candidates: []int{10}, avoided: []int{8, 9, 10}},
		{name: "skip is untestable, and no failure", marks: map[int]Mark{5: mark(VerdictSkip)}, outcome: FoundAmong, candidates: []int{5, 6}, avoided: []int{5}},
		{name: "bad below good is asked about", marks: map[int]Mark{3: mark(VerdictBad), 9: mark(VerdictGood)}, asked: "mark:9:good", outcome: Undecided, candidates: []int{1, 2, 3}},
		{name: "and can be overruled", marks: map[int]Mark{3: mark(VerdictBad), 9: mark(VerdictGood)}, answers: map[string]string{"mark:9:good": "ignore"}, asked: "mark:9:good", outcome: Found, candidates: []int{3}},
		{name: "good at the bad end is asked about", marks: map[int]Mark{16: mark(VerdictGood)}, asked: "mark:16:good", outcome: Undecided},
		{name: "bad at the good end is asked about", marks: map[int]Mark{0: mark(VerdictBad)}, asked: "mark:0:bad", outcome: Undecided},
		{name: "the obvious is no contradiction", marks: map[int]Mark{0: mark(VerdictGood), 16: mark(VerdictBad)}, outcome: Found, candidates: []int{5}},
		{name: "a cleared mark is none", marks: map[int]Mark{8: mark(VerdictClear)}, outcome: Found, candidates: []int{5}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := newGame(t, 16, stepAt(5))
			g.view.Marks = test.marks
			g.answers = test.answers
			f := g.play(Classic{})
			if got := strings.Join(g.askedIDs(), " "); got != test.asked {
				t.Errorf("asked %q, want %q", got, test.asked)
			}
			if f.Outcome != test.outcome || test.candidates != nil && !slices.Equal(f.Candidates, test.candidates) {
				t.Errorf("%s %v, want %s %v", f.Outcome, f.Candidates, test.outcome, test.candidates)
			}
			for _, p := range g.judged() {
				if slices.Contains(test.avoided, p) {
					t.Errorf("commit %d was measured in spite of the mark", p)
				}
			}
		})
	}
}

// What stands beside the step but was only marked is not given as measured.
func TestClassicDoesNotInventLevels(t *testing.T) {
	g := newGame(t, 16, stepAt(5))
	g.view.Marks = map[int]Mark{9: {Verdict: VerdictGood}, 10: {Verdict: VerdictBad}}
	f := g.play(Classic{})
	if f.Good.N != 0 || f.Bad.N != 0 || f.ChangePct != f.GapPct || !slices.ContainsFunc(f.Warnings, func(w Warning) bool { return w.Code == "not_measured" }) {
		t.Errorf("good %+v, bad %+v, change %v, warnings %v", f.Good, f.Bad, f.ChangePct, f.Warnings)
	}
}

// A spent budget ends the hunt at any point with what is known, without a question.
func TestClassicEndsWithTheBudget(t *testing.T) {
	const culprit = 37
	last := 65
	for budget := 1; budget < 40; budget++ {
		g := newGame(t, 64, broken(stepAt(culprit), RunFailed, 32, 33, 34))
		g.maxRuns = budget
		f := g.play(Classic{})
		if len(g.view.Runs) > budget {
			t.Fatalf("%d runs of %d", len(g.view.Runs), budget)
		}
		if !slices.Contains(f.Candidates, culprit) || len(f.Candidates) > last {
			t.Fatalf("budget %d: candidates %v", budget, f.Candidates)
		}
		last = len(f.Candidates)
		if f.Outcome == Undecided && (f.Culprit != -1 || !strings.Contains(f.Reason, "budget")) {
			t.Fatalf("budget %d: %+v", budget, f)
		}
	}
	if last != 1 {
		t.Errorf("%d candidates with 40 runs", last)
	}
}

// The ends agree by chance of noise, or the code does: nothing is searched.
func TestClassicSameCode(t *testing.T) {
	g := newGame(t, 8, stepAt(3))
	g.view.Options.CodeIdentity = true
	g.view.Places = map[int]Place{0: {Built: true, Code: "x"}, 8: {Built: true, Code: "x"}}
	if f := g.play(Classic{}); f.Outcome != SameCode || len(g.judged()) > 0 {
		t.Errorf("%s after %v", f.Outcome, g.judged())
	}
}

func TestClassicSaysWhatIsLeft(t *testing.T) {
	g := newGame(t, 64, stepAt(20))
	left := 1e9
	spied := spy{decide: func(v *View) {
		d := Classic{}.Decide(v)
		if d.Kind != Measure {
			return
		}
		if d.Progress.Explanation == "" || d.Batches[0][0].Why == "" || d.Progress.Low >= d.Progress.High || d.Progress.Likeliest != -1 {
			t.Errorf("progress %+v, steps %+v", d.Progress, d.Batches)
		}
		if d.Progress.RunsLeft >= left || d.Progress.RunsLeft <= 0 {
			t.Errorf("%v runs left after %v", d.Progress.RunsLeft, left)
		}
		left = d.Progress.RunsLeft
	}}
	g.play(spied)
}
