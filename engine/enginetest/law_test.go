package enginetest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"perfbisect/engine"
	"perfbisect/engine/enginetest"
	"perfbisect/engine/search"
)

// exactOptions tell the planner that the metric has no noise.
func exactOptions() search.Options {
	o := enginetest.DefaultOptions()
	o.Exact = true
	return o
}

// Every culprit of every chain is found without noise in log2 N runs and one a
// side at the ends, whatever is marked to be skipped: then the answer is the set
// that nothing testable tells apart.
func TestLawChainWithSkips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		culprit := rapid.IntRange(1, n).Draw(t, "culprit")
		skip := map[int]bool{}
		for range rapid.IntRange(0, n).Draw(t, "skips") {
			skip[rapid.IntRange(1, n).Draw(t, "skip")] = true
		}
		delete(skip, n)
		v := &search.View{N: n, Places: map[int]search.Place{}, Marks: map[int]search.Mark{}, Options: exactOptions(), RunS: 1}
		for i := range skip {
			v.Marks[i] = search.Mark{Verdict: search.VerdictSkip, Certain: true}
		}
		f := drive(t, v, func(pos int) float64 { return levelOf(pos >= culprit) })
		want := sameFor(n, culprit, skip)
		if len(f.Candidates) != len(want) || f.Candidates[0] != want[0] {
			t.Fatalf("n=%d culprit %d: candidates %v, want %v", n, culprit, f.Candidates, want)
		}
		if (f.Outcome == search.Found) != (len(want) == 1) {
			t.Fatalf("outcome %s for %d candidates", f.Outcome, len(want))
		}
		if most := 2 + int(math.Ceil(math.Log2(float64(n)))); len(v.Runs) > most {
			t.Fatalf("n=%d culprit %d, %d skipped: %d runs, more than %d", n, culprit, len(skip), len(v.Runs), most)
		}
	})
}

// sameFor lists the candidates that skipped positions leave together with culprit.
func sameFor(n, culprit int, skip map[int]bool) []int {
	lo, hi := culprit, culprit
	for lo-1 >= 1 && skip[lo-1] {
		lo--
	}
	for hi < n && skip[hi] {
		hi++
	}
	var out []int
	for i := lo; i <= hi; i++ {
		out = append(out, i)
	}
	return out
}

func levelOf(slow bool) float64 {
	if slow {
		return 120
	}
	return 100
}

// drive answers a planner's decisions from a noiseless world.
func drive(t *rapid.T, v *search.View, value func(pos int) float64) *search.Finding {
	for range 10_000 {
		d := search.Adaptive{}.Decide(v)
		if d.Kind == search.Done {
			return d.Finding
		}
		if d.Kind == search.Ask {
			t.Fatalf("asked %q", d.Question.Text)
		}
		for w, steps := range d.Batches {
			for _, s := range steps {
				for range s.Runs {
					v.Runs = append(v.Runs, search.Run{
						Position: s.Position, Outcome: search.OK, Value: value(s.Position),
						StartS: float64(len(v.Runs)), ElapsedS: 1, Visit: len(v.Runs), Worker: w,
					})
				}
				v.Places[s.Position] = search.Place{Built: true}
			}
		}
	}
	t.Fatalf("no answer after 10,000 decisions")
	return nil
}

// randomGraph draws the parents of a history with merges: position 0 is good, and
// every position leads to the last.
func randomGraph(t *rapid.T, n int) [][]int32 {
	parents := make([][]int32, n+1)
	child := make([]bool, n+1)
	for i := 1; i <= n; i++ {
		p := rapid.IntRange(max(0, i-5), i-1).Draw(t, "parent")
		parents[i] = []int32{int32(p)}
		child[p] = true
		if q := rapid.IntRange(max(0, i-8), i-1).Draw(t, "second"); q != p && rapid.Bool().Draw(t, "merge") {
			parents[i] = append(parents[i], int32(q))
			child[q] = true
		}
	}
	for i := 1; i < n; i++ { // heads without a child are merged by the last
		if !child[i] {
			parents[n] = append(parents[n], int32(i))
		}
	}
	return parents
}

func ancestry(parents [][]int32, of int) map[int]bool {
	in := map[int]bool{of: true}
	for i := of; i > 0; i-- {
		if in[i] {
			for _, q := range parents[i] {
				in[int(q)] = true
			}
		}
	}
	return in
}

// Every culprit of every graph is found without noise, by runs that each split
// what is left as evenly as any position can. That is the bound for a general
// graph: no planner that looks one run ahead does better.
func TestLawGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		parents := randomGraph(t, n)
		culprit := rapid.IntRange(1, n).Draw(t, "culprit")
		v := &search.View{N: n, Parents: parents, Places: map[int]search.Place{}, Options: exactOptions(), RunS: 1}
		slow := func(pos int) bool { return ancestry(parents, pos)[culprit] }
		f := drive(t, v, func(pos int) float64 { return levelOf(slow(pos)) })
		if f.Outcome != search.Found || f.Culprit != culprit {
			t.Fatalf("%s at %d, the culprit is %d of %v", f.Outcome, f.Culprit, culprit, parents)
		}
		checkSplits(t, v, parents, slow)
	})
}

func checkSplits(t *rapid.T, v *search.View, parents [][]int32, slow func(int) bool) {
	left := map[int]bool{}
	for i := 1; i <= v.N; i++ {
		left[i] = true
	}
	for _, r := range v.Runs {
		if r.Position == 0 || r.Position == v.N {
			continue
		}
		best := 0
		for i := 1; i < v.N; i++ {
			best = max(best, evenness(left, ancestry(parents, i)))
		}
		under := ancestry(parents, r.Position)
		if got := evenness(left, under); got < best {
			t.Fatalf("run at %d splits off %d of %d, %d was possible", r.Position, got, len(left), best)
		}
		for i := range left {
			if under[i] != slow(r.Position) {
				delete(left, i)
			}
		}
	}
}

// evenness is the smaller part when the candidates are split.
func evenness(left, under map[int]bool) int {
	n := 0
	for i := range left {
		if under[i] {
			n++
		}
	}
	return min(n, len(left)-n)
}

// A journal replayed to any point gives the decision that was taken there.
func TestLawReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := enginetest.Problem{
			N: rapid.IntRange(1, 200).Draw(t, "n"), D: rapid.Float64Range(2, 12).Draw(t, "d"),
			Noise: rapid.SampledFrom(enginetest.Noises).Draw(t, "noise"), Broken: rapid.Float64Range(0, 0.4).Draw(t, "broken"),
			Options: enginetest.DefaultOptions(), MaxRuns: 60,
		}
		w := enginetest.NewWorld(p, rapid.Uint64().Draw(t, "seed"))
		h, err := enginetest.Hunt(w, search.Adaptive{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := engine.Fold(h.State.Events())
		if err != nil {
			t.Fatal(err)
		}
		d := again.Next(search.Adaptive{})
		if d.Kind != search.Done || d.Finding.Outcome != h.Finding.Outcome || d.Finding.Culprit != h.Finding.Culprit ||
			d.Finding.Probability != h.Finding.Probability || d.Finding.Reason != h.Finding.Reason {
			t.Fatalf("replayed: %+v, was %+v", d.Finding, h.Finding)
		}
	})
}

// Neither the unit of the metric nor its polarity changes a decision: a time in
// other units and a rate (its inverse) lead to the same visits.
func TestLawInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100).Draw(t, "n")
		culprit := rapid.IntRange(1, n).Draw(t, "culprit")
		d := rapid.Float64Range(2, 10).Draw(t, "d")
		scale := rapid.SampledFrom([]float64{1e-9, 0.001, 3, 1e6}).Draw(t, "scale")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		plain := &search.View{N: n, Places: map[int]search.Place{}, Options: enginetest.DefaultOptions(), RunS: 1}
		scaled, rate := *plain, *plain
		scaled.Places, rate.Places = map[int]search.Place{}, map[int]search.Place{}
		rate.Options.Better = search.Higher
		for range 40 {
			a, b, c := search.Adaptive{}.Decide(plain), search.Adaptive{}.Decide(&scaled), search.Adaptive{}.Decide(&rate)
			if !sameVisits(a, b) || !sameVisits(a, c) {
				t.Fatalf("after %d runs: %v, in other units %v, as a rate %v", len(plain.Runs), a.Batches, b.Batches, c.Batches)
			}
			if a.Kind != search.Measure {
				return
			}
			for _, s := range a.Batches[0] {
				for range s.Runs {
					y := 100 + rng.NormFloat64()
					if s.Position >= culprit {
						y += d
					}
					r := search.Run{Position: s.Position, Outcome: search.OK, StartS: float64(len(plain.Runs)), ElapsedS: 1}
					r.Value = y
					plain.Runs = append(plain.Runs, r)
					r.Value = y * scale
					scaled.Runs = append(scaled.Runs, r)
					r.Value = 1 / y
					rate.Runs = append(rate.Runs, r)
				}
			}
		}
	})
}

func sameVisits(a, b search.Decision) bool {
	if a.Kind != b.Kind || len(a.Batches) != len(b.Batches) {
		return false
	}
	if a.Finding != nil && (a.Finding.Culprit != b.Finding.Culprit || a.Finding.Outcome != b.Finding.Outcome) {
		return false
	}
	for w := range a.Batches {
		if len(a.Batches[w]) != len(b.Batches[w]) {
			return false
		}
		for i, s := range a.Batches[w] {
			if q := b.Batches[w][i]; q.Position != s.Position || q.Runs != s.Runs {
				return false
			}
		}
	}
	return true
}

// No value makes the planner panic, say NaN or go on for ever.
func TestLawWildValues(t *testing.T) {
	wild := []float64{0, 1, -1, 5, 5, 1e300, -1e300, 5e-324, -5e-324, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		v := &search.View{N: n, Places: map[int]search.Place{}, Options: enginetest.DefaultOptions(), RunS: 1}
		v.Options.Better = rapid.SampledFrom([]search.Polarity{search.Lower, search.Higher}).Draw(t, "better")
		v.Options.Exact = rapid.Bool().Draw(t, "exact")
		v.Options.Resolution = rapid.SampledFrom(wild).Draw(t, "resolution")
		v.Options.Reference = rapid.SampledFrom(wild).Draw(t, "reference")
		v.Options.MinGapPct = rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), -3}).Draw(t, "gap")
		v.Answers = map[string]string{}
		values := rapid.SampledFrom([][]float64{wild, {0, 0, 0, 1}, {1e300, 1e-300}, {5, 5, 5}, {0, math.Inf(1)}, {-1, -2, -3}}).Draw(t, "values")
		pick := rapid.SampledFrom(values)
		for range 400 {
			d := search.Adaptive{}.Decide(v)
			checkFinite(t, d)
			switch d.Kind {
			case search.Done:
				return
			case search.Ask:
				v.Answers[d.Question.ID] = d.Question.Default
			case search.Measure:
				for _, s := range d.Batches[0] {
					for range s.Runs {
						v.Runs = append(v.Runs, search.Run{
							Position: s.Position, Outcome: search.OK, Value: pick.Draw(t, "value"),
							StartS: float64(len(v.Runs)), ElapsedS: 1,
						})
					}
				}
			}
			v.Exhausted = len(v.Runs) > 100
		}
		t.Fatalf("no end after 400 decisions and %d runs", len(v.Runs))
	})
}

func checkFinite(t *rapid.T, d search.Decision) {
	g := d.Progress
	numbers := []float64{g.Probability, g.LikeliestP, g.RunsLeft, g.BuildsLeft, g.Separation}
	if f := d.Finding; f != nil {
		numbers = append(numbers, f.Probability, f.GapPct, f.ChangePct, f.ExplainedPct,
			f.Good.Value, f.Good.CV, f.Bad.Value, f.Bad.CV, f.EndGood.CV, f.EndBad.CV)
	}
	for i, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("number %d of %+v %+v is %v", i, g, d.Finding, x)
		}
	}
}

// A mark and its undoing leave the decision as it was.
func TestLawMarkUndo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := enginetest.Problem{
			N: rapid.IntRange(2, 100).Draw(t, "n"), D: 4, Noise: enginetest.Gauss,
			Options: enginetest.DefaultOptions(), MaxRuns: rapid.IntRange(5, 25).Draw(t, "runs"),
		}
		w := enginetest.NewWorld(p, rapid.Uint64().Draw(t, "seed"))
		h, err := enginetest.Hunt(w, search.Adaptive{})
		if err != nil {
			t.Fatal(err)
		}
		s := h.State
		before := s.Next(search.Adaptive{})
		verdict := rapid.SampledFrom([]search.Verdict{search.VerdictGood, search.VerdictBad, search.VerdictSkip}).Draw(t, "verdict")
		pos := rapid.IntRange(1, p.N-1).Draw(t, "pos")
		mark := engine.Event{
			V: 1, Seq: s.Seq + 1, AtS: s.AtS, Kind: engine.EventMarked, Position: pos,
			Mark: &search.Mark{Verdict: verdict, Certain: rapid.Bool().Draw(t, "certain")},
		}
		if err := s.Apply(mark); err != nil {
			t.Fatal(err)
		}
		s.Next(search.Adaptive{})
		if err := s.Apply(engine.Event{V: 1, Seq: s.Seq + 1, AtS: s.AtS, Kind: engine.EventUndone, Undo: mark.Seq}); err != nil {
			t.Fatal(err)
		}
		after := s.Next(search.Adaptive{})
		if !sameVisits(before, after) || before.Progress != after.Progress {
			t.Fatalf("before %+v, after %+v", before.Progress, after.Progress)
		}
	})
}
