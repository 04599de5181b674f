package search

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// visitedView is a chain of n candidates with m visited positions, one run each
// and a few at the ends, the step in the middle, gap over scatter d.
func visitedView(n, m int, d float64) *View {
	rng := rand.New(rand.NewPCG(1, 2))
	v := &View{N: n, Places: map[int]Place{}, Options: Options{Better: Lower, SkipOnFail: true, Workers: 1, MinGapPct: 1}, RunS: 1}
	add := func(pos int) {
		y := 100 + rng.NormFloat64()
		if pos > n/2 {
			y += d
		}
		v.Runs = append(v.Runs, Run{Position: pos, Outcome: OK, Value: y, StartS: float64(len(v.Runs)), ElapsedS: 1, Visit: len(v.Runs)})
		v.Places[pos] = Place{Built: true}
	}
	for range 10 {
		add(0)
		add(n)
	}
	for i := 1; i <= m; i++ {
		add(i * (n - 1) / (m + 1))
	}
	return v
}

func BenchmarkDecide(b *testing.B) {
	for _, c := range []struct{ n, m int }{{128, 10}, {2000, 1000}, {100_000, 20}, {100_000, 1000}} {
		b.Run(fmt.Sprintf("candidates=%d/visited=%d", c.n, c.m), func(b *testing.B) {
			v := visitedView(c.n, c.m, 6)
			if d := (Adaptive{}).Decide(v); d.Phase == PhaseEnds {
				b.Fatalf("the planner is still at the ends: %+v", d.Progress)
			}
			b.ReportAllocs()
			for b.Loop() {
				Adaptive{}.Decide(v)
			}
		})
	}
}

// BenchmarkDecideGraph is a choice among merges: every tenth position merges the
// one five before it.
func BenchmarkDecideGraph(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("candidates=%d", n), func(b *testing.B) {
			v := visitedView(n, 10, 6)
			v.Parents = make([][]int32, n+1)
			for i := 1; i <= n; i++ {
				v.Parents[i] = []int32{int32(i - 1)}
				if i%10 == 0 {
					v.Parents[i] = append(v.Parents[i], int32(i-5))
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				Adaptive{}.Decide(v)
			}
		})
	}
}

// BenchmarkStep is one inference and the choice after it alone, without what a
// decision looks at once in a hunt.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct{ n, m int }{{2000, 1000}, {100_000, 20}, {100_000, 1000}} {
		b.Run(fmt.Sprintf("candidates=%d/visited=%d", c.n, c.m), func(b *testing.B) {
			v := visitedView(c.n, c.m, 6)
			b.ReportAllocs()
			for b.Loop() {
				p := newProblem(v)
				p.choose(p.believe(window{0, c.n}))
			}
		})
	}
}
