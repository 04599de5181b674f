package app

import (
	"fmt"

	"perfbisect/engine"
)

// NoEffect is the code of the warnings that an option has no effect on the hunt.
const NoEffect = "no_effect"

// ineffective says which options the user gave that count for nothing with the
// others or with this history.
func ineffective(s *Spec, p *engine.Plan) []string {
	var texts []string
	d := DefaultSpec()
	none := func(given bool, option, why string) {
		if given {
			texts = append(texts, fmt.Sprintf("--%s has no effect: %s", option, why))
		}
	}
	const classic = "the classic strategy does not use it (--strategy adaptive does)"
	switch s.Strategy {
	case "adaptive":
		none(s.NumRuns != d.NumRuns, "num-runs", "the adaptive strategy decides by itself how often to run (--strategy classic does not)")
		none(s.ThresholdPct != d.ThresholdPct, "threshold-pct", "the adaptive strategy has no threshold (--strategy classic has)")
	case "classic":
		none(s.Confidence != d.Confidence, "confidence", classic)
		none(s.Reference != d.Reference, "reference", classic)
		none(s.All, "all", classic)
	}
	none(len(s.Prove) > 0 && s.Checkout != "clone", "prove", "it makes commits to try, for which only a clone of our own has a place (--checkout clone)")
	none(s.All && s.Strategy == "adaptive" && branches(p), "all", "in a history with branches (--first-parent=false) one step is named; another run with other ends searches the rest")
	return texts
}

// branches reports whether the range is more than a line.
func branches(p *engine.Plan) bool {
	for _, q := range p.Positions {
		if q.Parents != nil {
			return true
		}
	}
	return false
}

// warnIneffective journals what ineffective says.
func (h *hunt) warnIneffective(p *engine.Plan) error {
	if h.asked.Parent != "" {
		return nil // the user did not ask for this hunt
	}
	for _, text := range ineffective(&h.spec, p) {
		if err := h.warn(NoEffect, "", text); err != nil {
			return err
		}
	}
	return nil
}
