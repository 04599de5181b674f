package search

import (
	"math"

	"perfbisect/engine/stats"
)

// suspect is an adjacent pair of visited positions: the step would lie between.
type suspect struct {
	fast, slow int   // positions
	among      []int // candidates that nothing testable tells apart, ascending
}

// suspectOf returns the suspect of cell k when nothing inside the cell is left
// to test; ok is false when something is.
func (p *problem) suspectOf(c *cells, k int) (s suspect, ok bool) {
	if c.over != nil {
		return p.suspectInGraph(c, k)
	}
	a, z := c.sites[k], c.sites[k+1]
	for i := a + 1; i < z; i++ {
		if p.testable(i) && p.tells(a, i, z) {
			return s, false
		}
	}
	s = suspect{fast: a, slow: z}
	for i := a + 1; i <= z; i++ {
		if p.weight(i-1, i) > 0 {
			s.among = append(s.among, i)
		}
	}
	return s, true
}

// pairs returns the differences slow − fast of runs that followed one another on
// one worker, whatever they were made for.
func (p *problem) pairs(s suspect) []float64 {
	var out []float64
	last := map[int]int{} // by worker: index of a run that waits for its partner
	for i, o := range p.obs {
		j, waiting := last[o.worker]
		last[o.worker] = i
		if !waiting || o.pos != s.fast && o.pos != s.slow {
			continue
		}
		if q := p.obs[j]; q.pos+o.pos == s.fast+s.slow && q.pos != o.pos {
			d := o.y - q.y
			if o.pos == s.fast {
				d = -d
			}
			out = append(out, d)
			delete(last, o.worker) // a run is in one pair only
		}
	}
	return out
}

// pairOdds is the log odds that paired differences come from a step of the whole
// gap and not from no step. Pairs guard against a machine that changes; what the
// commits have for themselves is weighed by the posterior, which sees more of them.
func pairOdds(pairs []float64, lv levels) float64 {
	if len(pairs) == 0 {
		return 0
	}
	sd := math.Sqrt2 * lv.s / math.Sqrt(lv.lambda)
	m := stats.Median(pairs)
	like := newKernel(stats.NewFloorT(), sd, math.Sqrt2*offsetShares[0]*lv.gap())
	return like.logLikelihood(pairs, m, lv.gap()) - like.logLikelihood(pairs, m, 0)
}

// penalties lower the weight of cells whose pairs spoke against them.
func (p *problem) penalties(c *cells, lv levels) []float64 {
	out := make([]float64, len(c.prior))
	if lv.gap() <= 0 || c.over != nil {
		return out
	}
	for k := range out {
		a, z := c.sites[k], c.sites[k+1]
		if len(p.runsAt[a]) < 3 || len(p.runsAt[z]) < 3 {
			continue
		}
		pairs := p.pairs(suspect{fast: a, slow: z})
		if odds := pairOdds(pairs, lv); odds <= rejectOdds || len(pairs) >= pairsMax && odds < oddsNormal {
			out[k] = min(odds, -1)
		}
	}
	return out
}

// confirmOdds is the log odds that a confirmation must reach; more where states of
// the machine may look like the step.
func confirmOdds(confidence string, b *belief) float64 {
	least := oddsNormal
	switch {
	case b.sticky():
		least = oddsSticky
	case b.separation < weakSeparation:
		least = oddsWeak
	}
	switch {
	case confidence == "quick":
		return oddsQuick
	case confidence == "strict":
		return max(least, oddsStrict)
	case b.offsetsShow():
		return oddsNormal
	}
	return least
}

// sticky reports whether runs depend on the ones before them while the gap is no
// larger than what the scatter can hide: then a pair during which the machine
// changes its state looks like a step.
func (b *belief) sticky() bool {
	return b.separation < pairTwoFrom && b.levels.lambda < stickyLambda
}

// confirmMass is the posterior that a suspect needs before it is named. What is
// promised by the name of the confidence (0.90, 0.95, 0.99) is less, because the
// posterior alone is too sure under the noise of real machines. Where commits have
// large offsets of their own more runs would not settle it: less is asked for, and
// statedAtMost says less.
func confirmMass(confidence string, b *belief) float64 {
	least := nameMass
	if b.separation < weakSeparation {
		least = nameMassWeak
	}
	switch {
	case confidence == "quick":
		return quickMass
	case confidence == "strict":
		return max(least, nameMassStrict)
	case b.offsetsShow():
		return nameMass
	}
	return least
}

// offsetsShow reports whether the runs speak for commits that have large offsets of
// their own, which they cannot where the scatter is as large as the gap.
func (b *belief) offsetsShow() bool {
	return b.levels.own[len(b.levels.own)-1] >= offsetShown && b.separation >= offsetSeparation
}

// statedAtMost is the largest probability that is said of a named commit.
func (b *belief) statedAtMost(confidence string) float64 {
	switch {
	case confidence != "strict" && b.offsetsShow():
		return statedCapOffset
	case b.separation < weakSeparation:
		return statedCapWeak
	}
	return statedCap
}
