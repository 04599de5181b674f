package search

import (
	"math"
	"slices"

	"perfbisect/engine/stats"
)

// batches gives every worker a schedule, of which first is what one worker alone
// would do. Workers compare the ends or confirm a suspect all at the same time;
// they search at distinct positions.
func (p *problem) batches(b *belief, phase Phase, first []Step) [][]Step {
	k := p.v.Options.Workers
	if k <= 1 {
		return [][]Step{first}
	}
	if phase == PhaseSearch || phase == PhaseResidual {
		return p.spread(b, first)
	}
	positions := distinct(first)
	runs := 0
	for _, s := range first {
		runs += s.Runs
	}
	rounds := max(1, (runs+len(positions)*k-1)/(len(positions)*k))
	out := make([][]Step, k)
	for w := range out {
		order := make([]int, 0, rounds*len(positions))
		for i := range rounds {
			turn := slices.Clone(positions)
			if (w+i)%2 == 1 {
				slices.Reverse(turn)
			}
			order = append(order, turn...)
		}
		out[w] = p.stepsOf(w, order, first[0].Why)
	}
	return out
}

// distinct lists the positions of a schedule once each, in order.
func distinct(steps []Step) []int {
	var out []int
	for _, s := range steps {
		if !slices.Contains(out, s.Position) {
			out = append(out, s.Position)
		}
	}
	return out
}

// spread sends the workers to q positions at even steps of P(slow), k/q to each,
// where q shrinks when one position takes many runs. A worker that has measured
// neither end yet measures one first, so that its values can be compared.
func (p *problem) spread(b *belief, first []Step) [][]Step {
	k := p.v.Options.Workers
	need := math.Ceil(math.Pow(2/max(b.separation, 0.1), 2))
	q := int(min(max(float64(k)/need, 1), float64(k)))
	targets := p.targets(b, q)
	if len(targets) == 0 {
		targets = distinct(first)
	}
	out := make([][]Step, k)
	for w := range out {
		order := []int{targets[w*len(targets)/k]}
		if !p.workerKnown(b.cells.w, w) {
			order = append([]int{b.cells.w.lo}, order...)
		}
		out[w] = p.stepsOf(w, order, "one of several at once")
	}
	return out
}

// targets are up to q positions at even steps of P(slow): inside an interval where
// something is left to test, else at the end of it that has fewer runs.
func (p *problem) targets(b *belief, q int) []int {
	c := b.cells
	if c.over != nil {
		return p.targetsGraph(b, q)
	}
	var out []int
	for i := 1; i <= q; i++ {
		aim := float64(i) / float64(q+1)
		k := 0
		for k < len(b.cell)-1 && b.slow[k+1] < aim {
			k++
		}
		pos := p.within(c.sites[k], c.sites[k+1], (aim-b.slow[k])/max(b.cell[k], 1e-300), out)
		if pos < 0 {
			pos = p.fewerRuns(c.sites[k], c.sites[k+1])
		}
		out = append(out, pos)
	}
	slices.Sort(out)
	return out
}

// within is the untaken testable position of (a, z) nearest to a share of it, or −1.
func (p *problem) within(a, z int, share float64, taken []int) int {
	best, far := -1, math.Inf(1)
	want := float64(a) + share*float64(z-a)
	for _, i := range p.around(a, z, share) {
		for _, pos := range []int{i, i + 1, i - 1} {
			if pos <= a || pos >= z || !p.testable(pos) || !p.tells(a, pos, z) || slices.Contains(taken, pos) {
				continue
			}
			if d := math.Abs(float64(pos) - want); d < far {
				best, far = pos, d
			}
		}
	}
	return best
}

func (p *problem) fewerRuns(a, z int) int {
	if len(p.runsAt[a]) < len(p.runsAt[z]) {
		return a
	}
	return z
}

// targetsGraph are the q positions whose P(slow) is nearest to the even steps.
func (p *problem) targetsGraph(b *belief, q int) []int {
	slow := p.slowEverywhere(b)
	var out []int
	for i := 1; i <= q; i++ {
		aim, best, far := float64(i)/float64(q+1), -1, 0.5
		for pos := 1; pos < p.n; pos++ {
			if d := math.Abs(slow[pos] - aim); d < far && p.testable(pos) && slow[pos] > 0 && slow[pos] < 1 && !slices.Contains(out, pos) {
				best, far = pos, d
			}
		}
		if best >= 0 {
			out = append(out, best)
		}
	}
	return out
}

// workerKnown reports whether worker w has a run of its own at an end.
func (p *problem) workerKnown(w window, worker int) bool {
	for _, o := range p.obs {
		if o.worker == worker && (o.pos == w.lo || o.pos == w.hi || o.pos == 0 || o.pos == p.n) {
			return true
		}
	}
	return false
}

// levelWorkers takes out what one machine is slower than another, judged at the
// positions that several measured, where the difference stands out of the scatter.
func (p *problem) levelWorkers() {
	workers := map[int][]float64{}
	for _, o := range p.obs {
		workers[o.worker] = nil
	}
	if len(workers) < 2 {
		return
	}
	var groups [][]float64
	for _, pos := range p.ran {
		m := stats.Median(p.ys(pos))
		mine := map[int][]float64{}
		for _, i := range p.runsAt[pos] {
			o := p.obs[i]
			mine[o.worker] = append(mine[o.worker], o.y)
		}
		for w := range p.v.Options.Workers {
			if len(mine[w]) == 0 || len(mine) < 2 {
				continue
			}
			groups = append(groups, mine[w])
			for _, y := range mine[w] {
				workers[w] = append(workers[w], y-m)
			}
		}
	}
	s := max(stats.PooledScale(groups...), p.floor)
	for w, dev := range workers {
		off := stats.Median(dev)
		if len(dev) < 2 || math.Abs(off) < workerZ*s*gridStep/math.Sqrt(float64(len(dev))) {
			workers[w] = []float64{0}
			continue
		}
		workers[w] = []float64{off}
	}
	for i := range p.obs {
		p.obs[i].y -= workers[p.obs[i].worker][0]
	}
}
