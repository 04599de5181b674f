package search

import "math"

// Estimate returns what a hunt still costs, as far as its data tell: expected
// further runs, builds and seconds. Before anything is measured it assumes a gap
// of five scatters. It is 0 for what is not known (a time before the first run).
func Estimate(v *View) (runs, builds, seconds float64) {
	p := newProblem(v)
	w, _, ok := p.span()
	if !ok {
		return 0, 0, 0
	}
	if len(p.runsAt[w.lo]) < 1 || len(p.runsAt[w.hi]) < 1 {
		runs, builds = p.plan(w, typicalSeparation)
		return runs, builds, p.seconds(runs, builds)
	}
	b := p.believe(w)
	if p.exact(w) {
		b.separation = math.Inf(1)
	}
	runs, builds = p.left(b)
	if n := min(len(p.runsAt[w.lo]), len(p.runsAt[w.hi])); n < endRunsFirst {
		runs += float64(2 * (endRunsFirst - n))
	}
	return runs, builds, p.seconds(runs, builds)
}

// Within returns how many commits are left as candidates after so many more
// seconds of work, as far as the data tell.
func Within(v *View, seconds float64) (commits float64) {
	p := newProblem(v)
	w, _, ok := p.span()
	if !ok {
		return 0
	}
	_, _, whole := Estimate(v)
	bits := math.Log2(float64(w.hi - w.lo))
	if len(p.runsAt[w.lo]) > 0 && len(p.runsAt[w.hi]) > 0 {
		bits = p.bits(p.believe(w))
	}
	if whole <= 0 || seconds >= whole {
		return 1
	}
	return math.Max(1, math.Exp2(bits*(1-seconds/whole)))
}

// plan is the cost of a whole hunt before it starts.
func (p *problem) plan(w window, separation float64) (runs, builds float64) {
	bits := math.Log2(math.Max(float64(w.hi-w.lo), 1))
	per := runsPerBit(separation)
	ends := 2 * math.Max(endRunsFirst, math.Ceil(endRunsFactor/(separation*separation)))
	return ends + bits*per + pairsTypical*per, bits/testableChance + 2
}

// runsPerBit is how many runs it takes to halve what is left: one when the
// levels lie far apart, (c/d')² when they do not.
func runsPerBit(separation float64) float64 {
	r := perBit / math.Max(separation, 0.1)
	return math.Max(1, r*r)
}

// left is the cost from a belief on.
func (p *problem) left(b *belief) (runs, builds float64) {
	bits := p.bits(b)
	per := runsPerBit(b.separation * math.Sqrt(b.levels.lambda))
	runs = bits * per
	if !math.IsInf(b.separation, 1) {
		runs += pairsTypical * per
	}
	return runs, p.openBits(b) / testableChance
}

// bits is the entropy of the posterior over candidates, in bits.
func (p *problem) bits(b *belief) float64 {
	sum := 0.0
	for k, m := range b.cell {
		if m > 0 {
			sum += m * (math.Log2(math.Max(p.testableCount(b.cells, k), 1)) - math.Log2(m))
		}
	}
	return sum
}

// openBits is the part of the entropy that lies inside cells: what new builds
// have to tell.
func (p *problem) openBits(b *belief) float64 {
	sum := 0.0
	for k, m := range b.cell {
		sum += m * math.Log2(math.Max(p.testableCount(b.cells, k), 1))
	}
	return sum
}

// testableCount is the number of candidates of cell k, the broken ones counted
// together with their successor.
func (p *problem) testableCount(c *cells, k int) float64 {
	if c.over == nil {
		a, z := c.sites[k], c.sites[k+1]
		return float64(z - a - len(p.brokenIn(a, z)))
	}
	return c.prior[k] * float64(p.n)
}

func (p *problem) seconds(runs, builds float64) float64 {
	return runs*p.v.RunS + builds*p.v.BuildS
}
