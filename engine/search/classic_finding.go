package search

import (
	"fmt"
	"math"
)

// found is the answer when nothing testable is left between good and bad.
func (c *classic) found() *Decision {
	candidates := c.left.candidates()
	culprit := candidates[len(candidates)-1]
	f := c.finding(Found)
	f.Culprit, f.LastGood, f.Candidates = culprit, c.left.before(candidates[0]), candidates
	if len(candidates) > 1 {
		f.Outcome, f.Culprit = FoundAmong, -1
	}
	c.rate(f, culprit)
	c.explain(f, culprit)
	return done(f)
}

// rate fills in the levels beside the step and how much of the gap it explains.
func (c *classic) rate(f *Finding, bad int) {
	f.Good, f.Bad = c.level(f.LastGood), c.level(bad)
	if f.Good.N == 0 || f.Bad.N == 0 {
		f.ChangePct, f.ExplainedPct = f.GapPct, 100
		c.warn("not_measured", "a commit beside the step was decided without a measurement of it; the change given is that between the ends")
		f.Warnings = c.warnings
		return
	}
	f.ChangePct = ChangePct(c.v.Options.Better, f.Good.Value, f.Bad.Value)
	f.ExplainedPct = math.Round(c.share(bad) - c.share(f.LastGood))
	if f.ExplainedPct < classicWhole {
		c.warn("several_steps", fmt.Sprintf("the step explains %.0f %% of the gap; other commits made the rest, use strategy adaptive with all to name them", f.ExplainedPct))
	}
	c.outside()
	f.Warnings = c.warnings
}

// outside warns of the judged commit that lies farthest beyond an end: the
// range then has steps in both directions, and the ends hide them.
func (c *classic) outside() {
	farthest, beyond := -1, float64(classicBeyond)
	for _, p := range sortedKeys(c.verdicts) {
		if len(c.values[p]) == 0 {
			continue
		}
		if share := c.share(p); max(-share, share-100) > beyond {
			farthest, beyond = p, max(-share, share-100)
		}
	}
	if farthest >= 0 {
		c.warn("outside_ends", fmt.Sprintf("%s lies at %.0f %% of the gap, outside both ends: the range has steps in both directions", Name(farthest), c.share(farthest)))
	}
}

func (c *classic) explain(f *Finding, bad int) {
	what := "It is the first commit on the slow side of the threshold"
	if c.sign != c.v.Options.worse() {
		what = "It is the first commit on the fast side of the threshold"
	}
	if f.Outcome == FoundAmong {
		what = fmt.Sprintf("It is one of %s; all but the last of them could not be measured", commits(len(f.Candidates)))
		f.Advice = "Make the untestable commits build (--patch, --overlay) and run again, or read the changes of all of them."
	}
	f.Reason = fmt.Sprintf("%s (%.0f %% of the gap): %s.", what, c.percent, c.where(f, bad))
	if f.Advice == "" {
		f.Advice = "This strategy judges each commit by a threshold and states no probability. To be sure, measure the last good commit and this one alternately."
	}
}

func (c *classic) where(f *Finding, bad int) string {
	if f.Good.N == 0 || f.Bad.N == 0 {
		return "marks stand for measurements beside it"
	}
	return fmt.Sprintf("the last good commit lies at %.0f %% of the gap, the first bad one at %.0f %%", c.share(f.LastGood), c.share(bad))
}

// undecided is the answer when the search cannot go on; it keeps the bracket.
func (c *classic) undecided(reason, advice string) *Decision {
	f := c.finding(Undecided)
	f.Candidates = c.left.candidates()
	f.LastGood = c.left.before(f.Candidates[0])
	f.Reason = fmt.Sprintf("%s The step is still one of %s.", reason, commits(len(f.Candidates)))
	f.Advice = advice
	return done(f)
}

// finding is the part of every answer that does not depend on the outcome.
func (c *classic) finding(outcome FindingOutcome) *Finding {
	f := &Finding{Outcome: outcome, Culprit: -1, LastGood: -1, Levels: map[int]Level{}}
	for p := range c.values {
		f.Levels[p] = c.level(p)
	}
	f.EndGood, f.EndBad = c.level(c.good), c.level(c.bad)
	f.Good, f.Bad, f.Verdicts = f.EndGood, f.EndBad, c.verdicts
	if f.EndGood.N > 0 && f.EndBad.N > 0 {
		f.GapPct = ChangePct(c.v.Options.Better, f.EndGood.Value, f.EndBad.Value)
		f.ChangePct = f.GapPct
		if !c.apart() && outcome == Found {
			c.warn("ends_overlap", "some runs of the good end are as slow as runs of the bad end; one commit can be judged wrongly, use strategy adaptive")
		}
	}
	if len(c.broken) > 0 {
		c.warn("untestable", fmt.Sprintf("%s could not be measured", commits(len(c.broken))))
	}
	f.Warnings = c.warnings
	return f
}

func (c *classic) warn(code, text string) {
	c.warnings = append(c.warnings, Warning{Code: code, Text: text})
}

func (c *classic) level(p int) Level { return levelOf(c.values[p]) }

func done(f *Finding) *Decision { return &Decision{Kind: Done, Phase: PhaseDone, Finding: f} }
