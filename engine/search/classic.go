package search

import "fmt"

// The constants of the classic procedure, in percent.
const (
	classicRuns      = 3  // runs per commit when Options.NumRuns is not set
	classicThreshold = 30 // percent of the gap when Options.ThresholdPct is not set
	classicSmallGap  = 5  // a smaller gap, in percent of good, may be noise: ask
	classicNearPct   = 10 // nearer to the threshold, in percent of the GAP: ambiguous
	classicNearRuns  = 5  // runs that an ambiguous commit gets before the user is asked
	classicFailures  = 3  // failures in a row before the user is asked
	classicWhole     = 70 // a step of less than this share of the gap is not the only one
	classicBeyond    = 25 // farther outside the ends than this share of the gap: worth a warning
)

// Classic is the plain procedure that a careful person follows by hand: median
// of a few runs, a threshold between good and bad, halve the range. It calls
// every commit good or bad and therefore states no probability; use Adaptive
// where runs scatter.
//
// It keeps no state. Every call replays the procedure against the facts of the
// view from the start and stops at the first fact that is missing, so marks,
// undo and a kill at any moment need no code of their own.
type Classic struct{}

// Decide implements Planner.
func (Classic) Decide(v *View) Decision {
	c := newClassic(v)
	for _, part := range []func() *Decision{c.ends, c.gap, c.search} {
		if d := part(); d != nil {
			return *d
		}
	}
	return *c.found()
}

// classic is one replay of the procedure.
type classic struct {
	v       *View
	values  map[int][]float64 // of the ok runs, by position
	need    int               // runs that a commit needs before it is judged
	near    int               // runs that an ambiguous commit needs
	percent float64           // threshold in percent of the gap
	sign    float64           // sign·value grows in the direction of the step that is looked for

	good, bad int     // the ends in use: 0 and N, or further in where those cannot be measured
	size      float64 // sign·(bad−good), > 0 once the search begins
	left      region  // the commits that can still be the culprit
	broken    []int   // untestable positions, in the order in which the procedure met them
	row       int     // of them in a row, without a measurement between
	steps     int     // commits judged between the ends
	verdicts  map[int]Verdict
	warnings  []Warning
}

func newClassic(v *View) *classic {
	c := &classic{v: v, values: map[int][]float64{}, verdicts: map[int]Verdict{}, sign: v.Options.worse(), bad: v.N}
	c.left = newRegion(v, 0, v.N)
	if v.Options.Find == "improvement" {
		c.sign = -c.sign
	}
	for _, r := range v.Runs {
		if r.Outcome == OK {
			c.values[r.Position] = append(c.values[r.Position], r.Value)
		}
	}
	c.need, c.percent = v.Options.NumRuns, v.Options.ThresholdPct
	if c.need < 1 {
		c.need = classicRuns
	}
	if c.percent <= 0 || c.percent >= 100 {
		c.percent = classicThreshold
	}
	if v.Options.Exact {
		c.need = 1
	}
	c.near = max(c.need, classicNearRuns)
	return c
}

// worse is +1 when a larger value is worse, else −1.
func (o Options) worse() float64 {
	if o.Better == Higher {
		return -1
	}
	return 1
}

// swappedAnswer is the answer of question "swapped" that turns the search round.
func (c *classic) swappedAnswer() string {
	if c.v.Options.Find == "improvement" {
		return "regression"
	}
	return "improvement"
}

// at is the median at p, turned so that it grows towards the step's slow side.
func (c *classic) at(p int) float64 { return c.sign * levelOf(c.values[p]).Value }

// share is where p lies between the ends, in percent of the gap: good 0, bad 100.
func (c *classic) share(p int) float64 { return 100 * (c.at(p) - c.at(c.good)) / c.size }

// untestable reports whether p is marked skip or fails more often than it works.
func (c *classic) untestable(p int) bool {
	return c.v.Marks[p].Verdict == VerdictSkip || c.v.Places[p].Failures > len(c.values[p])
}

// failed notes that p cannot be measured, and asks when that has happened too
// often in a row. A commit that the user chose to skip is not a failure.
func (c *classic) failed(p int) *Decision {
	c.broken = append(c.broken, p)
	if c.v.Places[p].Failures <= len(c.values[p]) {
		return nil
	}
	c.row++
	limit, fallback := classicFailures, "continue"
	if !c.v.Options.SkipOnFail {
		limit, fallback = 1, "stop"
	}
	if c.row%limit != 0 {
		return nil
	}
	id := fmt.Sprintf("failures:%d", len(c.broken))
	switch c.v.Answers[id] {
	case "continue":
		return nil
	case "stop":
		return c.undecided("The search was stopped because commits could not be measured: "+c.failures()+".",
			"Repair the build or the benchmark for these commits (--patch, --overlay, --bench-from), or mark them skip, and start again.")
	}
	return c.ask(Question{
		ID: id, Options: []string{"continue", "stop"}, Default: fallback,
		Text: fmt.Sprintf("%s could not be measured (%s). Continue with another commit, or stop?", Name(p), c.failures()),
	})
}

// failures lists the newest failures in plain words.
func (c *classic) failures() string {
	text := ""
	from := max(0, len(c.broken)-max(c.row, 1))
	for i, p := range c.broken[from:] {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", Name(p), c.why(p))
	}
	return text
}

// why says why p cannot be measured.
func (c *classic) why(p int) string {
	if c.v.Places[p].Failures <= len(c.values[p]) {
		return "is marked skip"
	}
	return c.v.Places[p].Failure.Words()
}

// Words says in plain words what o means for a commit.
func (o Outcome) Words() string {
	switch o {
	case OK:
		return "worked"
	case BuildFailed:
		return "does not build"
	case RunFailed:
		return "builds but the benchmark fails"
	case Timeout:
		return "did not end in time"
	case NoMetric:
		return "ran but printed no metric"
	case GPUFault:
		return "made the GPU fault"
	case Skipped:
		return "asked to be skipped"
	}
	return "could not be measured"
}

// Name is how texts of a planner speak of a position. Plan.Spell in package
// engine turns it into an abbreviated hash.
func Name(position int) string { return fmt.Sprintf("commit #%d", position) }
