package search

import (
	"fmt"
	"math"

	"perfbisect/engine/stats"
)

// How many standard errors two medians must stand apart to differ. The scatter
// itself is an estimate, and a poor one from few runs, so few runs need more.
const (
	compareZ      = 3.3
	compareFew    = 1.8  // times, for up to 4 runs
	compareSome   = 1.25 // times, for up to 7 runs
	compareLeastN = 2    // runs a side that say anything about scatter
)

// Compare measures every position of the view NumRuns times and searches for
// nothing: the two ends of a range, or any one or two commits. The positions
// alternate there and back (A B B A A B …), so that drift of the machine falls
// on all of them alike.
type Compare struct{}

// Decide implements Planner.
func (Compare) Decide(v *View) Decision {
	c := compare{newClassic(v)}
	if v.Options.Exact {
		c.need = max(1, min(v.Options.NumRuns, 2))
	}
	if steps := c.schedule(); len(steps) > 0 && !v.Exhausted {
		return Decision{Kind: Measure, Phase: PhaseEnds, Batches: [][]Step{steps}, Progress: c.progress()}
	}
	return *done(c.finding())
}

// compare reads the view as the classic procedure does.
type compare struct{ *classic }

// schedule is what is missing of the next two rounds: one there, one back.
// Visits in a row to one position are one visit.
func (c compare) schedule() []Step {
	if !c.missing() {
		return nil
	}
	var steps []Step
	had := map[int]int{}
	for round := 0; round < c.need && (round%2 == 1 || len(steps) == 0); round++ {
		for i := range c.v.N + 1 {
			p := i
			if round%2 == 1 {
				p = c.v.N - i
			}
			if had[p]++; had[p] <= len(c.values[p]) || c.untestable(p) {
				continue
			}
			if n := len(steps); n > 0 && steps[n-1].Position == p {
				steps[n-1].Runs++
				continue
			}
			steps = append(steps, c.step(p, 1, "alternating"))
		}
	}
	return steps
}

// missing reports whether a testable position lacks runs.
func (c compare) missing() bool {
	for p := range c.v.N + 1 {
		if len(c.values[p]) < c.need && !c.untestable(p) {
			return true
		}
	}
	return false
}

func (c compare) progress() Progress {
	p := Progress{High: c.v.N, Likeliest: -1, Explanation: "The commits are run alternately, so that drift of the machine falls on all of them alike."}
	for i := range c.v.N + 1 {
		if c.untestable(i) {
			continue
		}
		p.RunsLeft += float64(max(0, c.need-len(c.values[i])))
		if !c.v.Places[i].Built {
			p.BuildsLeft++
		}
	}
	return p
}

func (c compare) finding() *Finding {
	for p := range c.v.N + 1 {
		if c.untestable(p) {
			c.warn("untestable", fmt.Sprintf("%s %s", Name(p), c.why(p)))
		}
	}
	if c.v.Exhausted && c.missing() {
		c.warn("budget_spent", fmt.Sprintf("the budget was spent before every commit had its %d runs", c.need))
	}
	f := c.classic.finding(Measured)
	switch {
	case f.EndGood.N == 0 || f.EndBad.N == 0:
		f.Outcome = Undecided
		f.Reason = "A commit could not be measured, so there is nothing to compare."
		if c.v.Exhausted {
			f.Reason = "The budget was spent before every commit was measured."
		}
	case c.v.N == 0:
		f.Reason = fmt.Sprintf("%s was run %d times, scatter %.1f %%.", Name(0), f.EndGood.N, 100*f.EndGood.CV)
	default:
		f.Differ, f.Reason = c.differ(f)
	}
	return f
}

// differ compares the ends by their medians in units of the standard error.
func (c compare) differ(f *Finding) (bool, string) {
	good, bad := c.values[0], c.values[c.v.N]
	n := min(len(good), len(bad))
	change := math.Abs(f.GapPct)
	words := fmt.Sprintf("%s is %.1f %% %s than %s", Name(c.v.N), change, betterOrWorse(f.GapPct), Name(0))
	sigma := max(stats.PooledScale(good, bad), c.v.Options.Resolution)
	gap := math.Abs(f.EndBad.Value - f.EndGood.Value)
	switch {
	case gap == 0:
		return false, "Both give the same median."
	case sigma == 0 && (n >= compareLeastN || c.v.Options.Exact):
		return true, words + "; neither scatters at all."
	case n < compareLeastN:
		return false, words + " in one run each, which says nothing about scatter. Run more."
	}
	z, se := stats.GapZ(gap, sigma, float64(n))
	if need := compareNeeds(n); z >= need {
		return true, fmt.Sprintf("%s, %.1f times the uncertainty of ±%.1f %%.", words, z, 100*se/math.Abs(nonZero(f.EndGood.Value, f.EndBad.Value)))
	}
	return false, fmt.Sprintf("%s, but that is within what scatter explains with %d runs each (%.1f times the uncertainty).", words, n, z)
}

func compareNeeds(n int) float64 {
	switch {
	case n <= 4:
		return compareZ * compareFew
	case n < 8:
		return compareZ * compareSome
	}
	return compareZ
}

func betterOrWorse(pct float64) string {
	if pct < 0 {
		return "better"
	}
	return "worse"
}

// nonZero returns a, or b when a is zero.
func nonZero(a, b float64) float64 {
	if a == 0 {
		return b
	}
	return a
}
