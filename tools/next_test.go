package tools

import (
	"context"
	"strings"
	"testing"

	"perfbisect/engine"
	"perfbisect/internal/app"
	"perfbisect/internal/hints"
)

// TestAfterReport: who has the report is not sent for it again.
func TestAfterReport(t *testing.T) {
	for _, row := range []struct {
		name string
		st   app.Status
		want string
	}{
		{"a commit is named", app.Status{State: engine.Completed, Result: &engine.Result{Culprit: "c0ffee"}}, "diff_hints"},
		{"none is", app.Status{State: engine.Completed, Result: &engine.Result{}}, "advises"},
		{"it goes on", app.Status{State: engine.Measuring, Next: "call bisect_status"}, "bisect_status"},
	} {
		row.st.RunID = "r1"
		if got := afterReport(&row.st); !strings.Contains(got, row.want) || strings.Contains(got, "bisect_report") {
			t.Errorf("%s: %q", row.name, got)
		}
	}
}

// noHints is a fake whose diffs have no known pattern.
type noHints struct{ *fake }

func (noHints) Hints(context.Context, app.HintsRequest) (*hints.Report, error) {
	return &hints.Report{FilesRead: 2}, nil
}

// TestNoHints: without hints there are no lines to read.
func TestNoHints(t *testing.T) {
	for named, svc := range map[bool]app.Service{true: newFake(), false: noHints{newFake()}} {
		l, err := showHints(t.Context(), &Server{svc: svc}, hintsArgs{RunID: "r1"})
		if err != nil || strings.Contains(l.Next, "named lines") != named {
			t.Errorf("%+v, %v", l, err)
		}
	}
}

// TestStanding: who sees the text only hears what a step measured, and what is left.
func TestStanding(t *testing.T) {
	p := &app.Progress{Now: "step 4 a70c8fb: 10.03 ms", Left: 11, Why: "commit 6768301 is slow with probability 45 %"}
	tests := []struct {
		why  string
		run  run
		want string
	}{
		{"between steps", run{State: "paused", Progress: p}, "\nLast: step 4 a70c8fb: 10.03 ms\nCommits left: 11\nNext step: commit 6768301 is slow with probability 45 %"},
		{"at work, which the summary says", run{State: "measuring", Progress: p}, "\nLast: step 4 a70c8fb: 10.03 ms"},
		{"nothing measured", run{State: "measuring", Progress: &app.Progress{}}, ""},
		{"ended", run{State: "completed", Progress: p, Result: &engine.Result{}}, ""},
		{"failed", run{State: "failed", Progress: p}, ""},
		{"a list", run{}, ""},
	}
	for _, tt := range tests {
		if got := tt.run.standing(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
}

// TestMarkSaysSo: the answer to a mark says first that the run has it.
func TestMarkSaysSo(t *testing.T) {
	f := newFake()
	s := New(f, Options{})
	defer s.Close()
	if _, err := f.Start(t.Context(), app.DefaultSpec()); err != nil {
		t.Fatal(err)
	}
	for verdict, want := range map[string]string{"skip": "HEAD~3 is marked skip. ", "clear": "The verdict on HEAD~3 is forgotten. ", "undo": "The last mark or answer is taken back. "} {
		if got := answerTo(t, s, "bisect_mark", map[string]any{"run_id": "r1", "commit": "HEAD~3", "verdict": verdict}); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", verdict, got)
		}
	}
}
