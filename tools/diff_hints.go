package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"perfbisect/internal/app"
)

type hintsArgs struct {
	RunID     string `json:"run_id" desc:"look at this run's culprit; or"`
	Repo      string `json:"repo" desc:"repository folder, with"`
	BeforeRev string `json:"before_rev" also:"from" desc:"commit before"`
	AfterRev  string `json:"after_rev" also:"to" desc:"commit after"`
}

// hintList is what a diff says about why it is slow, the likeliest first.
type hintList struct {
	Summary      string   `json:"summary"`
	Hints        []hint   `json:"hints"`
	Note         string   `json:"note,omitempty"`
	FilesRead    int      `json:"files_read"`
	FilesSkipped []string `json:"files_skipped,omitempty"` // "file: reason"
	Omitted      int      `json:"omitted,omitempty"`
	Shortened    []string `json:"shortened,omitempty"`
	Next         string   `json:"next"`
}

type hint struct {
	Where      string `json:"where"` // file:line
	Pattern    string `json:"pattern"`
	Cause      string `json:"cause"`
	Before     string `json:"before,omitempty"`
	After      string `json:"after,omitempty"`
	Confidence string `json:"confidence"` // high, medium or low
	Reason     string `json:"reason"`
}

var diffHints = tool[hintsArgs, hintList]{
	name:  "diff_hints",
	title: "Likely causes in a diff",
	description: "Reads the diff of two commits, or of a run's culprit, for changes that are known to slow GPU kernels (tile sizes, barriers, dtypes, launch bounds, masks, flags ...): " +
		"file, line, before, after, likely cause, how sure. Hints, not proof: isa_diff or a measurement confirms them. Seconds; runs nothing.",
	reads: true, again: true, handle: showHints,
}

func showHints(ctx context.Context, s *Server, a hintsArgs) (*hintList, error) {
	if a.RunID == "" && (a.BeforeRev == "" || a.AfterRev == "") {
		return nil, errors.New("give run_id, or repo with before_rev and after_rev")
	}
	if a.Repo == "" && a.RunID == "" {
		a.Repo = "."
	}
	r, err := s.svc.Hints(ctx, app.HintsRequest{Repo: a.Repo, From: a.BeforeRev, To: a.AfterRev, RunID: a.RunID})
	if err != nil {
		return nil, err
	}
	l := &hintList{Hints: []hint{}, Note: r.Note, FilesRead: r.FilesRead, Omitted: r.Omitted}
	for _, h := range r.Hints {
		line := h.Line
		if line == 0 {
			line = h.OldLine
		}
		l.Hints = append(l.Hints, hint{fmt.Sprintf("%s:%d", h.File, line), h.Pattern, h.Cause, h.Before, h.After, h.Confidence, h.Reason})
	}
	for _, f := range r.FilesSkipped {
		l.FilesSkipped = append(l.FilesSkipped, f.File+": "+f.Reason)
	}
	l.Summary, l.Next = l.sentence(), "read the named lines; compare the machine code of both commits with isa_diff, or measure a fix with baseline_measure."
	if len(l.Hints) == 0 {
		l.Next = "read the diff itself; compare the machine code of both commits with isa_diff."
		if a.RunID != "" {
			l.Next = fmt.Sprintf("call bisect_report with run_id %q and detail \"diff\" to read the diff itself; compare the machine code of both commits with isa_diff.", a.RunID)
		}
	}
	return l, nil
}

func (l *hintList) sentence() string {
	if len(l.Hints) == 0 {
		return fmt.Sprintf("No known pattern (files read: %d, skipped: %d); that does not clear the commit.", l.FilesRead, len(l.FilesSkipped))
	}
	h := l.Hints[0]
	return fmt.Sprintf("Hints: %d. The likeliest, with %s confidence: %s at %s.", len(l.Hints), h.Confidence, h.Pattern, h.Where)
}

func (l *hintList) text() string {
	var b strings.Builder
	b.WriteString(l.Summary)
	for _, h := range l.Hints {
		fmt.Fprintf(&b, "\n%s [%s] %s: %s\n  - %s\n  + %s", h.Where, h.Confidence, h.Pattern, h.Cause, h.Before, h.After)
	}
	fmt.Fprintf(&b, "\nNext: %s", l.Next)
	return b.String()
}

func (l *hintList) shortened(cut []string) { l.Shortened = cut }
