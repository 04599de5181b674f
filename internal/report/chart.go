package report

import (
	"math"
	"slices"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// chart is what the picture shows, before it has coordinates.
type chart struct {
	slots  []slot // the commits that were visited, oldest first
	scale  scale
	levels []reference
}

// slot is one visited commit.
type slot struct {
	position int
	commit   string
	values   []float64
	label    string         // "good", "bad", "between" or ""
	failure  search.Outcome // when nothing could be measured
	suspect  bool           // the culprit, or one of the candidates
}

// reference is the level of an end.
type reference struct {
	name  string // "good" or "bad"
	value float64
}

// logFrom is the ratio of the largest to the smallest value from which the
// scale is logarithmic: on a linear one, the smallest would lie on the axis.
const logFrom = 50

func newChart(r *engine.Result) *chart {
	c := &chart{slots: slots(r)}
	var all []float64
	for _, s := range c.slots {
		all = append(all, s.values...)
	}
	for _, ref := range []struct {
		name  string
		level search.Level
	}{{"good", r.EndGood}, {"bad", r.EndBad}} {
		if ref.level.N > 0 && r.Outcome != search.Measured {
			c.levels = append(c.levels, reference{ref.name, ref.level.Value})
			all = append(all, ref.level.Value)
		}
	}
	if len(all) > 0 {
		c.scale = newScale(slices.Min(all), slices.Max(all))
	}
	return c
}

func slots(r *engine.Result) []slot {
	at := map[int]*slot{}
	var order []int
	for _, step := range r.Steps {
		s := at[step.Position]
		if s == nil {
			s = &slot{position: step.Position, commit: step.Commit}
			s.suspect = step.Commit == r.Culprit && r.Culprit != "" || r.Outcome == search.FoundAmong && slices.Contains(r.Candidates, step.Commit)
			at[step.Position] = s
			order = append(order, step.Position)
		}
		s.values = append(s.values, step.Values...)
		if step.Label != "" {
			s.label = step.Label
		}
		if step.Outcome.Failed() {
			s.failure = step.Outcome
		}
	}
	slices.Sort(order)
	out := make([]slot, 0, len(order))
	for _, p := range order {
		if len(at[p].values) > 0 {
			at[p].failure = ""
		}
		out = append(out, *at[p])
	}
	return out
}

// scale maps values to [0,1], bottom to top.
type scale struct {
	low, high float64
	log       bool
}

func newScale(low, high float64) scale {
	s := scale{low: low, high: high, log: low > 0 && high/low > logFrom}
	if low == high {
		pad := max(math.Abs(low)*0.05, math.SmallestNonzeroFloat64)
		if low == 0 {
			pad = 1
		}
		return scale{low: max(low-pad, -math.MaxFloat64), high: min(high+pad, math.MaxFloat64)}
	}
	if s.log {
		return s
	}
	pad := (high/2 - low/2) * 0.16 // halves first: the difference can overflow
	s.low, s.high = max(low-pad, -math.MaxFloat64), min(high+pad, math.MaxFloat64)
	if low >= 0 {
		s.low = max(s.low, 0)
	}
	return s
}

func (s scale) at(v float64) float64 {
	low, high := s.low/2, s.high/2
	v /= 2
	if s.log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	if !(high > low) {
		return 0.5
	}
	return min(max((v-low)/(high-low), 0), 1)
}

// ticks are about five round values inside the scale.
func (s scale) ticks() []float64 {
	if s.log {
		return s.logTicks()
	}
	span := s.high - s.low
	if math.IsInf(span, 0) || span <= 0 {
		return []float64{s.low, s.high}
	}
	step := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, m := range []float64{5, 2} {
		if span/(step*m) >= 4 {
			step *= m
			break
		}
	}
	if step == 0 || math.IsInf(step, 0) || math.IsNaN(step) {
		return []float64{s.low, s.high}
	}
	var ticks []float64
	for k := math.Ceil(s.low / step); len(ticks) < 12 && k*step <= s.high; k++ {
		ticks = append(ticks, k*step)
	}
	return ticks
}

func (s scale) logTicks() []float64 {
	var ticks []float64
	for i := range 5 {
		ticks = append(ticks, math.Exp(math.Log(s.low)+float64(i)/4*(math.Log(s.high)-math.Log(s.low))))
	}
	return ticks
}
