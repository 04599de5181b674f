package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/metric"
)

// tried is the first run of a hunt: it shows whether the benchmark works in a
// fresh checkout, which numbers it prints and what a build and a run cost.
type tried struct {
	trial  *trial
	commit string
	buildS float64
	runS   float64
	builds []early
}

// early is a build that was made before there was a plan to journal it under.
type early struct {
	commit string
	result bench.BuildResult
	code   string
}

// builtEarly remembers a build for the journal of a plan to come.
func (h *hunt) builtEarly(commit string, res bench.BuildResult) error {
	code, err := h.code(res)
	h.tried.builds = append(h.tried.builds, early{commit, res, code})
	return err
}

// settleMetric completes the metric, its unit and its polarity in the plan, by
// running the benchmark once and, where that leaves a choice, by asking.
func (h *hunt) settleMetric(ctx context.Context, plan *engine.Plan) (*search.Question, error) {
	spec, err := metric.Parse(h.spec.Metric)
	if err != nil {
		return nil, err
	}
	if h.tried.trial == nil {
		if q, err := h.firstRun(ctx, plan, spec); err != nil || q != nil {
			return q, err
		}
		if err := h.foreignPackages(ctx); err != nil {
			return nil, err
		}
	}
	value, q, err := h.chooseMetric(&spec)
	if err != nil || q != nil {
		return q, err
	}
	plan.Metric, plan.Unit = spec.String(), value.Unit
	plan.Options.Resolution = value.Resolution
	plan.Options.Exact = spec.Kind == metric.KindISA
	if plan.Options.Exact {
		plan.Options.WarmupRuns = 0 // code does not warm up
	}
	if err := h.settleIdentity(plan, spec, value.Label); err != nil {
		return nil, err
	}
	if plan.Options.Better = search.Polarity(h.spec.Better); plan.Options.Better == "" {
		plan.Options.Better = search.Polarity(value.Better)
	}
	if plan.Options.Better == "" {
		return &search.Question{
			ID: "better", Argument: "better", Options: []string{"lower", "higher"},
			Text: fmt.Sprintf("The metric %s is %s at %s. Is lower better (a time) or higher (a rate)?", plan.Metric, metric.Format(value.Value, value.Unit), short(h.tried.commit)),
		}, nil
	}
	return nil, nil
}

// firstRun builds and runs good once, or bad where good does not work.
func (h *hunt) firstRun(ctx context.Context, plan *engine.Plan, spec metric.Spec) (*search.Question, error) {
	if err := h.settle(ctx); err != nil {
		return nil, err
	}
	var failures []string
	for _, end := range []int{0, len(plan.Positions) - 1} {
		commit := plan.Positions[end].Commit
		failure, err := h.tryAt(ctx, commit, spec)
		if err != nil {
			return nil, err
		}
		if failure == "" && end == 0 {
			return nil, h.otherEnd(ctx, plan, spec)
		}
		if failure == "" {
			return nil, nil
		}
		failures = append(failures, failure)
		if t := h.tried.trial; t != nil && t.run.NotFound {
			h.tried.trial = nil
			return h.whatIsMissing(t)
		}
		h.tried.trial = nil
	}
	hint := h.leftOut()
	if q := h.maybeBuild(strings.Join(failures, "\n")); q != nil && hint == "" {
		return q, nil
	}
	return nil, &HintError{
		Err: fmt.Errorf("trying the benchmark at both ends: neither works:\n%s", strings.Join(failures, "\n")),
		Hints: []string{
			cmp.Or(hint, "run it by hand in a fresh clone at one of these commits"),
			"--build CMD, --overlay FILE and --env K=V change what it finds there",
		},
	}
}

// otherEnd lets bad show which number is the metric where good printed none that
// can be used, as nan. Good then has no metric, which is told; the time of the
// command is no stand-in for it.
func (h *hunt) otherEnd(ctx context.Context, plan *engine.Plan, spec metric.Spec) error {
	good := h.tried
	if spec.Kind != metric.KindAuto || good.trial.outcome != search.NoMetric || good.trial.unclear {
		return nil
	}
	failure, err := h.tryAt(ctx, plan.Positions[len(plan.Positions)-1].Commit, spec)
	if err != nil {
		return err
	}
	unused := good.trial
	if t := h.tried.trial; failure != "" || t.outcome != search.OK && !t.unclear {
		unused = h.tried.trial
		h.tried.trial, h.tried.commit, h.tried.buildS, h.tried.runS = good.trial, good.commit, good.buildS, good.runS
	}
	h.trimLogs(unused)
	return nil
}

// tryAt runs the benchmark once at commit. The failure is for people.
func (h *hunt) tryAt(ctx context.Context, commit string, spec metric.Spec) (failure string, err error) {
	if err := h.checkout(ctx, commit); err != nil {
		return "", err
	}
	if h.spec.BuildCmd != "" && h.place.built != commit {
		if err := h.effect("build", h.place.ws.Dir(), "building "+short(commit)); err != nil {
			return "", err
		}
		res, err := h.buildOnce(ctx, commit)
		if err != nil {
			return "", err
		}
		h.tried.buildS = res.Elapsed.Seconds()
		if err := h.builtEarly(commit, res); err != nil {
			return "", err
		}
		if res.Outcome != bench.OK {
			return fmt.Sprintf("%s: %s: %s", short(commit), res.Outcome, cmp.Or(lastLines(res.Tail), res.Detail+", without output")), nil
		}
	}
	if err := h.importsHere(ctx); err != nil {
		return "", err
	}
	if err := h.effect("run", "", "trying the benchmark at "+short(commit)); err != nil {
		return "", err
	}
	t, err := h.try(ctx, commit, spec)
	if err != nil {
		return "", err
	}
	h.tried.trial, h.tried.commit, h.tried.runS = t, commit, t.run.Elapsed.Seconds()
	if t.outcome == search.OK || t.outcome == search.NoMetric {
		h.warm = commit
		return "", h.noMetricAtAll(t, spec)
	}
	return fmt.Sprintf("%s: %s: %s", short(commit), t.outcome, cmp.Or(lastLines(t.tail()), t.run.Detail+", without output")), nil
}

// noMetricAtAll is the end when a metric that the user gave is not in the
// output. Without one the question is asked instead.
func (h *hunt) noMetricAtAll(t *trial, spec metric.Spec) error {
	if t.outcome == search.OK || spec.Kind == metric.KindAuto {
		return nil
	}
	return &HintError{
		Err:   fmt.Errorf("taking the metric out of the first run: %s", t.why),
		Hints: []string{"`perfbisect metric -- BENCH` shows every number of the output and the spec that finds it"},
	}
}

// importsHere checks that the module under test comes from our tree.
func (h *hunt) importsHere(ctx context.Context) error {
	if h.spec.Imports == "" {
		return nil
	}
	_, err := h.place.runner.CheckImport(ctx, h.place.at, h.spec.Imports)
	return err
}

// whatIsMissing handles a command that does not exist in a fresh checkout: it
// may have to be built first.
func (h *hunt) whatIsMissing(t *trial) (*search.Question, error) {
	if q := h.maybeBuild(strings.TrimSpace(t.run.Detail + " " + lastLines(t.tail()))); q != nil && h.leftOut() == "" {
		return q, nil
	}
	return nil, h.notFound(t)
}

// buildFiles make a repository look as if it had to be built.
var buildFiles = []string{
	"CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "meson.build", "setup.py", "pyproject.toml",
	"Cargo.toml", "go.mod", "build.sh", "configure", "WORKSPACE", "MODULE.bazel", "build.ninja",
}

// maybeBuild asks for a build command when nothing was built and the
// repository looks as if something had to be.
func (h *hunt) maybeBuild(seen string) *search.Question {
	if _, asked := h.state.View.Answers["build"]; asked || h.spec.BuildCmd != "" {
		return nil
	}
	for _, f := range buildFiles {
		if _, err := os.Stat(filepath.Join(h.place.ws.Dir(), f)); err == nil {
			return &search.Question{
				ID: "build", Argument: "build", Default: "none",
				Text: fmt.Sprintf("The benchmark does not work in a fresh checkout, and the repository has a %s. Which command builds it after a checkout (\"none\" for no build)? Seen: %s", f, seen),
			}
		}
	}
	return nil
}

// chooseMetric takes the metric out of the first run, or asks which number it
// is.
func (h *hunt) chooseMetric(spec *metric.Spec) (metric.Value, *search.Question, error) {
	t := h.tried.trial
	if spec.Kind == metric.KindISA {
		return t.value, nil, nil
	}
	again, err := judge(t.run, *spec)
	if err != nil {
		return metric.Value{}, nil, err
	}
	if spec.Kind != metric.KindAuto {
		if again.outcome != search.OK {
			return metric.Value{}, nil, h.noMetricAtAll(again, *spec)
		}
		return again.value, nil, nil
	}
	o, closeOutput, err := output(t.run)
	if err != nil {
		return metric.Value{}, nil, err
	}
	defer closeOutput()
	list := metric.Candidates(o)
	best, sure := metric.Choose(list)
	if !sure {
		return metric.Value{}, h.whichMetric(list), nil
	}
	*spec, err = metric.Parse(best.Spec)
	return best.Value, nil, err
}

// whichMetric asks which number counts. Ten are shown; any spec is an answer.
func (h *hunt) whichMetric(list []metric.Candidate) *search.Question {
	q := &search.Question{ID: "metric", Argument: "metric"}
	if len(list) == 0 {
		q.Text = "The benchmark printed no number that could be a metric. What is measured? \"time\" is the wall time of the command; regex:RE, json:PATH, csv:COLUMN and name:LABEL find a number."
		q.Default = "time"
		return q
	}
	q.Text = "Which number is the metric? Any metric spec is an answer:"
	for _, c := range list[:min(10, len(list))] {
		q.Text += fmt.Sprintf("\n  %s = %s", c.Spec, metric.Format(c.Value.Value, c.Value.Unit))
	}
	q.Default = list[0].Spec
	return q
}

// lastLines is the end of a text that fits into a message, after the lines before
// it that tell of an error.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[max(0, len(lines)-5):]
	errors := bench.ErrorLines(strings.NewReader(text), len(last))
	return strings.Join(slices.Concat(errors[max(0, len(errors)-3):], last), "\n")
}
