package metric

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// MaxCandidates bounds the result of Candidates.
const MaxCandidates = 500

// Candidate is a number of the output that may be the metric.
type Candidate struct {
	// Label names the number the same way in every run and at every commit:
	// it holds nothing that changes with the numbers or their scale.
	Label string `json:"label"`
	// Value is what Spec extracts.
	Value Value `json:"value"`
	// Count is how often the label occurs.
	Count int `json:"count"`
	// Line and Text are the last line with the label.
	Line int    `json:"line"`
	Text string `json:"text"`
	// Spec extracts exactly this value.
	Spec string `json:"spec"`
	// Score ranks; only its order and differences mean anything. From 2 on a
	// number is a likely metric.
	Score float64 `json:"score"`

	words []string
	group int
	stat  float64 // what Score owes to the statistic
	rows  bool    // repeated with different parameters
	in    bool    // qualified by parameters
}

// Candidates returns the labelled numbers of the output, the likeliest metric
// first. Numbers of stderr count only when stdout has none.
func Candidates(out Output) []Candidate {
	t, st, _ := firstTally(out) // what could be read before an error counts
	c := t.candidates(st.name)
	return c[:min(len(c), MaxCandidates)]
}

// firstTally scans the first stream that has a labelled number.
func firstTally(out Output) (*tally, stream, error) {
	var first error
	for _, st := range out.streams() {
		t := newTally()
		err := scan(st, t.labels, t.add)
		if len(t.list) > 0 {
			return t, st, err
		}
		if first == nil {
			first = err
		}
	}
	return newTally(), stream{}, first
}

// notFinite returns a label whose value is nan or inf and which would be as
// likely as a candidate of that score, or nothing.
func (t *tally) notFinite(score float64) string {
	for _, e := range t.list {
		if e.bad > 0 && e.score() > score-0.75 {
			return e.info.label
		}
	}
	return ""
}

// candidates ranks the entries.
func (t *tally) candidates(stream string) []Candidate {
	var out []Candidate
	for _, e := range t.list {
		if e.series.count == 0 || e.bad > 0 || e.inContext != nil && e.inContext.contexts < 2 {
			continue
		}
		s, err := e.pick(PickLast)
		if err != nil {
			continue
		}
		_, stat := labelScore(e.info, e.unit)
		out = append(out, Candidate{
			Label: e.info.label, Value: e.value(s, stream), Count: e.series.count, Line: e.line, Text: string(e.lastText),
			Spec: nameSpec(e.info.label).String(), Score: e.score(), words: e.info.all, group: e.group,
			rows: e.contexts > 1 || e.varied, in: e.inContext != nil, stat: stat,
		})
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// value makes the Value of a sample of the entry.
func (e *entry) value(s sample, stream string) Value {
	return Value{
		Value: s.v, Unit: e.unit.si, Raw: s.raw, RawUnit: s.rawUnit, Better: e.better, Resolution: s.res,
		Matches: e.series.count, Stream: stream, Line: s.line, Label: e.info.label,
	}
}

// nameSpec returns the spec that names a label. A label that ends like a pick
// needs one spelt out.
func nameSpec(label string) Spec {
	s := Spec{Kind: KindName, Arg: label}
	if _, p := cutPick(label); p != "" {
		s.Pick = PickLast
	}
	return s
}

// unitScore is how likely a number of a unit is the metric.
var unitScore = map[string]float64{
	"s": 3, "B/s": 3, "FLOP/s": 3, "OP/s": 3, "1/s": 3, "bit/s": 2.5, "x": 1, "J": 0.5, "W": 0, "Hz": -0.5, "B": 0, "°C": -1, "%": -1, "FLOP": -1, "bit": -1,
}

// wordScore is what a word of the label adds: the subject, the statistic, and
// what is measured beside the kernel.
var wordScore = scoreTable(map[float64]string{
	1:    "latency throughput bandwidth elapsed runtime perf performance kernel speed duration time gpu speedup executed score",
	0.8:  "median p50 geomean",
	0.6:  "mean avg average",
	0.3:  "total overall real final",
	-0.3: "min minimum best fastest",
	-0.6: "max maximum worst slowest cpu",
	-0.7: "p75 p90 p95 p99 p999 p10 p25 q1 q3 percentile",
	-1:   "user usr sys system measurement size bytes memory count calls samples rounds iterations iters loss accuracy params peak requests tokens batch input concurrency",
	-1.5: "theoretical reference ref baseline expected power freq temperature cache allocated vram timestamp",
	-2: `warmup warm warming collecting estimated begin compile compilation compiling build init initialization initialize setup load loading startup tune tuning
		autotune autotuning teardown cleanup download prepare import device version seed id error errors wrong threads workers`,
	-3: `stddev std stdev sd err sigma iqr noise cv rsd variance mdev jitter ci tolerance threshold timeout limit eta progress
		outliers remaining interval overhead mhz retry retrying sleep sleeping waiting backoff deadline`,
})

// statWords are the statistics of one measurement, viewWords what else tells
// two views of it apart.
var (
	statWords = wordSet(`median mean avg average geomean min minimum max maximum best worst fastest slowest p10 p25 p50 p75 p90 p95
		p99 p999 q1 q3 percentile stddev std stdev sd err error sigma iqr noise cv rsd variance mdev jitter ci total sum`)
	viewWords = wordSet(`time times latency throughput bandwidth elapsed runtime duration perf performance speed speedup bw algbw busbw
		rate wall real cpu gpu user usr sys system per second flop op tok b s`)
)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func scoreTable(m map[float64]string) map[string]float64 {
	t := map[string]float64{}
	for v, list := range m {
		for _, w := range strings.Fields(list) {
			t[w] = v
		}
	}
	return t
}

// maxDuration is the number of seconds from which a time is one since 1970 and
// no duration: three years.
const maxDuration = 1e8

// score rates the entry. Of several words that add, the best counts once, so
// that a long label gains nothing; what takes away adds up.
func (e *entry) score() float64 {
	s, known := unitScore[e.unit.si]
	if !known {
		s = 0
	}
	switch {
	case e.count:
		s = -2
	case e.unit.si == "" && e.better != Unknown:
		s += 1.5
	}
	if e.unit.si == "s" && strings.Contains(e.unit.name, "/") { // "ns/op"
		s += 0.8
	}
	if e.unit.si == "" && !e.count {
		if e.fraction {
			s += 0.5
		} else {
			s -= 0.5
		}
		if math.Abs(e.last.v) >= 1e15 {
			s -= 3
		}
	}
	if e.unit.si == "s" && e.last.v >= maxDuration {
		s -= 5 // a date
	}
	subject, stat := labelScore(e.info, e.unit)
	return s + subject + stat
}

// labelScore rates the words of a label: what it is of, and which statistic.
func labelScore(in labelInfo, u unit) (subject, stat float64) {
	less := 0.0
	rate := strings.HasSuffix(u.si, "/s")
	for _, w := range in.words {
		_, isCount := countedName(w)
		switch v := wordScore[w]; {
		case rate && isCount: // "requests" of "requests/s"
		case v == 1:
			subject = 1
		case v > stat:
			stat = v
		case v < 0:
			less += v
		}
	}
	if stat >= 0.6 {
		subject = 1 // who prints a median means it
	}
	switch {
	case strings.HasPrefix(in.label, "ok "): // the time of a package's tests, or a verdict
		less -= 3
	case strings.HasSuffix(in.label, " for") || strings.HasSuffix(in.label, " every"): // "Running for 10 s" announces
		less -= 3
	case strings.Contains(in.label, "#"):
		less -= 1.5
	case in.bare && rate && u.name != "it/s" && !strings.Contains(in.label, partSep):
		subject = 1 // "tok/s" says it all
	case in.bare || in.label == "value":
		less -= 0.3
	}
	return subject + max(less, -6), stat
}

// Choose returns the likeliest metric. It is not sure when its direction is
// unknown, when it stands for several measurements, or when another number
// that measures something else is nearly as likely: then the caller asks
// which number is meant and which direction is better.
func Choose(c []Candidate) (best Candidate, sure bool) {
	if len(c) == 0 {
		return Candidate{}, false
	}
	best = c[0]
	sure = best.Score >= 2 && best.Value.Better != Unknown && !best.rows
	for _, o := range c[1:] {
		if (best.Score-best.stat)-(o.Score-o.stat) < 0.75 && !sameThing(best, o) {
			sure = false
		}
	}
	return best, sure
}

// sameThing reports whether two candidates are views of one measurement: two
// statistics of it, or its time and its rate in the same line.
func sameThing(a, b Candidate) bool {
	sa, sb := subject(a), subject(b)
	if a.group < 0 && a.group == b.group && a.Value.Unit != b.Value.Unit { // a row of a table
		return hasAll(sa, sb) || hasAll(sb, sa) || len(sa)*len(sb) == 0
	}
	if a.Value.Value == b.Value.Value && a.Value.Unit == b.Value.Unit && a.Value.Value != 0 {
		return true // printed twice
	}
	if !slices.Equal(sa, sb) {
		return false
	}
	return a.group == b.group || a.Value.Unit == b.Value.Unit && a.in == b.in
}

// subject returns the words of a label without those that only say which
// statistic or which view of the measurement it is.
func subject(c Candidate) []string {
	var out []string
	for _, w := range c.words {
		_, isUnit := parseUnit(w)
		if !statWords[w] && !viewWords[w] && !isUnit && !(plainInt(w) && slices.Contains(c.words, "percentile")) {
			out = append(out, w)
		}
	}
	return out
}
