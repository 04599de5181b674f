package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"perfbisect/amdgpu"
	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/app"
	"perfbisect/internal/hints"
)

// fake is an app.Service without git and processes. A run has seven steps that
// are taken by advance, or every pace while a call of bisect_status waits: then a
// slow client misses none. With metric "ask" it asks a question first. Everything
// that would run a command is counted in commands.
type fake struct {
	pace time.Duration

	mu       sync.Mutex
	runs     map[string]*fakeRun
	order    []string
	news     chan struct{} // closed and replaced at every change
	commands int
	specs    []app.Spec
	answers  []string
	previews chan struct{} // when set, Preview waits for it
}

type fakeRun struct {
	id    string
	key   string
	spec  app.Spec
	state engine.Status
	step  int
	asks  bool
}

const fakeSteps = 7

var (
	_ app.Service = (*fake)(nil)
	_ Completer   = (*fake)(nil)
	_ Logs        = (*fake)(nil)
)

func newFake() *fake { return &fake{runs: map[string]*fakeRun{}, news: make(chan struct{})} }

func (f *fake) changed() {
	close(f.news)
	f.news = make(chan struct{})
}

func (f *fake) Start(_ context.Context, spec app.Spec) (*app.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch spec.Repo {
	case "/nowhere":
		return nil, fmt.Errorf("opening repository %q: no such folder", spec.Repo)
	case "/panic":
		panic("planted")
	}
	f.specs = append(f.specs, spec)
	key := fmt.Sprintf("%+v", spec)
	for _, r := range f.runs {
		if r.key == key {
			return f.status(r), nil
		}
	}
	f.commands++
	r := &fakeRun{id: fmt.Sprintf("r%d", len(f.runs)+1), key: key, spec: spec, state: engine.Measuring}
	if spec.Metric == "ask" {
		r.state, r.asks = engine.NeedsInput, true
	}
	f.runs[r.id] = r
	f.order = append(f.order, r.id)
	return f.status(r), nil
}

// march50 makes runs take a step every 50 ms from now on.
func (f *fake) march50() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pace = 50 * time.Millisecond
}

// ran is how many commands anybody got to run.
func (f *fake) ran() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commands
}

// steps ticks when a run that is waited for is to take a step. Whoever watches
// for subscribers drives nothing.
func (f *fake) steps(most time.Duration) (ticks <-chan time.Time, stop func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pace == 0 || most == watchTurn {
		return nil, func() {}
	}
	t := time.NewTicker(f.pace)
	return t.C, t.Stop
}

// advance takes one step of a run that is measuring.
func (f *fake) advance(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.runs[id]
	if r.state != engine.Measuring {
		return
	}
	if r.step++; r.step == fakeSteps {
		r.state = engine.Completed
	}
	f.changed()
}

func (f *fake) status(r *fakeRun) *app.Status {
	st := &app.Status{
		Summary: fmt.Sprintf("Run %s: %s, step %d of %d.", r.id, r.state, r.step, fakeSteps), RunID: r.id, State: r.state,
		Range:    app.Range{Repo: r.spec.Repo, Good: strings.Repeat("a", 40), Bad: strings.Repeat("b", 40), Commits: 128, Positions: 128},
		Progress: app.Progress{Phase: "search", StepsDone: r.step, Left: 128 >> r.step, Runs: 3 * r.step, Now: fmt.Sprintf("step %d/%d a1b2c3d: run 2 of 3, 1.43 ms", r.step, fakeSteps)},
	}
	st.Next = fmt.Sprintf("call bisect_status with run_id %q (it waits), or run `perfbisect wait %s` in the background", r.id, r.id)
	if r.asks && r.state == engine.NeedsInput {
		st.Next = fmt.Sprintf("ask the user, then call bisect_answer with run_id %q, question_id \"better\" and the answer", r.id)
		st.Question = &search.Question{ID: "better", Text: "Is a lower or a higher value better?", Options: []string{"lower", "higher"}, Default: "lower", Argument: "better"}
	}
	if r.state == engine.Completed {
		st.Result = &engine.Result{
			Type: "result", Run: r.id, Outcome: "found", Culprit: strings.Repeat("c", 40), LastGood: strings.Repeat("d", 40), Candidates: []string{strings.Repeat("c", 40)},
			Probability: 0.99, Unit: "s", Metric: "time", Better: "lower", ChangePct: 32.5, GapPct: 33, ExplainedPct: 98, Runs: 21, Warnings: []search.Warning{},
		}
		for i := range fakeSteps {
			st.Result.Steps = append(st.Result.Steps, engine.ResultStep{Commit: fmt.Sprintf("%040x", i), Median: 1.4, Values: []float64{1.4, 1.41, 1.39}, Outcome: "ok", Label: "good"})
		}
		st.Report = "/state/runs/" + r.id + "/report.txt"
	}
	return st
}

func (f *fake) get(id string) (*fakeRun, error) {
	if r := f.runs[id]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("run %q does not exist", id)
}

// with changes a run and returns its new status.
func (f *fake) with(id string, change func(r *fakeRun) error) (*app.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r, err := f.get(id)
	if err != nil {
		return nil, err
	}
	if change != nil {
		if err := change(r); err != nil {
			return nil, err
		}
		f.changed()
	}
	return f.status(r), nil
}

func (f *fake) Resume(_ context.Context, id string) (*app.Status, error) { return f.with(id, nil) }
func (f *fake) Status(_ context.Context, id string) (*app.Status, error) { return f.with(id, nil) }

func (f *fake) Wait(ctx context.Context, id string, most time.Duration, hear app.WaitFunc) (*app.Status, error) {
	clock := time.NewTimer(most)
	defer clock.Stop()
	ticks, stop := f.steps(most)
	defer stop()
	first := engine.Status("")
	for {
		f.mu.Lock()
		news := f.news
		f.mu.Unlock()
		st, err := f.with(id, nil)
		if err != nil {
			return nil, err
		}
		if hear != nil {
			hear(st)
		}
		if first == "" {
			first = st.State
		}
		if st.State != first || st.State != engine.Measuring {
			return st, nil
		}
		select {
		case <-news:
		case <-ticks:
			f.advance(id)
		case <-clock.C:
			return st, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (f *fake) List(context.Context) ([]app.Brief, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []app.Brief
	for _, id := range slices.Backward(f.order) {
		r := f.runs[id]
		list = append(list, app.Brief{RunID: id, State: r.state, Repo: r.spec.Repo, Started: "2026-11-30T12:00:00Z", Summary: fmt.Sprintf("step %d", r.step), Live: !r.state.Ended()})
	}
	return list, nil
}

func (f *fake) Step(_ context.Context, id string, steps int) (*app.Status, error) {
	return f.with(id, func(r *fakeRun) error {
		if steps < 0 {
			return fmt.Errorf("steps is %d, must be 0 or more", steps)
		}
		f.commands++
		r.state = engine.Measuring
		if steps == 0 && f.pace == 0 {
			r.state, r.step = engine.Completed, fakeSteps
		}
		return nil
	})
}

func (f *fake) Mark(_ context.Context, id, commit, verdict string) (*app.Status, error) {
	return f.with(id, func(*fakeRun) error { f.answers = append(f.answers, "mark "+commit+" "+verdict); return nil })
}

func (f *fake) Undo(_ context.Context, id string) (*app.Status, error) {
	return f.with(id, func(*fakeRun) error { f.answers = append(f.answers, "undo"); return nil })
}

func (f *fake) Answer(_ context.Context, id, questionID, answer string) (*app.Status, error) {
	return f.with(id, func(r *fakeRun) error {
		if !r.asks || r.state != engine.NeedsInput {
			return fmt.Errorf("run %s has no pending question", id)
		}
		if questionID != "" && questionID != "better" {
			return fmt.Errorf("question %q is not pending in run %s", questionID, id)
		}
		if answer != "lower" && answer != "higher" {
			return fmt.Errorf("answer is %q, must be one of: lower, higher", answer)
		}
		f.answers = append(f.answers, answer)
		r.state = engine.Measuring
		return nil
	})
}

func (f *fake) Stop(_ context.Context, id, action string) (*app.Status, error) {
	return f.with(id, func(r *fakeRun) error {
		if r.state.Ended() {
			return nil
		}
		r.state = map[string]engine.Status{"pause": engine.Paused, "finish": engine.Stopped}[action]
		return nil
	})
}

func (f *fake) Report(_ context.Context, id, format, detail string, w io.Writer) error {
	st, err := f.with(id, nil)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		return json.NewEncoder(w).Encode(st)
	case "svg":
		_, err = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
	default:
		_, err = fmt.Fprintf(w, "%s (%s, %s)\n", st.Summary, format, detail)
	}
	return err
}

func (f *fake) Log(_ context.Context, id string, tail int, w io.Writer) error {
	if _, err := f.with(id, nil); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "log of %s, %d lines\n", id, tail)
	return err
}

func (f *fake) Compare(ctx context.Context, r app.CompareRequest) (*app.Status, error) {
	return f.Start(ctx, r.Spec)
}

func (f *fake) Preview(ctx context.Context, r app.PreviewRequest) (*app.Preview, error) {
	if r.Command != "" {
		f.mu.Lock()
		f.commands++
		f.mu.Unlock()
	}
	if f.previews != nil {
		select {
		case <-f.previews:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c := app.PreviewCandidate{Label: "latency", Value: 0.00143, Unit: "s", Shown: "1.43 ms", Better: "lower", Count: 1, Metric: "name:latency", Text: "latency: 1.43 ms"}
	return &app.Preview{Summary: "One number: latency 1.43 ms, lower is better.", Chosen: &c, Sure: true, Candidates: []app.PreviewCandidate{c}, Next: "call bisect_start"}, nil
}

func (f *fake) Summarize(_ context.Context, path, _ string) (*amdgpu.Snapshot, error) {
	if path == "/missing" {
		return nil, fmt.Errorf("reading %q: no such file or folder", path)
	}
	if path == "/empty" {
		return &amdgpu.Snapshot{}, nil
	}
	return fakeSnapshot(128), nil
}

// fakeSnapshot has one kernel with so many registers.
func fakeSnapshot(vgprs int64) *amdgpu.Snapshot {
	k := amdgpu.Kernel{Key: "gemm", Name: "gemm", DisplayName: "gemm", File: "gemm.co", Target: "gfx942"}
	k.Metrics[amdgpu.VGPR] = amdgpu.Cell{State: amdgpu.Value, Value: vgprs}
	return &amdgpu.Snapshot{Kernels: []amdgpu.Kernel{k}}
}

func (f *fake) DiffISA(_ context.Context, r app.ISARequest) (*amdgpu.Diff, error) {
	if r.DumpCmd != "" {
		f.mu.Lock()
		f.commands++
		f.mu.Unlock()
	}
	return amdgpu.Compare(fakeSnapshot(128), fakeSnapshot(172), amdgpu.Options{}), nil
}

func (f *fake) Hints(context.Context, app.HintsRequest) (*hints.Report, error) {
	return &hints.Report{FilesRead: 2, Hints: []hints.Hint{{
		Pattern: "tile_size", File: "k.py", Line: 12, OldLine: 12, NewLine: 12, Before: "BLOCK = 64", After: "BLOCK = 32",
		Cause: "smaller tiles do less work per load", Confidence: "high", Reason: "used as a tl.constexpr",
	}}}, nil
}

func (f *fake) Refs(_ context.Context, prefix string) []string {
	return []string{"v0.2.0", "v0.1.0", "main"}
}
func (f *fake) Kernels(context.Context, string) []string { return []string{"gemm", "attention"} }

// hungFake has a Stop that heeds nothing but release.
type hungFake struct {
	*fake
	release chan struct{}
	once    sync.Once
	in      chan struct{}
}

func (h *hungFake) entered() chan struct{} {
	h.once.Do(func() { h.in = make(chan struct{}) })
	return h.in
}

func (h *hungFake) Stop(context.Context, string, string) (*app.Status, error) {
	close(h.entered())
	<-h.release
	return nil, fmt.Errorf("released")
}

// quietSession is a client that never listens.
type quietSession struct{}

func (quietSession) Initialize()                                         {}
func (quietSession) Initialized() bool                                   { return true }
func (quietSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }
func (quietSession) SessionID() string                                   { return "quiet" }
