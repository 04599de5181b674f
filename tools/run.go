package tools

import (
	"context"
	"encoding/json"
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
	if note := flagNote(r.words(), startNames); note != "" {
		r.Next += ". " + note
	}
	r.leaveSteps()
	return r
}

// words is what a run says in the app's words.
func (r *run) words() string {
	words := []string{r.Summary, r.Reason}
	if r.Question != nil {
		words = append(words, r.Question.Text)
	}
	for _, w := range r.Warnings {
		words = append(words, w.Text)
	}
	return strings.Join(words, "\n")
}

// leanBytes is the size of a result in JSON from which it leaves its steps, which
// are most of it and change nothing in the answer, to bisect_report.
const leanBytes = 4 << 10

func (r *run) leaveSteps() {
	if r.Result == nil || len(r.Result.Steps) == 0 {
		return
	}
	if text, err := json.Marshal(r); err != nil || len(text) <= leanBytes {
		return
	}
	lean := *r.Result
	lean.Steps = []engine.ResultStep{}
	r.Shortened = append(r.Shortened, fmt.Sprintf("result.steps had %d items: bisect_report shows them", len(r.Result.Steps)))
	r.Result = &lean
}

// begun is the status that start, which makes a run, returns. Only one call at a
// time looks for a run like its own and makes one when there is none: of
// twenty clients that ask for the same hunt at once, nineteen are to find it.
func (s *Server) begun(ctx context.Context, start func() (*app.Status, error)) (*app.Status, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
		return start()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// statusOf is runOf for the pair that the app returns.
func statusOf(st *app.Status, err error) (*run, error) {
	if err != nil {
		return nil, err
	}
	return runOf(st), nil
}

func (r *run) shortened(cut []string) {
	r.Shortened = append(r.Shortened, cut...)
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
	b.WriteString(r.standing())
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

// standing is where a run stands that has no answer yet: what it measured last,
// and, for one that waits to be told to go on, what is left and what comes.
func (r *run) standing() string {
	p := r.Progress
	if p == nil || r.Result != nil || p.Now == "" || engine.Status(r.State).Ended() {
		return ""
	}
	text := "\nLast: " + p.Now
	if r.State == string(engine.Paused) {
		text += fmt.Sprintf("\nCommits left: %d", p.Left)
		if p.Why != "" {
			text += "\nNext step: " + p.Why
		}
	}
	return text
}

// next is what the app says comes next, and where machine help starts once a
// commit is named.
func next(st *app.Status) string {
	if st.State == engine.Completed && st.Result != nil && st.Result.Culprit != "" {
		return fmt.Sprintf("%s; diff_hints with run_id %q for likely causes.", st.Next, st.RunID)
	}
	return st.Next
}
