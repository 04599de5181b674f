package search

import (
	"fmt"
	"math"
	"slices"
)

// ends measures both ends, alternating, so that a machine that warms up or
// drifts does it to both. An end that cannot be measured moves inwards.
func (c *classic) ends() *Decision {
	if c.v.Parents != nil {
		return c.fixedEnds()
	}
	for ; c.good < c.v.N && c.untestable(c.good); c.good++ {
		if d := c.failed(c.good); d != nil {
			return d
		}
	}
	for ; c.bad > c.good && c.untestable(c.bad); c.bad-- {
		if d := c.failed(c.bad); d != nil {
			return d
		}
	}
	if c.good >= c.bad {
		return c.undecided("Fewer than two commits of the range could be measured: "+c.failures()+".",
			"Check the build and the benchmark command at one commit by hand first.")
	}
	c.left = newRegion(c.v, c.good, c.bad)
	c.moved()
	return c.baselines()
}

// fixedEnds is ends for a history with branches, where the neighbour of an end
// does not stand for it.
func (c *classic) fixedEnds() *Decision {
	for _, end := range []int{c.good, c.bad} {
		if c.untestable(end) {
			return c.undecided(fmt.Sprintf("The end %s %s.", Name(end), c.why(end)), "Choose another end that builds and runs.")
		}
	}
	return c.baselines()
}

func (c *classic) baselines() *Decision {
	if steps := c.pairs(c.endRuns()); len(steps) > 0 {
		return c.measure(PhaseEnds, steps, "The ends are run alternately, so that drift of the machine does not become part of the gap.")
	}
	return nil
}

func (c *classic) moved() {
	if c.good > 0 {
		c.warn("end_moved", "the good end could not be measured; "+Name(c.good)+" stands for it")
	}
	if c.bad < c.v.N {
		c.warn("end_moved", "the bad end could not be measured; "+Name(c.bad)+" stands for it")
	}
}

// endRuns is the number of runs per end: three times the usual for every time
// that the user answered more_runs.
func (c *classic) endRuns() int {
	n := c.need
	for round := 1; c.v.Answers[smallGapID(round)] == "more_runs"; round++ {
		n *= 3
	}
	return n
}

func smallGapID(round int) string {
	if round == 1 {
		return "small_gap"
	}
	return fmt.Sprintf("small_gap:%d", round)
}

// pairs is the next pair of visits to the ends, good first, until each has n
// runs. After a kill between the two, it is the missing one.
func (c *classic) pairs(n int) []Step {
	var steps []Step
	goods, bads := len(c.values[c.good]), len(c.values[c.bad])
	for len(steps) < 2 && (goods < n || bads < n) {
		if goods <= bads && goods < n {
			goods++
			steps = append(steps, c.step(c.good, 1, "good end, alternating with the bad end"))
			continue
		}
		bads++
		steps = append(steps, c.step(c.bad, 1, "bad end, alternating with the good end"))
	}
	return steps
}

func (c *classic) step(p, runs int, why string) Step {
	warmup := max(0, c.v.Options.WarmupRuns)
	if c.v.Options.Exact {
		warmup = 0
	}
	return Step{Position: p, Runs: runs, Warmup: warmup, Why: why}
}

// gap decides whether there is something to search for.
func (c *classic) gap() *Decision {
	if d := c.sameCode(); d != nil {
		return d
	}
	pct := c.setGap()
	if c.size < 0 && (c.apart() || pct <= -classicSmallGap) {
		if c.v.Answers["swapped"] != c.swappedAnswer() {
			return c.swapped(pct)
		}
		c.sign = -c.sign
		pct = c.setGap()
	}
	if c.size <= 0 || pct < classicSmallGap {
		return c.smallGap(pct)
	}
	return nil
}

// setGap measures the gap and returns it in percent, positive in the direction
// that is looked for.
func (c *classic) setGap() float64 {
	c.size = c.at(c.bad) - c.at(c.good)
	return c.sign * c.v.Options.worse() * ChangePct(c.v.Options.Better, c.level(c.good).Value, c.level(c.bad).Value)
}

// sameCode ends the hunt when both ends have the same device code and the
// metric depends on nothing else.
func (c *classic) sameCode() *Decision {
	g, b := c.v.Places[c.good].Code, c.v.Places[c.bad].Code
	if !c.v.Options.CodeIdentity || g == "" || g != b {
		return nil
	}
	f := c.finding(SameCode)
	f.Reason = "Both ends build to the same device code, so no commit between them can have made the kernel slow."
	f.Advice = "Compare the driver, the firmware, the clocks and the inputs of the two measurements."
	return done(f)
}

// apart reports whether no run of one end lies among the runs of the other.
func (c *classic) apart() bool {
	g, b := c.values[c.good], c.values[c.bad]
	return slices.Max(g) < slices.Min(b) || slices.Max(b) < slices.Min(g)
}

func (c *classic) swapped(pct float64) *Decision {
	text := fmt.Sprintf("The bad end is %.1f %% %s than the good end.", math.Abs(pct), c.direction(-1))
	if c.v.Answers["swapped"] == "stop" || c.v.Exhausted {
		f := c.finding(Swapped)
		f.Reason = text
		f.Advice = "Exchange good and bad, or look for the step in this direction with find=" + c.swappedAnswer() + "."
		return done(f)
	}
	return c.ask(Question{
		ID: "swapped", Options: []string{c.swappedAnswer(), "stop"}, Default: "stop",
		Text: text + " Are they swapped? Look for the commit that made it so, or stop?",
	})
}

// direction names the side of the step: +1 the one that is looked for.
func (c *classic) direction(side float64) string {
	if side*c.sign*c.v.Options.worse() > 0 {
		return "worse"
	}
	return "better"
}

func (c *classic) smallGap(pct float64) *Decision {
	round := 1
	for c.v.Answers[smallGapID(round)] == "more_runs" {
		round++
	}
	answer := c.v.Answers[smallGapID(round)]
	if answer == "continue" && c.size > 0 {
		return nil
	}
	if answer != "" || c.v.Exhausted {
		return c.noGap(pct)
	}
	options := []string{"continue", "more_runs", "stop"}
	if c.size <= 0 {
		options = options[1:]
	}
	return c.ask(Question{
		ID: smallGapID(round), Options: options, Default: "stop",
		Text: fmt.Sprintf("The bad end is only %.1f %% %s than the good end (%d runs each); that may be noise. Continue, measure the ends %d times each, or stop?",
			math.Abs(pct), c.direction(sgn(pct)), len(c.values[c.good]), 3*c.endRuns()),
	})
}

func sgn(x float64) float64 {
	if x < 0 {
		return -1
	}
	return 1
}

// noGap ends the hunt without a search. A gap that stands clear of the scatter
// is real but small; one that does not is no regression.
func (c *classic) noGap(pct float64) *Decision {
	f := c.finding(NoRegression)
	f.Reason = fmt.Sprintf("The ends differ by %.1f %%, and their runs overlap: nothing to be found with %d runs each.", pct, len(c.values[c.good]))
	f.Advice = "If the slowdown was seen elsewhere, it may come from the machine: driver, libraries, clocks, heat. Measure the bad commit again there, or lengthen the benchmark."
	switch {
	case c.size == 0 && !c.apart() && f.EndGood.CV == 0 && f.EndBad.CV == 0:
		f.Reason = "Both ends give exactly the same value."
	case c.size > 0 && c.apart():
		f.Outcome = GapTooSmall
		f.Reason = fmt.Sprintf("The ends differ by %.1f %%, less than the %d %% that this strategy can follow from commit to commit.", pct, classicSmallGap)
		f.Advice = "Use strategy adaptive, which weighs every run, or lengthen the benchmark."
	}
	if c.bad < c.v.N || c.good > 0 {
		f.Outcome, f.Advice = Undecided, "The end that could not be measured may hold the step. Make it measurable, or choose another end."
	}
	return done(f)
}
