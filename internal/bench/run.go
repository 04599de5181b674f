package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"perfbisect/internal/proc"
)

// RunResult is one run of the benchmark.
type RunResult struct {
	// Outcome is OK, RunFailed, Timeout or GPUFault.
	Outcome Outcome
	// NotFound says that a command was missing (exit 126 or 127, or it did not
	// start). Then the run says nothing about the commit, and going on with other
	// commits helps nobody; Hint says what may.
	NotFound bool
	Hint     string
	// Detail is how it ended, in one line; Tail the end of what it printed, plain
	// text, empty if it ended well.
	Detail, Tail string
	// ExitCode is -1 if Signal is set or nothing started.
	ExitCode int
	Signal   string
	// Elapsed is the wall time of the command alone.
	Elapsed, UserCPU, SystemCPU time.Duration
	MaxRSSBytes                 int64
	// Strays counts processes that it left running and that were ended.
	Strays         int
	Stdout, Stderr proc.Capture
	// Fault is the evidence for GPUFault, else nil.
	Fault *Fault
	// Before is the state of the machine at the start, After at the end. During
	// holds, for each GPU, the reading under the highest load: a clock read at any
	// other time is an idle clock. It is empty for runs below a second.
	Before, During, After Conditions
	// Versions is the environment fingerprint, nil if none is read.
	Versions Fingerprint
}

// Run runs the benchmark once on what is checked out, which is commit. The error
// is non-nil if nothing was learnt: ctx ended, the supervisor died, a log could
// not be written; it is a *HealthError, along with the result, if the run ended
// abnormally and the GPU is not healthy afterwards.
func (r *Runner) Run(ctx context.Context, commit string) (RunResult, error) {
	result := RunResult{ExitCode: -1}
	if err := r.ready(commit); err != nil {
		return result, err
	}
	during := func() Conditions { return Conditions{} }
	if g := r.config.Guard; g != nil {
		result.Before = g.Cool(ctx)
		during = g.watch(ctx)
	}
	p, err := r.execute(ctx, commit, "run", proc.Command{Argv: r.config.Bench, Timeout: r.config.Timeout})
	result.During = during()
	if err != nil {
		return result, err
	}
	result.take(p, r.config.ExitMetric)
	if g := r.config.Guard; g != nil {
		result.After = g.Read(ctx)
	}
	if v := r.config.Versions; v != nil {
		result.Versions = v.Read(ctx, r.Env(commit))
	}
	if result.abnormal() {
		return result, r.Healthy(ctx, commit)
	}
	return result, nil
}

// take translates what the supervisor saw.
func (r *RunResult) take(p proc.Result, exitMetric bool) {
	r.Outcome, r.Fault = outcomeOf(p, exitMetric)
	r.Detail = describe(p)
	if commandMissing(p) {
		r.NotFound, r.Hint = true, missingHint(p)
	}
	if r.Outcome != OK {
		r.Tail = tailOf(p.Stderr)
		if r.Tail == "" {
			r.Tail = tailOf(p.Stdout)
		}
	}
	r.ExitCode, r.Signal, r.Elapsed, r.Strays = p.ExitCode, p.Signal, p.Elapsed, p.Strays
	r.UserCPU, r.SystemCPU, r.MaxRSSBytes = p.UserCPU, p.SystemCPU, p.MaxRSSBytes
	r.Stdout, r.Stderr = p.Stdout, p.Stderr
}

// abnormal reports whether the GPU may have been left broken.
func (r *RunResult) abnormal() bool {
	return r.Outcome == GPUFault || r.Outcome == Timeout || r.Signal != ""
}

// ready makes the folders that commit needs.
func (r *Runner) ready(commit string) error {
	if err := checkCommit(commit); err != nil {
		return err
	}
	if err := r.makeCaches(commit); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.config.LogDir, commit), 0o700); err != nil {
		return fmt.Errorf("making log folder: %w", err)
	}
	return nil
}

// execute runs c for commit in the checkout, with its output in files named what.
func (r *Runner) execute(ctx context.Context, commit, what string, c proc.Command) (proc.Result, error) {
	c.Dir, c.Env = r.config.Dir, r.Env(commit)
	base, err := nextLog(filepath.Join(r.config.LogDir, commit), what)
	if err != nil {
		return proc.Result{}, err
	}
	c.StdoutPath, c.StderrPath = base+".out", base+".err"
	if c.MergeStderr {
		c.StderrPath = ""
	}
	p, err := r.supervisor.Run(ctx, c)
	switch {
	case err != nil:
		return p, fmt.Errorf("%s of %s: %w", what, short(commit), err)
	case p.Canceled && ctx.Err() != nil:
		return p, fmt.Errorf("%s of %s: %w", what, short(commit), context.Cause(ctx))
	}
	if why := p.Stdout.WriteError + p.Stderr.WriteError; why != "" {
		return p, &LogError{What: what + " of " + short(commit), Path: base, Why: why}
	}
	return p, nil
}

// LogError says that what a command printed could not be kept: the disk is full.
// A number in it may be cut off, so nothing was learnt about the commit.
type LogError struct{ What, Path, Why string }

func (e *LogError) Error() string {
	return fmt.Sprintf("%s: writing its output to %q: %s", e.What, e.Path, e.Why)
}

// nextLog returns the path, without extension, of the first free log number:
// logs of an earlier life of the hunt stay.
func nextLog(dir, what string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("reading log folder: %w", err)
	}
	last := 0
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), what+"-")
		if n, err := strconv.Atoi(strings.TrimSuffix(number, ".out")); ok && err == nil {
			last = max(last, n)
		}
	}
	return filepath.Join(dir, what+"-"+strconv.Itoa(last+1)), nil
}
