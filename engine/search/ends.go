package search

import (
	"math"

	"perfbisect/engine/stats"
)

// verdictEnds is what the runs at the two ends say.
type verdictEnds int

const (
	endsMore verdictEnds = iota // not enough runs yet
	endsClear
	endsSame
	endsSwapped
	endsSmall
	endsCoarse // the gap is less than two steps of the printed digits
	endsUnstable
)

// endTest compares the two ends of a window.
type endTest struct {
	verdict verdictEnds
	g, b    []float64
	gap, se float64 // of y, b − g
	s       float64
	n       int // runs of the side that has fewer
	want    int // runs a side, when more are needed
	modes   stats.Modes
	rho     float64
}

// testEnds looks at the ends. minGap is the smallest gap of interest.
func (p *problem) testEnds(w window, minGap float64) endTest {
	t := endTest{g: p.ys(w.lo), b: p.ys(w.hi)}
	t.n = min(len(t.g), len(t.b))
	if t.n < endRunsFirst {
		t.want = endRunsFirst
		return t
	}
	t.s = max(stats.PooledScale(p.groups()...), p.floor)
	t.gap = stats.Median(t.b) - stats.Median(t.g)
	t.se = t.s * gridStep * math.Sqrt(1/float64(len(t.g))+1/float64(len(t.b)))
	z, threshold := t.gap/t.se, endZ*fewFactor(t.n)
	if p.searching(w) {
		threshold = endZ
	}
	t.describe()
	switch {
	case t.n >= endRunsNone && t.gap+noGapZ*t.se < minGap && z > -threshold:
		t.verdict = endsSame
		if t.gap >= p.wanted*(1-tieTolerance) && t.gap > 0 {
			t.verdict = endsCoarse
		}
	case z <= -swappedZ*fewFactor(t.n) && t.gap < -minGap:
		t.verdict = endsSwapped
	case z >= threshold && t.gap >= minGap:
		t.verdict = endsClear
	case t.hidden():
		t.verdict = endsUnstable
	case t.n >= endRunsMax:
		t.verdict = endsSmall
	default:
		t.more(z, threshold)
	}
	return t
}

// groups returns the runs of every position that has two, the basis of the
// scatter.
func (p *problem) groups() [][]float64 {
	var out [][]float64
	for _, pos := range p.visited {
		if len(p.runsAt[pos]) > 1 {
			out = append(out, p.ys(pos))
		}
	}
	return out
}

// searching reports whether the window has runs inside: the ends were good
// enough then, and one more reference must not take that back by a hair.
func (p *problem) searching(w window) bool {
	for _, pos := range p.visited {
		if pos != w.lo && pos != w.hi && len(p.runsAt[pos]) > 0 {
			return true
		}
	}
	return false
}

// fewFactor raises the threshold while the scatter rests on a few runs.
func fewFactor(n int) float64 {
	switch {
	case n < 3:
		return endZFirst
	case n <= 4:
		return endZFew
	case n < 8:
		return endZSome
	}
	return 1
}

// more says how many runs a side would settle it if gap and scatter stay.
func (t *endTest) more(z, threshold float64) {
	grown := float64(t.n) * endGrowth
	need := grown
	if z > 0 {
		need = float64(t.n) * (threshold / z) * (threshold / z)
	}
	t.want = int(math.Ceil(min(max(need, float64(t.n+1)), max(grown, float64(t.n+1)))))
	t.want = min(t.want, endRunsMax)
}

// describe finds modes and stickiness in the runs of both ends together.
func (t *endTest) describe() {
	both := make([]float64, 0, len(t.g)+len(t.b))
	mg, mb := stats.Median(t.g), stats.Median(t.b)
	for _, y := range t.g {
		both = append(both, y-mg)
	}
	for _, y := range t.b {
		both = append(both, y-mb)
	}
	if m, ok := stats.Split(both, modeShare); ok && m.Distance > modeDistance {
		t.modes = m
	}
	t.rho = max(stats.Lag1(centred(t.g, mg), 3*t.s), stats.Lag1(centred(t.b, mb), 3*t.s))
}

func centred(ys []float64, m float64) []float64 {
	out := make([]float64, len(ys))
	for i, y := range ys {
		out[i] = y - m
	}
	return out
}

// hidden reports whether two modes lie further apart than the ends.
func (t *endTest) hidden() bool {
	return t.n >= modeRuns && t.modes.Distance > 0 && t.modes.High-t.modes.Low > modeOverGap*math.Abs(t.gap)
}

// endSchedule brings both ends to want runs in ABBA order, which cancels a
// linear drift: g b b g g b b g …, neighbours at one end being one visit.
func (p *problem) endSchedule(w window, want int, why string) []Step {
	needG, needB := want-len(p.runsAt[w.lo]), want-len(p.runsAt[w.hi])
	at := p.current(0)
	var order []int
	for needG > 0 || needB > 0 {
		first, second := w.lo, w.hi
		if at == w.hi {
			first, second = w.hi, w.lo
		}
		for _, pos := range []int{first, second} {
			if pos == w.lo && needG > 0 {
				order, needG, at = append(order, pos), needG-1, pos
			} else if pos == w.hi && needB > 0 {
				order, needB, at = append(order, pos), needB-1, pos
			}
		}
	}
	return p.steps(order, why)
}

// current is the position of the last run of worker w, or −1.
func (p *problem) current(worker int) int {
	for i := len(p.v.Runs) - 1; i >= 0; i-- {
		if p.v.Runs[i].Worker == worker {
			return p.v.Runs[i].Position
		}
	}
	return -1
}

// steps turns an order of single runs into visits, with warm-up runs after each
// change of position.
func (p *problem) steps(order []int, why string) []Step { return p.stepsOf(0, order, why) }

// stepsOf is steps for one of several workers.
func (p *problem) stepsOf(worker int, order []int, why string) []Step {
	var out []Step
	at := p.current(worker)
	for _, pos := range order {
		if n := len(out); n > 0 && out[n-1].Position == pos {
			out[n-1].Runs++
			continue
		}
		out = append(out, p.visit(pos, 1, at, why))
		at = pos
	}
	return out
}

// visit is a step of r runs at pos for a worker that stands at at.
func (p *problem) visit(pos, r, at int, why string) Step {
	s := Step{Position: pos, Runs: r, Warmup: max(p.v.Options.WarmupRuns, 0), Why: why}
	if pos == at {
		s.Warmup = 0
	}
	return s
}
