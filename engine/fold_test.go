package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"perfbisect/engine/search"
)

// sameState compares everything that follows from a journal. Functions of a
// plan are compared through the plan.
var sameState = cmp.Options{
	cmp.AllowUnexported(State{}),
	cmp.Comparer(func(a, b func(int) bool) bool { return (a == nil) == (b == nil) }),
}

func testPlan(n int, o search.Options) *Plan {
	p := &Plan{Metric: "auto", Unit: "s", FirstParent: true, Options: o}
	for i := range n {
		p.Positions = append(p.Positions, Position{Commit: fmt.Sprintf("%040x", 0xabc000+i)})
	}
	return p
}

var outcomes = []search.Outcome{
	search.OK, search.OK, search.OK, search.BuildFailed, search.RunFailed,
	search.Timeout, search.NoMetric, search.GPUFault, search.Skipped,
}

// facts draws a journal that starts with a plan and could have happened.
func facts(t *rapid.T) []Event {
	n := rapid.IntRange(2, 9).Draw(t, "positions")
	events := []Event{{V: 1, Seq: 1, Kind: EventPlanned, Plan: testPlan(n, search.Options{Better: search.Lower})}}
	undoable := []int{}
	for seq := 2; seq < 2+rapid.IntRange(0, 30).Draw(t, "facts"); seq++ {
		e := fact(t, n, undoable)
		e.V, e.Seq, e.AtS = 1, seq, float64(seq)
		if e.Kind.undoable() {
			undoable = append(undoable, seq)
		}
		if e.Kind == EventUndone {
			undoable = slices.DeleteFunc(undoable, func(s int) bool { return s == e.Undo })
		}
		events = append(events, e)
	}
	return events
}

func fact(t *rapid.T, positions int, undoable []int) Event {
	kinds := []EventKind{
		EventBuilt, EventRan, EventRan, EventRan, EventMarked, EventAsked, EventAnswered, EventWarned, EventEffect,
		EventPaused, EventResumed, EventNested, EventFinished, EventFailed, EventStopped, "from_the_future",
	}
	if len(undoable) > 0 {
		kinds = append(kinds, EventUndone, EventUndone)
	}
	e := Event{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	p := rapid.IntRange(0, positions-1).Draw(t, "position")
	switch e.Kind {
	case EventBuilt:
		e.Position, e.Outcome, e.ElapsedS = p, rapid.SampledFrom(outcomes).Draw(t, "outcome"), 3
	case EventRan:
		e.Position, e.Outcome, e.ElapsedS = p, rapid.SampledFrom(outcomes).Draw(t, "outcome"), 1
		e.Run = &RunFact{
			Value: rapid.Float64Range(0.1, 10).Draw(t, "value"), Visit: rapid.IntRange(0, 9).Draw(t, "visit"),
			Warmup: rapid.Bool().Draw(t, "warmup"), Resolution: rapid.Float64Range(0, 1).Draw(t, "resolution"),
		}
	case EventMarked:
		v := []search.Verdict{search.VerdictGood, search.VerdictBad, search.VerdictSkip, search.VerdictClear}
		e.Position, e.Mark = p, &search.Mark{Verdict: rapid.SampledFrom(v).Draw(t, "verdict")}
	case EventAsked:
		e.Question = &search.Question{ID: fmt.Sprint("q", p), Text: "?"}
	case EventAnswered:
		e.QuestionID, e.Answer = fmt.Sprint("q", p), "yes"
	case EventWarned:
		e.Warning = &search.Warning{Code: "c", Text: "t"}
	case EventEffect:
		e.Effect = &Effect{Step: "checkout"}
	case EventNested:
		e.Nested = &Nested{Run: fmt.Sprint("r", p), Kind: "merge"}
	case EventFinished:
		e.Result = &Result{Type: "result", Outcome: search.Found}
	case EventUndone:
		e.Undo = rapid.SampledFrom(undoable).Draw(t, "undo")
	}
	return e
}

func mustFold(t rapid.TB, events []Event) *State {
	t.Helper()
	s, err := Fold(events)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Replaying a journal, at once or fact by fact, gives the same state.
func TestReplayGivesTheSameState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := facts(t)
		one := &State{}
		for i, e := range events {
			if err := one.Apply(e); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(mustFold(t, events[:i+1]), one, sameState...); diff != "" {
				t.Fatalf("after event %d (-replayed +lived):\n%s", i+1, diff)
			}
		}
		a, b := one.Next(search.Classic{}), mustFold(t, events).Next(search.Classic{})
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("decisions differ:\n%s", diff)
		}
	})
}

// A fact that is taken back leaves the state as if it had never been, but for
// the count of facts, the clock, and a question that is asked again if open.
func TestUndoIsAnExactInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := facts(t)
		before := mustFold(t, events)
		e := fact(t, len(before.Plan.Positions), nil)
		for !e.Kind.undoable() {
			e = fact(t, len(before.Plan.Positions), nil)
		}
		e.Seq = len(events) + 1
		after := mustFold(t, append(slices.Clone(events), e, Event{Seq: e.Seq + 1, Kind: EventUndone, Undo: e.Seq}))
		if n := len(after.events); after.events[n-1].Kind != EventUndone || n != len(before.events)+1 {
			t.Fatalf("%d facts after an undo, %d before", n, len(before.events))
		}
		before.dropQuestion()
		after.events, after.Seq = before.events, before.Seq
		if diff := cmp.Diff(before, after, sameState...); diff != "" {
			t.Fatalf("(-before +after):\n%s", diff)
		}
	})
}

// A mark and its clearing are inverses too, as far as the planner can see.
func TestClearIsTheInverseOfAMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := facts(t)
		before := mustFold(t, events)
		p := rapid.IntRange(0, len(before.Plan.Positions)-1).Draw(t, "position")
		if _, marked := before.View.Marks[p]; marked {
			t.Skip("marked before")
		}
		seq := before.Seq
		after := mustFold(t, append(
			slices.Clone(events),
			Event{Seq: seq + 1, Kind: EventMarked, Position: p, Mark: &search.Mark{Verdict: search.VerdictBad}},
			Event{Seq: seq + 2, Kind: EventMarked, Position: p, Mark: &search.Mark{Verdict: search.VerdictClear}},
		))
		if diff := cmp.Diff(before.View, after.View, sameState...); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A fact that is refused changes nothing.
func TestApplyOnErrorChangesNothing(t *testing.T) {
	tests := []struct {
		name string // why it is refused
		e    Event
	}{
		{"a version of the future", Event{V: JournalVersion + 1, Kind: EventPaused}},
		{"a gap in the sequence", Event{Seq: 99, Kind: EventPaused}},
		{"a position past the end", Event{Kind: EventRan, Position: 3, Outcome: search.OK, Run: &RunFact{Value: 1}}},
		{"a negative position", Event{Kind: EventBuilt, Position: -1}},
		{"a run without a run", Event{Kind: EventRan}},
		{"a mark without a verdict", Event{Kind: EventMarked}},
		{"a question without one", Event{Kind: EventAsked}},
		{"an answer to nothing", Event{Kind: EventAnswered, Answer: "yes"}},
		{"an end without a result", Event{Kind: EventFinished}},
		{"a warning without text", Event{Kind: EventWarned}},
		{"an effect without content", Event{Kind: EventEffect}},
		{"a nested hunt without content", Event{Kind: EventNested}},
		{"nothing to undo", Event{Kind: EventUndone, Undo: 1}},
		{"a second plan", Event{Kind: EventPlanned, Plan: testPlan(2, search.Options{})}},
		{"no plan in a plan", Event{Kind: EventPlanned}},
		{"a value that is no number", Event{Kind: EventRan, Outcome: search.OK, Run: &RunFact{Value: inf}}},
		{"a time that is no number", Event{Kind: EventPaused, AtS: inf}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			events := []Event{
				{Seq: 1, Kind: EventPlanned, Plan: testPlan(3, search.Options{})},
				{Seq: 2, Kind: EventRan, Position: 1, Outcome: search.OK, Run: &RunFact{Value: 1, Visit: 1}},
			}
			s := mustFold(t, events)
			if test.e.Seq == 0 {
				test.e.Seq = 3
			}
			if err := s.Apply(test.e); err == nil {
				t.Fatal("accepted")
			}
			if diff := cmp.Diff(mustFold(t, events), s, sameState...); diff != "" {
				t.Errorf("changed:\n%s", diff)
			}
		})
	}
}

func TestFactsBeforeAPlan(t *testing.T) {
	s := mustFold(t, []Event{
		{Seq: 1, Kind: EventAsked, Question: &search.Question{ID: "metric"}},
		{Seq: 2, Kind: EventAnswered, QuestionID: "metric", Answer: "name:ms"},
	})
	if s.Status != Measuring || s.Question != nil {
		t.Errorf("status %s, question %v", s.Status, s.Question)
	}
	if d := s.Next(search.Classic{}); d.Kind != search.Done || d.Finding != nil {
		t.Errorf("a hunt without a plan decides %+v", d)
	}
	if err := s.Apply(Event{Seq: 3, Kind: EventRan, Run: &RunFact{}}); err == nil {
		t.Error("a run without a plan was accepted")
	}
	if err := s.Apply(Event{Seq: 3, Kind: EventPlanned, Plan: testPlan(2, search.Options{})}); err != nil {
		t.Fatal(err)
	}
	if s.View.Answers["metric"] != "name:ms" {
		t.Error("the plan lost an answer")
	}
}

// An end is final: what comes after it is kept and changes no status.
func TestAnEndIsFinal(t *testing.T) {
	for _, end := range []Event{{Kind: EventFinished, Result: &Result{}}, {Kind: EventFailed}, {Kind: EventStopped}} {
		events := []Event{{Kind: EventPlanned, Plan: testPlan(2, search.Options{})}, end}
		events = append(events, Event{Kind: EventWarned, Warning: &search.Warning{Code: "cleanup"}}, Event{Kind: EventAsked, Question: &search.Question{ID: "late"}},
			Event{Kind: EventResumed}, Event{Kind: EventPaused}, Event{Kind: EventMarked, Mark: &search.Mark{Verdict: search.VerdictBad}})
		for i := range events {
			events[i].Seq = i + 1
		}
		want := mustFold(t, events[:2]).Status
		s := mustFold(t, events)
		if s.Status != want || !s.Status.Ended() || s.Question != nil || len(s.Warnings) != 1 {
			t.Errorf("%s became %s, question %v, warnings %v", want, s.Status, s.Question, s.Warnings)
		}
	}
}

// A mark may settle what a question asks, so the planner is heard again.
func TestAMarkWithdrawsTheQuestion(t *testing.T) {
	s := mustFold(t, []Event{
		{Seq: 1, Kind: EventPlanned, Plan: testPlan(3, search.Options{})},
		{Seq: 2, Kind: EventAsked, Question: &search.Question{ID: "ambiguous:1"}},
		{Seq: 3, Kind: EventMarked, Position: 1, Mark: &search.Mark{Verdict: search.VerdictBad}},
	})
	if s.Question != nil || s.Status != Measuring {
		t.Errorf("question %v, status %s", s.Question, s.Status)
	}
}

// Two workers' runs arrive in turn; each stays with its visit.
func TestVisitsOfSeveralWorkers(t *testing.T) {
	events := []Event{{Kind: EventPlanned, Plan: testPlan(4, search.Options{Workers: 2})}}
	for k := range 6 {
		events = append(events, Event{Kind: EventRan, Position: 1 + k%2, Outcome: search.OK, Run: &RunFact{Value: float64(k), Visit: 1 + k%2, Worker: k % 2}})
	}
	s := mustFold(t, withSeq(events))
	if len(s.Visits) != 2 || len(s.Visits[0].Values) != 3 || len(s.Visits[1].Values) != 3 || s.NextVisit() != 3 {
		t.Errorf("visits %+v", s.Visits)
	}
}

func BenchmarkFold(b *testing.B) {
	events := []Event{{Kind: EventPlanned, Plan: testPlan(1000, search.Options{})}}
	for k := range 5000 {
		events = append(events, Event{Kind: EventRan, Position: k % 1000, Outcome: search.OK, Run: &RunFact{Value: 1, Visit: k / 3}})
	}
	events = withSeq(events)
	b.ReportMetric(float64(len(events)), "events")
	for b.Loop() {
		if _, err := Fold(events); err != nil {
			b.Fatal(err)
		}
	}
}
