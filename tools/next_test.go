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
