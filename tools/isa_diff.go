package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"perfbisect/amdgpu"
	"perfbisect/internal/app"
)

type isaDiffPathArgs struct {
	Before string `json:"before" desc:"path before: folder, file or snapshot"`
	After  string `json:"after" desc:"path after"`
}

type isaDiffArgs struct {
	isaDiffPathArgs
	Repo      string   `json:"repo" desc:"instead of paths: repository folder, with"`
	BeforeRev string   `json:"before_rev" desc:"commit"`
	AfterRev  string   `json:"after_rev" desc:"commit"`
	DumpCmd   string   `json:"dump_cmd" desc:"shell command that writes machine code to {dump_dir}"`
	Options   []string `json:"options" desc:"name=value, as bisect_start: build=CMD ..."`
}

// isaDiffResult is what changed in the machine code.
type isaDiffResult struct {
	Summary   string       `json:"summary"`
	Verdict   string       `json:"verdict"` // OK, REGRESSION or NOT TRUSTWORTHY
	Compared  int          `json:"compared"`
	Total     int          `json:"total"`
	Worsened  int          `json:"worsened"`
	Improved  int          `json:"improved"`
	Rows      []isaRow     `json:"rows"`
	Problems  []isaProblem `json:"problems,omitempty"`
	Warnings  []string     `json:"warnings,omitempty"`
	Notes     []string     `json:"notes,omitempty"`
	Shortened []string     `json:"shortened,omitempty"`
	Next      string       `json:"next"`
}

// isaRow is one kernel that changed.
type isaRow struct {
	Name      string        `json:"name"`
	Side      string        `json:"side,omitempty"` // "before" or "after" when only there
	Changes   []string      `json:"changes"`        // "vgpr 128 -> 172 (+44)", in column order
	Worsened  []string      `json:"worsened,omitempty"`
	Improved  []string      `json:"improved,omitempty"`
	Occupancy *isaOccupancy `json:"occupancy,omitempty"`
	Cause     string        `json:"cause,omitempty"`
	Advice    string        `json:"advice,omitempty"`
	Blocked   []string      `json:"blocked,omitempty"` // columns that could not be compared
}

// isaOccupancy is waves per SIMD, an upper bound, and what limits it.
type isaOccupancy struct {
	Before        *int64 `json:"before"`
	After         *int64 `json:"after"`
	LimiterBefore string `json:"limiter_before,omitempty"`
	LimiterAfter  string `json:"limiter_after,omitempty"`
}

const isaDiffPathText = "Compares the machine code of two builds kernel by kernel: registers, spills, scratch, LDS, matrix ops, occupancy, with likely cause and advice; worst first. " +
	"NOT TRUSTWORTHY means that something could not be read, which is not OK. Paths: seconds."

var isaDiff = tool[isaDiffArgs, isaDiffResult]{
	name: "isa_diff", title: "Compare machine code",
	description: isaDiffPathText + " Commits: builds both in a clone, which may take several calls.",
	again:       true, limit: hardBytes, handle: diffISA,
}

var isaDiffReadOnly = tool[isaDiffPathArgs, isaDiffResult]{
	name: "isa_diff", title: "Compare machine code", description: isaDiffPathText, reads: true, again: true, limit: hardBytes,
	handle: func(ctx context.Context, s *Server, a isaDiffPathArgs) (*isaDiffResult, error) {
		return diffISA(ctx, s, isaDiffArgs{isaDiffPathArgs: a})
	},
}

func diffISA(ctx context.Context, s *Server, a isaDiffArgs) (*isaDiffResult, error) {
	paths, commits := a.Before != "" && a.After != "", a.BeforeRev != "" && a.AfterRev != "" && a.DumpCmd != ""
	if paths == commits {
		return nil, errors.New("give either before and after, or repo with before_rev, after_rev and dump_cmd")
	}
	r := app.ISARequest{Before: a.Before, After: a.After, Repo: a.Repo, BeforeRev: a.BeforeRev, AfterRev: a.AfterRev, DumpCmd: a.DumpCmd, Spec: app.DefaultSpec()}
	if r.Repo == "" && commits {
		r.Repo = "."
	}
	if err := setOptions(&r.Spec, a.Options); err != nil {
		return nil, err
	}
	key, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	d, err := inBackground(ctx, &s.jobs, "isa_diff "+string(key), s.opt.MaxWait, func(ctx context.Context) (*amdgpu.Diff, error) {
		return s.svc.DiffISA(ctx, r)
	})
	if err != nil {
		return nil, err
	}
	return isaDiffOf(d)
}

// isaDiffOf translates a comparison by its JSON form, which is the stable one.
func isaDiffOf(d *amdgpu.Diff) (*isaDiffResult, error) {
	var in struct {
		isaDiffResult
		Rows []struct {
			isaRow
			Before, After, Delta map[string]*int64
		} `json:"rows"`
	}
	if err := recode(d, &in); err != nil {
		return nil, err
	}
	r := in.isaDiffResult
	r.Rows = []isaRow{}
	for _, row := range in.Rows {
		row.Changes = []string{}
		for _, c := range amdgpu.ColumnNames() {
			if by := row.Delta[c]; by != nil && *by != 0 {
				row.Changes = append(row.Changes, fmt.Sprintf("%s %s -> %s (%+d)", c, amount(row.Before[c]), amount(row.After[c]), *by))
			}
		}
		r.Rows = append(r.Rows, row.isaRow)
	}
	r.Summary = fmt.Sprintf("%s: %d of %d kernels compared, %d worse, %d better.", r.Verdict, r.Compared, r.Total, r.Worsened, r.Improved)
	r.Next = "explain the worst row to the user; diff_hints on the two commits names source lines."
	return &r, nil
}

func amount(v *int64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprint(*v)
}

func (r *isaDiffResult) text() string {
	var b strings.Builder
	b.WriteString(r.Summary)
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "\n%s: %s", row.Name, strings.Join(row.Changes, ", "))
		if row.Cause != "" {
			fmt.Fprintf(&b, "; %s", row.Cause)
		}
		if row.Advice != "" {
			fmt.Fprintf(&b, "; %s", row.Advice)
		}
	}
	writeProblems(&b, r.Problems, r.Warnings)
	fmt.Fprintf(&b, "\nNext: %s", r.Next)
	return b.String()
}

func (r *isaDiffResult) shortened(cut []string) {
	r.Shortened = append(cut, "all of it: perfbisect isa diff BEFORE AFTER --json FILE")
}
