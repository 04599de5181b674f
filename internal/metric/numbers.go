package metric

// MaxNumbers bounds the result of Numbers.
const MaxNumbers = 256

// Number is a labelled number of a run, kept so that another metric can be
// read from runs that are over.
type Number struct {
	Label  string   `json:"label"`
	Unit   string   `json:"unit,omitempty"`
	Better Polarity `json:"better,omitempty"`
	// Count is how often the label occurs; the fields below are over these.
	Count int     `json:"count"`
	Last  float64 `json:"last"`
	// First to Median are set when Count is at least 2. Median is exact up to
	// 64 occurrences and nil beyond; Geomean is nil unless all are positive.
	First   float64  `json:"first,omitempty"`
	Min     float64  `json:"min,omitempty"`
	Max     float64  `json:"max,omitempty"`
	Mean    float64  `json:"mean,omitempty"`
	Median  *float64 `json:"median,omitempty"`
	Geomean *float64 `json:"geomean,omitempty"`
	// Resolution is that of Value.
	Resolution float64 `json:"resolution,omitempty"`
	Stream     string  `json:"stream,omitempty"`
	// Dropped is how many labels were left out. Only the last Number has it.
	Dropped int `json:"dropped,omitempty"`
}

// Numbers returns every labelled number of the output, the likeliest metric
// first, at most MaxNumbers; Dropped of the last one counts the rest.
func Numbers(out Output) []Number {
	t, st, _ := firstTally(out) // what could be read before an error counts
	return t.numbers(st.name)
}

func (t *tally) numbers(stream string) []Number {
	c := t.candidates(stream)
	n := min(len(c), MaxNumbers)
	out := make([]Number, n)
	for i := range out {
		out[i] = t.entries[foldLabel(c[i].Label)].number(stream)
	}
	if n > 0 {
		out[n-1].Dropped = t.dropped + len(c) - n
	}
	return out
}

func (e *entry) number(stream string) Number {
	n := Number{
		Label: e.info.label, Unit: e.unit.si, Better: e.better, Count: e.series.count, Last: e.last.v, Resolution: e.res, Stream: stream,
	}
	if n.Count < 2 {
		return n
	}
	n.First, n.Min, n.Max = e.first.v, e.min.v, e.max.v
	if s, err := e.pick(PickMean); err == nil {
		n.Mean = s.v
	}
	if s, err := e.pick(PickMedian); err == nil {
		n.Median = &s.v
	}
	if s, err := e.pick(PickGeomean); err == nil {
		n.Geomean = &s.v
	}
	return n
}

// FromNumbers answers a name spec from the numbers of an earlier run. ok is
// false when they do not hold the answer.
func (s Spec) FromNumbers(numbers []Number) (v Value, ok bool) {
	if s.Kind != KindName {
		return Value{}, false
	}
	exact, loose := foldLabel(s.Arg), readLabel(s.Arg).key
	for _, key := range []string{exact, loose} {
		for _, n := range numbers {
			if foldLabel(n.Label) == key {
				return n.pick(s.Pick)
			}
		}
	}
	return Value{}, false
}

func (n Number) pick(p Pick) (Value, bool) {
	v := Value{Value: n.Last, Unit: n.Unit, Better: n.Better, Resolution: n.Resolution, Matches: n.Count, Stream: n.Stream, Label: n.Label}
	if n.Count < 2 {
		return v, true
	}
	switch p {
	case PickFirst:
		v.Value = n.First
	case PickMin:
		v.Value = n.Min
	case PickMax:
		v.Value = n.Max
	case PickMean:
		v.Value = n.Mean
	case PickMedian, PickGeomean:
		of := n.Median
		if p == PickGeomean {
			of = n.Geomean
		}
		if of == nil {
			return Value{}, false
		}
		v.Value = *of
	}
	return v, true
}
