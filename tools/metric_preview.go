package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"perfbisect/internal/app"
)

type previewArgs struct {
	Text    string `json:"text" desc:"a benchmark's output; or"`
	Repo    string `json:"repo" desc:"folder, with"`
	Command string `json:"command" desc:"shell command to run there once, as it is now"`
	Metric  string `json:"metric" desc:"a metric to try; default auto shows every candidate"`
}

// preview is every number of an output that could be the metric.
type preview struct {
	Summary    string                 `json:"summary"`
	Chosen     *app.PreviewCandidate  `json:"chosen,omitempty"`
	Sure       bool                   `json:"sure"`
	Candidates []app.PreviewCandidate `json:"candidates"`
	ElapsedS   float64                `json:"elapsed_s,omitempty"`
	ExitCode   int                    `json:"exit_code"`
	Tail       string                 `json:"tail,omitempty"`
	Shortened  []string               `json:"shortened,omitempty"`
	Next       string                 `json:"next"`
}

var metricPreview = tool[previewArgs, preview]{
	name:  "metric_preview",
	title: "Find the metric in an output",
	description: "Shows every number in a benchmark's output with unit, which way is better and the metric that extracts it, or tries one metric. On given text at once; with command it runs the benchmark once. " +
		"Use it before bisect_start when the output has more than one number.",
	handle: showPreview,
}

func showPreview(ctx context.Context, s *Server, a previewArgs) (*preview, error) {
	if (a.Text == "") == (a.Command == "") {
		return nil, errors.New("give either text or command")
	}
	nowhere := a.Repo == ""
	if nowhere {
		a.Repo = "."
	}
	key, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	p, err := inBackground(ctx, &s.jobs, "metric_preview "+string(key), s.opt.MaxWait, func(ctx context.Context) (*app.Preview, error) {
		return s.svc.Preview(ctx, app.PreviewRequest{Text: a.Text, Repo: a.Repo, Command: a.Command, Metric: a.Metric})
	})
	if err != nil && nowhere && a.Command != "" && !errors.Is(err, errUnfinished) {
		return nil, &nextError{err, "The command ran in the server's folder; give repo, an absolute path, to run it elsewhere."}
	}
	if err != nil {
		return nil, err
	}
	return &preview{
		Summary: p.Summary, Chosen: p.Chosen, Sure: p.Sure, Candidates: append([]app.PreviewCandidate{}, p.Candidates...),
		ElapsedS: p.ElapsedS, ExitCode: p.ExitCode, Tail: p.Tail, Next: p.Next,
	}, nil
}

func (p *preview) text() string {
	var b strings.Builder
	b.WriteString(p.Summary)
	for _, c := range p.Candidates {
		fmt.Fprintf(&b, "\n%s = %s  (metric %s)", c.Label, c.Shown, c.Metric)
	}
	if p.Tail != "" {
		b.WriteString("\n" + p.Tail)
	}
	fmt.Fprintf(&b, "\nNext: %s", p.Next)
	return b.String()
}

func (p *preview) shortened(cut []string) { p.Shortened = cut }
