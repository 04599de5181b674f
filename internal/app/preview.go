package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"perfbisect/internal/bench"
	"perfbisect/internal/metric"
)

// Preview shows every number of an output that could be the metric. The output
// is given, or comes from running a command once in the folder that the user
// names, as it is.
func (a *App) Preview(ctx context.Context, r PreviewRequest) (*Preview, error) {
	spec, err := metric.Parse(r.Metric)
	if err != nil {
		return nil, err
	}
	if spec.Kind == metric.KindISA {
		return nil, fmt.Errorf("metric is %q: it is not read from an output; isa_summarize shows these numbers", r.Metric)
	}
	argv := r.Argv
	if len(argv) == 0 && r.Command != "" {
		argv = shell(r.Command)
	}
	if len(argv) == 0 {
		if strings.TrimSpace(r.Text) == "" {
			return nil, fmt.Errorf("previewing a metric: neither a text nor a command was given")
		}
		return look(metric.Text(r.Text, ""), spec, &Preview{}, r.Text)
	}
	return a.previewCommand(ctx, r, argv, spec)
}

func (a *App) previewCommand(ctx context.Context, r PreviewRequest, argv []string, spec metric.Spec) (*Preview, error) {
	if err := a.allowed(r.Repo); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(r.Repo)
	if err != nil {
		return nil, err
	}
	logs, err := os.MkdirTemp("", "perfbisect-preview-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the output: %w", err)
	}
	defer os.RemoveAll(logs)
	supervisor, err := a.procs()
	if err != nil {
		return nil, err
	}
	timeout := seconds(r.TimeoutS)
	if timeout <= 0 {
		timeout = seconds(DefaultSpec().TimeoutS)
	}
	runner, err := bench.New(supervisor, bench.Config{
		Dir: dir, Bench: argv, Timeout: timeout, LogDir: logs, ShareCaches: true, ExitMetric: spec.Kind == metric.KindExit,
	})
	if err != nil {
		return nil, err
	}
	run, err := runner.Run(ctx, strings.Repeat("0", 40)) // no commit: the folder is run as it is
	if err != nil {
		return nil, err
	}
	p := &Preview{ElapsedS: run.Elapsed.Seconds(), ExitCode: run.ExitCode}
	if run.Outcome != bench.OK {
		hints := []string{"a command that fails has no metric"}
		if run.NotFound {
			hints = []string{run.Hint}
		}
		return nil, &HintError{Err: fmt.Errorf("running the benchmark in %s: %s: %s", dir, run.Detail, lastLines(run.Tail)), Hints: hints}
	}
	o, closeOutput, err := output(run)
	if err != nil {
		return nil, err
	}
	defer closeOutput()
	return look(o, spec, p, string(run.Stdout.Tail)+string(run.Stderr.Tail))
}

// look fills p with what an output holds.
func look(o metric.Output, spec metric.Spec, p *Preview, text string) (*Preview, error) {
	list := metric.Candidates(o)
	p.Candidates = make([]PreviewCandidate, 0, len(list))
	for _, c := range list[:min(len(list), 50)] {
		p.Candidates = append(p.Candidates, previewCandidate(c))
	}
	if spec.Kind == metric.KindAuto {
		p.chooseFrom(list)
	} else if err := p.try(o, spec); err != nil {
		p.Tail = lastLines(text)
		p.Summary, p.Next = err.Error(), "give another metric, or \"auto\" to see the candidates"
		return p, nil
	}
	p.describe(len(list))
	return p, nil
}

func previewCandidate(c metric.Candidate) PreviewCandidate {
	return PreviewCandidate{
		Label: c.Label, Value: c.Value.Value, Unit: c.Value.Unit, Shown: metric.Format(c.Value.Value, c.Value.Unit),
		Better: string(c.Value.Better), Count: c.Count, Metric: c.Spec, Text: strings.TrimSpace(c.Text),
	}
}

func (p *Preview) chooseFrom(list []metric.Candidate) {
	if best, sure := metric.Choose(list); len(list) > 0 {
		chosen := previewCandidate(best)
		p.Chosen, p.Sure = &chosen, sure
	}
}

func (p *Preview) try(o metric.Output, spec metric.Spec) error {
	v, err := spec.Extract(o)
	if err != nil {
		return err
	}
	p.Sure = true
	p.Chosen = &PreviewCandidate{
		Label: spec.Arg, Value: v.Value, Unit: v.Unit, Shown: metric.Format(v.Value, v.Unit),
		Better: string(v.Better), Count: v.Matches, Metric: spec.String(), Text: v.Raw,
	}
	return nil
}

func quantity(n int) string {
	if n == 1 {
		return "1 number"
	}
	return fmt.Sprintf("%d numbers", n)
}

func (p *Preview) describe(n int) {
	switch {
	case p.Chosen == nil:
		p.Summary = "No number in the output could be a metric; \"time\" would take the wall time of the command."
		p.Next = "let the benchmark print a number, or use metric \"time\""
	case p.Sure:
		p.Summary = fmt.Sprintf("The metric is %s = %s (%s seen).", p.Chosen.Metric, p.Chosen.Shown, quantity(n))
		p.Next = fmt.Sprintf("call bisect_start with metric %q", p.Chosen.Metric)
	case n == 1:
		p.Summary = fmt.Sprintf("The only number is %s = %s; nothing says that it is the metric.", p.Chosen.Metric, p.Chosen.Shown)
		p.Next = "ask the user whether it counts, then call bisect_start with its metric"
	default:
		p.Summary = fmt.Sprintf("Several of %d numbers could be the metric; the likeliest is %s = %s.", n, p.Chosen.Metric, p.Chosen.Shown)
		p.Next = "ask the user which one counts, then call bisect_start with its metric"
	}
	if p.Chosen != nil && p.Chosen.Better == "" {
		p.Next += ` and better "lower" or "higher"`
	}
}
