package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"perfbisect/engine/enginetest"
	"perfbisect/engine/search"
)

// hunter drives the adaptive planner over a view by hand.
type hunter struct {
	t     *testing.T
	v     *search.View
	value func(pos int) float64
	fails map[int]search.Outcome // positions that do not build
	asked []string               // ids of the questions
	limit int
}

func newHunter(t *testing.T, n int, value func(int) float64) *hunter {
	v := &search.View{
		N: n, Places: map[int]search.Place{}, Marks: map[int]search.Mark{}, Answers: map[string]string{},
		RunS: 1, BuildS: 2, Options: enginetest.DefaultOptions(),
	}
	return &hunter{t: t, v: v, value: value, fails: map[int]search.Outcome{}, limit: 1000}
}

// run follows decisions to the answer.
func (h *hunter) run() *search.Finding {
	h.t.Helper()
	for range h.limit {
		d := search.Adaptive{}.Decide(h.v)
		switch d.Kind {
		case search.Done:
			return d.Finding
		case search.Ask:
			h.asked = append(h.asked, d.Question.ID)
			if !slices.Contains(d.Question.Options, d.Question.Default) {
				h.t.Fatalf("question %s: default %q is none of %v", d.Question.ID, d.Question.Default, d.Question.Options)
			}
			h.v.Answers[d.Question.ID] = d.Question.Default
		case search.Measure:
			if d.Progress.Explanation == "" {
				h.t.Fatalf("a decision without a word of why: %+v", d)
			}
			h.measure(d)
		}
	}
	h.t.Fatalf("no answer after %d decisions", h.limit)
	return nil
}

func (h *hunter) measure(d search.Decision) {
	for _, s := range d.Batches[0] {
		if o := h.fails[s.Position]; o != "" {
			place := h.v.Places[s.Position]
			place.Failure, place.Failures = o, place.Failures+1
			h.v.Places[s.Position] = place
			return
		}
		h.v.Places[s.Position] = search.Place{Built: true, Code: h.v.Places[s.Position].Code}
		for range s.Runs {
			h.add(s.Position)
		}
	}
}

func (h *hunter) add(pos int) {
	h.v.Runs = append(h.v.Runs, search.Run{Position: pos, Outcome: search.OK, Value: h.value(pos), StartS: float64(len(h.v.Runs)), ElapsedS: 1})
	h.v.NowS = float64(len(h.v.Runs))
}

// noisy is a level of 100, slower by gap from culprit on, with normal noise.
func noisy(culprit int, gap, sigma float64) func(int) float64 {
	rng := rand.New(rand.NewPCG(7, uint64(culprit)))
	return func(pos int) float64 {
		y := 100 + sigma*rng.NormFloat64()
		if pos >= culprit {
			y += gap
		}
		return y
	}
}

// How a hunt ends that names nobody, in the user's words.
func TestStopReasons(t *testing.T) {
	for _, c := range []struct {
		name    string
		value   func(int) float64
		prepare func(v *search.View)
		outcome search.FindingOutcome
		reason  string // part of Reason
		advice  string // part of Advice
	}{
		{"the ends are alike", noisy(99, 0, 0.2), nil, search.NoRegression, "between", "--min-gap"},
		{"a gap below the smallest of interest", noisy(5, 0.3, 0.05), nil, search.NoRegression, "smallest change of interest", ""},
		{"bad is faster", noisy(5, -20, 1), nil, search.Swapped, "better than good", "--find improvement"},
		{"scatter hides the gap", noisy(5, 1.2, 12), nil, search.GapTooSmall, "times the run-to-run scatter", "benchmark"},
		{"two modes hide the gap", twoModes(30, 1.2), nil, search.Unstable, "two modes", "pin it"},
		{"equal device code", noisy(5, 20, 1), func(v *search.View) {
			v.Options.CodeIdentity = true
			v.Places[0], v.Places[10] = search.Place{Built: true, Code: "x"}, search.Place{Built: true, Code: "x"}
		}, search.SameCode, "same device code", "driver"},
		{
			"good is far from its recorded value", noisy(99, 0, 0.2), func(v *search.View) { v.Options.Reference = 70 },
			search.EnvironmentChanged, "already slow", "environment",
		},
		{
			"an exact metric that does not change", func(int) float64 { return 64 }, func(v *search.View) { v.Options.Exact = true },
			search.NoRegression, "", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHunter(t, 10, c.value)
			if c.prepare != nil {
				c.prepare(h.v)
			}
			f := h.run()
			if f.Outcome != c.outcome || !strings.Contains(f.Reason, c.reason) || !strings.Contains(f.Advice, c.advice) {
				t.Errorf("%s: %s | %s; want %s with %q and %q", f.Outcome, f.Reason, f.Advice, c.outcome, c.reason, c.advice)
			}
			if f.Culprit != -1 || f.LastGood != -1 || len(f.Candidates) > 0 && c.outcome != search.Undecided {
				t.Errorf("names %d of %v", f.Culprit, f.Candidates)
			}
		})
	}
}

// twoModes alternates in rows of five between two clocks; bad is a little slower.
func twoModes(apart, gap float64) func(int) float64 {
	n := 0
	return func(pos int) float64 {
		n++
		y := 100 + float64(n%7)*0.1
		if n/5%2 == 1 {
			y += apart
		}
		if pos >= 5 {
			y += gap
		}
		return y
	}
}

// The ends are measured in turn so that a drift cancels: g b b g.
func TestEndsInABBAOrder(t *testing.T) {
	h := newHunter(t, 10, noisy(5, 5, 1))
	d := search.Adaptive{}.Decide(h.v)
	var order []int
	for _, s := range d.Batches[0] {
		for range s.Runs {
			order = append(order, s.Position)
		}
	}
	if want := []int{0, 10, 10, 0}; !slices.Equal(order, want) || d.Phase != search.PhaseEnds {
		t.Errorf("%s %v, want ends %v", d.Phase, order, want)
	}
}

func TestSwappedCanBeSearchedAsImprovement(t *testing.T) {
	h := newHunter(t, 30, noisy(12, -20, 1))
	h.v.Answers["swapped"] = "improvement"
	f := h.run()
	if f.Outcome != search.Found || f.Culprit != 12 || f.ChangePct > -15 {
		t.Errorf("%s at %d, %+.1f %%; want the improvement at 12", f.Outcome, f.Culprit, f.ChangePct)
	}
}

func TestBrokenCulpritIsFoundAmong(t *testing.T) {
	h := newHunter(t, 40, noisy(17, 10, 1))
	for i := 16; i <= 18; i++ {
		h.fails[i] = search.BuildFailed
	}
	f := h.run()
	if want := []int{16, 17, 18, 19}; f.Outcome != search.FoundAmong || !slices.Equal(f.Candidates, want) || f.LastGood != 15 {
		t.Errorf("%s: %v after %d; want %v after 15", f.Outcome, f.Candidates, f.LastGood, want)
	}
	if !slices.Equal(h.asked, []string{"failures"}) {
		t.Errorf("asked %v, want the failures once", h.asked)
	}
}

func TestFailuresCanStop(t *testing.T) {
	h := newHunter(t, 40, noisy(17, 10, 1))
	for i := 5; i <= 35; i++ {
		h.fails[i] = search.RunFailed
	}
	h.v.Answers["failures"] = "stop"
	f := h.run()
	if f.Outcome != search.Undecided || !slices.Contains(f.Candidates, 17) {
		t.Errorf("%s: %v; want undecided with 17 among the candidates", f.Outcome, f.Candidates)
	}
	if n := len(h.v.Places); n > 40 {
		t.Errorf("%d places were touched", n)
	}
}

func TestWithoutSkipOnFailEveryFailureAsks(t *testing.T) {
	h := newHunter(t, 40, noisy(17, 10, 1))
	h.v.Options.SkipOnFail = false
	h.fails[20] = search.Timeout
	f := h.run()
	if !slices.Equal(h.asked, []string{"failed-20"}) || f.Culprit != 17 {
		t.Errorf("asked %v, found %d; want failed-20 and 17", h.asked, f.Culprit)
	}
}

func TestEndThatFailsIsMoved(t *testing.T) {
	h := newHunter(t, 40, noisy(17, 10, 1))
	h.fails[0], h.fails[1], h.fails[40] = search.BuildFailed, search.BuildFailed, search.GPUFault
	f := h.run()
	var codes []string
	for _, w := range f.Warnings {
		codes = append(codes, w.Code)
	}
	if f.Culprit != 17 || !slices.Contains(codes, "good_moved") || !slices.Contains(codes, "bad_moved") {
		t.Errorf("%s at %d with warnings %v", f.Outcome, f.Culprit, codes)
	}
}

func TestNothingTestable(t *testing.T) {
	h := newHunter(t, 8, noisy(3, 10, 1))
	for i := range 9 {
		h.fails[i] = search.NoMetric
	}
	if f := h.run(); f.Outcome != search.Undecided || f.Advice == "" {
		t.Errorf("%s: %s | %s", f.Outcome, f.Reason, f.Advice)
	}
}

func TestBudgetSpentGivesBracket(t *testing.T) {
	h := newHunter(t, 100, noisy(40, 3, 1))
	for range 6 {
		d := search.Adaptive{}.Decide(h.v)
		h.measure(d)
	}
	h.v.Exhausted = true
	f := h.run()
	if f.Outcome != search.Undecided || !slices.Contains(f.Candidates, 40) || f.Probability > 0.95 || f.Probability < 0.85 {
		t.Errorf("%s: %v with %.3f", f.Outcome, f.Candidates, f.Probability)
	}
}

func TestCertainMarksBound(t *testing.T) {
	h := newHunter(t, 100, noisy(40, 5, 1))
	h.v.Marks[30] = search.Mark{Verdict: search.VerdictGood, Certain: true}
	h.v.Marks[50] = search.Mark{Verdict: search.VerdictBad, Certain: true}
	f := h.run()
	for _, r := range h.v.Runs {
		if r.Position > 0 && r.Position < 30 || r.Position > 50 && r.Position < 100 {
			t.Errorf("a run at %d, outside what the marks leave", r.Position)
		}
	}
	if f.Culprit != 40 {
		t.Errorf("found %d", f.Culprit)
	}
}

func TestContradictingMarksWarn(t *testing.T) {
	h := newHunter(t, 100, noisy(40, 5, 1))
	h.v.Marks[60] = search.Mark{Verdict: search.VerdictGood, Certain: true}
	h.v.Marks[20] = search.Mark{Verdict: search.VerdictBad, Certain: true}
	f := h.run()
	if !slices.ContainsFunc(f.Warnings, func(w search.Warning) bool { return w.Code == "marks_contradict" }) {
		t.Errorf("warnings %v", f.Warnings)
	}
}

// An equal device code shares the speed of its neighbour and cannot be blamed.
func TestEqualCodeIsNeverTheCulprit(t *testing.T) {
	h := newHunter(t, 16, noisy(9, 10, 1))
	h.v.Options.CodeIdentity = true
	for i := range 17 {
		h.v.Places[i] = search.Place{Built: true, Code: string(rune('a' + i/3))} // 9 opens a new code
	}
	f := h.run()
	if f.Culprit != 9 {
		t.Errorf("found %d of %v", f.Culprit, f.Candidates)
	}
	for _, r := range h.v.Runs {
		if r.Position%3 != 0 && r.Position != 16 && h.v.Places[r.Position].Code == h.v.Places[r.Position-1].Code && visits(h.v, r.Position-1) {
			t.Errorf("measured %d, whose code was measured already", r.Position)
		}
	}
}

func visits(v *search.View, pos int) bool {
	return slices.ContainsFunc(v.Runs, func(r search.Run) bool { return r.Position == pos })
}

// A noisy benchmark that prints few digits may repeat its value by chance. The
// printed step then bounds what is known of the scatter.
func TestFewDigitsAreNotExact(t *testing.T) {
	value := noisy(20, 3, 0.3)
	h := newHunter(t, 60, func(pos int) float64 { return math.Round(value(pos)) })
	h.v.Options.Resolution = 1
	if f := h.run(); f.Outcome != search.Found || f.Culprit != 20 {
		t.Errorf("%s at %d", f.Outcome, f.Culprit)
	}
	if len(h.v.Runs) < 14 {
		t.Errorf("%d runs: the steps of a coarse clock were taken for exact", len(h.v.Runs))
	}
}

func TestExitStatusIsBisected(t *testing.T) {
	h := newHunter(t, 64, func(pos int) float64 {
		if pos >= 30 {
			return 1
		}
		return 0
	})
	h.v.Options.Resolution = 1
	f := h.run()
	if f.Outcome != search.Found || f.Culprit != 30 || len(h.v.Runs) > 12 {
		t.Errorf("%s at %d in %d runs", f.Outcome, f.Culprit, len(h.v.Runs))
	}
}

// Counters that start at zero: spills 0 → 12.
func TestCounterFromZero(t *testing.T) {
	h := newHunter(t, 64, func(pos int) float64 {
		if pos >= 30 {
			return 12
		}
		return 0
	})
	h.v.Options.Exact, h.v.Options.Resolution = true, 1
	f := h.run()
	if f.Outcome != search.Found || f.Culprit != 30 || len(h.v.Runs) > 8 || f.ExplainedPct != 100 {
		t.Errorf("%s at %d in %d runs, explains %.0f %%", f.Outcome, f.Culprit, len(h.v.Runs), f.ExplainedPct)
	}
}

// An exact staircase: the largest step is named, all of them with --all.
func TestExactStaircase(t *testing.T) {
	stairs := func(pos int) float64 {
		switch {
		case pos < 10:
			return 64
		case pos < 40:
			return 96
		}
		return 110
	}
	h := newHunter(t, 64, stairs)
	h.v.Options.Exact = true
	if f := h.run(); f.Culprit != 10 || math.Abs(f.ExplainedPct-75) > 5 {
		t.Errorf("found %d, explains %.0f %%", f.Culprit, f.ExplainedPct)
	}
	h = newHunter(t, 64, stairs)
	h.v.Options.Exact, h.v.Options.All = true, true
	f := h.run()
	if len(f.Steps) != 2 || f.Steps[0].Culprit != 10 || f.Steps[1].Culprit != 40 || math.Abs(f.ExplainedPct-100) > 1 {
		t.Errorf("steps %+v, explains %.0f %%", f.Steps, f.ExplainedPct)
	}
}

// Another metric of the same runs is searched from what they say, in whatever
// order they were made.
func TestOtherMetricFromTheSameRuns(t *testing.T) {
	h := newHunter(t, 60, noisy(25, 10, 1))
	h.run()
	before := len(h.v.Runs)
	h.value = noisy(25, 30, 1)
	for i := range h.v.Runs {
		h.v.Runs[i].Value = h.value(h.v.Runs[i].Position)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(before, func(i, j int) { h.v.Runs[i], h.v.Runs[j] = h.v.Runs[j], h.v.Runs[i] })
	f := h.run()
	if f.Culprit != 25 || len(h.v.Runs) > before+6 {
		t.Errorf("found %d with %d more runs", f.Culprit, len(h.v.Runs)-before)
	}
}

func TestEstimateShrinks(t *testing.T) {
	h := newHunter(t, 128, noisy(100, 10, 1))
	runs, builds, seconds := search.Estimate(h.v)
	if runs < 10 || runs > 60 || builds < 8 || builds > 20 || math.Abs(seconds-(runs+2*builds)) > 1e-9 {
		t.Errorf("before the start: %.1f runs, %.1f builds, %.1f s", runs, builds, seconds)
	}
	if c := search.Within(h.v, seconds/2); c < 2 || c > 60 {
		t.Errorf("half the time leaves %.1f commits", c)
	}
	for range 8 {
		h.measure(search.Adaptive{}.Decide(h.v))
	}
	later, laterBuilds, _ := search.Estimate(h.v)
	if later >= runs || laterBuilds >= builds {
		t.Errorf("after 8 decisions: %.1f runs and %.1f builds, at first %.1f and %.1f", later, laterBuilds, runs, builds)
	}
}

// A position that has given values and then fails for good does not hold the hunt
// up, wherever it is.
func TestPositionThatStopsWorking(t *testing.T) {
	exact := func(pos int) float64 {
		if pos >= 17 {
			return 130
		}
		return 100
	}
	for _, pos := range []int{0, 16, 17, 40} {
		stopsWorking(t, pos, noisy(17, 5, 1), 12)
		stopsWorking(t, pos, exact, 9) // the neighbours have one run each by then
	}
}

func stopsWorking(t *testing.T, pos int, value func(int) float64, after int) {
	t.Helper()
	h := newHunter(t, 40, value)
	for range 400 {
		d := search.Adaptive{}.Decide(h.v)
		if d.Kind == search.Done {
			break
		}
		if d.Kind == search.Ask {
			h.v.Answers[d.Question.ID] = d.Question.Default
			continue
		}
		if len(h.v.Runs) > after {
			h.fails[pos] = search.GPUFault
		}
		h.measure(d)
	}
	d := search.Adaptive{}.Decide(h.v)
	if d.Kind != search.Done {
		t.Fatalf("position %d fails: still going after %d runs: %+v", pos, len(h.v.Runs), d.Batches)
	}
	if f := d.Finding; !slices.Contains(f.Candidates, 17) {
		t.Errorf("position %d fails: %s %v", pos, f.Outcome, f.Candidates)
	}
}
