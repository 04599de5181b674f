package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"perfbisect/engine"
	"perfbisect/internal/bench"
	"perfbisect/internal/proc"
)

// coolWait bounds the wait for a GPU to cool below --max-temp. After it the run
// is made all the same, and marked: a guard that waits for ever returns nothing.
const coolWait = 5 * time.Minute

// newRunner makes what builds and runs in our tree, reads the versions of the
// tools before anything is timed, and tries the health probe.
func (h *hunt) newRunner(ctx context.Context, s *proc.Supervisor, dir string) (*bench.Runner, error) {
	config, err := h.benchConfig(ctx, s, dir)
	if err != nil {
		return nil, err
	}
	config.Health = h.healthCommand(bench.HealthPreset)
	runner, err := bench.New(s, config)
	if err != nil {
		return nil, err
	}
	config.Versions.Read(ctx, runner.Env(h.asked.Bad))
	err = runner.Healthy(ctx, h.asked.Bad)
	var sick *bench.HealthError
	if !errors.As(err, &sick) || h.spec.Health != "" || h.state.Runs > 0 {
		return runner, err
	}
	if err := h.warnOnce("health_probe", fmt.Sprintf("the probe %q fails on this machine before the hunt and is not used: %s", strings.Join(config.Health, " "), sick.Detail)); err != nil {
		return nil, err
	}
	config.Health = nil
	return bench.New(s, config)
}

// healthCommand is the probe that the user gave, else the preset of the machine
// unless it failed at the start of this hunt.
func (h *hunt) healthCommand(preset func(env []string) []string) []string {
	switch {
	case h.spec.Health == "none":
		return nil
	case h.spec.Health != "":
		return shell(h.spec.Health)
	}
	for _, w := range h.state.Warnings {
		if w.Code == "health_probe" {
			return nil
		}
	}
	return preset(os.Environ())
}

// guard reads the state of the machine. The hunts of a process share it, since
// it asks the tools only now and then.
func (a *App) guard(s *proc.Supervisor, maxTempC float64) *bench.Guard {
	return &bench.Guard{Supervisor: s, Env: os.Environ(), MaxTempC: maxTempC, MaxWait: coolWait}
}

// sharedVersions returns the reader of versions, which remembers what each tool
// said.
func (a *App) sharedVersions(s *proc.Supervisor) *bench.Versions {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.versions == nil {
		a.versions = &bench.Versions{Supervisor: s}
	}
	return a.versions
}

// alone calls run while no other hunt on this machine uses the same GPUs, and
// returns the other hunts that built or measured on it meanwhile.
func (h *hunt) alone(ctx context.Context, commit string, run func() error) (others []string, err error) {
	gpus := bench.VisibleGPUs(h.place.runner.Env(commit))
	if len(gpus) == 0 && !hasGPU() {
		return h.present(run)
	}
	lock, err := h.lockGPUs(ctx, gpus)
	if err != nil {
		return nil, err
	}
	others, err = h.present(run)
	return others, errors.Join(err, lock.Unlock())
}

// present calls run while other hunts can see that this one works, and returns
// those that worked as well. Where that cannot be told, it runs all the same.
func (h *hunt) present(run func() error) (others []string, err error) {
	p, err := h.app.store.Enter(cmp.Or(h.top, h.run.ID))
	if err != nil {
		return nil, run()
	}
	err = run()
	return p.Leave(), err
}

// sharedMachine warns that another hunt took a part of the machine during a run.
func (h *hunt) sharedMachine(commit string, others []string) error {
	if len(others) == 0 {
		return nil
	}
	who := fmt.Sprintf("another hunt (run %s) was", others[0])
	if len(others) > 1 {
		who = fmt.Sprintf("%d other hunts (runs %s) were", len(others), strings.Join(others, ", "))
	}
	return h.warnOnce("other_hunt", fmt.Sprintf("%s building or measuring on this machine while this one measured, first at %s: they disturb each other's times; pause one with perfbisect stop --pause RUN where small differences count",
		who, short(commit)))
}

// lockGPUs waits for the GPUs, and tells so when it has to.
func (h *hunt) lockGPUs(ctx context.Context, gpus []string) (*bench.GPULock, error) {
	once, cancel := context.WithCancel(ctx)
	cancel()
	owner := fmt.Sprintf("run %s of process %d", h.run.ID, os.Getpid())
	lock, err := bench.LockGPUs(once, h.app.store.Locks(), gpus, owner)
	var busy *bench.LockedError
	if !errors.As(err, &busy) {
		return lock, err
	}
	if err := h.effect("wait", "", "waiting: "+busy.Error()); err != nil {
		return nil, err
	}
	lock, err = bench.LockGPUs(ctx, h.app.store.Locks(), gpus, owner)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return lock, err
}

// hasGPU reports whether a driver of a GPU that computes is loaded.
func hasGPU() bool {
	for _, device := range []string{"/dev/kfd", "/dev/nvidiactl"} {
		if _, err := os.Stat(device); err == nil {
			return true
		}
	}
	return false
}

// states are what a hunt compares of the machine from run to run.
type states struct {
	env   map[string]string // versions at the last run, ours and submodules'
	begin *bench.Conditions // at the first run that counts

	commit  string            // whose submodules are known
	modules map[string]string // their commits, by path
}

// knownEnv is the environment that the journal ends with.
func knownEnv(events []engine.Event) map[string]string {
	env := map[string]string{}
	for _, e := range events {
		if e.Kind != engine.EventRan || e.Run == nil {
			continue
		}
		for name, value := range e.Run.Env {
			if env[name] = value; value == "" {
				delete(env, name)
			}
		}
	}
	if len(env) == 0 {
		return nil
	}
	return env
}

// environment is what a run depended on beside the commit: what bench read, and
// the commits of the submodules, for which git is asked once a visit.
func (h *hunt) environment(ctx context.Context, commit string, run bench.RunResult) (map[string]string, error) {
	if run.Versions == nil {
		return nil, nil
	}
	if h.states.commit != commit {
		modules, err := h.place.ws.Submodules(ctx, h.place.tree)
		if err != nil {
			return nil, err
		}
		h.states.commit, h.states.modules = commit, modules
	}
	for path, hash := range h.states.modules {
		run.Versions["submodule "+path] = hash
	}
	return run.Versions, nil
}

// envChange returns what differs from the environment of the run before, with ""
// for what is gone, and journals a warning for each name that changes for the
// first time. The first run changes everything and is no warning.
func (h *hunt) envChange(commit string, now map[string]string) (map[string]string, error) {
	if now == nil {
		return nil, nil
	}
	before := h.states.env
	h.states.env = now
	var change map[string]string
	for _, c := range bench.Diff(before, now) {
		if change == nil {
			change = map[string]string{}
		}
		change[c.Name] = c.After
		if before != nil {
			if err := h.changed(commit, c); err != nil {
				return nil, err
			}
		}
	}
	return change, nil
}

// changed warns once that a name of the environment changed along the hunt.
func (h *hunt) changed(commit string, c bench.Change) error {
	code, what := "environment", c.Name
	if strings.HasPrefix(c.Name, "submodule ") {
		code = "submodule"
	}
	begin := fmt.Sprintf("%s differs along the hunt: ", what)
	for _, w := range h.state.Warnings {
		if w.Code == code && strings.HasPrefix(w.Text, begin) {
			return nil
		}
	}
	return h.append(engine.Event{Kind: engine.EventWarned, Warning: warning(code, commit,
		fmt.Sprintf("%s%s, at %s %s", begin, orNone(c.Before), short(commit), orNone(c.After)))})
}

func orNone(version string) string {
	if version == "" {
		return "none"
	}
	return fmt.Sprintf("%q", version)
}

// conditions returns the numbers of the machine's state that are kept with a run,
// and journals a warning when runs are made in states that do not compare.
func (h *hunt) conditions(commit string, warmup bool, run bench.RunResult) (map[string]float64, error) {
	c := run.Before
	if len(run.During.GPUs) > 0 {
		c = run.During
	}
	if c.CPU.Count == 0 {
		return nil, nil // nothing was read
	}
	if run.Before.Mark != "" {
		if err := h.warnOnce("hot", "a run was made although the GPU was not fit: "+run.Before.Mark); err != nil {
			return nil, err
		}
	}
	numbers := numbersOf(c)
	if warmup {
		return numbers, nil
	}
	if h.states.begin == nil {
		h.states.begin = &c
		return numbers, nil
	}
	if mixed := bench.MixedStates(*h.states.begin, c); len(mixed) > 0 {
		return numbers, h.warnOnce("mixed_states", fmt.Sprintf("runs were made in different states of the machine, first seen at %s: %s", short(commit), strings.Join(mixed, "; ")))
	}
	return numbers, nil
}

// numbersOf flattens a state to names and numbers.
func numbersOf(c bench.Conditions) map[string]float64 {
	n := map[string]float64{}
	put := func(name string, v *float64) {
		if v != nil {
			n[name] = *v
		}
	}
	put("load1", c.CPU.Load1)
	put("cpu_mhz", c.CPU.MeanMHz)
	for _, g := range c.GPUs {
		gpu := fmt.Sprintf("gpu%d_", g.Index)
		put(gpu+"temp_c", g.TempC)
		put(gpu+"mhz", g.ClockMHz)
		put(gpu+"busy_pct", g.BusyPct)
		put(gpu+"power_w", g.PowerW)
		if len(g.Throttle) > 0 {
			n[gpu+"throttled"] = 1
		}
		if len(g.Processes) > 0 {
			n[gpu+"processes"] = float64(len(g.Processes))
		}
	}
	return n
}
