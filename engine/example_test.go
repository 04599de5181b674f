package engine_test

import (
	"fmt"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// A shell around the engine: it performs what Next decides and applies each
// fact. The program does the same with real checkouts and a journal on disk.
func Example() {
	speed := map[string]float64{"v1": 1.00, "a": 1.01, "b": 1.00, "c": 1.31, "d": 1.32, "v2": 1.31} // ms
	plan := &engine.Plan{
		Unit:    "s",
		Options: search.Options{Strategy: "classic", Better: search.Lower, NumRuns: 1, SkipOnFail: true},
	}
	for _, commit := range []string{"v1", "a", "b", "c", "d", "v2"} {
		plan.Positions = append(plan.Positions, engine.Position{Commit: commit})
	}

	state := &engine.State{}
	apply := func(e engine.Event) {
		e.Seq = state.Seq + 1
		if err := state.Apply(e); err != nil {
			fmt.Println(err)
		}
	}
	apply(engine.Event{Kind: engine.EventPlanned, Plan: plan})
	decision := state.Next(search.Classic{})
	for ; decision.Kind == search.Measure; decision = state.Next(search.Classic{}) {
		visit := state.NextVisit()
		for _, step := range decision.Batches[0] {
			commit := plan.Positions[step.Position].Commit
			fmt.Printf("%-2s  %s\n", commit, step.Why)
			apply(engine.Event{
				Kind: engine.EventRan, Position: step.Position, Outcome: search.OK,
				Run: &engine.RunFact{Value: speed[commit] * 1e-3, Visit: visit},
			})
			visit++
		}
	}
	result := engine.NewResult(state, decision.Finding)
	fmt.Printf("%s: %s after %s, %+.1f %%\n", result.Outcome, result.Culprit, result.LastGood, result.ChangePct)
	// Output:
	// v1  good end, alternating with the bad end
	// v2  bad end, alternating with the good end
	// b   halves the 4 commits left
	// d   halves the 2 commits left
	// c   halves the 1 commit left
	// found: c after b, +31.0 %
}
