package tools

import (
	"fmt"
	"strings"

	"perfbisect/engine"
	"perfbisect/internal/app"
)

// run is the result of every tool that is about one run: what the app says,
// with the verdict first and the next call last, which is what survives when a
// client cuts the middle out.
type run struct {
	Summary    string         `json:"summary"`
	RunID      string         `json:"run_id,omitempty"`
	State      string         `json:"state,omitempty"`
	Question   *question      `json:"question,omitempty"`
	Result     *engine.Result `json:"result,omitempty"`
	Reason     string         `json:"reason,omitempty"`
	Range      *app.Range     `json:"range,omitempty"`
	Progress   *app.Progress  `json:"progress,omitempty"`
	Warnings   []warning      `json:"warnings,omitempty"`
	Runs       []app.Brief    `json:"runs,omitempty"` // bisect_status without run_id
	ReportPath string         `json:"report_path,omitempty"`
	Shortened  []string       `json:"shortened,omitempty"`
	Next       string         `json:"next"`
}

// question is something that only the user can decide.
type question struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Options  []string `json:"options,omitempty"`
	Default  string   `json:"default,omitempty"`
	Argument string   `json:"argument,omitempty"`
}

type warning struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	Commit string `json:"commit,omitempty"`
}

// runOf translates a status.
func runOf(st *app.Status) *run {
	r := &run{
		Summary: st.Summary, RunID: st.RunID, State: string(st.State), Result: st.Result, Reason: st.Reason,
		Range: &st.Range, Progress: &st.Progress, ReportPath: st.Report, Next: next(st),
	}
	if q := st.Question; q != nil {
		r.Question = &question{q.ID, q.Text, q.Options, q.Default, q.Argument}
	}
	for _, w := range st.Warnings {
		r.Warnings = append(r.Warnings, warning{w.Code, w.Text, w.Commit})
	}
	return r
}

// statusOf is runOf for the pair that the app returns.
func statusOf(st *app.Status, err error) (*run, error) {
	if err != nil {
		return nil, err
	}
	return runOf(st), nil
}

func (r *run) shortened(cut []string) {
	r.Shortened = cut
	if r.ReportPath != "" {
		r.Shortened = append(r.Shortened, "all of it: "+r.ReportPath)
	} else if r.RunID != "" {
		r.Shortened = append(r.Shortened, "all of it: resource run://"+r.RunID+"/report?format=json")
	}
}

func (r *run) text() string {
	var b strings.Builder
	b.WriteString(r.Summary)
	if q := r.Question; q != nil {
		fmt.Fprintf(&b, "\nQuestion %s: %s", q.ID, q.Text)
		if len(q.Options) > 0 {
			fmt.Fprintf(&b, "\nOptions: %s", strings.Join(q.Options, " | "))
		}
		if q.Default != "" {
			fmt.Fprintf(&b, "\nDefault: %s", q.Default)
		}
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "\nWarning: %s", w.Text)
	}
	for _, o := range r.Runs {
		fmt.Fprintf(&b, "\n%s  %s  %s  %s", o.RunID, o.State, o.Started, o.Summary)
	}
	if r.ReportPath != "" {
		fmt.Fprintf(&b, "\nReport: %s", r.ReportPath)
	}
	fmt.Fprintf(&b, "\nNext: %s", r.Next)
	return b.String()
}

// next is the call that goes on from a status. It names the command-line twin
// where a model would otherwise poll: each poll costs it a turn.
func next(st *app.Status) string {
	switch st.State {
	case engine.Measuring:
		return fmt.Sprintf("call bisect_status with run_id %q; it waits for news. Where you can run commands in the background, `perfbisect wait %s` ends when the run does, without polling.", st.RunID, st.RunID)
	case engine.NeedsInput:
		if q := st.Question; q != nil {
			return fmt.Sprintf("ask the user, then call bisect_answer with run_id %q, question_id %q and answer. The run waits meanwhile.", st.RunID, q.ID)
		}
	case engine.Completed:
		if st.Result != nil && st.Result.Culprit != "" {
			return fmt.Sprintf("call diff_hints with run_id %q for likely causes, bisect_report for the full report.", st.RunID)
		}
	case engine.Paused:
		if st.Next == "" {
			return fmt.Sprintf("call bisect_step with run_id %q to go on (steps 0: to the end), or bisect_stop with action finish.", st.RunID)
		}
	}
	if st.Next != "" {
		return st.Next
	}
	return fmt.Sprintf("call bisect_report with run_id %q.", st.RunID)
}
