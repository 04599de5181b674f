package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"perfbisect/internal/app"
)

type baselineArgs struct {
	RunID    string   `json:"run_id" desc:"measure both ends of this run; or"`
	Repo     string   `json:"repo" desc:"repository folder, with"`
	Commits  []string `json:"commits" desc:"one or two revisions"`
	BenchCmd string   `json:"bench_cmd" desc:"shell command that prints the number"`
	Options  []string `json:"options" desc:"name=value, as bisect_start: build=CMD, metric=SPEC ..."`
}

var baselineMeasure = tool[baselineArgs, run]{
	name:  "baseline_measure",
	title: "Measure one or two commits",
	description: "Measures both ends of a run, or any one or two commits, interleaved A/B, without a search: is there a difference, and how noisy is the benchmark? " +
		"Returns a run_id at once; call bisect_status for the numbers. Costs a build and several runs per commit.",
	handle: measureBaseline,
}

func measureBaseline(ctx context.Context, s *Server, a baselineArgs) (*run, error) {
	r := app.CompareRequest{RunID: a.RunID, Commits: a.Commits, Spec: app.DefaultSpec()}
	if a.RunID == "" && (len(a.Commits) < 1 || len(a.Commits) > 2 || a.BenchCmd == "") {
		return nil, errors.New("give run_id, or repo with one or two commits and bench_cmd")
	}
	if len(a.Commits) == 1 && (strings.Contains(a.Commits[0], "..") || strings.Contains(a.Commits[0], ",")) {
		return nil, fmt.Errorf("commits is %q, must be a list, such as [\"v1.0\", \"HEAD\"]", a.Commits[0])
	}
	if a.RunID != "" && (len(a.Commits) > 0 || a.BenchCmd != "" || len(a.Options) > 0) {
		return nil, errors.New("run_id measures the ends of that run as the run does: leave out commits, bench_cmd and options, or give them with repo instead of run_id")
	}
	if a.Repo != "" {
		r.Spec.Repo = a.Repo
	}
	r.Spec.BenchCmd = a.BenchCmd
	if err := setOptions(&r.Spec, app.UseCompare, a.Options); err != nil {
		return nil, err
	}
	return statusOf(s.begun(ctx, func() (*app.Status, error) { return s.svc.Compare(ctx, r) }))
}
