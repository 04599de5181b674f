package search

// Compare is being written.
type Compare struct{}

// Decide implements Planner.
func (Compare) Decide(v *View) Decision {
	return Decision{Kind: Done, Finding: &Finding{Outcome: Undecided, Culprit: -1, LastGood: -1}}
}
