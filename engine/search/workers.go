package search

import (
	"math"

	"perfbisect/engine/stats"
)

// spread gives every worker a schedule: q positions at even steps of P(slow),
// each measured by k/q workers, where q shrinks when one position takes many
// runs. first is worker 0's schedule, the single most telling visit.
func (p *problem) spread(b *belief, first []Step) [][]Step {
	k := p.v.Options.Workers
	batches := [][]Step{first}
	need := math.Ceil(math.Pow(2/max(b.separation, 0.1), 2))
	q := int(min(max(float64(k)/need, 1), float64(k)))
	targets := p.targets(b, q)
	if len(targets) == 0 {
		targets = []int{first[len(first)-1].Position}
	}
	batches = batches[:0]
	for w := range k {
		pos := targets[w*len(targets)/k]
		at := p.current(w)
		var steps []Step
		if !p.workerKnown(w) {
			steps = append(steps, p.visit(b.cells.w.lo, 1, at, "this worker's own reference"))
			at = b.cells.w.lo
		}
		batches = append(batches, append(steps, p.visit(pos, 1, at, "one of several at once")))
	}
	return batches
}

// targets are up to q testable positions at even steps of P(slow), ascending.
func (p *problem) targets(b *belief, q int) []int {
	options := p.options(b)
	var out []int
	for i := 1; i <= q; i++ {
		aim := float64(i) / float64(q+1)
		best, score := -1, 0.0
		for _, o := range options {
			s := o.chance * stats.Entropy(o.slow) * math.Exp(-math.Abs(o.slow-aim)*8)
			if better(s, score) {
				best, score = o.pos, s
			}
		}
		if best >= 0 && (len(out) == 0 || out[len(out)-1] != best) {
			out = append(out, best)
		}
	}
	return out
}

// workerKnown reports whether worker w has a run of its own at an end, so that
// its values can be read relative to it.
func (p *problem) workerKnown(w int) bool {
	for _, o := range p.obs {
		if o.worker == w {
			return true
		}
	}
	return false
}
