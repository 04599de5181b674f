package app

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"perfbisect/engine/search"
	"perfbisect/internal/metric"
)

// Spec is what the user asked for. Its JSON names are the arguments of
// bisect_start and, with "-" for "_", the flags of `perfbisect run`. It is
// written to spec.json once and never changes.
type Spec struct {
	Repo          string   `json:"repo"`
	Good          string   `json:"good"`
	Bad           string   `json:"bad"`
	BenchCmd      string   `json:"bench_cmd,omitempty"`  // run by /bin/sh -c
	BenchArgv     []string `json:"bench_argv,omitempty"` // run as it is; wins over BenchCmd
	BuildCmd      string   `json:"build_cmd,omitempty"`
	BuildTimeoutS float64  `json:"build_timeout_s"`
	Metric        string   `json:"metric"`
	Better        string   `json:"better,omitempty"`
	Find          string   `json:"find"`
	Mode          string   `json:"mode"` // auto or step
	Strategy      string   `json:"strategy"`
	Confidence    string   `json:"confidence"`
	MinGapPct     float64  `json:"min_gap"`
	NumRuns       int      `json:"num_runs"`
	ThresholdPct  float64  `json:"threshold_pct"`
	WarmupRuns    int      `json:"warmup_runs"`
	TimeoutS      float64  `json:"timeout_s"`
	SkipOnFail    bool     `json:"skip_on_fail"`
	FirstParent   bool     `json:"first_parent"`
	Path          []string `json:"path,omitempty"`
	Skip          []string `json:"skip,omitempty"`
	MaxRuns       int      `json:"max_runs,omitempty"`
	MaxTimeS      float64  `json:"max_time_s,omitempty"`
	Checkout      string   `json:"checkout"`
	Clean         string   `json:"clean"`
	Overlay       []string `json:"overlay,omitempty"`
	BenchFrom     string   `json:"bench_from,omitempty"`
	Patch         []string `json:"patch,omitempty"`
	BuildFor      []string `json:"build_for,omitempty"`
	Env           []string `json:"env,omitempty"`
	ShareCaches   bool     `json:"share_caches,omitempty"`
	Artifact      []string `json:"artifact,omitempty"`
	Imports       string   `json:"imports,omitempty"`
	Health        string   `json:"health,omitempty"`
	MaxTempC      float64  `json:"max_temp,omitempty"` // degrees Celsius; 0: no limit
	Dump          string   `json:"dump,omitempty"`
	Prove         []string `json:"prove,omitempty"`
	Ladder        string   `json:"ladder,omitempty"`
	Nested        []string `json:"nested,omitempty"`
	Reference     float64  `json:"reference,omitempty"`
	Reuse         string   `json:"reuse,omitempty"`
	All           bool     `json:"all,omitempty"`
	Executor      string   `json:"executor"`
	Jobs          int      `json:"jobs"`
	Yes           bool     `json:"yes,omitempty"`
}

// DefaultSpec returns the defaults of the command line.
func DefaultSpec() Spec {
	return Spec{
		Repo: ".", Bad: "HEAD", BuildTimeoutS: 3600, Metric: "auto", Find: "regression", Mode: "auto",
		Strategy: "adaptive", Confidence: "normal", MinGapPct: 1, NumRuns: 3, ThresholdPct: 30, WarmupRuns: 1,
		TimeoutS: 600, SkipOnFail: true, FirstParent: true, Checkout: "clone", Clean: "none", Executor: "local", Jobs: 1,
	}
}

// Validate reports every value that is out of range, in the words of the flags.
// What is only missing is not its business: that becomes a question.
func (s *Spec) Validate() error {
	var errs []error
	oneOf := func(name, value string, allowed ...string) {
		for _, a := range allowed {
			if value == a {
				return
			}
		}
		errs = append(errs, fmt.Errorf("%s is %q, must be one of: %s", name, value, strings.Join(allowed, ", ")))
	}
	within := func(name string, value, low, high float64) {
		if !(value >= low && value <= high) {
			errs = append(errs, fmt.Errorf("%s is %s, must be %s to %s", name, plain(value), plain(low), plain(high)))
		}
	}
	if s.Better != "" { // else the metric says
		oneOf("better", s.Better, "lower", "higher")
	}
	oneOf("find", s.Find, "regression", "improvement")
	oneOf("mode", s.Mode, "auto", "step")
	oneOf("strategy", s.Strategy, "adaptive", "classic")
	oneOf("confidence", s.Confidence, "quick", "normal", "strict")
	oneOf("checkout", s.Checkout, "clone", "worktree", "in-place")
	oneOf("clean", s.Clean, "none", "ignored", "all")
	oneOf("executor", s.Executor, "local")
	for _, kind := range s.Prove {
		oneOf("prove", kind, "revert", "fix-on")
		if kind == "fix-on" && len(s.Patch) == 0 {
			errs = append(errs, errors.New("prove is \"fix-on\", which needs a patch"))
		}
	}
	errs = append(errs, s.checkBytes())
	if err := s.checkLadder(); err != nil {
		errs = append(errs, err)
	}
	within("min_gap", s.MinGapPct, 0, 1e6)
	within("threshold_pct", s.ThresholdPct, 1, 99)
	within("num_runs", float64(s.NumRuns), 1, 1000)
	within("warmup_runs", float64(s.WarmupRuns), 0, 1000)
	within("timeout_s", s.TimeoutS, 0.001, 1e7)
	within("build_timeout_s", s.BuildTimeoutS, 0.001, 1e7)
	within("max_runs", float64(s.MaxRuns), 0, math.MaxInt32)
	within("max_time_s", s.MaxTimeS, 0, 1e9)
	within("max_temp", s.MaxTempC, 0, 200)
	if s.Jobs != 1 {
		errs = append(errs, fmt.Errorf("jobs is %d, must be 1: the local executor runs one at a time", s.Jobs))
	}
	if _, err := metric.Parse(s.Metric); err != nil {
		errs = append(errs, err)
	}
	for _, e := range s.Env {
		if name, _, ok := strings.Cut(e, "="); !ok || name == "" {
			errs = append(errs, fmt.Errorf("env is %q, must be NAME=VALUE", e))
		}
	}
	return errors.Join(errs...)
}

// checkBytes refuses what no argument of a program can hold.
func (s *Spec) checkBytes() error {
	const refusal = "%s holds a NUL byte, which no command or path can"
	var errs []error
	for _, o := range Options() {
		if strings.ContainsRune(o.Get(s), 0) {
			errs = append(errs, fmt.Errorf(refusal, strings.ReplaceAll(o.Name, "-", "_")))
		}
	}
	for _, word := range s.BenchArgv {
		if strings.ContainsRune(word, 0) {
			errs = append(errs, fmt.Errorf(refusal, "bench_argv"))
		}
	}
	return errors.Join(errs...)
}

// checkFiles reports paths that are not there, once absolutize has found them.
func (s *Spec) checkFiles() error {
	var errs []error
	there := func(name, path string) {
		if _, err := os.Stat(path); err != nil {
			errs = append(errs, fmt.Errorf("%s is %q: %w", name, path, err))
		}
	}
	for _, overlay := range s.Overlay {
		src, _ := splitOverlay(overlay)
		there("overlay", src)
	}
	for _, path := range s.Patch {
		there("patch", path)
	}
	for _, path := range s.Nested {
		there("nested", path)
	}
	return errors.Join(errs...)
}

// plain writes a number without an exponent.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// searchOptions translates the spec for the planners.
func (s *Spec) searchOptions() search.Options {
	return search.Options{
		Strategy: s.Strategy, Better: search.Polarity(s.Better), Find: s.Find, Confidence: s.Confidence,
		MinGapPct: s.MinGapPct, NumRuns: s.NumRuns, ThresholdPct: s.ThresholdPct, WarmupRuns: s.WarmupRuns,
		SkipOnFail: s.SkipOnFail, All: s.All, Workers: s.Jobs, Reference: s.Reference,
	}
}

// bench returns the argv of the benchmark, or nil when none was given.
func (s *Spec) bench() []string {
	switch {
	case len(s.BenchArgv) > 0:
		return s.BenchArgv
	case strings.TrimSpace(s.BenchCmd) != "":
		return shell(s.BenchCmd)
	}
	return nil
}

// shell runs a command string as the user typed it.
func shell(command string) []string { return []string{"/bin/sh", "-c", command} }
