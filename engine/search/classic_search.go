package search

import (
	"fmt"
	"math"
)

// search replays the halving: it judges the commit in the middle of what is
// left until a fact is missing or nothing testable is left.
func (c *classic) search() *Decision {
	if d := c.applyMarks(); d != nil {
		return d
	}
	c.row = 0
	c.verdicts[c.good], c.verdicts[c.bad] = VerdictGood, VerdictBad
	for {
		p, why := c.left.pick()
		if p < 0 {
			return nil
		}
		verdict, d := c.judge(p, why)
		if d != nil {
			return d
		}
		if verdict == VerdictSkip {
			c.left.skip(p)
			if d := c.failed(p); d != nil {
				return d
			}
			continue
		}
		c.left.narrow(p, verdict == VerdictBad)
		c.verdicts[p] = verdict
		c.row, c.steps = 0, c.steps+1
	}
}

// applyMarks narrows the range by what the user said. Marks that contradict
// each other or the ends are never resolved silently.
func (c *classic) applyMarks() *Decision {
	for _, p := range sortedKeys(c.v.Marks) {
		verdict := c.v.Marks[p].Verdict
		if verdict != VerdictGood && verdict != VerdictBad || p == c.good && verdict == VerdictGood || p == c.bad && verdict == VerdictBad {
			continue
		}
		if !c.left.contradicts(p, verdict == VerdictBad) {
			c.left.narrow(p, verdict == VerdictBad)
			continue
		}
		id := fmt.Sprintf("mark:%d:%s", p, verdict)
		switch c.v.Answers[id] {
		case "ignore":
			c.warn("mark_ignored", fmt.Sprintf("the mark %s at %s was ignored, it contradicts other marks or the ends", verdict, Name(p)))
		case "stop":
			return c.undecided(fmt.Sprintf("The mark %s at %s contradicts the other marks or the ends.", verdict, Name(p)), "Clear one of the marks and start again.")
		default:
			return c.ask(Question{
				ID: id, Options: []string{"ignore", "stop"}, Default: "stop",
				Text: fmt.Sprintf("%s is marked %s, which contradicts the ends or another mark. Ignore this mark, or stop? (To change it, mark the commit again.)", Name(p), verdict),
			})
		}
	}
	return nil
}

// judge classifies p, or returns what is needed to do it.
func (c *classic) judge(p int, why string) (Verdict, *Decision) {
	if mark, ok := c.v.Marks[p]; ok && mark.Verdict != VerdictClear {
		return mark.Verdict, nil
	}
	if c.untestable(p) {
		return VerdictSkip, nil
	}
	n := len(c.values[p])
	if n < c.need {
		return "", c.measure(PhaseSearch, []Step{c.step(p, c.need-n, why)}, why)
	}
	share := c.share(p)
	side := VerdictGood
	if share > c.percent {
		side = VerdictBad
	}
	if c.v.Options.Exact || math.Abs(share-c.percent) > classicNearPct {
		return side, nil
	}
	if n < c.near {
		why := fmt.Sprintf("%d runs put it at %.0f %% of the gap, too near to the threshold of %.0f %%; more runs decide", n, share, c.percent)
		return "", c.measure(PhaseSearch, []Step{c.step(p, c.near-n, why)}, why)
	}
	return c.ambiguous(p, share)
}

// ambiguous asks for the verdict on a commit that stays near the threshold.
func (c *classic) ambiguous(p int, share float64) (Verdict, *Decision) {
	id := fmt.Sprintf("ambiguous:%d", p)
	switch answer := Verdict(c.v.Answers[id]); answer {
	case VerdictGood, VerdictBad, VerdictSkip:
		return answer, nil
	}
	return "", c.ask(Question{
		ID: id, Options: []string{"good", "bad", "skip"}, Default: "skip",
		Text: fmt.Sprintf("%s lies at %.0f %% of the gap between good and bad after %d runs; the threshold is %.0f %%. Is it good, bad, or to be skipped?",
			Name(p), share, len(c.values[p]), c.percent),
	})
}

// measure wants steps run one after the other on one worker, or ends the hunt
// when the budget is spent.
func (c *classic) measure(phase Phase, steps []Step, explanation string) *Decision {
	if c.v.Exhausted {
		return c.undecided("The budget is spent.", "Raise max_runs or max_time and resume.")
	}
	return &Decision{Kind: Measure, Phase: phase, Batches: [][]Step{steps}, Progress: c.progress(steps, explanation)}
}

func (c *classic) ask(q Question) *Decision {
	if c.v.Exhausted {
		return c.undecided("The budget is spent, and a question is open: "+q.Text, "Answer the question, or raise the budget and resume.")
	}
	return &Decision{Kind: Ask, Question: &q, Progress: c.progress(nil, q.Text)}
}

func (c *classic) progress(steps []Step, explanation string) Progress {
	low, high := c.left.bounds()
	halvings := math.Ceil(math.Log2(float64(max(1, c.left.size()))))
	p := Progress{Low: low, High: high, Likeliest: -1, StepsDone: c.steps, Explanation: explanation, BuildsLeft: halvings}
	p.RunsLeft = halvings * float64(c.need)
	if len(steps) > 0 && steps[0].Position != c.good && steps[0].Position != c.bad {
		p.RunsLeft -= float64(c.need - steps[0].Runs)
	}
	for _, end := range []int{c.good, c.bad} {
		p.RunsLeft += float64(max(0, c.endRuns()-len(c.values[end])))
	}
	p.RunsLeft = max(p.RunsLeft, 0)
	return p
}
