package engine

import (
	"testing"

	"perfbisect/engine/search"
)

// A note replaces the one of its kind, also before there is a plan; a refuted
// identity turns the use of equal code off and leaves the plan as it was.
func TestNotesAndRefutedIdentity(t *testing.T) {
	plan := &Plan{Positions: []Position{{Commit: "a"}, {Commit: "b"}}, Options: search.Options{CodeIdentity: true}}
	events := []Event{
		{Kind: EventNoted, Note: &Note{Kind: "ladder", Title: "one"}},
		{Kind: EventPlanned, Plan: plan},
		{Kind: EventNoted, Note: &Note{Kind: "ladder", Title: "two"}},
		{Kind: EventNoted, Note: &Note{Kind: "matrix"}},
		{Kind: EventWarned, Warning: &search.Warning{Code: WarnedIdentityRefuted}},
	}
	s := &State{}
	for i, e := range events {
		e.V, e.Seq = JournalVersion, i+1
		if err := s.Apply(e); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.Notes) != 2 || s.Note("ladder").Title != "two" || s.Note("none") != nil {
		t.Errorf("notes are %+v", s.Notes)
	}
	if s.View.Options.CodeIdentity || !s.Plan.Options.CodeIdentity {
		t.Errorf("identity is %v in the view and %v in the plan", s.View.Options.CodeIdentity, s.Plan.Options.CodeIdentity)
	}
	if err := s.Apply(Event{V: JournalVersion, Seq: len(events) + 1, Kind: EventNoted}); err == nil {
		t.Error("a note without content was accepted")
	}
}
