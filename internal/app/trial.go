package app

import (
	"cmp"
	"context"
	"errors"
	"io"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/metric"
)

// trial is one run of the benchmark and the number in its output.
type trial struct {
	run     bench.RunResult
	outcome search.Outcome
	value   metric.Value // when outcome is ok
	numbers []engine.Number
	why     string   // why there is no metric
	unclear bool     // it is one of several numbers
	others  []string // hunts that built or measured meanwhile
}

// try runs the benchmark (or dumps machine code) once at the commit that is
// checked out and built, and takes the metric out of what it printed.
func (h *hunt) try(ctx context.Context, commit string, spec metric.Spec) (*trial, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h.interrupt.set(func() { cancel(errInterrupted) })
	defer h.interrupt.set(nil)
	var t *trial
	others, err := h.alone(ctx, commit, func() (err error) {
		if spec.Kind == metric.KindISA {
			t, err = h.tryISA(ctx, commit, spec)
			return err
		}
		run, err := h.place.runner.Run(ctx, commit)
		if err != nil {
			return err
		}
		t, err = judge(run, spec)
		return err
	})
	h.notGone(t)
	if t != nil {
		t.others = others
	}
	_, serr := h.strayed(ctx, commit)
	return t, cmp.Or(err, serr)
}

// judge says what a run came to. With the metric "exit" the exit code is the
// number, in the language of git bisect run; otherwise a failing command has
// none, whatever it printed.
func judge(run bench.RunResult, spec metric.Spec) (*trial, error) {
	t := &trial{run: run, outcome: search.Outcome(run.Outcome)}
	if spec.Kind == metric.KindExit && run.Outcome != bench.Timeout && run.Signal == "" && !run.NotFound {
		return t, t.byExit()
	}
	if t.outcome != search.OK {
		return t, nil
	}
	o, closeOutput, err := output(run)
	if err != nil {
		return nil, err
	}
	defer closeOutput()
	t.value, err = spec.Extract(o)
	var none *metric.NoMetricError
	if errors.As(err, &none) {
		t.outcome, t.why, t.unclear, err = search.NoMetric, err.Error(), none.Ambiguous, nil
	}
	t.numbers = numbers(o)
	return t, err
}

// byExit: 0 is good, 1 to 124 bad, 125 a skip, anything above an error.
func (t *trial) byExit() error {
	switch code := t.run.ExitCode; {
	case code == 0 || code > 0 && code < 125:
		t.outcome, t.value = search.OK, metric.Value{Value: min(float64(code), 1), Better: metric.Lower, Resolution: 0}
	case code == 125:
		t.outcome = search.Skipped
	default:
		t.outcome = search.RunFailed
	}
	return nil
}

func numbers(o metric.Output) []engine.Number {
	found := metric.Numbers(o)
	list := make([]engine.Number, len(found))
	for i, n := range found {
		list[i] = engine.Number{Label: n.Label, Value: n.Last, Unit: n.Unit}
	}
	return list
}

// tail is the end of what a run printed, for people.
func (t *trial) tail() string {
	if t.why != "" {
		return t.why
	}
	return t.run.Tail
}

// output opens what a run printed.
func output(run bench.RunResult) (o metric.Output, closeAll func(), err error) {
	o = metric.Output{ElapsedS: run.Elapsed.Seconds(), ExitCode: run.ExitCode}
	var closers []io.Closer
	closeAll = func() {
		for _, c := range closers {
			c.Close()
		}
	}
	for _, s := range []struct {
		path string
		to   **io.SectionReader
	}{{run.Stdout.Path, &o.Stdout}, {run.Stderr.Path, &o.Stderr}} {
		r, c, err := metric.OpenFile(s.path)
		if err != nil {
			closeAll()
			return o, nil, err
		}
		closers = append(closers, c)
		*s.to = r
	}
	return o, closeAll, nil
}

// goneHere reports whether the benchmark is a file of the repository that the
// commit lacks: then this commit cannot be tested, but others can.
func (h *hunt) goneHere(ctx context.Context, commit string) bool {
	if h.state.Plan == nil {
		return false
	}
	for _, path := range h.benchPaths("") {
		here, err := h.repo.TreeAt(ctx, commit, path)
		if err != nil || here != "" {
			continue
		}
		for _, end := range []int{0, h.state.View.N} {
			if there, err := h.repo.TreeAt(ctx, h.state.Plan.Positions[end].Commit, path); err == nil && there != "" {
				return true
			}
		}
	}
	return false
}
