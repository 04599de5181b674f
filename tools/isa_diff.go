package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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
	Summary   string   `json:"summary"`
	Verdict   string   `json:"verdict"` // OK, REGRESSION or NOT TRUSTWORTHY
	Compared  int      `json:"compared"`
	Total     int      `json:"total"`
	Worsened  int      `json:"worsened"`
	Improved  int      `json:"improved"`
	Rows      []isaRow `json:"rows"` // kernels that changed, worst first
	Problems  []string `json:"problems,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
	Notes     []string `json:"notes,omitempty"`
	Shortened []string `json:"shortened,omitempty"`
	Next      string   `json:"next"`
}

// isaRow is one kernel that changed.
type isaRow struct {
	Name     string    `json:"name"`
	Side     string    `json:"side,omitempty"` // "before" or "after" when only there
	Severity string    `json:"severity,omitempty"`
	Changes  []string  `json:"changes"` // "vgpr 128 -> 172 (+44)", in column order
	Worsened []string  `json:"worsened,omitempty"`
	Improved []string  `json:"improved,omitempty"`
	Limiters [2]string `json:"occupancy_limiters"` // before, after
	Cause    string    `json:"cause,omitempty"`
	Advice   string    `json:"advice,omitempty"`
	Blocked  []string  `json:"blocked,omitempty"` // why it takes no part in the verdict
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
	spec := app.DefaultSpec()
	if err := setOptions(&spec, app.UseDump, a.Options); err != nil {
		return nil, err
	}
	r := app.ISARequest{Before: a.Before, After: a.After, Repo: cmp.Or(a.Repo, spec.Repo), BeforeRev: a.BeforeRev, AfterRev: a.AfterRev, DumpCmd: cmp.Or(a.DumpCmd, spec.Dump), Spec: spec}
	paths, commits := a.Before != "" && a.After != "", a.BeforeRev != "" && a.AfterRev != "" && (r.DumpCmd != "" || len(spec.Artifact) > 0)
	switch {
	case paths == commits:
		return nil, errors.New("give either before and after, or repo with before_rev, after_rev and dump_cmd")
	case paths && (a.Repo != "" || a.BeforeRev != "" || a.AfterRev != "" || a.DumpCmd != ""):
		return nil, errors.New("before and after are paths, on which repo, before_rev, after_rev and dump_cmd have no effect: leave before and after out to compare commits")
	case paths && len(a.Options) > 0:
		return nil, errors.New("options have no effect on before and after: they are for before_rev and after_rev")
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
	result := isaDiffOf(d)
	if paths && !s.opt.ReadOnly {
		result.Next += missingAdvice(d.Problems, a.Before, a.After)
	}
	return result, nil
}

// missingAdvice says where the paths that are not there were looked for.
func missingAdvice(problems []amdgpu.Problem, paths ...string) string {
	if !slices.ContainsFunc(problems, func(p amdgpu.Problem) bool { return p.Class == amdgpu.InputMissing }) {
		return ""
	}
	for i, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			paths[i] = abs
		}
	}
	return fmt.Sprintf(" before and after must be paths on this machine; what was looked for: %q. To compare commits give before_rev and after_rev instead.", paths)
}

func isaDiffOf(d *amdgpu.Diff) *isaDiffResult {
	r := &isaDiffResult{
		Verdict: string(d.Verdict), Compared: d.Compared, Total: d.Total, Worsened: d.Worsened, Improved: d.Improved, Rows: []isaRow{},
		Problems: problemTexts(d.Problems), Warnings: d.Warnings, Notes: d.Notes,
		Next: "explain the worst row to the user; diff_hints on the two commits names source lines.",
	}
	for i := range d.Rows {
		r.Rows = append(r.Rows, isaRowOf(&d.Rows[i]))
	}
	r.Summary = fmt.Sprintf("%s: %d of %d kernels compared, %d resources worse, %d better.", r.Verdict, r.Compared, r.Total, r.Worsened, r.Improved)
	if len(r.Problems) > 0 {
		r.Summary += " First problem: " + r.Problems[0]
		r.Next = "resolve the problems (see perfbisect isa diff --help) before trusting the rows."
	}
	return r
}

func isaRowOf(row *amdgpu.Row) isaRow {
	r := isaRow{
		Name: row.DisplayName, Side: row.Side, Changes: []string{}, Worsened: columnTexts(row.Worsened), Improved: columnTexts(row.Improved),
		Severity: string(row.Severity), Limiters: [2]string{string(row.Limiters[0]), string(row.Limiters[1])},
		Cause: row.Cause, Advice: row.Advice,
	}
	if r.Name == "" {
		r.Name = row.Name
	}
	for c := range amdgpu.NumColumns {
		if by, moved := row.Delta[c]; moved && row.Before != nil && row.After != nil {
			r.Changes = append(r.Changes, fmt.Sprintf("%s %s -> %s (%+d)", c, row.Before[c], row.After[c], by))
		}
	}
	for _, class := range row.Blocked {
		r.Blocked = append(r.Blocked, string(class))
	}
	return r
}

// changed says what changed in the kernel, never nothing.
func (r *isaRow) changed() string {
	switch {
	case r.Side != "":
		return "only " + r.Side
	case len(r.Changes) == 0:
		return "no resource changed"
	}
	return strings.Join(r.Changes, ", ")
}

func columnTexts(columns []amdgpu.Column) []string {
	var out []string
	for _, c := range columns {
		out = append(out, c.String())
	}
	return out
}

func (r *isaDiffResult) text() string {
	var b strings.Builder
	b.WriteString(r.Summary)
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "\n%s: %s", row.Name, row.changed())
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
