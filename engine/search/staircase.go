package search

import (
	"math"

	"perfbisect/engine/stats"
)

// landing is a level between fast and slow that several neighbouring sites share:
// the gap comes in several steps. One site alone is a commit with an offset of
// its own, and two may be chance; three that agree are a level.
type landing struct{ first, last int } // positions

// landing looks for a level between. While fewer than landingSites agree and an
// untested neighbour could join them, ask is that neighbour, else −1. A site counts
// when it is z standard errors away from both levels. In a graph there is no
// larger side to go on with, so none is looked for.
func (p *problem) landing(b *belief, z float64) (l landing, found bool, ask int) {
	c := b.cells
	ask = -1
	if c.over != nil {
		return l, false, ask
	}
	sites := p.siteValues(c, b.levels.slope)
	for i := 1; i < len(c.sites)-1; {
		j := p.agreeing(b, sites, i, z)
		switch {
		case j-i >= landingSites && p.quiet(b, sites, i, j):
			return landing{c.sites[i], c.sites[j-1]}, true, -1
		case j > i && j-i < landingSites && ask < 0:
			ask = p.untestedNeighbour(c, i, j-1)
		}
		i = max(j, i+1)
	}
	return l, false, ask
}

// agreeing is the end of the run of sites from i on that lie between the levels
// and agree with the first of them; i when it does not lie there itself.
func (p *problem) agreeing(b *belief, sites [][]float64, i int, z float64) int {
	j := i
	for j < len(sites)-1 && p.between(b, sites[j], z) &&
		p.alike(b, stats.Median(sites[i])-stats.Median(sites[j]), len(sites[i]), len(sites[j])) {
		j++
	}
	return j
}

// alike reports whether a difference between the medians of n and m runs is small
// against the gap or against their scatter.
func (p *problem) alike(b *belief, diff float64, n, m int) bool {
	se := b.levels.s * gridStep * math.Sqrt(1/float64(n)+1/float64(m))
	return math.Abs(diff) < max(alikeShare*b.levels.gap(), alikeZ*se)
}

// quiet reports whether the sites other than those of the landing lie on one of
// the two levels: where every commit has an offset of its own, some in the middle
// prove nothing.
func (p *problem) quiet(b *belief, sites [][]float64, from, to int) bool {
	g, z := p.endLevels(b)
	near, all := 0, 0
	for j, ys := range sites {
		if j >= from && j < to || len(ys) == 0 {
			continue
		}
		m := stats.Median(ys)
		all++
		if p.alike(b, math.Min(math.Abs(m-g), math.Abs(m-z)), len(ys), len(ys)) {
			near++
		}
	}
	return all >= 4 && float64(near) >= quietShare*float64(all)
}

// untestedNeighbour is a testable position next to the sites i … j when the sites
// beside them are further away; −1 otherwise.
func (p *problem) untestedNeighbour(c *cells, i, j int) int {
	if q := c.sites[j] + 1; c.sites[j+1] > q && p.testable(q) {
		return q
	}
	if q := c.sites[i] - 1; c.sites[i-1] < q && p.testable(q) {
		return q
	}
	return -1
}

// between reports whether runs are away from both levels by a good part of the
// gap and by more than their own error and the ends' explain.
func (p *problem) between(b *belief, ys []float64, z float64) bool {
	if len(ys) == 0 {
		return false
	}
	lv := b.levels
	lv.g, lv.b = p.endLevels(b)
	m, n := stats.Median(ys), float64(len(ys))
	s := lv.s / math.Sqrt(lv.lambda)
	end := math.Max(p.endError(b.cells.w.lo, s), p.endError(b.cells.w.hi, s))
	margin := max(middleShare*lv.gap(), z*math.Hypot(s*gridStep/math.Sqrt(n), end))
	return m-lv.g > margin && lv.b-m > margin
}

// endLevels are the medians of the window's ends: unlike the levels of the model
// they do not give way to a level between that was taken for one of them.
func (p *problem) endLevels(b *belief) (g, z float64) {
	ys := p.siteValues(b.cells, b.levels.slope)
	return stats.Median(ys[0]), stats.Median(ys[len(ys)-1])
}

func (p *problem) endError(pos int, s float64) float64 {
	return s * gridStep / math.Sqrt(max(float64(len(p.runsAt[pos])), 1))
}

// largerJump is the part of w on the side of a landing with the larger change.
func (p *problem) largerJump(w window, l landing) window {
	m := (stats.Median(p.ys(l.first)) + stats.Median(p.ys(l.last))) / 2
	if stats.Median(p.ys(w.hi))-m > m-stats.Median(p.ys(w.lo)) {
		return window{l.last, w.hi}
	}
	return window{w.lo, l.first}
}

// residual searches what the named step leaves unexplained, on both sides of it,
// until nothing of size is left. next is what must be measured first.
func (p *problem) residual(w window, first answer, gap float64) (found []answer, next *Decision) {
	queue := []window{{w.lo, first.suspect.fast}, {first.suspect.slow, w.hi}}
	for len(queue) > 0 && len(found)+1 < stepsMax {
		r := queue[0]
		queue = queue[1:]
		if r.hi <= r.lo || p.weight(r.lo, r.hi) <= 0 || !p.testable(r.lo) || !p.testable(r.hi) {
			continue
		}
		differ, next := p.rest(r, gap, first.belief.levels.s)
		if next != nil {
			return nil, next
		}
		if !differ {
			continue
		}
		a := p.solve(r, PhaseResidual)
		if a.next != nil {
			return nil, a.next
		}
		if a.named() {
			found = append(found, a)
			queue = append(queue, window{r.lo, a.suspect.fast}, window{a.suspect.slow, r.hi})
		}
	}
	return found, nil
}

// rest compares the ends of a leftover part well enough to see a quarter of the
// gap.
func (p *problem) rest(w window, gap, s float64) (differ bool, next *Decision) {
	need := stats.RunsForGap(middleShare*gap, s, residualPlan)
	want := int(min(max(need, residualMin), residualMax))
	if min(len(p.runsAt[w.lo]), len(p.runsAt[w.hi])) < want {
		g := p.blank()
		g.Explanation = "the named step may not explain the whole gap: the rest is compared"
		return false, &Decision{
			Kind: Measure, Phase: PhaseResidual, Progress: g,
			Batches: [][]Step{p.endSchedule(w, want, "how much is left to explain?")},
		}
	}
	diff := stats.Median(p.ys(w.hi)) - stats.Median(p.ys(w.lo))
	se := math.Hypot(p.endError(w.lo, s), p.endError(w.hi, s))
	return diff > max(residualGap*gap, residualZ*se), nil
}
