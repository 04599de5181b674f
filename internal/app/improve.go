package app

import (
	"context"
	"fmt"
	"math"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// improvement tells when the last fast commit is faster than good: something on
// the way made it faster before the culprit made it slower, and the gap between
// the ends hides both. With --all that commit is searched as well.
func (h *hunt) improvement(ctx context.Context, f *search.Finding) (bool, error) {
	p := h.state.Plan
	if from, _ := h.change(f); from == "" || f.LastGood == 0 || p.Options.Find != "regression" || !p.FirstParent {
		return false, nil
	}
	gain := -search.ChangePct(p.Options.Better, f.EndGood.Value, f.Good.Value)
	if gain < max(p.Options.MinGapPct, improvementZ*changeError(f.EndGood, f.Good)) {
		return false, nil
	}
	last := p.Positions[f.LastGood].Commit
	n := engine.Note{Kind: "improvement", Title: "Faster before it was slower"}
	text := fmt.Sprintf("At %s, before the culprit, it was %.1f %% faster than at good, so the ends show less than the culprit cost.", short(last), gain)
	if !h.spec.All || f.LastGood < 2 {
		n.Prose = []string{text + " What made it faster was not searched (--all does)."}
		return false, h.note(n)
	}
	q := h.request()
	q.Spec.Find = "improvement"
	q.between(p.Positions[0].Commit, last)
	r, err := h.delegate(ctx, "improvement", q)
	if err != nil || r == nil {
		return true, err
	}
	switch {
	case r.Outcome == search.Found:
		c, err := h.repo.Commit(ctx, r.Culprit)
		if err != nil {
			return false, err
		}
		text += fmt.Sprintf(" It became faster at %s %q by %s (%s).", short(r.Culprit), c.Subject, c.Author, search.Change(r.ChangePct, r.Good.Value, r.Bad.Value))
	case r.Outcome == search.FoundAmong:
		text += " It became faster at " + shortList(r.Candidates) + "."
	default:
		text += " A search for what made it faster named no commit: " + r.Reason
	}
	n.Prose = []string{text}
	return false, h.note(n)
}

// improvementZ is how many standard errors make an improvement worth telling.
const improvementZ = 4

// changeError is the standard error of the change between two medians, in
// percent of the first.
func changeError(a, b search.Level) float64 {
	sum := 0.0
	for _, l := range []search.Level{a, b} {
		if l.N > 0 {
			sum += math.Pow(medianFactor*l.CV*l.Value, 2) / float64(l.N)
		}
	}
	if a.Value == 0 {
		return 0
	}
	return 100 * math.Sqrt(sum) / math.Abs(a.Value)
}
