package search

import (
	"math/bits"
	"slices"

	"perfbisect/engine/stats"
)

// graph answers ancestry questions in a range that is not a chain. Position i is
// slow if and only if the culprit is i or an ancestor of i.
type graph struct {
	parents [][]int32
	inside  []bool // candidates of the window
}

// ancestors marks hi and its ancestors within the range. Parents come before
// children, so one pass down is enough.
func ancestors(parents [][]int32, hi int) []bool {
	in := make([]bool, len(parents))
	in[hi] = true
	for i := hi; i > 0; i-- {
		if in[i] {
			for _, q := range parents[i] {
				in[q] = true
			}
		}
	}
	return in
}

// splitGraph makes the cells of a window by refining the candidates with the
// ancestors of each site in turn: time sites × positions, memory linear.
func (p *problem) splitGraph(w window) *cells {
	parents := p.v.Parents
	inside := ancestors(parents, w.hi)
	inside[0] = false
	if w.lo > 0 {
		for i, in := range ancestors(parents, w.lo) {
			inside[i] = inside[i] && !in
		}
	}
	c := &cells{w: w, sites: []int{w.lo}, of: make([]int32, p.n+1), over: [][]int32{nil}, graph: &graph{parents, inside}}
	for i := range c.of {
		c.of[i] = -1
		if inside[i] {
			c.of[i] = 0
		}
	}
	for _, s := range p.visited {
		if s != w.lo && s != w.hi && inside[s] {
			c.refine(s, ancestors(parents, s))
		}
	}
	c.refine(w.hi, inside)
	c.weigh(p)
	return c
}

// refine adds a site: every cell falls into its ancestors and the others.
func (c *cells) refine(site int, under []bool) {
	index := int32(len(c.sites))
	c.sites = append(c.sites, site)
	total, hit := make([]int, len(c.over)), make([]int, len(c.over))
	for i, k := range c.of {
		if k >= 0 {
			total[k]++
			if under[i] {
				hit[k]++
			}
		}
	}
	moved := make([]int32, len(c.over))
	for k := range moved {
		moved[k] = int32(k)
		switch {
		case hit[k] == 0:
		case hit[k] == total[k]:
			c.over[k] = append(c.over[k], index)
		default:
			moved[k] = int32(len(c.over))
			c.over = append(c.over, append(slices.Clone(c.over[k]), index))
		}
	}
	for i, k := range c.of {
		if k >= 0 && under[i] {
			c.of[i] = moved[k]
		}
	}
}

// weigh sums the prior of each cell.
func (c *cells) weigh(p *problem) {
	c.prior = make([]float64, len(c.over))
	total := 0.0
	for i, k := range c.of {
		if k >= 0 {
			c.prior[k] += p.weight(i-1, i)
			total += p.weight(i-1, i)
		}
	}
	for k := range c.prior {
		c.prior[k] /= max(total, 1e-300)
	}
}

// Every culprit that P(slow) is computed for owns a bit, and one pass hands the
// bits of every position on to its children. When the candidates do not fit, 512
// culprits are drawn at equal steps of the cumulated posterior.
const (
	drawn, drawnWords = 512, 512 / 64
	exactWork         = 4_000_000 // candidates × positions up to which weights are summed exactly
)

// slowEverywhere returns P(slow) at every position of the range: exact for a few
// candidates, else to one part in 512.
func (p *problem) slowEverywhere(b *belief) []float64 {
	mass, live := p.candidateMass(b)
	if len(live) <= drawn && len(live)*p.n <= exactWork {
		weight := make([]float64, len(live))
		sets := make([][drawnWords]uint64, p.n+1)
		for k, i := range live {
			sets[i][k/64] |= 1 << (k % 64)
			weight[k] = mass[i]
		}
		return b.cells.graph.handDown(sets, func(w *[drawnWords]uint64) float64 { return weigh(w, weight) })
	}
	sets := make([][drawnWords]uint64, p.n+1)
	next, sum := 0, 0.0
	for _, i := range live {
		sum += mass[i]
		for next < drawn && (float64(next)+0.5)/drawn < sum {
			sets[i][next/64] |= 1 << (next % 64)
			next++
		}
	}
	return b.cells.graph.handDown(sets, func(w *[drawnWords]uint64) float64 { return float64(popcount(w)) / drawn })
}

// candidateMass returns the posterior of every position, and those that have any.
func (p *problem) candidateMass(b *belief) (mass []float64, live []int) {
	c := b.cells
	mass = make([]float64, p.n+1)
	weight := make([]float64, len(c.prior))
	for i, k := range c.of {
		if k >= 0 {
			weight[k] += p.weight(i-1, i)
		}
	}
	for i, k := range c.of {
		if k < 0 || weight[k] <= 0 {
			continue
		}
		if m := b.cell[k] * p.weight(i-1, i) / weight[k]; m > 1e-9 {
			mass[i] = m
			live = append(live, i)
		}
	}
	return mass, live
}

// handDown gives every position the bits of its ancestors and sums them up.
func (g *graph) handDown(bits [][drawnWords]uint64, sum func(*[drawnWords]uint64) float64) []float64 {
	out := make([]float64, len(bits))
	for i := 1; i < len(bits); i++ {
		for _, q := range g.parents[i] {
			for w := range bits[i] {
				bits[i][w] |= bits[q][w]
			}
		}
		out[i] = min(sum(&bits[i]), 1)
	}
	return out
}

// weigh sums the weights of the bits that are set.
func weigh(set *[drawnWords]uint64, weight []float64) float64 {
	sum := 0.0
	for w, x := range set {
		for ; x != 0; x &= x - 1 {
			sum += weight[w*64+bits.TrailingZeros64(x)]
		}
	}
	return sum
}

func popcount(set *[drawnWords]uint64) int {
	n := 0
	for _, x := range set {
		n += bits.OnesCount64(x)
	}
	return n
}

// members lists the candidates of cell k, ascending.
func (c *cells) members(k int) []int {
	var out []int
	if c.over == nil {
		for i := c.sites[k] + 1; i <= c.sites[k+1]; i++ {
			out = append(out, i)
		}
		return out
	}
	for i, q := range c.of {
		if int(q) == k {
			out = append(out, i)
		}
	}
	return out
}

// chooseGraph returns the unvisited position whose side says most, weighted by
// the chance that it can be tested.
func (p *problem) chooseGraph(b *belief) (options []option) {
	slow := p.slowEverywhere(b)
	far := p.brokenDistance()
	best := option{pos: -1}
	for i := 1; i < p.n; i++ {
		if !b.cells.graph.inside[i] || !p.testable(i) || slow[i] <= 1e-9 || slow[i] >= 1-1e-9 || b.cells.site(i) >= 0 {
			continue
		}
		o := option{pos: i, slow: slow[i], chance: testableChance * (1 - stillBroken(far[i], 2)), extra: p.buildCost + p.warmCost}
		for j := range o.by {
			o.by[j] = o.slow * b.levels.own[j]
		}
		if better(o.chance*stats.Entropy(o.slow), best.chance*stats.Entropy(best.slow)) {
			best = o
		}
	}
	if best.pos >= 0 {
		options = append(options, best)
	}
	return options
}

// brokenDistance is the distance of each position to a broken one along edges.
func (p *problem) brokenDistance() []int {
	far := make([]int, p.n+1)
	for i := range far {
		far[i] = p.n + 1
		if !p.testable(i) {
			far[i] = 0
		}
	}
	for i := 1; i <= p.n; i++ {
		for _, q := range p.v.Parents[i] {
			far[i] = min(far[i], far[q]+1)
		}
	}
	for i := p.n; i > 0; i-- {
		for _, q := range p.v.Parents[i] {
			far[q] = min(far[q], far[i]+1)
		}
	}
	return far
}

// suspectInGraph is suspectOf for a graph: every testable candidate of the cell
// has been visited, so the untested rest cannot be told apart from it.
func (p *problem) suspectInGraph(c *cells, k int) (s suspect, ok bool) {
	s.slow, s.fast = -1, c.w.lo
	for _, i := range c.members(k) {
		if p.weight(i-1, i) > 0 {
			s.among = append(s.among, i)
		}
		if c.site(i) >= 0 {
			s.slow = i // the last visited one: all others are its ancestors
		} else if p.testable(i) && i != c.w.hi {
			return s, false
		}
	}
	if s.slow < 0 {
		s.slow = p.firstSlow(c, k)
	}
	s.fast = p.lastFast(c, k, s.slow)
	return s, len(s.among) > 0
}

// firstSlow is the earliest site that is slow when the culprit is in cell k.
func (p *problem) firstSlow(c *cells, k int) int {
	best := c.w.hi
	c.slowSites(k, func(i int) { best = min(best, c.sites[i]) })
	return best
}

// lastFast is the best reference for slow: its first parent when that is a site
// that is fast for a culprit in cell k, else the latest such ancestor.
func (p *problem) lastFast(c *cells, k, slow int) int {
	isSlow := map[int]bool{}
	c.slowSites(k, func(i int) { isSlow[c.sites[i]] = true })
	if q := c.graph.parents[slow]; len(q) > 0 && c.site(int(q[0])) >= 0 && !isSlow[int(q[0])] {
		return int(q[0])
	}
	under := ancestors(c.graph.parents, slow)
	best := c.w.lo
	for _, pos := range c.sites {
		if under[pos] && !isSlow[pos] && pos != slow {
			best = max(best, pos)
		}
	}
	return best
}
