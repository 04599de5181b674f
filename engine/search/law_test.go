package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// randomView draws a hunt in the middle: runs anywhere, of any use.
func randomView(t *rapid.T) *View {
	n := rapid.IntRange(1, 80).Draw(t, "n")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 9))
	culprit, d := 1+rng.IntN(n), 1+9*rng.Float64()
	v := &View{N: n, Places: map[int]Place{}, Marks: map[int]Mark{}, Options: Options{Better: Lower, SkipOnFail: true, Workers: 1}, RunS: 1}
	add := func(pos int) {
		y := 100 + rng.NormFloat64()
		if pos >= culprit {
			y += d
		}
		v.Runs = append(v.Runs, Run{Position: pos, Outcome: OK, Value: y, StartS: float64(len(v.Runs)), ElapsedS: 1})
	}
	for range 3 {
		add(0)
		add(n)
	}
	for range rng.IntN(40) {
		add(rng.IntN(n + 1))
	}
	for range rng.IntN(4) {
		v.Marks[rng.IntN(n+1)] = Mark{Verdict: []Verdict{VerdictGood, VerdictBad, VerdictSkip}[rng.IntN(3)], Certain: rng.IntN(3) == 0}
	}
	if rapid.Bool().Draw(t, "graph") {
		v.Parents = make([][]int32, n+1)
		for i := 1; i <= n; i++ {
			v.Parents[i] = []int32{int32(i - 1)}
			if i > 2 && rng.IntN(4) == 0 {
				v.Parents[i] = append(v.Parents[i], int32(rng.IntN(i-1)))
			}
		}
	}
	return v
}

// The posterior is a distribution: over cells, over each hypothesis on the commits'
// own offsets, and P(slow) of the sites follows from it.
func TestLawPosteriorIsADistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newProblem(randomView(t))
		w, _, ok := p.span()
		if !ok {
			return
		}
		b := p.believe(w)
		total, parts := 0.0, 0.0
		for k, m := range b.cell {
			if !(m >= 0) {
				t.Fatalf("cell %d has probability %v", k, m)
			}
			total += m
			for i := range b.by {
				parts += b.by[i].cell[k]
			}
		}
		if math.Abs(total-1) > 1e-9 || math.Abs(parts-1) > 1e-9 {
			t.Fatalf("the posterior sums to %v, its parts to %v", total, parts)
		}
		if last := b.slow[len(b.slow)-1]; b.slow[0] != 0 || math.Abs(last-1) > 1e-9 {
			t.Fatalf("P(slow) is %v at good and %v at bad", b.slow[0], last)
		}
		if g := p.progress(b, ""); g.Probability > 1 || g.LikeliestP > 1 {
			t.Fatalf("progress says %v and %v", g.Probability, g.LikeliestP)
		}
		prior := 0.0
		for _, m := range b.cells.prior {
			prior += m
		}
		if math.Abs(prior-1) > 1e-9 {
			t.Fatalf("the prior of the cells sums to %v", prior)
		}
	})
}

// A chain that is written as a graph gives the same belief, as long as no pairs have
// spoken against a suspect (in a graph their runs alone do).
func TestLawChainAsGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := randomView(t)
		v.Parents = nil
		p := newProblem(v)
		w, _, ok := p.span()
		if !ok {
			return
		}
		chain := p.believe(w)
		for i, pos := range chain.cells.sites[1:] {
			if s := (suspect{fast: chain.cells.sites[i], slow: pos}); len(p.pairs(s)) > 0 && min(len(p.ys(s.fast)), len(p.ys(s.slow))) >= 3 {
				return
			}
		}
		v.Parents = make([][]int32, v.N+1)
		for i := 1; i <= v.N; i++ {
			v.Parents[i] = []int32{int32(i - 1)}
		}
		q := newProblem(v)
		graph := q.believe(w)
		for i, pos := range chain.cells.sites {
			if j := graph.cells.site(pos); j < 0 || math.Abs(graph.slow[j]-chain.slow[i]) > 1e-6 {
				t.Fatalf("P(slow) at %d is %v in the chain, %v in the graph", pos, chain.slow[i], graph.slow[max(j, 0)])
			}
		}
	})
}

// Leaving out sites far from the step changes nothing near it.
func TestTrimKeepsTheAnswer(t *testing.T) {
	p := newProblem(visitedView(2000, 300, 6))
	b := p.believe(window{0, 2000})
	if n := len(b.cells.sites); n > 2*keepSites+40 {
		t.Errorf("%d sites are left of 302", n)
	}
	if c := b.cells; c.sites[b.top] > 1000 || c.sites[b.top+1] < 1001 {
		t.Errorf("the step is seen in (%d, %d], it is at 1001", c.sites[b.top], c.sites[b.top+1])
	}
}
