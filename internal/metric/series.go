package metric

import (
	"fmt"
	"math"
	"slices"
)

// Value is a measured value with its unit.
type Value struct {
	// Value is in Unit, always finite.
	Value float64 `json:"value"`
	// Unit is an SI base unit or a rate of them: "s", "B", "B/s", "bit/s",
	// "FLOP/s", "OP/s", "1/s", "Hz", "W", "J", "°C"; or "%", "x" (a ratio) or
	// "" (a bare number).
	Unit string `json:"unit"`
	// Raw and RawUnit are number and unit as printed; Raw is empty when Value
	// was computed from several matches.
	Raw     string `json:"raw,omitempty"`
	RawUnit string `json:"raw_unit,omitempty"`
	// Better is the direction that name and unit tell.
	Better Polarity `json:"better,omitempty"`
	// Resolution is one unit in the last printed place, in Unit: 1e-5 for
	// "1.43 ms". The true value lies within half of it.
	Resolution float64 `json:"resolution"`
	// Matches is how many numbers matched the spec.
	Matches int `json:"matches"`
	// Stream is "stdout" or "stderr"; empty for time and exit.
	Stream string `json:"stream,omitempty"`
	// Line is the line of the match, from 1; 0 when there is none.
	Line int `json:"line,omitempty"`
	// Label is the label that stands with the number; may be empty.
	Label string `json:"label,omitempty"`
}

// sample is one match, in SI.
type sample struct {
	v, res       float64
	raw, rawUnit string
	line         int
}

// series gathers the matches of one spec or label in constant memory, except
// for the first keep values, which a median needs.
type series struct {
	count, bad            int
	badLine               int
	first, last, min, max sample
	sum, logSum, res      float64
	positive              bool
	values                []float64
	keep                  int
	lastRaw, lastUnit     []byte
}

// add counts a match. Strings in s must stay valid only during the call.
func (q *series) add(s sample) {
	q.count++
	q.lastRaw = append(q.lastRaw[:0], s.raw...)
	q.lastUnit = append(q.lastUnit[:0], s.rawUnit...)
	if q.count == 1 {
		q.first, q.min, q.max, q.positive = own(s), own(s), own(s), true
	}
	if s.v < q.min.v {
		q.min = own(s)
	}
	if s.v > q.max.v {
		q.max = own(s)
	}
	s.raw, s.rawUnit = "", ""
	q.last = s
	q.sum += s.v
	q.positive = q.positive && s.v > 0
	if q.positive {
		q.logSum += math.Log(s.v)
	}
	q.res = max(q.res, s.res)
	if len(q.values) < q.keep {
		q.values = append(q.values, s.v)
	}
}

// own returns s with strings that share no memory with the line.
func own(s sample) sample {
	s.raw, s.rawUnit = string([]byte(s.raw)), string([]byte(s.rawUnit))
	return s
}

// addBad counts a match that is nan or inf.
func (q *series) addBad(line int) {
	q.bad++
	q.badLine = line
}

// pick reduces the matches to one value.
func (q *series) pick(p Pick) (sample, error) {
	if q.bad > 0 {
		return sample{}, fmt.Errorf("the value in line %d is not a finite number", q.badLine)
	}
	s := q.last
	s.raw, s.rawUnit = string(q.lastRaw), string(q.lastUnit)
	if q.count == 1 {
		return s, nil
	}
	all := sample{res: q.res, rawUnit: q.first.rawUnit}
	switch p {
	case PickFirst:
		return q.first, nil
	case PickMin:
		return q.min, nil
	case PickMax:
		return q.max, nil
	case PickMean:
		all.v = q.sum / float64(q.count)
		return all, finite(all.v)
	case PickGeomean:
		if !q.positive {
			return sample{}, fmt.Errorf("a geometric mean needs positive values; the least is %g", q.min.v)
		}
		all.v = math.Exp(q.logSum / float64(q.count))
		return all, finite(all.v)
	case PickMedian:
		if len(q.values) < q.count {
			return sample{}, fmt.Errorf("%d matches, a median is kept for %d at most; use @mean", q.count, q.keep)
		}
		all.v = median(q.values)
		return all, finite(all.v)
	}
	return s, nil
}

func finite(v float64) error {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return fmt.Errorf("the result %g is not finite", v)
	}
	return nil
}

// median returns the middle of the values, or the mean of the two middle ones.
func median(v []float64) float64 {
	s := slices.Clone(v)
	slices.Sort(s)
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return s[n/2-1]/2 + s[n/2]/2
}
