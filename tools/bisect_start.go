package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfbisect/internal/app"
)

// startArgs are the settings that most hunts need. The rest goes through
// options, so that every client does not pay for forty properties.
type startArgs struct {
	Repo         string   `json:"repo" desc:"repository folder"`
	Good         string   `json:"good" desc:"a fast commit, tag or branch"`
	Bad          string   `json:"bad" desc:"a slow one; default HEAD"`
	BenchCmd     string   `json:"bench_cmd" desc:"shell command that prints the number"`
	BuildCmd     string   `json:"build_cmd" desc:"run after each checkout"`
	Metric       string   `json:"metric" desc:"auto (default), regex:RE, json:PATH, csv:COLUMN, name:LABEL, time, exit"`
	Better       string   `json:"better" enum:"lower,higher" desc:"default: from the metric"`
	Mode         string   `json:"mode" enum:"auto,step" desc:"step waits for bisect_step"`
	NumRuns      int      `json:"num_runs" desc:"runs per commit (classic), default 3"`
	ThresholdPct float64  `json:"threshold_pct" desc:"% of the gap that is bad (classic), default 30"`
	WarmupRuns   int      `json:"warmup_runs" desc:"default 1"`
	TimeoutS     float64  `json:"timeout_s" desc:"per run, default 600"`
	Strategy     string   `json:"strategy" enum:"adaptive,classic" desc:"default adaptive"`
	Options      []string `json:"options" desc:"name=value, as flags of perfbisect run: first_parent=false, path=DIR, env=K=V, skip=REV, yes=true ..."`
}

func startDefaults() startArgs {
	d := app.DefaultSpec()
	return startArgs{
		Repo: d.Repo, Bad: d.Bad, Metric: d.Metric, Mode: d.Mode, NumRuns: d.NumRuns, ThresholdPct: d.ThresholdPct,
		WarmupRuns: d.WarmupRuns, TimeoutS: d.TimeoutS, Strategy: d.Strategy,
	}
}

var bisectStart = tool[startArgs, run]{
	name:  "bisect_start",
	title: "Start finding a slow commit",
	description: "Finds the commit that made a benchmark slow. Answers within 2 s with run_id, range and cost, or a question; the work goes on in the background, " +
		"then call bisect_status. The same arguments find the same run again and resume it. Works in its own clone: the checkout stays as it is. Noise is measured, so one number is enough.",
	again: true, defaults: startDefaults, handle: startHunt,
}

func startHunt(ctx context.Context, s *Server, a startArgs) (*run, error) {
	spec := app.DefaultSpec()
	spec.Repo, spec.Good, spec.Bad, spec.BenchCmd, spec.BuildCmd = a.Repo, a.Good, a.Bad, a.BenchCmd, a.BuildCmd
	spec.Metric, spec.Better, spec.Mode, spec.Strategy = a.Metric, a.Better, a.Mode, a.Strategy
	spec.NumRuns, spec.ThresholdPct, spec.WarmupRuns, spec.TimeoutS = a.NumRuns, a.ThresholdPct, a.WarmupRuns, a.TimeoutS
	if err := setOptions(&spec, app.UseSearch, a.Options); err != nil {
		return nil, err
	}
	st, err := s.begun(ctx, func() (*app.Status, error) { return s.svc.Start(ctx, spec) })
	if err != nil {
		return nil, err
	}
	return runOf(s.settle(ctx, st)), nil
}

// settleFor is how long bisect_start waits for the range or a question, so
// that its first answer says something. With the start it stays within 2 s.
const settleFor = 1200 * time.Millisecond

// settle waits until the range of a new run is known, it asks something, or
// settleFor is over.
func (s *Server) settle(ctx context.Context, st *app.Status) *app.Status {
	told := func(st *app.Status) bool { return st.Question != nil || st.Range.Commits > 0 || st.State.Ended() }
	if told(st) {
		return st
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	newest := st
	last, err := s.svc.Wait(ctx, st.RunID, settleFor, func(st *app.Status) {
		if newest = st; told(st) {
			cancel()
		}
	})
	if err == nil {
		newest = last
	}
	return newest
}

// setOptions applies name=value settings that have an effect on a use. A bare name
// is a switch that is on.
func setOptions(spec *app.Spec, use app.Use, options []string) error {
	var errs []error
	for _, o := range options {
		name, value, given := strings.Cut(strings.TrimLeft(o, "-"), "=")
		name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
		if !given {
			value = "true"
		}
		if err := setOption(spec, use, name, value, given); err != nil {
			errs = append(errs, fmt.Errorf("options %q: %w", o, err))
		}
	}
	return errors.Join(errs...)
}

func setOption(spec *app.Spec, use app.Use, name, value string, given bool) error {
	flags := app.OptionsFor(use)
	valid := make([]string, len(flags))
	for i, f := range flags {
		valid[i] = strings.ReplaceAll(f.Name, "-", "_")
		if valid[i] == name && !given && f.Value != "" {
			return fmt.Errorf("needs a value: %s=%s", name, f.Value)
		}
	}
	if alias, ok := optionAliases[name]; ok {
		name = alias
	}
	if !contains(valid, name) && !isOption(name) && suggestion(name, valid) != "" {
		return fmt.Errorf("unknown option %q%s", name, suggestion(name, valid))
	}
	return spec.SetFor(use, name, value)
}

// isOption reports whether a search has an option of that name.
func isOption(name string) bool {
	return slices.ContainsFunc(app.Options(), func(o app.Option) bool { return strings.ReplaceAll(o.Name, "-", "_") == name })
}

// optionAliases are arguments of bisect_start whose flag has another name.
var optionAliases = map[string]string{"build_cmd": "build", "timeout_s": "timeout"}
