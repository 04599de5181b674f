package search

import (
	"math"
	"slices"

	"perfbisect/engine/stats"
)

// levels are the nuisance parameters of the model, in the scale of y.
type levels struct {
	g, b     float64 // level of the fast and of the slow commits
	s        float64 // run-to-run scatter at one commit
	offset   float64 // sd of a commit's own permanent offset
	lambda   float64 // share of the evidence that counts, in [1/4, 1]
	rho      float64 // lag-1 autocorrelation
	slope    float64 // drift of y a second
	seG, seB float64 // standard errors of g and b
	runs     float64 // runs behind s
	own      offsetWeights
}

// offsetWeights are the probabilities of offsetShares.
type offsetWeights [len(offsetShares)]float64

// ownOffset is a hypothesis on the sd of the commits' own offsets.
type ownOffset struct {
	index          int
	size, logPrior float64
}

func (lv levels) gap() float64 { return lv.b - lv.g }

// grid returns the points of the numeric integration: seven levels each and
// five scatters, or the estimates alone.
func (lv levels) grid(full bool) (gs, bs, ss []float64, own []ownOffset) {
	for i, share := range offsetShares {
		own = append(own, ownOffset{i, share * lv.gap(), math.Log(offsetPriors[i])})
	}
	if !full {
		return []float64{lv.g}, []float64{lv.b}, []float64{lv.s}, own
	}
	for i := -gridReach; i <= gridReach; i++ {
		gs = append(gs, lv.g+float64(i)*gridStep*lv.seG)
		bs = append(bs, lv.b+float64(i)*gridStep*lv.seB)
	}
	step := max(scaleStepLeast, scaleStep/math.Sqrt(lv.runs))
	for i := -scaleReach; i <= scaleReach; i++ {
		ss = append(ss, scaleShift*lv.s*math.Exp(float64(i)*step))
	}
	return gs, bs, ss, own
}

// estimate places the levels from the sites that are surely fast or slow; slow
// is P(slow) of each site, nil at the start, when only the window's ends are; raw
// are the values at each site, which it returns less the drift.
func (p *problem) estimate(c *cells, raw [][]float64, slow []float64, offset float64) (levels, [][]float64) {
	lv := levels{lambda: 1, offset: offset, own: offsetPriors}
	class := sureClasses(c, slow)
	lv.s = max(stats.PooledScale(raw...), p.floor)
	lv.place(raw, class, p.floor)
	lv.slope = p.drift(c, class, lv)
	sites := raw
	if lv.slope != 0 {
		sites = p.siteValues(c, lv.slope)
		lv.s = max(stats.PooledScale(sites...), p.floor)
		lv.place(sites, class, p.floor)
	}
	lv.rho, lv.lambda = p.tempering(c, sites, lv)
	if switching(sites, lv.gap()) {
		lv.s = max(lv.s, switchScale*lv.gap())
	}
	return lv, sites
}

// switching reports whether runs at one commit lie apart by what separates the
// levels, and more of them than outliers would: a benchmark that takes two values
// in turn. A robust scale sees only the one that is taken more often.
func switching(sites [][]float64, gap float64) bool {
	n, far := 0, 0
	for _, ys := range sites {
		if len(ys) < 2 {
			continue
		}
		m := stats.Median(ys)
		n += len(ys)
		for _, y := range ys {
			if math.Abs(y-m) > gap/2 {
				far++
			}
		}
	}
	return n >= switchRuns && float64(far) >= modeShare*float64(n)
}

// sureClasses is 0 for a surely fast site, 1 for a surely slow one, else −1.
func sureClasses(c *cells, slow []float64) []int {
	class := make([]int, len(c.sites))
	for i := range class {
		class[i] = -1
		if slow != nil && slow[i] < sureFast {
			class[i] = 0
		}
		if slow != nil && slow[i] > sureSlow {
			class[i] = 1
		}
	}
	class[0], class[len(class)-1] = 0, 1
	return class
}

// siteValues returns the values at each site, less the drift since the middle
// of the hunt.
func (p *problem) siteValues(c *cells, slope float64) [][]float64 {
	out := make([][]float64, len(c.sites))
	mid := 0.0
	if slope != 0 {
		mid = (p.obs[0].t + p.obs[len(p.obs)-1].t) / 2
	}
	all := make([]float64, 0, len(p.obs))
	for i, pos := range c.sites {
		from := len(all)
		for _, j := range p.runsAt[pos] {
			all = append(all, p.obs[j].y-slope*(p.obs[j].t-mid))
		}
		out[i] = all[from:len(all):len(all)]
	}
	return out
}

// place finds the two levels as robust means over commits, so that a commit with
// many runs does not rule when commits differ by themselves.
func (lv *levels) place(sites [][]float64, class []int, floor float64) {
	runs := 0
	for i, ys := range sites {
		if len(ys) > 1 || class[i] >= 0 {
			runs += len(ys)
		}
	}
	lv.runs = max(float64(runs), 2)
	var m, w [2][]float64
	for k := range m {
		m[k], w[k] = make([]float64, 0, len(sites)), make([]float64, 0, len(sites))
	}
	for i, ys := range sites {
		if class[i] < 0 || len(ys) == 0 {
			continue
		}
		k := class[i]
		n := float64(len(ys))
		m[k] = append(m[k], stats.Median(ys))
		w[k] = append(w[k], 1/(lv.s*lv.s*medianVar(n)/n+lv.offset*lv.offset))
	}
	lv.g, lv.seG = huber(m[0], w[0])
	lv.b, lv.seB = huber(m[1], w[1])
	lv.seG, lv.seB = max(lv.seG, floor/4), max(lv.seB, floor/4)
}

// medianVar is the variance of the median of n normal values over σ²/n.
func medianVar(n float64) float64 {
	switch {
	case n < 3:
		return 1
	case n < 4:
		return 1.35
	}
	return math.Pi / 2
}

// huber is a weighted mean in which no value counts as further than 2.5 of its
// standard deviations away; se is its standard error.
func huber(m, w []float64) (mean, se float64) {
	if len(m) == 0 {
		return 0, 0
	}
	mean = stats.Median(m)
	if len(m) == 1 {
		return m[0], 1 / math.Sqrt(w[0])
	}
	roots := make([]float64, len(w))
	for i, x := range w {
		roots[i] = math.Sqrt(x)
	}
	sw := 0.0
	for _, x := range w {
		sw += x
	}
	for range 3 {
		sum := 0.0
		for i, x := range m {
			root := roots[i]
			sum += root * min(max((x-mean)*root, -2.5), 2.5)
		}
		mean += sum / sw
	}
	return mean, 1 / math.Sqrt(sw)
}

// drift is the slope of surely fast and slow runs on time, held back unless it
// stands out of the scatter.
func (p *problem) drift(c *cells, class []int, lv levels) float64 {
	n := len(p.obs)
	ys, ts, groups := make([]float64, 0, n), make([]float64, 0, n), make([]int, 0, n)
	level := [2]float64{lv.g, lv.b}
	for i, pos := range c.sites {
		if class[i] < 0 {
			continue
		}
		for _, j := range p.runsAt[pos] {
			r := p.obs[j].y - level[class[i]]
			ys = append(ys, min(max(r, -driftClip*lv.s), driftClip*lv.s))
			ts = append(ts, p.obs[j].t)
			groups = append(groups, class[i])
		}
	}
	slope, t := stats.Slope(ys, ts, groups)
	if math.Abs(t) <= driftT {
		return 0
	}
	hold := driftShrink / t
	return slope * (1 - hold*hold)
}

// tempering measures how much consecutive runs at one commit depend on one
// another, and which share of the evidence is left.
func (p *problem) tempering(c *cells, sites [][]float64, lv levels) (rho, lambda float64) {
	type timed struct{ t, r float64 }
	var all []timed
	for i, pos := range c.sites {
		if len(sites[i]) < 3 {
			continue
		}
		m := stats.Median(sites[i])
		for k, j := range p.runsAt[pos] {
			all = append(all, timed{p.obs[j].t, sites[i][k] - m})
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int {
		switch {
		case a.t < b.t:
			return -1
		case a.t > b.t:
			return 1
		}
		return 0
	})
	r := make([]float64, len(all))
	for i := range all {
		r[i] = all[i].r
	}
	rho = stats.Lag1(r, 3*lv.s)
	rho -= lambdaBias / math.Sqrt(max(float64(len(r)), 1))
	return rho, min(max((1-rho)/(1+rho), lambdaLeast), 1)
}
