package main

import (
	"fmt"

	"perfbisect/engine/enginetest"
	"perfbisect/engine/search"
)

// tracer prints every decision of a planner.
type tracer struct {
	search.Planner
	world *enginetest.World
}

// Decide implements search.Planner.
func (t tracer) Decide(v *search.View) search.Decision {
	if n := len(v.Runs); n > 0 {
		for _, r := range v.Runs[max(n-4, 0):] {
			fmt.Printf("    run at %d: %.2f (level %.2f)\n", r.Position, r.Value, t.world.Levels[r.Position])
		}
	}
	d := t.Planner.Decide(v)
	g := d.Progress
	fmt.Printf("%3d runs  %-8s (%d, %d] %.2f  likeliest %d %.3f  d' %.2f  left %.0f+%.0f  %s\n", len(v.Runs), d.Phase, g.Low, g.High,
		g.Probability, g.Likeliest, g.LikeliestP, g.Separation, g.RunsLeft, g.BuildsLeft, g.Explanation)
	for w, b := range d.Batches {
		for _, s := range b {
			fmt.Printf("      worker %d: %d runs at %d (%s)\n", w, s.Runs, s.Position, s.Why)
		}
	}
	if f := d.Finding; f != nil {
		fmt.Printf("%s: %d of %v with %.4f; true %v\n  %s\n  %s\n", f.Outcome, f.Culprit, f.Candidates, f.Probability, t.world.Culprits, f.Reason, f.Advice)
		for _, w := range f.Warnings {
			fmt.Printf("  warning %s: %s\n", w.Code, w.Text)
		}
	}
	return d
}
