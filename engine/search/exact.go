package search

import (
	"math"
	"slices"

	"perfbisect/engine/stats"
)

// exact reports whether the metric has no noise: because the user says so and
// no position contradicts it, or because no position with several runs shows any
// scatter while the gap is many printed steps wide. A noisy time that is printed
// with few digits may repeat by chance; its gap is then only a few steps.
func (p *problem) exact(w window) bool {
	for _, pos := range p.visited {
		ys := p.ys(pos)
		for _, y := range ys {
			if y != ys[0] {
				return false
			}
		}
	}
	if p.v.Options.Exact {
		return true
	}
	g, b := p.ys(w.lo), p.ys(w.hi)
	if len(g) < 2 || len(b) < 2 {
		return false
	}
	return math.Abs(b[0]-g[0]) >= exactSteps*p.floor || p.counted(min(len(g), len(b)))
}

// countRuns is how often a count must repeat at both ends before it is believed
// to be exact: three equal values a side leave a noise of the size of a step
// less than one chance in thirty.
const countRuns = 3

// counted reports whether the metric counts something: every value is a whole
// number, and the ends repeated theirs. A time in SI units is not whole. A single
// value that scatters later takes this back.
func (p *problem) counted(runs int) bool {
	if runs < countRuns {
		return false
	}
	for _, r := range p.v.Runs {
		if r.Outcome == OK && r.Value != math.Trunc(r.Value) {
			return false
		}
	}
	return true
}

// huntExact is plain bisection: one run a position, no pairs. With more than two
// levels it follows the largest jump between neighbours.
func (p *problem) huntExact(w window) Decision {
	if d, ok := p.exactEnds(w); ok {
		return d
	}
	if p.v.Parents != nil {
		return p.huntExactGraph(w)
	}
	found := p.exactSteps(w)
	if len(found) == 0 { // marks split the range at places that cannot be run
		return p.hunt(w, p.testEnds(w, p.minGap))
	}
	if found[0].next != nil {
		return *found[0].next
	}
	t := endTest{g: p.ys(w.lo), b: p.ys(w.hi), s: p.floor}
	t.gap = stats.Median(t.b) - stats.Median(t.g)
	return p.report(w, t, found)
}

// exactEnds measures the ends once and stops when they do not differ.
func (p *problem) exactEnds(w window) (Decision, bool) {
	g, b := p.ys(w.lo), p.ys(w.hi)
	if len(g) == 0 || len(b) == 0 {
		return *p.nextExact(PhaseEnds, p.endSchedule(w, 1, "end"), "both ends are measured first"), true
	}
	t := endTest{g: g, b: b, s: p.floor, n: min(len(g), len(b)), gap: b[0] - g[0]}
	switch {
	case t.gap == 0:
		t.verdict = endsSame
	case t.gap < 0:
		t.verdict = endsSwapped
	default:
		return Decision{}, false
	}
	return p.reportEnds(w, t), true
}

// exactSteps bisects (w.lo, w.hi] towards the largest jump and, with --all, each
// further jump. The first answer carries what is still to be measured.
func (p *problem) exactSteps(w window) []answer {
	var found []answer
	for {
		c := p.split(w)
		k := p.largestJump(c, found)
		if pos := p.onlyMarked(c); k < 0 && len(found) == 0 && pos >= 0 {
			return []answer{{next: p.next(p.exactBelief(c, 0), PhaseSearch, p.steps([]int{pos}, "only its mark is known"), "the metric has no noise: one run shows the level at a mark")}}
		}
		if k < 0 {
			return found
		}
		s, settled := p.suspectOf(c, k)
		if !settled {
			pos := p.middleTestable(c.sites[k], c.sites[k+1])
			b := p.exactBelief(c, k)
			d := p.next(b, PhaseSearch, p.steps([]int{pos}, "halves what is left"), "the metric has no noise: one run halves what is left")
			return []answer{{next: d}}
		}
		b := p.exactBelief(c, k)
		if d := p.repeat(b, s); d != nil {
			return []answer{{next: d}}
		}
		found = append(found, answer{suspect: s, mass: 1, odds: math.Inf(1), belief: b})
		if !p.v.Options.All || len(found) >= stepsMax {
			return found
		}
	}
}

// repeatRuns is how often the neighbours of a step must show the same value.
const repeatRuns = 2

// repeat runs the neighbours of a step until each has repeated its value: two equal
// ones at each end may be chance, as where a benchmark has a few values that it takes
// in turn. A value that scatters makes the metric a noisy one. It returns nil when
// nothing is left to do, or when the user vouches for the metric.
func (p *problem) repeat(b *belief, s suspect) *Decision {
	if p.v.Options.Exact || !p.testable(s.fast) || !p.testable(s.slow) {
		return nil
	}
	if len(p.runsAt[s.fast]) == 0 || len(p.runsAt[s.slow]) == 0 { // known by a mark
		return nil
	}
	steps := p.endSchedule(window{s.fast, s.slow}, repeatRuns, "confirms the step")
	if len(steps) == 0 {
		return nil
	}
	return p.next(b, PhaseConfirm, steps, "a metric without noise repeats itself: the two neighbours are run again")
}

// onlyMarked is a site that has a mark and no run, but can be run, or −1.
func (p *problem) onlyMarked(c *cells) int {
	i := slices.IndexFunc(c.sites, func(pos int) bool { return len(p.runsAt[pos]) == 0 && p.testable(pos) })
	if i < 0 {
		return -1
	}
	return c.sites[i]
}

// largestJump is the cell with the largest rise that is not found yet, or −1.
func (p *problem) largestJump(c *cells, found []answer) int {
	best, k := 0.0, -1
	for j := range c.prior {
		a, z := c.sites[j], c.sites[j+1]
		if known(found, z) || len(p.runsAt[a]) == 0 || len(p.runsAt[z]) == 0 {
			continue
		}
		if jump := p.ys(z)[0] - p.ys(a)[0]; jump > best*(1+tieTolerance) {
			best, k = jump, j
		}
	}
	return k
}

func known(found []answer, slow int) bool {
	for _, f := range found {
		if f.suspect.slow == slow {
			return true
		}
	}
	return false
}

// exactBelief is the certainty that the culprit is in cell k.
func (p *problem) exactBelief(c *cells, k int) *belief {
	b := newBelief(c, levels{})
	b.top, b.cell[k], b.by[0].cell[k] = k, 1, 1
	g, z := stats.Median(p.ys(c.sites[0])), stats.Median(p.ys(c.sites[len(c.sites)-1]))
	b.levels = levels{g: g, b: z, s: p.floor, lambda: 1, own: offsetWeights{1}}
	b.separation = (z - g) / p.floor
	return b.finish()
}

// middleTestable is the testable position of (a, z) that halves the number of
// groups that can be told apart, or halves the prior when there is one; after
// failures it jumps out of the broken block.
func (p *problem) middleTestable(a, z int) int {
	broken := p.brokenIn(a, z)
	var open []int
	for i := a + 1; i < z; i++ {
		if p.testable(i) && p.tells(a, i, z) {
			open = append(open, i)
		}
	}
	best, score := open[len(open)/2], 0.0
	for j, i := range open {
		share := float64(j+1) / float64(len(open)+1)
		if p.v.Prior != nil {
			share = p.shareUpTo(a, z, i)
		}
		v := stats.Entropy(share)
		if len(p.failed()) > 0 {
			v *= p.chance(i, broken)
		}
		if better(v, score) {
			best, score = i, v
		}
	}
	return best
}

// huntExactGraph bisects a graph: a position is slow when it is nearer to bad.
func (p *problem) huntExactGraph(w window) Decision {
	b := p.certain(w)
	s, settled := p.suspectOf(b.cells, b.top)
	if !settled {
		if o := p.chooseGraph(b); len(o) > 0 {
			return *p.next(b, PhaseSearch, p.steps([]int{o[0].pos}, "halves what is left"), "the metric has no noise: one run halves what is left")
		}
	}
	if d := p.repeat(b, s); d != nil {
		return *d
	}
	t := endTest{g: p.ys(w.lo), b: p.ys(w.hi), s: p.floor, gap: b.levels.gap()}
	return p.report(w, t, []answer{{suspect: s, mass: b.cell[b.top], odds: math.Inf(1), belief: b}})
}

// certain is the belief in a graph when every run is taken at its word; when no
// culprit explains all of them, the one of a noisy metric.
func (p *problem) certain(w window) *belief {
	c := p.split(w)
	b := newBelief(c, levels{g: p.ys(w.lo)[0], b: p.ys(w.hi)[0], s: p.floor, lambda: 1, own: offsetWeights{1}})
	b.separation = b.levels.gap() / p.floor
	total := 0.0
	for k, odds := range p.markOdds(c) {
		if !math.IsInf(odds, -1) && p.agrees(b, k) {
			b.cell[k] = c.prior[k]
			total += c.prior[k]
		}
	}
	if total <= 0 {
		return p.believe(w)
	}
	for k := range b.cell {
		b.cell[k] /= total
	}
	copy(b.by[0].cell, b.cell)
	return b.finish()
}

// agrees reports whether a culprit in cell k explains every site: slow is nearer
// to bad.
func (p *problem) agrees(b *belief, k int) bool {
	slow := make([]bool, len(b.cells.sites))
	b.cells.slowSites(k, func(i int) { slow[i] = true })
	for i, pos := range b.cells.sites {
		if ys := p.ys(pos); len(ys) > 0 && (ys[0]-b.levels.g > b.levels.b-ys[0]) != slow[i] {
			return false
		}
	}
	return true
}

func (p *problem) nextExact(phase Phase, steps []Step, why string) *Decision {
	g := p.blank()
	g.Explanation = why
	return &Decision{Kind: Measure, Phase: phase, Batches: [][]Step{steps}, Progress: g}
}
