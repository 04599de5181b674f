package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"perfbisect/engine/search"
)

// ran is a journal of a small hunt: 5 commits, the step at position 3.
func smallHunt() []Event {
	plan := testPlan(5, search.Options{Strategy: "adaptive", Better: search.Lower})
	plan.Positions[3].Same = []string{"same-as-3"}
	events := []Event{
		{Kind: EventPlanned, Plan: plan},
		{Kind: EventWarned, Warning: &search.Warning{Code: "dirty", Text: "commit #1 is odd"}},
		{Kind: EventBuilt, Position: 1, Outcome: search.BuildFailed, Tail: "error: no member"},
	}
	for visit, v := range []struct {
		position int
		value    float64
	}{{0, 1}, {4, 2}, {2, 1.05}, {3, 1.98}, {3, 1.42}} {
		events = append(events, Event{
			Kind: EventRan, Position: v.position, Outcome: search.OK, AtS: float64(visit),
			Run: &RunFact{Value: v.value, Visit: visit + 10, Phase: search.PhaseSearch, Why: "next to commit #2", Numbers: []Number{
				{Label: "GB/s", Value: 8 / v.value, Unit: "B/s"}, {Label: "all", Value: 1},
			}},
		})
	}
	return withSeq(events)
}

func TestNewResult(t *testing.T) {
	s := mustFold(t, smallHunt())
	hash := func(i int) string { return s.Plan.Positions[i].Commit }
	f := &search.Finding{
		Outcome: search.FoundAmong, Culprit: 4, LastGood: 2, Candidates: []int{3, 4}, Reason: "commit #3 or commit #4, not commit #99",
		EndGood: search.Level{Value: 1, N: 1}, EndBad: search.Level{Value: 2, N: 1},
		Warnings: []search.Warning{{Code: "dirty", Text: "commit #1 is odd"}, {Code: "new", Text: "n"}},
		Steps:    []search.StepFound{{Culprit: 3, LastGood: 2, Candidates: []int{3}}},
	}
	r := NewResult(s, f)
	if want := []string{hash(3), "same-as-3", hash(4)}; !slices.Equal(r.Candidates, want) {
		t.Errorf("candidates %v, want %v", r.Candidates, want)
	}
	if r.Culprit != "" || r.LastGood != hash(2) {
		t.Errorf("culprit %q, last good %q", r.Culprit, r.LastGood)
	}
	if want := "commit " + Short(hash(3)) + " or commit " + Short(hash(4)) + ", not commit #99"; r.Reason != want {
		t.Errorf("reason %q, want %q", r.Reason, want)
	}
	if len(r.Warnings) != 2 || strings.Contains(r.Warnings[0].Text, "#") {
		t.Errorf("warnings %v", r.Warnings)
	}
	var labels []string
	for _, step := range r.Steps {
		labels = append(labels, step.Label)
	}
	// 1.42 is the middle of 1 and 2 on a log scale.
	if want := []string{"", "good", "bad", "good", "bad", "between"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
	if r.Steps[0].Outcome != search.BuildFailed || r.Steps[0].Tail == "" {
		t.Errorf("a failed build in the log: %+v", r.Steps[0])
	}
	if len(r.Found) != 1 || r.Found[0].Culprit != hash(3) || len(r.Found[0].Candidates) != 1 {
		t.Errorf("found %+v", r.Found)
	}
}

// A strategy that judges commits is quoted, whatever the values are near to.
func TestNewResultQuotesVerdicts(t *testing.T) {
	s := mustFold(t, smallHunt())
	f := &search.Finding{Outcome: search.Found, Culprit: 3, LastGood: 2, EndGood: search.Level{Value: 1, N: 1}, EndBad: search.Level{Value: 2, N: 1}, Verdicts: map[int]search.Verdict{2: search.VerdictBad}}
	if r := NewResult(s, f); r.Steps[3].Label != "bad" {
		t.Errorf("label %q, want the verdict", r.Steps[3].Label)
	}
}

// No slice of a result is null in JSON, and no label is given without a gap.
func TestNewResultOfNothing(t *testing.T) {
	s := mustFold(t, smallHunt()[:1])
	for _, outcome := range []search.FindingOutcome{search.Found, search.FoundAmong, search.NoRegression, search.Undecided, search.Measured} {
		r := NewResult(s, &search.Finding{Outcome: outcome, Culprit: -1, LastGood: -1})
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "null") {
			t.Errorf("%s: null in %s", outcome, data)
		}
		if (r.Differ != nil) != (outcome == search.Measured) {
			t.Errorf("%s: differ %v", outcome, r.Differ)
		}
	}
}

func TestSecondMetric(t *testing.T) {
	events := smallHunt()
	events[4].Run.Numbers = nil // one run that did not print it
	events = append(events,
		Event{Kind: EventRan, Position: 2, Outcome: search.NoMetric, Run: &RunFact{Visit: 30, Numbers: []Number{{Label: "GB/s", Value: 7.9, Unit: "B/s"}}}},
		Event{Kind: EventRan, Position: 2, Outcome: search.Timeout, Run: &RunFact{Visit: 31}},
		Event{Kind: EventRan, Position: 1, Outcome: search.OK, Run: &RunFact{Visit: 32, Numbers: []Number{{Label: "GB/s", Value: 99, Unit: "B/s"}}}},
		Event{Kind: EventUndone, Undo: 11},
		Event{Kind: EventMarked, Position: 2, Mark: &search.Mark{Verdict: search.VerdictBad}},
		Event{Kind: EventMarked, Position: 1, Mark: &search.Mark{Verdict: search.VerdictSkip}},
		Event{Kind: EventAsked, Question: &search.Question{ID: "small_gap"}},
		Event{Kind: EventAnswered, QuestionID: "small_gap", Answer: "stop"},
		Event{Kind: EventFinished, Result: &Result{}},
	)
	s, lacking, err := SecondMetric(withSeq(events), Metric{Label: "GB/s", Unit: "B/s", Better: search.Higher})
	if err != nil {
		t.Fatal(err)
	}
	if lacking != 1 {
		t.Errorf("%d runs lack it, want 1", lacking)
	}
	var values []float64
	for _, r := range s.View.Runs {
		values = append(values, r.Value)
	}
	want := []float64{1, 1.05, 1.98, 1.42} // the run at 2 lacks it
	for i := range want {
		want[i] = 8 / want[i]
	}
	if want = append(want, 7.9, 0); !slices.Equal(values, want) {
		t.Errorf("values %v, want %v", values, want)
	}
	if s.Status != Measuring || len(s.View.Answers) != 0 || len(s.View.Marks) != 1 || s.View.Options.Better != search.Higher || s.Plan.Unit != "B/s" {
		t.Errorf("status %s, answers %v, marks %v, options %+v", s.Status, s.View.Answers, s.View.Marks, s.View.Options)
	}
	if s.View.Places[1].Failures != 1 {
		t.Error("a failed build was lost")
	}
	if _, lacking, err = SecondMetric(withSeq(events), Metric{Label: "GBps"}); err == nil || !strings.Contains(err.Error(), "GB/s, all") || lacking != 6 {
		t.Errorf("an unknown label: %d, %v", lacking, err)
	}
	if _, _, err = SecondMetric(nil, Metric{Label: "x"}); err == nil {
		t.Error("an empty journal was accepted")
	}
}
