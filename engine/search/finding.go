package search

import (
	"fmt"
	"math"
	"slices"

	"perfbisect/engine/stats"
)

// finding starts an answer that names nobody, with the levels of the ends.
func (p *problem) finding(o FindingOutcome) *Finding {
	f := &Finding{Outcome: o, Culprit: -1, LastGood: -1, Levels: map[int]Level{}}
	for _, pos := range p.visited {
		if len(p.runsAt[pos]) > 0 {
			f.Levels[pos] = p.level(pos)
		}
	}
	f.EndGood, f.EndBad = p.level(0), p.level(p.n)
	f.Good, f.Bad = f.EndGood, f.EndBad
	f.GapPct = p.change(f.EndGood, f.EndBad)
	return f
}

// done closes a hunt.
func (p *problem) done(f *Finding) Decision {
	if p.fault {
		p.warn("marks_contradict", "marks that were called certain leave no commit to blame; they were taken as 99:1 instead")
	}
	f.Warnings = append(f.Warnings, p.warnings...)
	g := p.blank()
	g.Probability, g.Likeliest = f.Probability, f.Culprit
	g.LikeliestP, g.Explanation = f.Probability, f.Reason
	if n := len(f.Candidates); n > 0 {
		g.Low, g.High = f.Candidates[0]-1, f.Candidates[n-1]
	}
	return Decision{Kind: Done, Phase: PhaseDone, Finding: f, Progress: g}
}

// level summarises the runs at pos.
func (p *problem) level(pos int) Level {
	at := p.runsAt[pos]
	if len(at) == 0 {
		return Level{}
	}
	values := make([]float64, len(at))
	for k, i := range at {
		values[k] = p.obs[i].value
	}
	l := Level{Value: stats.Median(values), N: len(at)}
	s := stats.PooledScale(p.ys(pos))
	switch {
	case p.logged:
		l.CV = s
	case l.Value != 0 && s > 0:
		l.CV = min(s*(p.base/math.Abs(l.Value)), math.MaxFloat64)
	}
	return l
}

// change is the change from a to b in percent of a, + = worse. From zero there is
// no percentage; any change counts as 100.
func (p *problem) change(a, b Level) float64 {
	if a.N == 0 || b.N == 0 || a.Value == b.Value {
		return 0
	}
	d := 100 * (b.Value/math.Abs(a.Value) - a.Value/math.Abs(a.Value))
	if a.Value == 0 {
		d = math.Copysign(100, b.Value)
	}
	if p.v.Options.Better == Higher {
		d = -d
	}
	return min(max(d, -math.MaxFloat64), math.MaxFloat64)
}

// report turns the named suspects into the answer, largest step first.
func (p *problem) report(w window, t endTest, found []answer) Decision {
	found = slices.DeleteFunc(found, func(a answer) bool { return !a.named() })
	if len(found) == 0 {
		return p.spent(Decision{Phase: PhaseSearch, Progress: p.blank()})
	}
	slices.SortStableFunc(found, func(a, b answer) int {
		if x, y := p.jump(a), p.jump(b); x != y && x > y {
			return -1
		} else if x != y {
			return 1
		}
		return 0
	})
	f := p.finding(Found)
	explained := 0.0
	for _, a := range found {
		f.Steps = append(f.Steps, p.stepFound(a))
		explained += p.jump(a)
	}
	s := f.Steps[0]
	f.Culprit, f.LastGood, f.Candidates = s.Culprit, s.LastGood, s.Candidates
	f.Probability, f.ChangePct, f.Good, f.Bad = s.Probability, s.ChangePct, s.Good, s.Bad
	if gap := t.gap; gap > 0 {
		f.ExplainedPct = min(max(100*(explained/gap), -explainedMax), explainedMax)
	}
	if len(s.Candidates) > 1 {
		f.Outcome, f.Culprit = FoundAmong, -1
	}
	p.explainFound(f, found[0], t)
	p.warnAbout(f, w, t)
	p.warnFaster(f, w, t, found)
	return p.done(f)
}

// jump is the change of y across a suspect.
func (p *problem) jump(a answer) float64 {
	return stats.Median(p.ys(a.suspect.slow)) - stats.Median(p.ys(a.suspect.fast))
}

// stepFound describes one suspect. The culprit is the first candidate that was
// tested; when others could not be, all are listed.
func (p *problem) stepFound(a answer) StepFound {
	s := StepFound{
		Culprit: a.suspect.slow, LastGood: a.suspect.fast, Candidates: a.suspect.among,
		Good: p.level(a.suspect.fast), Bad: p.level(a.suspect.slow),
	}
	if n := len(s.Candidates); n > 0 && !slices.Contains(s.Candidates, s.Culprit) {
		s.Culprit = s.Candidates[n-1]
	}
	s.Probability = min(a.mass, 1)
	if !math.IsInf(a.odds, 1) {
		s.Probability = min(a.mass, a.belief.statedAtMost(p.v.Options.Confidence))
	}
	s.ChangePct = p.change(s.Good, s.Bad)
	return s
}

// spent answers with the best bracket: the budget is spent, the user stopped it,
// or nothing is left to test.
func (p *problem) spent(d Decision) Decision {
	w, _, ok := p.span()
	f := p.finding(Undecided)
	if !ok || len(p.runsAt[w.lo]) == 0 || len(p.runsAt[w.hi]) == 0 {
		f.Reason = "The hunt ended before both ends were measured."
		f.Advice = "Give it a larger budget (--max-runs, --max-time)."
		return p.done(f)
	}
	b := p.believe(w)
	f.Candidates, f.Probability = p.bracket(b, bracketMass)
	if len(f.Candidates) > 0 {
		f.Culprit, f.LastGood = -1, -1
	}
	f.Probability = min(f.Probability, unconfirmedCap)
	runs, _ := p.left(b)
	f.Reason = fmt.Sprintf("The hunt ended early. The step is one of %d commits with probability %.0f %%.", len(f.Candidates), 100*f.Probability)
	f.Advice = fmt.Sprintf("About %.0f more runs would have settled it: begin again with a larger budget (--max-runs, --max-time).", math.Ceil(runs))
	done := p.done(f)
	done.Progress = p.progress(b, f.Reason)
	return done
}

// bracket is the smallest set of neighbouring candidates with a share of the
// posterior. In a graph neighbours are candidates in the order of probability.
func (p *problem) bracket(b *belief, share float64) ([]int, float64) {
	c := b.cells
	if c.over != nil {
		return p.bracketGraph(b, share)
	}
	best, from, to, got := math.MaxInt, 0, 0, 0.0
	i, sum := 0, 0.0
	for j := range b.cell {
		sum += b.cell[j]
		for i < j && sum-b.cell[i] >= share {
			sum -= b.cell[i]
			i++
		}
		if n := c.sites[j+1] - c.sites[i]; sum >= share*(1-tieTolerance) && n < best {
			best, from, to, got = n, c.sites[i]+1, c.sites[j+1], sum
		}
	}
	var out []int
	for q := from; q <= to && to > 0; q++ {
		if p.weight(q-1, q) > 0 {
			out = append(out, q)
		}
	}
	return out, got
}

func (p *problem) bracketGraph(b *belief, share float64) ([]int, float64) {
	order := make([]int, len(b.cell))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case b.cell[i] > b.cell[j]:
			return -1
		case b.cell[i] < b.cell[j]:
			return 1
		}
		return 0
	})
	var out []int
	sum := 0.0
	for _, k := range order {
		if sum >= share {
			break
		}
		sum += b.cell[k]
		out = append(out, b.cells.members(k)...)
	}
	slices.Sort(out)
	return out, sum
}

// blank is progress before there is a belief.
func (p *problem) blank() Progress {
	return Progress{Low: 0, High: p.n, Probability: 1, Likeliest: -1}
}

// progress says what is known in the middle of a hunt.
func (p *problem) progress(b *belief, why string) Progress {
	g := Progress{Likeliest: -1, Explanation: why, Separation: b.separation}
	if math.IsInf(g.Separation, 0) {
		g.Separation = math.MaxFloat64
	}
	among, mass := p.bracket(b, bracketMass)
	g.Low, g.High, g.Probability = 0, p.n, 1
	if len(among) > 0 {
		g.Low, g.High, g.Probability = among[0]-1, among[len(among)-1], min(mass, 1) // the sum may round up
	}
	g.Likeliest, g.LikeliestP = p.likeliest(b)
	g.RunsLeft, g.BuildsLeft = p.left(b)
	return g
}

// likeliest is the single likeliest candidate and its probability.
func (p *problem) likeliest(b *belief) (int, float64) {
	best, at := 0.0, -1
	c := b.cells
	for k, m := range b.cell {
		total := p.cellWeight(c, k)
		if total <= 0 || m <= best {
			continue
		}
		pos, w := p.heaviest(c, k)
		if x := m * w / total; x > best*(1+tieTolerance) {
			best, at = x, pos
		}
	}
	return at, min(best, 1)
}

// heaviest is the candidate of cell k with the largest prior, the last of equals.
func (p *problem) heaviest(c *cells, k int) (int, float64) {
	if c.over == nil && p.v.Prior == nil {
		z := c.sites[k+1]
		if w := p.weight(z-1, z); w > 0 {
			return z, w
		}
	}
	pos, best := -1, 0.0
	for _, i := range c.members(k) {
		if w := p.weight(i-1, i); w >= best && w > 0 {
			pos, best = i, w
		}
	}
	return pos, best
}

// cellWeight is the prior mass of cell k, not normalised.
func (p *problem) cellWeight(c *cells, k int) float64 {
	if c.over == nil {
		return p.weight(c.sites[k], c.sites[k+1])
	}
	total := 0.0
	for i, q := range c.of {
		if int(q) == k {
			total += p.weight(i-1, i)
		}
	}
	return total
}
