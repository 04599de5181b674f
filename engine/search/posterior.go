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
}

// The five points and weights of Gauss–Hermite integration over a standard
// normal: the offset that a commit has of its own.
var (
	hermiteX = [...]float64{0, 1.3556262, -1.3556262, 2.8569700, -2.8569700}
	hermiteW = [...]float64{math.Log(.53333333), math.Log(.22207592), math.Log(.22207592), math.Log(.01125741), math.Log(.01125741)}
)

// logLikelihood returns, up to a constant that does not depend on level, the
// log likelihood of ys at one commit: each run is t4 around the commit's own
// level, which is normal around level with sd offset.
func logLikelihood(f stats.FloorT, ys []float64, level, s, offset float64) float64 {
	n := float64(len(ys))
	if n == 1 || n*offset*offset < 0.02*s*s {
		sc := math.Hypot(s, offset)
		sum := -n * math.Log(sc)
		for _, y := range ys {
			sum += f.At((y - level) / sc)
		}
		return sum
	}
	var part [len(hermiteX)]float64
	for q, x := range hermiteX {
		part[q] = hermiteW[q]
		for _, y := range ys {
			part[q] += f.At((y - level - x*offset) / s)
		}
	}
	return logSum(part[:]) - n*math.Log(s)
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

// evidence holds, for each point of a level grid and each cell, the summed log
// likelihood of the sites that are at that level when the culprit is in the cell.
type evidence [][]float64

// infer computes the posterior over the cells on a grid of levels g, b, s.
func (p *problem) infer(c *cells, sites [][]float64, lv levels, grid bool) *belief {
	gs, bs, ss := lv.grid(grid)
	acc := newAccumulator(c, len(gs)*len(bs)*len(ss))
	f := stats.NewFloorT()
	penalty := p.penalties(c, lv)
	marks := p.markOdds(c)
	for _, s := range ss {
		fast := make(evidence, len(gs))
		for gi, g := range gs {
			fast[gi] = p.gather(f, c, sites, g, s, lv, false)
		}
		slow := make(evidence, len(bs))
		for bi, b := range bs {
			slow[bi] = p.gather(f, c, sites, b, s, lv, true)
		}
		for gi, g := range gs {
			for bi, b := range bs {
				if b > g {
					acc.add(fast[gi], slow[bi], g, b, s)
				}
			}
		}
	}
	return acc.belief(c, lv, penalty, marks)
}

// gather sums the log likelihood, at one level, of the sites that share it for
// a culprit in each cell: the slow ones or the fast ones.
func (p *problem) gather(f stats.FloorT, c *cells, sites [][]float64, level, s float64, lv levels, slow bool) []float64 {
	each := make([]float64, len(c.sites))
	for i, ys := range sites {
		if len(ys) > 0 {
			each[i] = lv.lambda * logLikelihood(f, ys, level, s, lv.offset)
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
	best       float64
}

func newAccumulator(_ *cells, n int) *accumulator {
	return &accumulator{points: make([]point, 0, n)}
}

func (a *accumulator) add(fast, slow []float64, g, b, s float64) {
	best := math.Inf(-1)
	for k := range fast {
		best = max(best, fast[k]+slow[k])
	}
	a.points = append(a.points, point{fast, slow, g, b, s, best})
}

// belief sums the points. extra is added to the log weight of each cell.
func (a *accumulator) belief(c *cells, lv levels, penalty, marks []float64) *belief {
	n := len(c.prior)
	extra := make([]float64, n)
	for k := range extra {
		extra[k] = math.Log(c.prior[k]) + penalty[k] + marks[k]
	}
	top := math.Inf(-1)
	for _, pt := range a.points {
		top = max(top, pt.best)
	}
	b := &belief{cells: c, cell: make([]float64, n), slow: make([]float64, len(c.sites)), levels: lv}
	var total, eg, eb, es, ed float64
	// Marks and penalties can move the best cell far: find the true top first.
	real := math.Inf(-1)
	for _, pt := range a.points {
		if pt.best < top-negligible*4 {
			continue
		}
		for k := range extra {
			real = max(real, pt.fast[k]+pt.slow[k]+extra[k])
		}
	}
	if math.IsInf(real, -1) {
		return b.flat()
	}
	for _, pt := range a.points {
		w := 0.0
		if pt.best < top-negligible*4 {
			continue
		}
		for k := range extra {
			if x := pt.fast[k] + pt.slow[k] + extra[k] - real; x > -negligible*2 {
				e := math.Exp(x)
				b.cell[k] += e
				w += e
			}
		}
		total += w
		eg, eb, es, ed = eg+w*pt.g, eb+w*pt.b, es+w*pt.s, ed+w*(pt.b-pt.g)/pt.s
	}
	for k := range b.cell {
		b.cell[k] /= total
	}
	b.levels.g, b.levels.b, b.levels.s = eg/total, eb/total, es/total
	b.separation = ed / total * separationBias
	return b.finish()
}

// flat is the belief when nothing at all is likely: the prior.
func (b *belief) flat() *belief {
	copy(b.cell, b.cells.prior)
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
	if b.cells.over == nil {
		sum := 0.0
		for k, m := range b.cell {
			sum += m
			b.slow[k+1] = min(sum, 1)
		}
		b.slow[len(b.slow)-1] = 1
		return b
	}
	for k, m := range b.cell {
		for _, i := range b.cells.over[k] {
			b.slow[i] = min(b.slow[i]+m, 1)
		}
	}
	return b
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
