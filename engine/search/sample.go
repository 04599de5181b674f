package search

import (
	"math"
	"slices"
)

// obs is one usable run.
type obs struct {
	pos    int
	value  float64 // as measured
	y      float64 // larger is slower (or, when an improvement is sought, faster)
	t      float64 // seconds
	visit  int
	worker int
}

// problem is a View made ready for inference: everything that is derived once
// for a decision and that does not depend on a window.
type problem struct {
	v         *View
	n         int
	obs       []obs         // in order of start
	runsAt    map[int][]int // indexes into obs, by position
	ran       []int         // positions with a usable run, ascending
	visited   []int         // positions with a usable run or a verdict, ascending
	logged    bool          // y is a logarithm
	sign      float64       // +1 or −1: y = sign·ln(value/base) or sign·value/base
	base      float64
	floor     float64   // least scatter of y
	minGap    float64   // smallest gap of interest in y that the printed digits can show
	wanted    float64   // smallest gap of interest in y
	step      float64   // resolution of the printed value in y; 0: unknown
	mass      []float64 // mass[i]: prior mass of candidates 1 … i
	bad       map[int]Outcome
	built     []int // built but unvisited, ascending
	fault     bool  // user's certain verdicts contradict one another
	warnings  []Warning
	buildCost float64 // of a new position, in units of one run
	warmCost  float64 // of a visit's warm-up runs, in units of one run
}

func newProblem(v *View) *problem {
	p := &problem{v: v, n: v.N, runsAt: make(map[int][]int, min(len(v.Runs), v.N+1)), bad: map[int]Outcome{}}
	p.setDirection()
	p.collect()
	p.setScale()
	p.levelWorkers()
	p.setPlaces()
	p.setMass()
	p.setCosts()
	return p
}

func (p *problem) setDirection() {
	p.sign = 1
	if p.v.Options.Better == Higher {
		p.sign = -1
	}
	if p.v.Options.Find == "improvement" || p.v.Answers[questionSwapped] == answerImprovement {
		p.sign = -p.sign
	}
}

// usable reports whether r carries a value that can be compared. A benchmark
// that prints NaN or infinity has printed no number.
func usable(r Run) bool {
	return r.Outcome == OK && !math.IsNaN(r.Value) && !math.IsInf(r.Value, 0)
}

// collect takes the usable runs. Values that are all positive are compared by
// their logarithms, so that noise and gap are relative; counters that may be
// zero, and differences, are compared as they are.
func (p *problem) collect() {
	p.logged, p.base = true, 0
	biggest := 0.0
	for _, r := range p.v.Runs {
		if usable(r) && r.Position >= 0 && r.Position <= p.n {
			p.logged = p.logged && r.Value > 0
			biggest = max(biggest, math.Abs(r.Value))
			if p.base == 0 {
				p.base = math.Abs(r.Value)
			}
		}
	}
	if !p.logged || p.base == 0 {
		p.base = biggest
	}
	if p.base == 0 {
		p.base = 1
	}
	p.obs = make([]obs, 0, len(p.v.Runs))
	for _, r := range p.v.Runs {
		if usable(r) && r.Position >= 0 && r.Position <= p.n {
			p.obs = append(p.obs, obs{pos: r.Position, value: r.Value, y: p.y(r.Value), t: r.StartS, visit: r.Visit, worker: r.Worker})
		}
	}
	p.groupRuns()
}

// groupRuns fills runsAt with parts of one slice: a slice of its own for each of
// many positions would cost more than all else that is derived here.
func (p *problem) groupRuns() {
	n := len(p.obs)
	order := make([]int, n) // pos·n + index: one number sorts fastest
	for i, o := range p.obs {
		order[i] = o.pos*n + i
	}
	slices.Sort(order)
	for from, to := 0, 0; from < n; from = to {
		pos := order[from] / n
		for to = from; to < n && order[to]/n == pos; to++ {
			order[to] %= n
		}
		p.runsAt[pos] = order[from:to:to]
		p.ran = append(p.ran, pos)
	}
}

// y turns a value into the scale of the inference.
func (p *problem) y(value float64) float64 {
	if p.logged {
		return p.sign * (math.Log(value) - math.Log(p.base))
	}
	return p.sign * (value / p.base)
}

// setScale finds the least scatter and the smallest gap that count, from what
// the printed digits can show.
func (p *problem) setScale() {
	level := 1.0
	if ys := p.ys(0); len(ys) > 0 {
		level = math.Abs(p.level(0).Value)
	} else if len(p.obs) > 0 {
		level = math.Abs(p.obs[0].value)
	}
	percent := p.v.Options.MinGapPct
	if !(percent > 0) {
		percent = defaultMinGap
	}
	res := p.v.Options.Resolution
	if !(res > 0) || math.IsInf(res, 0) || p.binary() {
		res = 0
	}
	if p.logged {
		if level > 0 {
			p.step = min(res/level, 1)
		}
		p.floor, p.minGap = leastScatter, math.Log1p(percent/100)
	} else {
		p.step = min(res/p.base, 1)
		p.floor, p.minGap = leastScatter, percent/100*level/p.base
	}
	p.floor = max(p.floor, p.step)
	p.wanted = p.minGap
	steps := minGapSteps * p.step * (1 - tieTolerance)
	if p.logged {
		steps = math.Log1p(steps)
	}
	p.minGap = max(p.minGap, steps)
}

// binary reports whether the metric is a verdict (exit status): every value 0
// or 1. Its printed step is its whole range and says nothing of its scatter.
func (p *problem) binary() bool {
	for _, o := range p.obs {
		if p.logged || o.value != 0 && o.value != 1 {
			return false
		}
	}
	return len(p.obs) > 0
}

// setPlaces finds what cannot be tested and what was visited.
func (p *problem) setPlaces() {
	for i, place := range p.v.Places {
		if place.Failure.Failed() && (len(p.runsAt[i]) == 0 || place.Failures >= max(failuresMost, len(p.runsAt[i]))) {
			p.bad[i] = place.Failure // one that fails now and then is tried again
		}
		if place.Built && len(p.runsAt[i]) == 0 && !place.Failure.Failed() && i > 0 && i < p.n {
			p.built = append(p.built, i)
		}
	}
	for _, r := range p.v.Runs {
		if r.Outcome == OK && !usable(r) && len(p.runsAt[r.Position]) == 0 {
			p.bad[r.Position] = NoMetric
		}
	}
	for i, m := range p.v.Marks {
		if i >= 0 && i <= p.n && m.Verdict == VerdictSkip {
			p.bad[i] = Skipped
		}
	}
	p.visited = make([]int, 0, len(p.ran)+len(p.v.Marks))
	for _, i := range p.ran {
		if p.v.Marks[i].Verdict != VerdictSkip {
			p.visited = append(p.visited, i)
		}
	}
	for i, m := range p.v.Marks {
		if i >= 0 && i <= p.n && len(p.runsAt[i]) == 0 && (m.Verdict == VerdictGood || m.Verdict == VerdictBad) {
			p.visited = append(p.visited, i)
		}
	}
	slices.Sort(p.visited)
	slices.Sort(p.built)
}

// setMass sums the prior. Positions whose device code equals that of an earlier
// one share its speed, so the step is at none of those between.
func (p *problem) setMass() {
	p.mass = make([]float64, p.n+1)
	same := p.sameCode()
	if !p.sumMass(same) {
		p.sumMass(nil)
	}
}

func (p *problem) sumMass(same []bool) bool {
	for i := 1; i <= p.n; i++ {
		w := 1.0
		if p.v.Prior != nil && i < len(p.v.Prior) {
			w = p.v.Prior[i]
		}
		if same != nil && same[i] || !(w >= 0) || math.IsInf(w, 0) {
			w = 0
		}
		p.mass[i] = p.mass[i-1] + w
	}
	return p.mass[p.n] > 0
}

// sameCode marks the candidates that equal device code rules out: with equal
// code at a < b the step is not in (a, b].
func (p *problem) sameCode() []bool {
	if !p.v.Options.CodeIdentity || p.v.Parents != nil {
		return nil
	}
	first, last := map[string]int{}, map[string]int{}
	for i, place := range p.v.Places {
		if place.Code == "" || i < 0 || i > p.n {
			continue
		}
		if f, ok := first[place.Code]; !ok || i < f {
			first[place.Code] = i
		}
		if l, ok := last[place.Code]; !ok || i > l {
			last[place.Code] = i
		}
	}
	var out []bool
	for code, a := range first {
		for i := a + 1; i <= last[code]; i++ {
			if out == nil {
				out = make([]bool, p.n+1)
			}
			out[i] = true
		}
	}
	return out
}

// setCosts expresses builds and warm-ups in units of one run.
func (p *problem) setCosts() {
	p.warmCost = float64(max(p.v.Options.WarmupRuns, 0))
	if p.v.BuildS > 0 {
		p.buildCost = min(p.v.BuildS/max(p.v.RunS, 1e-3*p.v.BuildS), 1e3)
	}
}

// ys returns the values at pos in order of time.
func (p *problem) ys(pos int) []float64 {
	at := p.runsAt[pos]
	out := make([]float64, len(at))
	for k, i := range at {
		out[k] = p.obs[i].y
	}
	return out
}

// testable reports whether pos is not known to be untestable.
func (p *problem) testable(pos int) bool {
	_, bad := p.bad[pos]
	return !bad
}

// weight is the prior mass of the candidates in (lo, hi].
func (p *problem) weight(lo, hi int) float64 { return p.mass[hi] - p.mass[lo] }
