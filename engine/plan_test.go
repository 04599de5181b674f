package engine

import (
	"math"
	"strings"
	"testing"

	"perfbisect/engine/search"
)

func TestPlanValidate(t *testing.T) {
	two := []Position{{Commit: "a"}, {Commit: "b"}}
	tests := []struct {
		name string // why it is refused or not
		plan Plan
		want string // part of the error; "" when accepted
	}{
		{"two commits", Plan{Positions: two}, ""},
		{"nothing", Plan{}, "0 positions"},
		{"one commit is no range", Plan{Positions: two[:1]}, "1 positions"},
		{"one commit can be measured", Plan{Positions: two[:1], Options: search.Options{Strategy: "compare"}}, ""},
		{"none cannot", Plan{Options: search.Options{Strategy: "compare"}}, "0 positions"},
		{"a position without a commit", Plan{Positions: []Position{{Commit: "a"}, {}}}, "position 1 has no commit"},
		{"a negative weight", Plan{Positions: []Position{{Commit: "a"}, {Commit: "b", Prior: -1}}}, "prior of position 1"},
		{"a weight that is no number", Plan{Positions: []Position{{Commit: "a"}, {Commit: "b", Prior: math.NaN()}}}, "prior of position 1"},
		{"a parent after its child", Plan{Positions: []Position{{Commit: "a"}, {Commit: "b", Parents: []int32{1}}}}, "position 1 has parent 1"},
		{"a negative parent", Plan{Positions: []Position{{Commit: "a"}, {Commit: "b", Parents: []int32{-1}}}}, "position 1 has parent -1"},
		{"no parent in the range", Plan{Positions: []Position{{Commit: "a"}, {Commit: "b", Parents: []int32{}}}}, ""},
	}
	for _, test := range tests {
		err := test.plan.Validate()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestIndexOf(t *testing.T) {
	p := Plan{Positions: []Position{{Commit: "a"}, {Commit: "b", Same: []string{"c", "d"}}}}
	for commit, want := range map[string]int{"a": 0, "b": 1, "c": 1, "d": 1, "e": -1, "": -1} {
		if got := p.IndexOf(commit); got != want {
			t.Errorf("IndexOf(%q) = %d, want %d", commit, got, want)
		}
	}
}

// What a planner sees of the plan: nil stands for the usual.
func TestViewOfAPlan(t *testing.T) {
	plain := mustFold(t, []Event{{Seq: 1, Kind: EventPlanned, Plan: testPlan(3, search.Options{})}})
	if v := plain.View; v.N != 2 || v.Prior != nil || v.Parents != nil || v.Merge(1) {
		t.Errorf("a line: %+v", v)
	}
	plan := testPlan(3, search.Options{})
	plan.Positions[1].Prior, plan.Positions[1].Merge, plan.Positions[2].Parents = 3, true, []int32{0}
	v := mustFold(t, []Event{{Seq: 1, Kind: EventPlanned, Plan: plan}}).View
	if len(v.Prior) != 3 || v.Prior[0] != 1 || v.Prior[1] != 3 || !v.Merge(1) || len(v.Parents) != 3 || v.Parents[1] != nil {
		t.Errorf("branches: %+v", v)
	}
}

func TestExhausted(t *testing.T) {
	tests := []struct {
		runs  int
		timeS float64
		want  bool
	}{
		{0, 0, false}, {2, 0, false}, {1, 0, true}, {0, 10, true}, {0, 10.5, false}, {5, 3, true},
	}
	for _, test := range tests {
		plan := testPlan(2, search.Options{})
		plan.MaxRuns, plan.MaxTimeS = test.runs, test.timeS
		s := mustFold(t, []Event{
			{Seq: 1, Kind: EventPlanned, Plan: plan},
			{Seq: 2, AtS: 5, Kind: EventRan, Outcome: search.OK, Run: &RunFact{Warmup: true, Value: 1}}, // costs no run
			{Seq: 3, AtS: 10, Kind: EventRan, Outcome: search.Timeout, Run: &RunFact{}},
		})
		if got := s.Exhausted(); got != test.want {
			t.Errorf("%+v: exhausted %v", test, got)
		}
		d := s.Next(search.Classic{})
		if (d.Kind == search.Done) != test.want {
			t.Errorf("%+v: decides %v", test, d.Kind)
		}
	}
}

func TestNewPlanner(t *testing.T) {
	for strategy, want := range map[string]search.Planner{"classic": search.Classic{}, "compare": search.Compare{}, "adaptive": search.Adaptive{}, "": search.Adaptive{}} {
		if got := New(search.Options{Strategy: strategy}); got != want {
			t.Errorf("%q: %T, want %T", strategy, got, want)
		}
	}
}

// Undo takes back what the user did last, never a measurement.
func TestLastUndoable(t *testing.T) {
	events := withSeq([]Event{
		{Kind: EventPlanned, Plan: testPlan(2, search.Options{})},
		{Kind: EventAsked, Question: &search.Question{ID: "q"}},
		{Kind: EventAnswered, QuestionID: "q", Answer: "a"},
		{Kind: EventMarked, Mark: &search.Mark{Verdict: search.VerdictBad}},
		{Kind: EventRan, Outcome: search.OK, Run: &RunFact{Value: 1}},
		{Kind: EventUndone, Undo: 4},
		{Kind: EventUndone, Undo: 3},
	})
	for n, want := range map[int]int{1: 0, 2: 0, 3: 3, 4: 4, 5: 4, 6: 3, 7: 0} {
		if got := mustFold(t, events[:n]).LastUndoable(); got != want {
			t.Errorf("after %d facts: %d, want %d", n, got, want)
		}
	}
}

// A nested hunt is one entry, however often it is heard of.
func TestNestedHunts(t *testing.T) {
	s := mustFold(t, withSeq([]Event{
		{Kind: EventPlanned, Plan: testPlan(2, search.Options{})},
		{Kind: EventNested, Nested: &Nested{Run: "r1", Kind: "merge"}},
		{Kind: EventNested, Nested: &Nested{Run: "r2", Kind: "pin"}},
		{Kind: EventNested, Nested: &Nested{Run: "r1", Kind: "merge", Result: &Result{Culprit: "c"}}},
	}))
	if len(s.Nested) != 2 || s.Nested[0].Result == nil || s.Nested[1].Run != "r2" {
		t.Errorf("%+v", s.Nested)
	}
}
