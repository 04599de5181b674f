package app

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/metric"
)

// measure carries out a decision, visit by visit. It returns early when the
// user has said something, since a mark may change what is worth measuring.
func (h *hunt) measure(ctx context.Context, d search.Decision) error {
	if h.spec.Mode == "step" && h.stepsLeft == 0 {
		return h.rest(ctx)
	}
	if err := h.settle(ctx); err != nil {
		return err
	}
	if built, err := h.buildEnds(ctx); built || err != nil {
		return err
	}
	for _, batch := range d.Batches {
		for _, step := range batch {
			ok, err := h.visit(ctx, d, step)
			if err != nil {
				return err
			}
			if !ok || len(h.run.Peek()) > 0 || h.state.Exhausted() {
				return nil
			}
		}
	}
	if h.stepsLeft > 0 {
		h.stepsLeft--
	}
	return nil
}

// rest waits in step mode for the word to go on.
func (h *hunt) rest(ctx context.Context) error {
	if h.state.Status != engine.Paused {
		if err := h.append(engine.Event{Kind: engine.EventPaused, Reason: "step mode: bisect_step or perfbisect resume goes on"}); err != nil {
			return err
		}
	}
	if err := h.stepAside(ctx); err != nil {
		return err
	}
	if err := h.await(ctx); err != nil {
		return err
	}
	if err := h.control(ctx); err != nil || h.stepsLeft == 0 {
		return err
	}
	return h.append(engine.Event{Kind: engine.EventResumed})
}

// visit checks a position out, builds it unless it is built, and runs. It
// reports false when something failed, so that the planner decides anew.
func (h *hunt) visit(ctx context.Context, d search.Decision, step search.Step) (bool, error) {
	if err := h.settle(ctx); err != nil {
		return false, err
	}
	commit := h.state.Plan.Positions[step.Position].Commit
	if err := h.checkout(ctx, commit); err != nil {
		return false, err
	}
	if step.Position == 0 || step.Position == h.state.View.N {
		h.place.trees.keep[commit] = true
	}
	if ok, err := h.build(ctx, step.Position, commit); !ok || err != nil {
		return false, err
	}
	if h.sameAsMeasured(step.Position) {
		return false, nil
	}
	return h.runs(ctx, d, step, commit)
}

// build builds the commit in the tree unless that was done.
func (h *hunt) build(ctx context.Context, position int, commit string) (bool, error) {
	p := h.place
	if h.spec.BuildCmd == "" || p.built == commit {
		return true, nil
	}
	if err := h.effect("build", p.ws.Dir(), "building "+short(commit)); err != nil {
		return false, err
	}
	res, err := h.buildOnce(ctx, commit)
	if err != nil {
		return false, err
	}
	code, err := h.code(res)
	if err != nil {
		return false, err
	}
	if err := h.wasBuilt(position, res, code); err != nil {
		return false, err
	}
	if err := h.doubts(res, commit); err != nil {
		return false, err
	}
	if res.NotFound {
		return false, &HintError{Err: fmt.Errorf("building %s: %s", short(commit), res.Detail), Hints: []string{res.Hint}}
	}
	return res.Outcome == bench.OK, nil
}

// wasBuilt journals a build.
func (h *hunt) wasBuilt(position int, res bench.BuildResult, code string) error {
	return h.append(engine.Event{
		Kind: engine.EventBuilt, Position: position, Outcome: search.Outcome(res.Outcome),
		ElapsedS: res.Elapsed.Seconds(), Log: h.relative(res.LogPath), Tail: res.Tail, Code: code,
	})
}

// buildOnce runs the build command and marks the tree.
func (h *hunt) buildOnce(ctx context.Context, commit string) (bench.BuildResult, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h.interrupt.set(func() { cancel(errInterrupted) })
	defer h.interrupt.set(nil)
	p := h.place
	var res bench.BuildResult
	_, err := h.present(func() (err error) {
		res, err = p.runner.Build(ctx, commit)
		return err
	})
	err = h.notGoneBuild(ctx, &res, err)
	h.trim(res.Outcome == bench.OK, res.LogPath)
	err = cmp.Or(err, h.strayedBuild(ctx, commit, res))
	if err == nil && res.Outcome == bench.OK {
		p.built = commit
		if p.trees.on {
			err = p.trees.setBuilt(commit)
		}
	}
	return res, err
}

// doubts journals what a build makes one doubt.
func (h *hunt) doubts(res bench.BuildResult, commit string) error {
	if res.StaleArtifact {
		return h.warn("stale_artifact", commit, "the build left every artifact as it was: what ran there may belong to another commit")
	}
	if len(res.MissingArtifact) > 0 {
		return h.warn("missing_artifact", commit, fmt.Sprintf("after the build nothing matches %q", res.MissingArtifact))
	}
	return nil
}

// relative is a log's path as the journal has it.
func (h *hunt) relative(path string) string {
	if rel, err := filepath.Rel(h.run.Dir, path); err == nil {
		return rel
	}
	return path
}

// runs makes the runs of a step, the warm-ups first.
func (h *hunt) runs(ctx context.Context, d search.Decision, step search.Step, commit string) (bool, error) {
	visit := h.state.NextVisit()
	warmups := step.Warmup
	if h.warm == commit && warmups > 0 {
		warmups-- // the run that tried the metric was one
	}
	h.warm = ""
	for i := range warmups + step.Runs {
		if h.state.Exhausted() {
			return false, nil
		}
		if ok, moved, err := h.again(ctx, step.Position, commit); !ok || err != nil {
			return false, err
		} else if moved {
			visit = h.state.NextVisit()
		}
		note := fmt.Sprintf("step %d %s: run %d of %d", len(h.state.Visits)+1, short(commit), i-warmups+1, step.Runs)
		if i < warmups {
			note = fmt.Sprintf("step %d %s: warm-up run", len(h.state.Visits)+1, short(commit))
		}
		if err := h.effect("run", "", note); err != nil {
			return false, err
		}
		fact := &engine.RunFact{Warmup: i < warmups, StartS: h.journal.AtS(), Visit: visit, Phase: d.Phase, Why: step.Why}
		ok, err := h.runInto(ctx, step.Position, commit, fact)
		if !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// runInto runs the benchmark once and journals what came of it.
func (h *hunt) runInto(ctx context.Context, position int, commit string, fact *engine.RunFact) (bool, error) {
	spec, err := metric.Parse(h.state.Plan.Metric)
	if err != nil {
		return false, err
	}
	t, err := h.try(ctx, commit, spec)
	if err != nil {
		return false, err
	}
	fact.Value, fact.Raw, fact.Resolution = t.value.Value, t.value.Raw, t.value.Resolution
	fact.ExitCode, fact.Signal, fact.Numbers = t.run.ExitCode, t.run.Signal, t.numbers
	env, err := h.environment(ctx, commit, t.run)
	if err != nil {
		return false, err
	}
	if fact.Env, err = h.envChange(commit, env); err != nil {
		return false, err
	}
	if fact.State, err = h.conditions(commit, fact.Warmup, t.run); err != nil {
		return false, err
	}
	if err := h.sharedMachine(commit, t.others); err != nil {
		return false, err
	}
	e := engine.Event{Kind: engine.EventRan, Position: position, Outcome: t.outcome, ElapsedS: t.run.Elapsed.Seconds(), Run: fact}
	if t.outcome != search.OK {
		e.Log, e.Tail = h.relative(t.run.Stdout.Path), t.tail()
	}
	if err := h.append(e); err != nil {
		return false, err
	}
	h.trimLogs(t)
	if t.outcome == search.OK {
		return true, nil
	}
	return false, h.afterFailure(ctx, commit, t)
}

// afterFailure decides whether a failed run says something about the request
// rather than about the commit. Then the hunt must not go on.
func (h *hunt) afterFailure(ctx context.Context, commit string, t *trial) error {
	if t.run.NotFound && !h.goneHere(ctx, commit) {
		return h.notFound(t)
	}
	return nil
}

// notFound is the end of a hunt whose command does not exist.
func (h *hunt) notFound(t *trial) error {
	return &HintError{
		Err: fmt.Errorf("running the benchmark: %s: %s", t.run.Detail, lastLines(t.tail())),
		Hints: []string{
			t.run.Hint,
			cmp.Or(h.leftOut(), "the command runs in a fresh checkout: what a build makes needs --build, a file that is not committed needs --overlay"),
		},
	}
}

// HintError is an error with up to two things to try.
type HintError struct {
	Err   error
	Hints []string
}

func (e *HintError) Error() string {
	return e.Err.Error() + "\nhint: " + strings.Join(e.Hints, "\nhint: ")
}
func (e *HintError) Unwrap() error { return e.Err }
