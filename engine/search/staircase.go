package search

import (
	"math"

	"perfbisect/engine/stats"
)

// What a position between the two levels calls for.
type middleState int

const (
	middleNone  middleState = iota
	middleMore              // more runs, to be sure
	middleLevel             // it is a level of its own: there are several steps
)

// middle looks for a visited position whose level lies clearly between fast and
// slow. In a graph there is no larger side to go on with, so none is looked for.
func (p *problem) middle(b *belief) (pos int, state middleState) {
	c := b.cells
	if c.over != nil {
		return -1, middleNone
	}
	for i := 1; i < len(c.sites)-1; i++ {
		n := len(p.runsAt[c.sites[i]])
		if n < 2 || !p.between(b, i) {
			continue
		}
		if n < middleRuns {
			return c.sites[i], middleMore
		}
		return c.sites[i], middleLevel
	}
	return -1, middleNone
}

// between reports whether site i is away from both levels by a good part of the
// gap and by more than its own error and the ends' explain.
func (p *problem) between(b *belief, i int) bool {
	lv := b.levels
	ys := p.siteValues(b.cells, lv.slope)[i]
	m, n := stats.Median(ys), float64(len(ys))
	s := lv.s / math.Sqrt(lv.lambda)
	end := math.Max(p.endError(b.cells.w.lo, s), p.endError(b.cells.w.hi, s))
	margin := max(middleShare*lv.gap(), middleZ*math.Hypot(s*gridStep/math.Sqrt(n), end))
	return m-lv.g > margin && lv.b-m > margin
}

func (p *problem) endError(pos int, s float64) float64 {
	return s * gridStep / math.Sqrt(max(float64(len(p.runsAt[pos])), 1))
}

// visitMiddle brings a position to six runs, references between them.
func (p *problem) visitMiddle(b *belief, pos int) []Step {
	need := middleRuns - len(p.runsAt[pos])
	var order []int
	for i := range need {
		if i == need/2 {
			order = append(order, p.nextReference(b.cells.w))
		}
		order = append(order, pos)
	}
	return p.steps(order, "is this a level between?")
}

// largerJump is the part of w on the side of pos with the larger change.
func (p *problem) largerJump(w window, pos int) window {
	m := stats.Median(p.ys(pos))
	if stats.Median(p.ys(w.hi))-m > m-stats.Median(p.ys(w.lo)) {
		return window{pos, w.hi}
	}
	return window{w.lo, pos}
}

// residual searches what the named step leaves unexplained, on both sides of it,
// until nothing of size is left. next is what must be measured first.
func (p *problem) residual(w window, first answer, gap float64) (found []answer, next *Decision) {
	queue := []window{{w.lo, first.suspect.fast}, {first.suspect.slow, w.hi}}
	for len(queue) > 0 && len(found)+1 < stepsMax {
		r := queue[0]
		queue = queue[1:]
		if r.hi <= r.lo || p.weight(r.lo, r.hi) <= 0 {
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
