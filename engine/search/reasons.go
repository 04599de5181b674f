package search

import (
	"fmt"
	"math"

	"perfbisect/engine/stats"
)

// percent writes a gap of y as a change of the value in percent, + = worse; a
// metric that may be zero has no percentage, so there it is a change as it is.
func (p *problem) percent(gap float64) string {
	if !p.logged {
		return fmt.Sprintf("%+.3g", gap*p.base)
	}
	if p.v.Options.Better == Higher {
		return signedPercent(100 * -math.Expm1(-gap*p.direction()))
	}
	return signedPercent(100 * math.Expm1(gap*p.direction()))
}

// direction is −1 when an improvement is sought, where a larger y is better.
func (p *problem) direction() float64 {
	if p.v.Options.Better == Higher {
		return -p.sign
	}
	return p.sign
}

// signedPercent writes a percentage; a very large one without its digits.
func signedPercent(x float64) string {
	if math.Abs(x) >= 1e5 {
		return fmt.Sprintf("%+.2g %%", x)
	}
	return fmt.Sprintf("%+.2f %%", x)
}

// reportEnds says why the ends are not good enough, or measures them more.
func (p *problem) reportEnds(w window, t endTest) Decision {
	switch t.verdict {
	case endsMore:
		return p.measureEnds(w, t)
	case endsSwapped:
		return p.swapped(w, t)
	case endsSame:
		return p.noRegression(w, t)
	case endsUnstable:
		return p.unstable(w, t)
	case endsCoarse:
		return p.tooCoarse(w, t)
	}
	return p.tooSmall(w, t)
}

func (p *problem) measureEnds(w window, t endTest) Decision {
	g := p.blank()
	g.Explanation = "both ends are measured in turn, to see the gap and the scatter"
	if t.n >= endRunsFirst {
		g.Separation = max(t.gap/t.s, 0)
		g.Explanation = fmt.Sprintf("after %d runs a side the ends differ by %s, not yet clear of the scatter: more runs", t.n, p.percent(t.gap))
	}
	runs, builds := p.plan(w, typicalSeparation)
	g.RunsLeft, g.BuildsLeft = runs, builds
	return Decision{Kind: Measure, Phase: PhaseEnds, Progress: g, Batches: p.batches(nil, PhaseEnds, p.endSchedule(w, t.want, "end"))}
}

func (p *problem) noRegression(w window, t endTest) Decision {
	if d, ok := p.alreadySlow(w, t); ok {
		return d
	}
	f := p.finding(NoRegression)
	lo, hi := t.gap-noGapZ*t.se, t.gap+noGapZ*t.se
	f.Reason = fmt.Sprintf("No regression: bad differs from good by %s, between %s and %s, after %d runs a side; the smallest change of interest is %s.",
		p.percent(t.gap), p.percent(lo), p.percent(hi), t.n, p.percent(p.minGap))
	f.Advice = "Check that this machine, input and build are the ones on which it was slow; a smaller --min-gap looks for smaller changes."
	if t.se == 0 {
		f.Reason = "No regression: the metric is the same at good and at bad."
	}
	p.warnAbout(f, w, t)
	return p.done(f)
}

// alreadySlow compares good with its recorded value, when one is given.
func (p *problem) alreadySlow(w window, t endTest) (Decision, bool) {
	off, ok := p.offReference(w, t.s)
	if !ok {
		return Decision{}, false
	}
	f := p.finding(EnvironmentChanged)
	f.Reason = fmt.Sprintf("Good is already slow here: it differs by %s from its recorded value, and bad is no slower than good.", p.percent(off))
	if off < 0 {
		f.Reason = fmt.Sprintf("Good is %s against its recorded value on this machine, and bad is no slower than good.", p.percent(off))
	}
	f.Advice = "The environment changed, not the code between these commits: compare driver, clocks, compiler and input with those of the recorded run, or choose an older good."
	return p.done(f), true
}

// offReference is how far good is from its recorded value when that is far.
func (p *problem) offReference(w window, s float64) (float64, bool) {
	ref := p.v.Options.Reference
	ys := p.ys(w.lo)
	if ref == 0 || math.IsNaN(ref) || math.IsInf(ref, 0) || len(ys) == 0 || p.logged && ref < 0 {
		return 0, false
	}
	off := stats.Median(ys) - p.y(ref)
	share := referenceShare
	if !p.logged {
		share *= math.Abs(ref) / p.base
	}
	return off, math.Abs(off) > max(referenceZ*s, share)
}

func (p *problem) swapped(w window, t endTest) Decision {
	if p.v.Answers[questionSwapped] == "" {
		q := &Question{
			ID: questionSwapped, Options: []string{answerImprovement, answerStop}, Default: answerStop, Argument: "find",
			Text: fmt.Sprintf("Bad is better than good (%s). Search for the commit that improved it, or stop?", p.percent(t.gap)),
		}
		return Decision{Kind: Ask, Question: q, Phase: PhaseEnds, Progress: p.blank()}
	}
	f := p.finding(Swapped)
	f.Reason = fmt.Sprintf("Bad is better than good: the change is %s after %d runs a side.", p.percent(t.gap), t.n)
	f.Advice = "Swap good and bad, check --better, or use --find improvement."
	p.warnAbout(f, w, t)
	return p.done(f)
}

func (p *problem) tooSmall(w window, t endTest) Decision {
	f := p.finding(GapTooSmall)
	f.Reason = fmt.Sprintf("The ends differ by %s, which is %.2f times the run-to-run scatter: after %d runs a side that is still not clear of chance.",
		p.percent(t.gap), t.gap/t.s, t.n)
	need := stats.RunsForGap(t.gap, t.s, endZ)
	if t.gap > 0 && need < 1e5 {
		f.Advice = fmt.Sprintf("It would take about %.0f runs a side to see the ends apart, or a benchmark that runs about %.0f times as long.",
			need, math.Ceil(need/endRunsNone))
	} else {
		f.Advice = "Make the benchmark longer or quieter (fixed clocks, no other load): its scatter hides any change of interest."
	}
	p.warnAbout(f, w, t)
	return p.done(f)
}

// tooCoarse is said of a gap that is of interest and yet so few printed steps wide
// that rounding alone may have made it.
func (p *problem) tooCoarse(w window, t endTest) Decision {
	f := p.finding(GapTooSmall)
	f.Reason = fmt.Sprintf("The ends differ by %s, which is less than %.0f steps of the last printed digit: rounding may have made it.", p.percent(t.gap), minGapSteps)
	f.Advice = "Let the benchmark print more digits, or a smaller unit."
	p.warnAbout(f, w, t)
	return p.done(f)
}

func (p *problem) unstable(w window, t endTest) Decision {
	f := p.finding(Unstable)
	f.Reason = fmt.Sprintf("The benchmark has two modes: %.0f %% of the runs are %s away from the others, and the ends differ by %s only.",
		100*min(t.modes.Share, 1-t.modes.Share), p.percent(t.modes.High-t.modes.Low), p.percent(t.gap))
	f.Advice = "Find what switches (clock boost, NUMA node, another tenant), pin it, or make one run long enough to average over both modes."
	return p.done(f)
}

// Change words the change from good to bad: its percentage, + = worse, or, where
// good is zero and nothing is a percentage of it, both values in the metric's unit.
func Change(pct float64, good, bad float64) string {
	if good == 0 && bad != 0 {
		return fmt.Sprintf("from 0 to %.4g", bad)
	}
	return signedPercent(pct)
}

// explainFound writes the reason of a named step.
func (p *problem) explainFound(f *Finding, a answer, t endTest) {
	if math.IsInf(a.odds, 1) {
		f.Reason = fmt.Sprintf("The metric has no noise: it changes %s between two neighbouring commits.", by(f))
	} else {
		n := len(p.pairs(a.suspect))
		f.Reason = fmt.Sprintf("The last fast and the first slow commit differ %s; %s %s that the step lies between them.",
			by(f), pairsText(n), oddsText(a.odds))
	}
	if len(f.Candidates) > 1 {
		p.explainSet(f)
	}
	if f.ExplainedPct > 0 && f.ExplainedPct < 100*(1-residualGap) && !p.v.Options.All && p.v.Parents == nil {
		f.Advice = joinSentences(f.Advice, fmt.Sprintf("This step explains %.0f %% of the gap; --all searches the rest.", f.ExplainedPct))
	}
}

// by is the change of f after a verb.
func by(f *Finding) string {
	text := Change(f.ChangePct, f.Good.Value, f.Bad.Value)
	if f.Good.Value == 0 && f.Bad.Value != 0 {
		return text
	}
	return "by " + text
}

// explainSet says why one of several commits is all that can be said.
func (p *problem) explainSet(f *Finding) {
	untested := 0
	for _, i := range f.Candidates {
		if !p.testable(i) {
			untested++
		}
	}
	if untested > 0 {
		f.Reason += fmt.Sprintf(" It is one of %d commits, %d of which could not be tested.", len(f.Candidates), untested)
		f.Advice = "Make the untested ones build (--patch, --overlay), or read their diffs: any of them may be the cause."
		return
	}
	f.Reason += fmt.Sprintf(" It is one of %d commits that the runs do not tell apart: each has an offset of its own, or the machine changes state for longer than a run.", len(f.Candidates))
	f.Advice = "A longer or quieter benchmark would tell them apart; their diffs may do so at once."
}

func joinSentences(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// pairsText is the subject and verb of what n pairs say.
func pairsText(n int) string {
	if n == 1 {
		return "1 pair of runs in turn says"
	}
	return fmt.Sprintf("%d pairs of runs in turn say", n)
}

func oddsText(logOdds float64) string {
	if logOdds > math.Log(1e6) {
		return "more than 1,000,000 to 1"
	}
	return fmt.Sprintf("%.0f to 1", math.Exp(logOdds))
}

// warnAbout adds what lowers trust in the answer.
func (p *problem) warnAbout(f *Finding, w window, t endTest) {
	t.describe()
	if t.modes.Distance > 0 {
		p.warn("two_modes", fmt.Sprintf("the runs at the ends fall into two modes %s apart", p.percent(t.modes.High-t.modes.Low)))
	}
	if t.rho > stickyRho && len(t.g) >= 8 {
		p.warn("sticky", "runs depend on the ones before them: the machine changes state between runs")
	}
	if off, ok := p.offReference(w, t.s); ok && f.Outcome != EnvironmentChanged {
		p.warn("reference_off", fmt.Sprintf("good differs by %s from its recorded value", p.percent(off)))
	}
}

// warnFaster says when the steps explain more than the gap, and by more than the
// scatter of the runs and the commits' own offsets may have added.
func (p *problem) warnFaster(f *Finding, w window, t endTest, found []answer) {
	lv := found[0].belief.levels
	lv.offset *= math.Min(t.gap/lv.gap(), 1) // in proportion: where it got faster the levels are further apart
	excess := -t.gap
	sum := p.levelVariance(w.lo, lv) + p.levelVariance(w.hi, lv)
	for _, a := range found {
		excess += p.jump(a)
		sum += p.levelVariance(a.suspect.fast, lv) + p.levelVariance(a.suspect.slow, lv)
	}
	if f.ExplainedPct > 100*(1+residualGap) && excess > residualZ*math.Sqrt(sum) {
		p.warn("faster_then_slower", fmt.Sprintf("the steps explain %.0f %% of the gap: something in the range also made it faster", f.ExplainedPct))
	}
}

// levelVariance is the squared standard error of the level at pos.
func (p *problem) levelVariance(pos int, lv levels) float64 {
	e := p.endError(pos, lv.s/math.Sqrt(lv.lambda))
	return e*e + lv.offset*lv.offset
}
