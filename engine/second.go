package engine

import (
	"fmt"
	"slices"
	"strings"

	"perfbisect/engine/search"
)

// Metric names another number of the outputs that a hunt journaled.
type Metric struct {
	Label  string          // as in Number.Label
	Unit   string          // SI, as in Number.Unit; "" takes any
	Better search.Polarity // which way it is better
	Exact  bool            // it has no noise
}

// SecondMetric builds the state that the facts of a hunt would have led to if m
// had been measured, so that another question is answered without running
// anything. It keeps what was built, what failed and what was skipped; answers
// and verdicts of the user were about the first metric and are dropped, as is
// the end of the hunt.
//
// lacking is the number of counted runs that have no such number; they are left
// out. Where a run has several, the last counts. If all lack it, the error
// names the labels that there are.
func SecondMetric(events []Event, m Metric) (s *State, lacking int, err error) {
	s = &State{}
	had := 0
	for _, e := range effective(events) {
		e, ok := m.translate(e)
		if !ok {
			if e.Kind == EventRan && !e.Run.Warmup {
				lacking++
			}
			continue
		}
		e.Seq = s.Seq + 1
		if err := s.Apply(e); err != nil {
			return nil, lacking, err
		}
		if e.Kind == EventRan && e.Outcome == search.OK && !e.Run.Warmup {
			had++
		}
	}
	if s.Plan == nil {
		return nil, lacking, fmt.Errorf("reading metric %q out of a journal: no plan in it", m.Label)
	}
	if had == 0 {
		return nil, lacking, fmt.Errorf("reading metric %q out of a journal: none of its %d runs printed it; they printed: %s",
			m.Label, lacking, strings.Join(labels(events), ", "))
	}
	return s, lacking, nil
}

// translate returns e as it would have been with m, and whether it counts.
func (m Metric) translate(e Event) (Event, bool) {
	switch e.Kind {
	case EventPlanned:
		if e.Plan == nil {
			return e, false
		}
		plan := *e.Plan
		plan.Metric, plan.Unit = "name:"+m.Label, m.Unit
		plan.Options.Better, plan.Options.Exact = m.Better, m.Exact
		plan.Options.Reference, plan.Options.Resolution, plan.Options.CodeIdentity = 0, 0, false
		plan.MaxRuns, plan.MaxTimeS = 0, 0 // spent on the first metric
		e.Plan = &plan
		return e, true
	case EventRan:
		return m.translateRun(e)
	case EventMarked:
		return e, e.Mark != nil && e.Mark.Verdict != search.VerdictGood && e.Mark.Verdict != search.VerdictBad
	case EventBuilt, EventWarned:
		return e, true
	}
	return e, false
}

// translateRun swaps the value of a run. A run without the first metric may
// have this one.
func (m Metric) translateRun(e Event) (Event, bool) {
	if e.Run == nil || e.Outcome != search.OK && e.Outcome != search.NoMetric {
		return e, e.Run != nil
	}
	for _, n := range slices.Backward(e.Run.Numbers) {
		if n.Label != m.Label || m.Unit != "" && n.Unit != m.Unit {
			continue
		}
		run := *e.Run
		run.Value, run.Raw, run.Resolution = n.Value, "", 0
		e.Run, e.Outcome = &run, search.OK
		return e, true
	}
	return e, false
}

// effective returns events without those that were taken back, and without the
// taking back.
func effective(events []Event) []Event {
	undone := map[int]bool{}
	for _, e := range events {
		if e.Kind == EventUndone {
			undone[e.Undo] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(e Event) bool {
		return e.Kind == EventUndone || undone[e.Seq] && e.Kind.undoable()
	})
}

// labelsShown bounds the labels in an error.
const labelsShown = 20

// labels returns the labels of all runs in the order of their first use.
func labels(events []Event) []string {
	var all []string
	for _, e := range events {
		if e.Run == nil {
			continue
		}
		for _, n := range e.Run.Numbers {
			if !slices.Contains(all, n.Label) {
				all = append(all, n.Label)
			}
			if len(all) == labelsShown {
				return append(all, "…")
			}
		}
	}
	return all
}
