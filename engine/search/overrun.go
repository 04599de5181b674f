package search

import (
	"math"

	"perfbisect/engine/stats"
)

// overrun looks at a hunt that costs far more than such a hunt does: the ends
// are compared again, and a gap that has gone means that the machine changed,
// not the code. At ten times the plan the hunt ends with what is known.
func (p *problem) overrun(w window, t endTest) (Decision, bool) {
	plan, _ := p.plan(w, max(t.gap/t.s, 0.5))
	plan *= float64(max(p.v.Options.Workers, 1)) // runs at the same time cost no time
	runs := float64(len(p.obs))
	if runs > giveUpFactor*plan+giveUpRuns {
		return p.spent(Decision{Phase: PhaseSearch, Progress: p.blank()}), true
	}
	due := int(overrunFactor * plan)
	if runs <= float64(due) {
		return Decision{}, false
	}
	g, b := p.ysSince(w.lo, due), p.ysSince(w.hi, due)
	if n := min(len(g), len(b)); n < overrunPairs {
		g := p.blank()
		g.Explanation = "this takes longer than expected: do the ends still differ?"
		want := min(len(p.runsAt[w.lo]), len(p.runsAt[w.hi])) + overrunPairs
		d := Decision{
			Kind: Measure, Phase: PhaseEnds, Progress: g,
			Batches: p.batches(nil, PhaseEnds, p.endSchedule(w, want, "do the ends still differ?")),
		}
		return d, true
	}
	gap := stats.Median(b) - stats.Median(g)
	se := t.s * gridStep * math.Sqrt(1/float64(len(g))+1/float64(len(b)))
	if gap+noGapZ*se >= overrunGap*t.gap {
		return Decision{}, false
	}
	f := p.finding(EnvironmentChanged)
	f.Reason = "The gap between the ends was there at first and is gone now: not reproducible, or the environment changed during the hunt."
	f.Advice = "Fix the clocks, make sure that nothing else uses the GPU, and start again."
	return p.done(f), true
}

// ysSince returns the values at pos among the runs after the first n.
func (p *problem) ysSince(pos, n int) []float64 {
	var out []float64
	for _, i := range p.runsAt[pos] {
		if i >= n {
			out = append(out, p.obs[i].y)
		}
	}
	return out
}
