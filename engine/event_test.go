package engine

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfbisect/engine/search"
)

var inf = math.Inf(1)

// everyEvent has one event of each kind with all the fields that it may have.
func everyEvent() []Event {
	position := Position{Commit: "c1", Same: []string{"c2"}, Parents: []int32{0}, Merge: true, Prior: 2}
	level := search.Level{Value: 1.5e-4, N: 3, CV: 0.01}
	result := &Result{
		Type: "result", Run: "r1", Outcome: search.Found, Culprit: "c1", LastGood: "c0", Candidates: []string{"c1"}, Probability: 0.992,
		Good: level, Bad: level, EndGood: level, EndBad: level, Unit: "s", Metric: "auto", Better: search.Lower, Strategy: "adaptive", ChangePct: 30, GapPct: 31, ExplainedPct: 97,
		Runs: 20, Builds: 7, ElapsedS: 60, Reason: "r", Advice: "a", Warnings: []search.Warning{{Code: "c", Text: "t", Commit: "c1"}},
		Steps: []ResultStep{{Commit: "c1", Position: 1, Phase: search.PhaseSearch, Median: 1, Values: []float64{1}, Outcome: search.OK, Label: "bad", Why: "w", Tail: "t"}},
		Found: []ResultFound{{Culprit: "c1", LastGood: "c0", Candidates: []string{"c1"}, Probability: 0.9, ChangePct: 30, Good: level, Bad: level}}, ReportPath: "report.md",
	}
	return []Event{
		{Kind: EventPlanned, Plan: &Plan{
			Positions: []Position{{Commit: "c0"}, position}, FirstParent: true, Metric: "auto", Unit: "s", MaxRuns: 9, MaxTimeS: 60,
			Options: search.Options{Strategy: "classic", Better: search.Higher, Find: "improvement", Confidence: "strict", MinGapPct: 1, NumRuns: 3, ThresholdPct: 30, WarmupRuns: 1, SkipOnFail: true, All: true, Workers: 2, Resolution: 0.1, Exact: true, Reference: 2, CodeIdentity: true},
		}},
		{Kind: EventEffect, Effect: &Effect{Step: "clone", Path: "p", Note: "n"}},
		{Kind: EventBuilt, Position: 1, Commit: "c1", Outcome: search.BuildFailed, ElapsedS: 2, Code: "h", Log: "l", Tail: "error: x"},
		{Kind: EventRan, Position: 1, Outcome: search.OK, ElapsedS: 1, Run: &RunFact{Warmup: true, Value: 1.5, Raw: "1.5 s", Resolution: 0.1, StartS: 3, Visit: 2, Worker: 1, Phase: search.PhaseEnds, Why: "w", ExitCode: 3, Signal: "KILL", Numbers: []Number{{Label: "l", Value: 2, Unit: "s"}}, Env: map[string]string{"A": "b"}, State: map[string]float64{"load1": 0.5}}},
		{Kind: EventMarked, Position: 1, Mark: &search.Mark{Verdict: search.VerdictBad, Certain: true}},
		{Kind: EventUndone, Undo: 5},
		{Kind: EventAsked, Question: &search.Question{ID: "q", Text: "?", Options: []string{"a", "b"}, Default: "a", Argument: "better"}},
		{Kind: EventAnswered, QuestionID: "q", Answer: "a"},
		{Kind: EventWarned, Warning: &search.Warning{Code: "c", Text: "t", Commit: "c1"}},
		{Kind: EventPaused, Reason: "on request"},
		{Kind: EventResumed},
		{Kind: EventNested, Nested: &Nested{Run: "r2", Kind: "merge", Result: result}},
		{Kind: EventFinished, Result: result},
		{Kind: EventFailed, Reason: "x"},
		{Kind: EventStopped, Reason: "y"},
	}
}

func TestEventsSurviveJSON(t *testing.T) {
	for i, e := range everyEvent() {
		e.V, e.Seq, e.AtS, e.T = JournalVersion, i+1, 1.25, time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC)
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsRune(data, '\n') {
			t.Errorf("%s: more than one line", e.Kind)
		}
		var back Event
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, back); diff != "" {
			t.Errorf("%s: (-written +read):\n%s", e.Kind, diff)
		}
		events, err := Fold(withSeq(everyEvent()[:i+1]))
		if err != nil {
			t.Errorf("%s: %v", e.Kind, err)
		} else if events.Seq != i+1 {
			t.Errorf("%s: sequence %d", e.Kind, events.Seq)
		}
	}
}

func withSeq(events []Event) []Event {
	for i := range events {
		events[i].Seq = i + 1
	}
	return events
}

// A field that an event of this program does not know is no reason to stop.
func TestUnknownKindsAndFieldsAreKept(t *testing.T) {
	var e Event
	if err := json.Unmarshal([]byte(`{"v":1,"seq":1,"event":"teleported","to":"mars"}`), &e); err != nil {
		t.Fatal(err)
	}
	s := mustFold(t, []Event{e})
	if s.Seq != 1 || len(s.Events()) != 1 || s.Status != "" {
		t.Errorf("state %+v", s)
	}
}

// Whatever stands in a journal: no panic, and what is accepted replays, decides
// and can be reported.
func FuzzFold(f *testing.F) {
	var journal strings.Builder
	for _, e := range withSeq(everyEvent()) {
		data, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
		journal.Write(append(data, '\n'))
	}
	f.Add(journal.String())
	f.Add(`{"seq":1,"event":"planned","plan":{"positions":[{"commit":"a"},{"commit":"b","parents":[]}]}}` + "\n" +
		`{"seq":2,"event":"ran","position":1,"outcome":"ok","run":{"value":1e308,"visit":-5}}`)
	f.Fuzz(func(t *testing.T, lines string) {
		s := &State{}
		for line := range strings.Lines(lines) {
			var e Event
			if json.Unmarshal([]byte(line), &e) != nil {
				continue
			}
			e.Seq = s.Seq + 1
			_ = s.Apply(e) // refused facts are the point
		}
		for _, planner := range []search.Planner{search.Classic{}, search.Compare{}} {
			d := s.Next(planner)
			if d.Finding == nil || s.Plan == nil {
				continue
			}
			if _, err := json.Marshal(NewResult(s, d.Finding)); err != nil {
				t.Error(err)
			}
		}
	})
}
