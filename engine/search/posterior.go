package search

import (
	"math"

	"perfbisect/engine/stats"
)

// belief is what the runs so far say of a window.
type belief struct {
	cells      *cells
	cell       []float64 // probability that the culprit is in each cell, sums to 1
	slow       []float64 // probability that each site is slow
	separation float64   // d': expected gap over scatter
	levels     levels    // with the expected values of g, b and s
	top        int       // the likeliest cell
	by         [len(offsetShares)]part
}

// part is the belief under one hypothesis on the commits' own offsets, times the
// probability of that hypothesis.
type part struct{ cell, slow []float64 }

func newBelief(c *cells, lv levels) *belief {
	b := &belief{cells: c, cell: make([]float64, len(c.prior)), slow: make([]float64, len(c.sites)), levels: lv}
	for i := range b.by {
		b.by[i] = part{make([]float64, len(c.prior)), make([]float64, len(c.sites))}
	}
	return b
}

// The three points of Gauss–Hermite integration over a standard normal and the
// logs of their weights: the offset that a commit has of its own.
var (
	hermiteX = [...]float64{0, 1.7320508, -1.7320508}
	hermiteW = [...]float64{math.Log(2. / 3), math.Log(1. / 6), math.Log(1. / 6)}
)

// logLikelihood returns, up to a constant that does not depend on level, the
// log likelihood of ys (median m) at one commit: each run is t4 around the
// commit's own level, which is normal with a tail around level. The integral
// over the own level is Gauss–Hermite around its likeliest value.
func logLikelihood(f stats.FloorT, ys []float64, m, level, s, offset float64) float64 {
	n := float64(len(ys))
	if n == 1 && offset < s || n*offset*offset < 0.02*s*s {
		sc := math.Hypot(s, offset)
		sum := -n * math.Log(sc)
		for _, y := range ys {
			sum += f.At((y - level) / sc)
		}
		return sum
	}
	noise := s * s * medianVar(n) / n
	sd := math.Sqrt(noise * offset * offset / (noise + offset*offset))
	at := level + (m-level)*offset*offset/(noise+offset*offset)
	var part [len(hermiteX)]float64
	for q, x := range hermiteX {
		own := at + x*sd
		part[q] = hermiteW[q] + x*x/2 + f.Own((own-level)/offset)
		for _, y := range ys {
			part[q] += f.At((y - own) / s)
		}
	}
	return logSum(part[:]) + math.Log(sd/offset) - n*math.Log(s)
}

// logSum is ln Σ exp(xs) without overflow; -Inf for none.
func logSum(xs []float64) float64 {
	top := math.Inf(-1)
	for _, x := range xs {
		top = max(top, x)
	}
	if math.IsInf(top, 0) {
		return top
	}
	sum := 0.0
	for _, x := range xs {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

// infer computes the posterior over the cells on a grid of levels g, b, s.
func (p *problem) infer(c *cells, sites [][]float64, lv levels, grid bool) *belief {
	gs, bs, ss, offsets := lv.grid(grid)
	acc := accumulator{points: make([]point, 0, len(gs)*len(bs)*len(ss)*len(offsets))}
	medians := make([]float64, len(sites))
	for i, ys := range sites {
		medians[i] = stats.Median(ys)
	}
	f := stats.NewFloorT()
	penalty := p.penalties(c, lv)
	marks := p.markOdds(c)
	for _, own := range offsets {
		for _, s := range ss {
			fast, slow := make([][]float64, len(gs)), make([][]float64, len(bs))
			for gi, g := range gs {
				fast[gi] = lv.gather(f, c, sites, medians, g, s, own.size, false)
			}
			for bi, b := range bs {
				slow[bi] = lv.gather(f, c, sites, medians, b, s, own.size, true)
			}
			for gi, g := range gs {
				for bi, b := range bs {
					if b > g {
						acc.add(point{fast: fast[gi], slow: slow[bi], g: g, b: b, s: s, own: own})
					}
				}
			}
		}
	}
	return acc.belief(c, lv, penalty, marks)
}

// gather sums the log likelihood, at one level, of the sites that share it for
// a culprit in each cell: the slow ones or the fast ones.
func (lv levels) gather(f stats.FloorT, c *cells, sites [][]float64, medians []float64, level, s, offset float64, slow bool) []float64 {
	each := make([]float64, len(c.sites))
	for i, ys := range sites {
		if len(ys) > 0 {
			each[i] = lv.lambda * logLikelihood(f, ys, medians[i], level, s, offset)
		}
	}
	out := make([]float64, len(c.prior))
	if c.over == nil {
		sum := 0.0
		if slow {
			for k := len(out) - 1; k >= 0; k-- {
				sum += each[k+1]
				out[k] = sum
			}
			return out
		}
		for k := range out {
			sum += each[k]
			out[k] = sum
		}
		return out
	}
	total := 0.0
	for _, e := range each {
		total += e
	}
	for k := range out {
		sum := 0.0
		c.slowSites(k, func(i int) { sum += each[i] })
		if slow {
			out[k] = sum
		} else {
			out[k] = total - sum
		}
	}
	return out
}

// accumulator collects grid points and sums them up at the end.
type accumulator struct {
	points []point
}

type point struct {
	fast, slow []float64
	g, b, s    float64
	own        ownOffset
	best       float64
}

func (a *accumulator) add(pt point) {
	pt.best = math.Inf(-1)
	for k := range pt.fast {
		pt.best = max(pt.best, pt.fast[k]+pt.slow[k]+pt.own.logPrior)
	}
	a.points = append(a.points, pt)
}

// belief sums the points; penalty and marks are added to the log weight of each
// cell. Points and cells far below the best are left out.
func (a *accumulator) belief(c *cells, lv levels, penalty, marks []float64) *belief {
	extra := make([]float64, len(c.prior))
	for k := range extra {
		extra[k] = math.Log(c.prior[k]) + penalty[k] + marks[k]
	}
	b := newBelief(c, lv)
	points, top := a.likely(extra)
	if math.IsInf(top, -1) {
		return b.flat()
	}
	var total, eg, eb, es, ed, eo float64
	for _, pt := range points {
		w := 0.0
		for k := range extra {
			if x := pt.fast[k] + pt.slow[k] + pt.own.logPrior + extra[k] - top; x > -negligible*2 {
				e := math.Exp(x)
				b.by[pt.own.index].cell[k] += e
				w += e
			}
		}
		total += w
		eg, eb, es = eg+w*pt.g, eb+w*pt.b, es+w*pt.s
		ed, eo = ed+w*(pt.b-pt.g)/pt.s, eo+w*pt.own.size*pt.own.size
	}
	b.levels.own = offsetWeights{}
	for i := range b.by {
		for k, m := range b.by[i].cell {
			b.by[i].cell[k] = m / total
			b.cell[k] += m / total
			b.levels.own[i] += m / total
		}
	}
	b.levels.g, b.levels.b, b.levels.s, b.levels.offset = eg/total, eb/total, es/total, math.Sqrt(eo/total)
	b.separation = ed / total * separationBias
	return b.finish()
}

// likely returns the points that matter and the largest log weight of all. Marks
// and penalties can move the best cell far, so it is looked for with them.
func (a *accumulator) likely(extra []float64) (points []point, top float64) {
	best := math.Inf(-1)
	for _, pt := range a.points {
		best = max(best, pt.best)
	}
	top = math.Inf(-1)
	for _, pt := range a.points {
		if pt.best < best-negligible*4 {
			continue
		}
		points = append(points, pt)
		for k := range extra {
			top = max(top, pt.fast[k]+pt.slow[k]+pt.own.logPrior+extra[k])
		}
	}
	return points, top
}

// flat is the belief when nothing at all is likely: the prior.
func (b *belief) flat() *belief {
	copy(b.cell, b.cells.prior)
	copy(b.by[0].cell, b.cells.prior)
	b.levels.own = offsetWeights{1}
	b.separation = b.levels.gap() / b.levels.s
	return b.finish()
}

// finish derives the probabilities of the sites and the likeliest cell.
func (b *belief) finish() *belief {
	for k, m := range b.cell {
		if m > b.cell[b.top]*(1+tieTolerance) {
			b.top = k
		}
	}
	b.cells.sumSlow(b.cell, b.slow)
	for i := range b.by {
		b.cells.sumSlow(b.by[i].cell, b.by[i].slow)
	}
	return b
}

// sumSlow derives the probability that each site is slow from those of the cells.
func (c *cells) sumSlow(cell, slow []float64) {
	if c.over == nil {
		sum := 0.0
		for k, m := range cell {
			sum += m
			slow[k+1] = min(sum, 1)
		}
		return
	}
	for k, m := range cell {
		for _, i := range c.over[k] {
			slow[i] = min(slow[i]+m, 1)
		}
	}
}

// markOdds returns what the user's verdicts add to the log weight of each cell.
func (p *problem) markOdds(c *cells) []float64 {
	out := p.marksAt(c, true)
	for k := range out {
		if !math.IsInf(out[k], -1) && c.prior[k] > 0 {
			return out
		}
	}
	p.fault = true // certain verdicts that leave no candidate count as uncertain
	return p.marksAt(c, false)
}

func (p *problem) marksAt(c *cells, certain bool) []float64 {
	out := make([]float64, len(c.prior))
	if len(p.v.Marks) == 0 {
		return out
	}
	for i, pos := range c.sites {
		m, ok := p.v.Marks[pos]
		if !ok || m.Verdict != VerdictGood && m.Verdict != VerdictBad || pos == c.w.lo || pos == c.w.hi {
			continue
		}
		odds := math.Log(markOdds)
		if m.Certain && certain {
			odds = math.Inf(1)
		}
		slow := make([]bool, len(out))
		for k := range out {
			c.slowSites(k, func(j int) { slow[k] = slow[k] || j == i })
			if slow[k] != (m.Verdict == VerdictBad) {
				out[k] -= odds
			}
		}
	}
	return out
}
