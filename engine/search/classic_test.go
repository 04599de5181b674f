package search

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bench is a benchmark without a machine: what run k (from 0) at a position
// comes to.
type bench func(position, k int) (float64, Outcome)

// game plays a planner against a bench and answers its questions.
type game struct {
	t       rapid.TB
	view    View
	bench   bench
	answers map[string]string // to questions, by id; "" in it: the default
	asked   []Question
	steps   []Step // all visits, in order
	warmups int
	maxRuns int
	killed  func() bool // before every run: the process dies here
	clock   float64
}

func newGame(t rapid.TB, n int, b bench) *game {
	return &game{t: t, bench: b, answers: map[string]string{}, view: View{
		N: n, Places: map[int]Place{}, Marks: map[int]Mark{}, Answers: map[string]string{},
		Options: Options{Better: Lower, NumRuns: 3, ThresholdPct: 30, WarmupRuns: 1, SkipOnFail: true},
	}}
}

// play decides and obeys until the planner is done.
func (g *game) play(p Planner) *Finding {
	g.t.Helper()
	for range 10_000 {
		g.view.Exhausted = g.maxRuns > 0 && len(g.view.Runs) >= g.maxRuns
		d := p.Decide(&g.view)
		switch d.Kind {
		case Done:
			return d.Finding
		case Ask:
			g.answer(*d.Question)
		case Measure:
			if len(d.Batches) == 0 || len(d.Batches[0]) == 0 {
				g.t.Fatal("a decision to measure nothing")
			}
			for _, step := range d.Batches[0] {
				g.visit(step)
			}
		}
	}
	g.t.Fatal("the planner does not come to an end")
	return nil
}

func (g *game) answer(q Question) {
	g.asked = append(g.asked, q)
	answer, ok := g.answers[q.ID]
	if !ok {
		answer = q.Default
	}
	if !slices.Contains(q.Options, answer) {
		g.t.Fatalf("question %s: answer %q is not among %q", q.ID, answer, q.Options)
	}
	if _, again := g.view.Answers[q.ID]; again {
		g.t.Fatalf("question %s asked again after its answer", q.ID)
	}
	g.view.Answers[q.ID] = answer
}

func (g *game) visit(s Step) {
	if s.Runs < 1 {
		g.t.Fatalf("a visit with %d runs", s.Runs)
	}
	g.steps = append(g.steps, s)
	g.warmups += s.Warmup
	for range s.Runs {
		if g.maxRuns > 0 && len(g.view.Runs) >= g.maxRuns || g.killed != nil && g.killed() {
			return
		}
		k := 0
		for _, r := range g.view.Runs {
			if r.Position == s.Position {
				k++
			}
		}
		value, outcome := g.bench(s.Position, k)
		g.clock++
		place := g.view.Places[s.Position]
		if outcome.Failed() {
			place.Failure, place.Failures = outcome, place.Failures+1
			g.view.Places[s.Position] = place
			if outcome == BuildFailed {
				return // no run took place
			}
		}
		g.view.Runs = append(g.view.Runs, Run{Position: s.Position, Outcome: outcome, Value: value, StartS: g.clock, ElapsedS: 1, Visit: len(g.steps)})
		if outcome.Failed() {
			return
		}
	}
}

// judged lists the positions in the order of their first visit, ends left out.
func (g *game) judged() []int {
	var order []int
	for _, s := range g.steps {
		if s.Position != 0 && s.Position != g.view.N && !slices.Contains(order, s.Position) {
			order = append(order, s.Position)
		}
	}
	return order
}

func (g *game) askedIDs() []string {
	var ids []string
	for _, q := range g.asked {
		ids = append(ids, q.ID)
	}
	return ids
}

// stepAt is a bench without noise: 100 before the culprit, 140 from it on.
func stepAt(culprit int) bench {
	return func(p, _ int) (float64, Outcome) {
		if p < culprit {
			return 100, OK
		}
		return 140, OK
	}
}

func broken(b bench, outcome Outcome, positions ...int) bench {
	return func(p, k int) (float64, Outcome) {
		if slices.Contains(positions, p) {
			return 0, outcome
		}
		return b(p, k)
	}
}

// The sample session of the original recipe: 23 commits, 142.3 us to 198.7 us.
func TestClassicSampleSession(t *testing.T) {
	session := map[int]float64{0: 142.3, 11: 143.1, 17: 197.2, 14: 145.8, 16: 196.5, 15: 195.9, 23: 198.7}
	g := newGame(t, 23, func(p, _ int) (float64, Outcome) { return session[p] * 1e-6, OK })
	var left []int
	var percent float64
	planner := spy{decide: func(v *View) {
		c := newClassic(v)
		if c.ends() != nil || c.gap() != nil {
			return
		}
		threshold := c.level(0).Value + c.size*c.percent/100
		if math.Abs(threshold-159.22e-6) > 1e-12 {
			t.Errorf("threshold %v, want 159.22 us", threshold)
		}
		percent = ChangePct(Lower, c.level(0).Value, c.level(23).Value)
		c.search()
		if n := c.left.size() - 1; len(left) == 0 || left[len(left)-1] != n {
			left = append(left, n)
		}
	}}
	f := g.play(planner)
	if got, want := g.judged(), []int{11, 17, 14, 16, 15}; !slices.Equal(got, want) {
		t.Errorf("commits judged %v, want %v", got, want)
	}
	if want := []int{22, 11, 5, 2, 1, 0}; !slices.Equal(left, want) {
		t.Errorf("commits left %v, want %v", left, want)
	}
	if fmt.Sprintf("%.1f", percent) != "39.6" {
		t.Errorf("regression %.3f %%, want 39.6", percent)
	}
	if f.Outcome != Found || f.Culprit != 15 || f.LastGood != 14 {
		t.Errorf("finding %+v, want found 15 after 14", f)
	}
	if len(g.asked) > 0 {
		t.Errorf("asked %v", g.askedIDs())
	}
}

// A kill in the middle of any visit costs at most the rest of it: the answer is
// the same and no run is repeated.
func TestClassicGoesOnAfterAnyKill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		culprit := rapid.IntRange(1, n).Draw(t, "culprit")
		whole := newGame(t, n, stepAt(culprit))
		want := whole.play(Classic{})
		g := newGame(t, n, stepAt(culprit))
		kills := rapid.IntRange(0, 20).Draw(t, "kills")
		g.killed = func() bool {
			if kills == 0 || !rapid.Bool().Draw(t, "kill") {
				return false
			}
			kills--
			return true
		}
		if got := g.play(Classic{}); got.Culprit != want.Culprit || len(g.view.Runs) != len(whole.view.Runs) {
			t.Fatalf("culprit %d in %d runs, without a kill %d in %d", got.Culprit, len(g.view.Runs), want.Culprit, len(whole.view.Runs))
		}
	})
}

// spy is Classic that shows the view before each decision.
type spy struct{ decide func(*View) }

func (s spy) Decide(v *View) Decision {
	s.decide(v)
	return Classic{}.Decide(v)
}

// For every range, culprit, polarity and set of broken commits: the culprit is
// named, or is in the set that is, and the set holds no commit that could have
// been excluded.
func TestClassicFindsEveryCulprit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		culprit := rapid.IntRange(1, n).Draw(t, "culprit")
		dead := rapid.SliceOfDistinct(rapid.IntRange(0, n), rapid.ID[int]).Draw(t, "broken")
		dead = slices.DeleteFunc(dead, func(p int) bool { return p == 0 || p == n })
		b := broken(stepAt(culprit), BuildFailed, dead...)
		g := newGame(t, n, b)
		if rapid.Bool().Draw(t, "higher") {
			g.view.Options.Better = Higher
			g.bench = func(p, k int) (float64, Outcome) {
				v, o := b(p, k)
				return 1000 / max(v, 1), o
			}
		}
		f := g.play(Classic{})
		if !slices.Contains(f.Candidates, culprit) {
			t.Fatalf("culprit %d is not in %v", culprit, f.Candidates)
		}
		if f.LastGood != f.Candidates[0]-1 || slices.Contains(dead, f.LastGood) {
			t.Fatalf("last good %d before %v, broken %v", f.LastGood, f.Candidates, dead)
		}
		for _, p := range f.Candidates[:len(f.Candidates)-1] {
			if !slices.Contains(dead, p) {
				t.Fatalf("candidate %d could have been measured", p)
			}
		}
		if (f.Outcome == Found) != (len(f.Candidates) == 1) || (f.Culprit >= 0) != (f.Outcome == Found) {
			t.Fatalf("outcome %s, culprit %d, candidates %v", f.Outcome, f.Culprit, f.Candidates)
		}
	})
}

func TestClassicQuestions(t *testing.T) {
	level := func(values map[int]float64) bench {
		return func(p, _ int) (float64, Outcome) { return values[p], OK }
	}
	tests := []struct {
		name    string // why the row is here
		n       int
		bench   bench
		options func(*Options)
		answers map[string]string
		asked   string
		outcome FindingOutcome
		culprit int
	}{
		{
			name: "a gap of 3 % is asked about, stop is the default, and clear samples make it small, not none", n: 4,
			bench: level(map[int]float64{0: 100, 1: 100, 2: 103, 3: 103, 4: 103}), asked: "small_gap", outcome: GapTooSmall, culprit: -1,
		},
		{
			name: "the user may go on below 5 %", n: 4, answers: map[string]string{"small_gap": "continue"},
			bench: level(map[int]float64{0: 100, 1: 100, 2: 103, 3: 103, 4: 103}), asked: "small_gap", outcome: Found, culprit: 2,
		},
		{name: "overlapping ends are no regression", n: 4, bench: func(p, k int) (float64, Outcome) {
			return 100 + float64(p)/4 + float64(k%3), OK
		}, asked: "small_gap", outcome: NoRegression, culprit: -1},
		{
			name: "more runs ask again under a new id", n: 2, answers: map[string]string{"small_gap": "more_runs"},
			bench: level(map[int]float64{0: 100, 1: 101, 2: 101}), asked: "small_gap small_gap:2", outcome: GapTooSmall, culprit: -1,
		},
		{
			name: "equal ends are never searched", n: 2, bench: level(map[int]float64{0: 7, 1: 7, 2: 7}),
			asked: "small_gap", outcome: NoRegression, culprit: -1,
		},
		{
			name: "a faster bad end is asked about", n: 2, bench: level(map[int]float64{0: 100, 1: 80, 2: 80}),
			asked: "swapped", outcome: Swapped, culprit: -1,
		},
		{
			name: "swapped ends can be searched for the improvement", n: 2, bench: level(map[int]float64{0: 100, 1: 80, 2: 80}),
			answers: map[string]string{"swapped": "improvement"}, asked: "swapped", outcome: Found, culprit: 1,
		},
		{
			name: "find=improvement needs no question", n: 3, bench: level(map[int]float64{0: 100, 1: 100, 2: 80, 3: 80}),
			options: func(o *Options) { o.Find = "improvement" }, outcome: Found, culprit: 2,
		},
		{
			name: "higher is better and it fell", n: 3, bench: level(map[int]float64{0: 900, 1: 900, 2: 700, 3: 700}),
			options: func(o *Options) { o.Better = Higher }, outcome: Found, culprit: 2,
		},
		{
			name: "a commit at 30 % of the gap is asked about after 5 runs", n: 2, bench: level(map[int]float64{0: 100, 1: 112, 2: 140}),
			answers: map[string]string{"ambiguous:1": "good"}, asked: "ambiguous:1", outcome: Found, culprit: 2,
		},
		{
			name: "the same, called bad", n: 2, bench: level(map[int]float64{0: 100, 1: 112, 2: 140}),
			answers: map[string]string{"ambiguous:1": "bad"}, asked: "ambiguous:1", outcome: Found, culprit: 1,
		},
		{
			name: "the same, skipped by default", n: 2, bench: level(map[int]float64{0: 100, 1: 112, 2: 140}),
			asked: "ambiguous:1", outcome: FoundAmong, culprit: -1,
		},
		{
			name: "an exact metric has no noise to be in doubt of", n: 2, bench: level(map[int]float64{0: 100, 1: 112.5, 2: 140}),
			options: func(o *Options) { o.Exact = true }, outcome: Found, culprit: 1,
		},
		{
			name: "a metric that starts from zero", n: 3, bench: level(map[int]float64{0: 0, 1: 0, 2: 48, 3: 48}),
			options: func(o *Options) { o.Exact = true }, outcome: Found, culprit: 2,
		},
		{
			name: "three failures in a row are asked about and the default goes on", n: 16, bench: broken(stepAt(6), RunFailed, 8, 9, 4),
			asked: "failures:3", outcome: Found, culprit: 6,
		},
		{
			name: "stop after three failures", n: 16, bench: broken(stepAt(4), RunFailed, 8, 9, 4, 12), answers: map[string]string{"failures:3": "stop"},
			asked: "failures:3", outcome: Undecided, culprit: -1,
		},
		{
			name: "skip_on_fail=false asks at the first and stops by default", n: 16, bench: broken(stepAt(4), Timeout, 8),
			options: func(o *Options) { o.SkipOnFail = false }, asked: "failures:1", outcome: Undecided, culprit: -1,
		},
		{name: "a bad end that does not build moves inwards", n: 9, bench: broken(stepAt(4), BuildFailed, 9), outcome: Found, culprit: 4},
		{name: "a good end that does not build moves inwards", n: 9, bench: broken(stepAt(4), BuildFailed, 0, 1), outcome: Found, culprit: 4},
		{
			name: "an end that moves three commits inwards is asked about", n: 9,
			bench: broken(stepAt(5), BuildFailed, 0, 1, 2), asked: "failures:3", outcome: Found, culprit: 5,
		},
		{name: "no gap between the ends that could be measured", n: 9, bench: broken(stepAt(9), BuildFailed, 9), asked: "small_gap", outcome: Undecided, culprit: -1},
		{name: "nothing builds", n: 2, bench: broken(stepAt(1), BuildFailed, 0, 1, 2), outcome: Undecided, culprit: -1},
		{name: "two positions need no search", n: 1, bench: stepAt(1), outcome: Found, culprit: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := newGame(t, test.n, test.bench)
			if test.options != nil {
				test.options(&g.view.Options)
			}
			maps.Copy(g.answers, test.answers)
			f := g.play(Classic{})
			if got := strings.Join(g.askedIDs(), " "); got != test.asked {
				t.Errorf("asked %q, want %q", got, test.asked)
			}
			if f.Outcome != test.outcome || f.Culprit != test.culprit {
				t.Errorf("%s, culprit %d, want %s, %d\n%s\n%s", f.Outcome, f.Culprit, test.outcome, test.culprit, f.Reason, f.Advice)
			}
			if f.Reason == "" {
				t.Error("no reason given")
			}
		})
	}
}
