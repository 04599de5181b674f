package tools

import (
	"bytes"
	"context"
	"fmt"

	"perfbisect/engine"
	"perfbisect/internal/app"
)

type reportArgs struct {
	RunID  string `json:"run_id" need:"true" desc:"the run"`
	Format string `json:"format" enum:"text,markdown,json" desc:"default text"`
	Detail string `json:"detail" enum:"summary,steps,diff" desc:"steps (default) has the log; diff adds the culprit's diff"`
}

// report is a run's report.
type report struct {
	Summary    string   `json:"summary"`
	Format     string   `json:"format"`
	Report     string   `json:"report"`
	ReportPath string   `json:"report_path,omitempty"`
	Resources  []string `json:"resources"` // the same and more, unshortened
	Shortened  []string `json:"shortened,omitempty"`
	Next       string   `json:"next"`
}

var bisectReport = tool[reportArgs, report]{
	name:        "bisect_report",
	title:       "Report of a run",
	description: "The report of a run, finished or not: commit, author, message, before and after, how sure, files changed, every step measured. At most 30 KB; the rest is in report_path and resources.",
	reads:       true, again: true, limit: hardBytes,
	defaults: func() reportArgs { return reportArgs{Format: "text", Detail: "steps"} },
	handle:   showReport,
}

func showReport(ctx context.Context, s *Server, a reportArgs) (*report, error) {
	st, err := s.svc.Status(ctx, a.RunID)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := s.svc.Report(ctx, a.RunID, a.Format, a.Detail, &text); err != nil {
		return nil, err
	}
	return &report{
		Summary: st.Summary, Format: a.Format, Report: text.String(), ReportPath: st.Report,
		Resources: []string{"run://" + st.RunID + "/report?format=" + a.Format, "run://" + st.RunID + "/chart.svg"},
		Next:      afterReport(st),
	}, nil
}

// afterReport is what comes next for one who has the report already.
func afterReport(st *app.Status) string {
	switch {
	case st.State != engine.Completed:
		return next(st)
	case st.Result != nil && st.Result.Culprit != "":
		return fmt.Sprintf("tell the user; diff_hints with run_id %q for likely causes.", st.RunID)
	}
	return "tell the user what was found, and what the report advises."
}

func (r *report) text() string { return fmt.Sprintf("%s\n\nNext: %s", r.Report, r.Next) }

func (r *report) shortened(cut []string) {
	r.Shortened = append(cut, "all of it: resource "+r.Resources[0])
}
