package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"perfbisect/amdgpu"
)

type isaPathArgs struct {
	Path string `json:"path" need:"true" desc:"folder, code object, assembly, fat binary or snapshot"`
}

type isaSummarizeArgs struct {
	isaPathArgs
	SaveTo string `json:"save_to" desc:"file to save a snapshot to, for isa_diff later"`
}

// isaSummary is the resource use of the kernels of a path.
type isaSummary struct {
	Summary   string       `json:"summary"`
	Verdict   string       `json:"verdict,omitempty"`
	Kernels   []isaKernel  `json:"kernels"`
	Problems  []isaProblem `json:"problems,omitempty"`
	Warnings  []string     `json:"warnings,omitempty"`
	SavedTo   string       `json:"saved_to,omitempty"`
	Shortened []string     `json:"shortened,omitempty"`
	Next      string       `json:"next"`
}

// isaKernel is one kernel. Metrics holds one entry for each column: a number,
// "n/a" when the target or input has no such thing, "?" when it was not readable.
type isaKernel struct {
	Name    string            `json:"name"`
	Target  string            `json:"target"`
	File    string            `json:"file"`
	Metrics map[string]string `json:"metrics"`
	Notes   []string          `json:"notes,omitempty"`
}

type isaProblem struct {
	Class  string `json:"class"`
	File   string `json:"file,omitempty"`
	Kernel string `json:"kernel,omitempty"`
	Text   string `json:"text"`
}

const isaSummarizeText = "Reads compiled AMD GPU kernels (no GPU needed): VGPR, AGPR, SGPR, spills, scratch, LDS, matrix ops, occupancy for each kernel. Seconds; runs nothing."

var isaSummarize = tool[isaSummarizeArgs, isaSummary]{
	name: "isa_summarize", title: "Kernel resources", description: isaSummarizeText, again: true, limit: hardBytes,
	handle: summarizeISA,
}

var isaSummarizeReadOnly = tool[isaPathArgs, isaSummary]{
	name: "isa_summarize", title: "Kernel resources", description: isaSummarizeText, reads: true, again: true, limit: hardBytes,
	handle: func(ctx context.Context, s *Server, a isaPathArgs) (*isaSummary, error) {
		return summarizeISA(ctx, s, isaSummarizeArgs{isaPathArgs: a})
	},
}

func summarizeISA(ctx context.Context, s *Server, a isaSummarizeArgs) (*isaSummary, error) {
	snapshot, err := inBackground(ctx, &s.jobs, "isa_summarize "+a.Path+"\x00"+a.SaveTo, s.opt.MaxWait, func(ctx context.Context) (*amdgpu.Snapshot, error) {
		return s.svc.Summarize(ctx, a.Path, a.SaveTo)
	})
	if err != nil {
		return nil, err
	}
	r, err := isaSummaryOf(snapshot)
	if err != nil {
		return nil, err
	}
	r.SavedTo = a.SaveTo
	r.Next = "compare with another build: isa_diff with before and after."
	return r, nil
}

// isaSummaryOf translates a snapshot by its JSON form, which is the stable one.
func isaSummaryOf(snapshot *amdgpu.Snapshot) (*isaSummary, error) {
	var in struct {
		Verdict string `json:"verdict"`
		Kernels []struct {
			Name        string                 `json:"name"`
			DisplayName string                 `json:"display_name"`
			Target      string                 `json:"target"`
			File        string                 `json:"file"`
			Metrics     map[string]amdgpu.Cell `json:"metrics"`
			Notes       []string               `json:"notes"`
		} `json:"kernels"`
		Problems []isaProblem `json:"problems"`
		Warnings []string     `json:"warnings"`
	}
	if err := recode(snapshot, &in); err != nil {
		return nil, err
	}
	r := &isaSummary{Verdict: in.Verdict, Kernels: []isaKernel{}, Problems: in.Problems, Warnings: in.Warnings}
	for _, k := range in.Kernels {
		one := isaKernel{Name: k.DisplayName, Target: k.Target, File: k.File, Metrics: map[string]string{}, Notes: k.Notes}
		if one.Name == "" {
			one.Name = k.Name
		}
		for column, cell := range k.Metrics {
			one.Metrics[column] = cell.String()
		}
		r.Kernels = append(r.Kernels, one)
	}
	r.Summary = fmt.Sprintf("%d kernels, %d problems.", len(r.Kernels), len(r.Problems))
	return r, nil
}

// recode moves a value into another type through JSON.
func recode(from, into any) error {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("translating the result: %w", err)
	}
	return nil
}

func (r *isaSummary) text() string {
	var b strings.Builder
	b.WriteString(r.Summary)
	for _, k := range r.Kernels {
		fmt.Fprintf(&b, "\n%s (%s):", k.Name, k.Target)
		for _, c := range amdgpu.ColumnNames() {
			if v := k.Metrics[c]; v != "" && v != "n/a" {
				fmt.Fprintf(&b, " %s %s", c, v)
			}
		}
	}
	writeProblems(&b, r.Problems, r.Warnings)
	fmt.Fprintf(&b, "\nNext: %s", r.Next)
	return b.String()
}

func writeProblems(b *strings.Builder, problems []isaProblem, warnings []string) {
	for _, p := range problems {
		fmt.Fprintf(b, "\nProblem: %s: %s", strings.TrimSpace(p.File+" "+p.Kernel), p.Text)
	}
	for _, w := range warnings {
		fmt.Fprintf(b, "\nWarning: %s", w)
	}
}

func (r *isaSummary) shortened(cut []string) {
	r.Shortened = append(cut, "all of it: perfbisect isa summarize PATH --json FILE")
}
