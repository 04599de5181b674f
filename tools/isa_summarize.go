package tools

import (
	"context"
	"fmt"
	"strings"

	"perfbisect/amdgpu"
)

type isaPathArgs struct {
	Path string `json:"path" need:"true" desc:"folder, code object, assembly, fat binary or snapshot"`
}

type isaSummarizeArgs struct {
	isaPathArgs
	SaveTo string `json:"save_to" desc:"new file (or older snapshot) to save a snapshot to, for isa_diff later"`
}

// isaSummary is the resource use of the kernels of a path.
type isaSummary struct {
	Summary   string      `json:"summary"`
	Verdict   string      `json:"verdict"` // OK or NOT TRUSTWORTHY
	Kernels   []isaKernel `json:"kernels"`
	Problems  []string    `json:"problems,omitempty"`
	Warnings  []string    `json:"warnings,omitempty"`
	Skipped   []string    `json:"skipped,omitempty"` // files that were not read, and why
	SavedTo   string      `json:"saved_to,omitempty"`
	Shortened []string    `json:"shortened,omitempty"`
	Next      string      `json:"next"`
}

// isaKernel is one kernel. Metrics holds one entry for each column: a number,
// "n/a" when the target or input has no such thing, "?" when it was not readable.
type isaKernel struct {
	Name    string            `json:"name"` // demangled
	Target  string            `json:"target"`
	File    string            `json:"file"`
	Limiter string            `json:"occupancy_limiter,omitempty"`
	Metrics map[string]string `json:"metrics"`
	Notes   []string          `json:"notes,omitempty"`
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
	r := isaSummaryOf(snapshot)
	if len(snapshot.Kernels) > 0 {
		r.SavedTo = a.SaveTo
	} else if a.SaveTo != "" {
		r.Summary += " Nothing was saved: there is no kernel to save."
	}
	return r, nil
}

func isaSummaryOf(s *amdgpu.Snapshot) *isaSummary {
	r := &isaSummary{
		Verdict: string(s.Verdict()), Kernels: []isaKernel{}, Problems: problemTexts(s.Problems), Warnings: s.Warnings,
		Next: "compare with another build: isa_diff with before and after.",
	}
	for _, k := range s.Kernels {
		one := isaKernel{Name: k.DisplayName, Target: k.Target, File: k.File, Limiter: string(k.Limiter), Metrics: map[string]string{}, Notes: k.Notes}
		if one.Name == "" {
			one.Name = k.Name
		}
		for c := range amdgpu.NumColumns {
			one.Metrics[c.String()] = k.Metrics[c].String()
		}
		r.Kernels = append(r.Kernels, one)
	}
	for _, f := range s.Skipped {
		r.Skipped = append(r.Skipped, f.File+": "+f.Reason)
	}
	if len(s.Kernels) == 0 {
		r.Next = "resolve the problems, or give a path that holds compiled AMD GPU code."
	}
	r.Summary = fmt.Sprintf("%s: %d kernels, %d problems, %d files skipped.", r.Verdict, len(r.Kernels)+s.Omitted, len(r.Problems), len(r.Skipped))
	return r
}

func problemTexts(problems []amdgpu.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return out
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

func writeProblems(b *strings.Builder, problems, warnings []string) {
	for _, p := range problems {
		fmt.Fprintf(b, "\nProblem: %s", p)
	}
	for _, w := range warnings {
		fmt.Fprintf(b, "\nWarning: %s", w)
	}
}

func (r *isaSummary) shortened(cut []string) {
	r.Shortened = append(cut, "all of it: perfbisect isa summarize PATH --json FILE")
}
