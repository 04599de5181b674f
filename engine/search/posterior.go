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

// kernel computes the likelihood of runs at one commit whose scatter is s and whose
// own level has scale offset. What does not depend on the runs is computed once.
type kernel struct {
	f         stats.FloorT
	s, offset float64
	logS      float64
	wide      float64 // scale of one run with an offset in it
	logWide   float64
}

func newKernel(f stats.FloorT, s, offset float64) kernel {
	wide := math.Hypot(s, offset)
	return kernel{f: f, s: s, offset: offset, logS: math.Log(s), wide: wide, logWide: math.Log(wide)}
}

// logLikelihood returns, up to a constant that does not depend on level, the
// log likelihood of ys (median m) at one commit: each run is t4 around the
// commit's own level, which is normal with a tail around level. The integral
// over the own level is Gauss–Hermite around its likeliest value.
func (k kernel) logLikelihood(ys []float64, m, level float64) float64 {
	n := float64(len(ys))
	if n == 1 && k.offset < k.s || n*k.offset*k.offset < 0.02*k.s*k.s {
		sum := -n * k.logWide
		for _, y := range ys {
			sum += k.f.At((y - level) / k.wide)
		}
		return sum
	}
	noise := k.s * k.s * medianVar(n) / n
	both := noise + k.offset*k.offset
	sd := math.Sqrt(noise/both) * k.offset
	at := level + (m-level)*k.offset*k.offset/both
	var part [len(hermiteX)]float64
	top := math.Inf(-1)
	for q, x := range hermiteX {
		own := at + x*sd
		part[q] = hermiteW[q] + x*x/2 + k.f.Own((own-level)/k.offset)
		for _, y := range ys {
			part[q] += k.f.At((y - own) / k.s)
		}
		top = max(top, part[q])
	}
	sum := 0.0
	for _, x := range part {
		if x > top-negligible {
			sum += math.Exp(x - top)
		}
	}
	return top + math.Log(sum*sd/k.offset) - n*k.logS
}

// infer computes the posterior over the cells on a grid of levels g, b, s, which
// has one point but in the last pass.
func (p *problem) infer(c *cells, sites [][]float64, lv levels, pass int) *belief {
	gs, bs, ss, offsets := lv.grid(pass == lastPass)
	if pass == 0 && len(c.prior) > trimAbove {
		offsets = offsets[:1]
	}
	acc := accumulator{points: make([]point, 0, len(gs)*len(bs)*len(ss)*len(offsets)), extra: p.extra(c, lv)}
	medians := make([]float64, len(sites))
	for i, ys := range sites {
		medians[i] = stats.Median(ys)
	}
	f := stats.NewFloorT()
	for _, own := range offsets {
		for _, s := range ss {
			like := newKernel(f, s, own.size)
			fast, slow := make([][]float64, len(gs)), make([][]float64, len(bs))
			for gi, g := range gs {
				fast[gi] = lv.gather(like, c, sites, medians, g, false)
			}
			for bi, b := range bs {
				slow[bi] = lv.gather(like, c, sites, medians, b, true)
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
	return acc.belief(c, lv)
}

// extra is what does not depend on a grid point in the log weight of each cell:
// prior, penalties and the user's marks.
func (p *problem) extra(c *cells, lv levels) []float64 {
	penalty, marks := p.penalties(c, lv), p.markOdds(c)
	out := make([]float64, len(c.prior))
	for k := range out {
		out[k] = math.Log(c.prior[k]) + penalty[k] + marks[k]
	}
	return out
}

// gather sums the log likelihood, at one level, of the sites that share it for
// a culprit in each cell: the slow ones or the fast ones.
func (lv levels) gather(like kernel, c *cells, sites [][]float64, medians []float64, level float64, slow bool) []float64 {
	each := make([]float64, len(c.sites))
	for i, ys := range sites {
		if len(ys) > 0 {
			each[i] = lv.lambda * like.logLikelihood(ys, medians[i], level)
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
	extra  []float64 // added to the log weight of each cell
}

type point struct {
	fast, slow []float64
	g, b, s    float64
	own        ownOffset
	best       float64 // log weight of its best cell
}

func (a *accumulator) add(pt point) {
	pt.best = math.Inf(-1)
	for k, e := range a.extra {
		pt.best = max(pt.best, pt.fast[k]+pt.slow[k]+e)
	}
	pt.best += pt.own.logPrior
	a.points = append(a.points, pt)
}

// belief sums the points. Points and cells far below the best are left out.
func (a *accumulator) belief(c *cells, lv levels) *belief {
	b := newBelief(c, lv)
	top := math.Inf(-1)
	for _, pt := range a.points {
		top = max(top, pt.best)
	}
	if math.IsInf(top, -1) {
		return b.flat()
	}
	var total, eg, eb, es, ed, eo float64
	for _, pt := range a.points {
		if pt.best-top <= -2*negligible {
			continue
		}
		w := 0.0
		for k, e := range a.extra {
			if x := pt.fast[k] + pt.slow[k] + pt.own.logPrior + e - top; x > -2*negligible {
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
