package app

import (
	"fmt"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/metric"
)

// reuse begins a hunt with the runs of another one that printed the metric as
// well: they are journaled as facts of this hunt, and the planner asks for what
// they leave open. It reports true when it asked something.
func (h *hunt) reuse() (asked bool, err error) {
	m, source, err := h.reused()
	if err != nil {
		return false, err
	}
	if m.Better = search.Polarity(h.spec.Better); m.Better == "" {
		m.Better = polarity(engine.Number{Label: m.Label, Unit: m.Unit, Value: 1})
	}
	if m.Better == "" {
		return true, h.ask(search.Question{
			ID: "better", Argument: "better", Options: []string{"lower", "higher"},
			Text: fmt.Sprintf("Is a lower or a higher %s better?", m.Label),
		})
	}
	state, lacking, err := engine.SecondMetric(source, m)
	if err != nil {
		return false, &HintError{Err: fmt.Errorf("reusing run %s: %w", h.spec.Reuse, err), Hints: []string{"--metric name:LABEL with one of these labels"}}
	}
	if err := h.seed(state); err != nil {
		return false, err
	}
	text := fmt.Sprintf("%d runs of run %s were read again for %s; nothing was run for them.", state.Runs, h.spec.Reuse, m.Label)
	if lacking > 0 {
		text += fmt.Sprintf(" %d of its runs did not print it.", lacking)
	}
	return false, h.note(engine.Note{Kind: "reuse", Title: "Runs that were there already", Prose: []string{text}})
}

// reused finds the label that the metric names in another run's journal.
func (h *hunt) reused() (engine.Metric, []engine.Event, error) {
	spec, err := metric.Parse(h.spec.Metric)
	if err != nil {
		return engine.Metric{}, nil, err
	}
	if spec.Kind != metric.KindName {
		return engine.Metric{}, nil, &HintError{
			Err:   fmt.Errorf("reusing run %s: metric is %q; the journal keeps labelled numbers, so it must be name:LABEL", h.spec.Reuse, h.spec.Metric),
			Hints: []string{"`perfbisect metric -- BENCH` shows the labels"},
		}
	}
	run, err := h.app.store.Open(h.spec.Reuse)
	if err != nil {
		return engine.Metric{}, nil, fmt.Errorf("reuse: %w", err)
	}
	events, err := run.Events()
	if err != nil {
		return engine.Metric{}, nil, err
	}
	q, err := readAsked(run)
	if err != nil {
		return engine.Metric{}, nil, err
	}
	if h.asked.Good != "" && q.Good != "" && h.asked.Good != q.Good || h.asked.Bad != q.Bad || q.Kind != "" || q.Outer != nil || q.Root != h.asked.Root {
		return engine.Metric{}, nil, fmt.Errorf("reusing run %s: it searched %s..%s of %s, this is another range", run.ID, short(q.Good), short(q.Bad), q.Root)
	}
	n := labelOf(events, spec)
	return engine.Metric{Label: n.Label, Unit: n.Unit}, events, nil
}

// labelOf is the number of the runs that a name spec means.
func labelOf(events []engine.Event, spec metric.Spec) engine.Number {
	for _, e := range events {
		if e.Run == nil {
			continue
		}
		list := make([]metric.Number, len(e.Run.Numbers))
		for i, n := range e.Run.Numbers {
			list[i] = metric.Number{Label: n.Label, Unit: n.Unit, Count: 1, Last: n.Value}
		}
		if v, ok := spec.FromNumbers(list); ok {
			return engine.Number{Label: v.Label, Unit: v.Unit, Value: v.Value}
		}
	}
	return engine.Number{Label: spec.Arg}
}

// polarity asks the metric's own rules by showing them a line with the number.
func polarity(n engine.Number) search.Polarity {
	for _, c := range metric.Candidates(metric.Text(fmt.Sprintf("%s: %g %s\n", n.Label, n.Value, n.Unit), "")) {
		return search.Polarity(c.Value.Better)
	}
	return ""
}

// seed journals the facts of a state as this hunt's own. Their times lie before
// its beginning, where they happened.
func (h *hunt) seed(s *engine.State) error {
	end := s.AtS
	for _, e := range s.Events() {
		if e.Run != nil {
			fact := *e.Run
			fact.StartS -= end
			e.Run = &fact
		}
		if e.Kind == engine.EventPlanned {
			plan := *e.Plan
			plan.MaxRuns, plan.MaxTimeS = h.spec.MaxRuns, h.spec.MaxTimeS
			e.Plan = &plan
		}
		e.V, e.Seq, e.AtS = 0, 0, 0
		if err := h.append(e); err != nil {
			return err
		}
	}
	return nil
}
