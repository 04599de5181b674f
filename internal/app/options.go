package app

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Option is one setting of a hunt: a flag of `perfbisect run` and, as
// name=value, an entry of the options list of bisect_start. One table serves
// both, so they have the same names, defaults and words. OptionsFor has those of
// the other commands and tools.
type Option struct {
	Name       string // in flag form, with "-"
	Short      string // one letter; "" for none
	Value      string // placeholder, for example DIR; "" for a switch
	Usage      string
	Repeatable bool
	Set        func(*Spec, string) error
	Get        func(*Spec) string // the value as Set takes it
}

// Options returns the table in the order in which help shows it.
func Options() []Option {
	return []Option{
		text("repo", "DIR", "repository", func(s *Spec) *string { return &s.Repo }),
		text("good", "REV", "a fast commit: tag, branch, hash, HEAD~30", func(s *Spec) *string { return &s.Good }),
		text("bad", "REV", "a slow commit", func(s *Spec) *string { return &s.Bad }),
		text("bench-cmd", "CMD", "benchmark, run by /bin/sh (or give it after --)", func(s *Spec) *string { return &s.BenchCmd }),
		text("build", "CMD", "run after each checkout; a failure skips the commit", func(s *Spec) *string { return &s.BuildCmd }),
		duration("build-timeout", "longest build", func(s *Spec) *float64 { return &s.BuildTimeoutS }),
		text("metric", "SPEC", "auto, regex:RE, json:PATH, csv:COLUMN, name:LABEL, time, exit, isa:KERNEL:COLUMN; then @last @first @min @max @median @mean @geomean", func(s *Spec) *string { return &s.Metric }),
		text("better", "lower|higher", "which way the metric is better", func(s *Spec) *string { return &s.Better }),
		text("find", "regression|improvement", "what kind of step to look for", func(s *Spec) *string { return &s.Find }),
		text("strategy", "adaptive|classic", "how commits are chosen; classic repeats and compares with a threshold", func(s *Spec) *string { return &s.Strategy }),
		text("confidence", "quick|normal|strict", "how sure before a commit is named (adaptive)", func(s *Spec) *string { return &s.Confidence }),
		number("min-gap", "PCT", "smallest change of interest in percent (adaptive)", func(s *Spec) *float64 { return &s.MinGapPct }),
		integer("num-runs", "runs per commit (classic)", func(s *Spec) *int { return &s.NumRuns }),
		number("threshold-pct", "PCT", "percent of the gap above which a commit is bad (classic)", func(s *Spec) *float64 { return &s.ThresholdPct }),
		integer("warmup-runs", "runs thrown away after each checkout", func(s *Spec) *int { return &s.WarmupRuns }),
		duration("timeout", "longest run; a longer one is a timeout, not a slow run", func(s *Spec) *float64 { return &s.TimeoutS }),
		toggle("skip-on-fail", "skip commits that do not build or run (false: ask)", func(s *Spec) *bool { return &s.SkipOnFail }),
		toggle("first-parent", "follow first parents only (false: the whole history)", func(s *Spec) *bool { return &s.FirstParent }),
		list("path", "PATHSPEC", "commits that leave these paths untouched share their neighbour's measurement", func(s *Spec) *[]string { return &s.Path }),
		list("skip", "REV", "a commit that cannot be tested", func(s *Spec) *[]string { return &s.Skip }),
		integer("max-runs", "budget in runs; ends with the best bracket so far", func(s *Spec) *int { return &s.MaxRuns }),
		duration("max-time", "budget in time", func(s *Spec) *float64 { return &s.MaxTimeS }),
		text("checkout", "clone|worktree|in-place", "where commits are checked out; in-place uses your own tree, saved (refs/perfbisect keeps it for 30 days) and restored", func(s *Spec) *string { return &s.Checkout }),
		text("clean", "none|ignored|all", "what is removed from our tree before each build", func(s *Spec) *string { return &s.Clean }),
		list("overlay", "SRC[:DEST]", "file or folder laid over every checkout", func(s *Spec) *[]string { return &s.Overlay }),
		text("bench-from", "REV[:PATH]", "take the benchmark's files from this commit at every step", func(s *Spec) *string { return &s.BenchFrom }),
		list("patch", "FILE", "patch applied on every commit where it applies", func(s *Spec) *[]string { return &s.Patch }),
		list("build-for", "RANGE=CMD", "another build command for the commits of RANGE (A..B)", func(s *Spec) *[]string { return &s.BuildFor }),
		list("env", "NAME=VALUE", "environment of build and benchmark; {commit} and {slot} are replaced", func(s *Spec) *[]string { return &s.Env }),
		toggle("share-caches", "do not give each commit its own kernel caches", func(s *Spec) *bool { return &s.ShareCaches }),
		list("artifact", "GLOB", "what the build makes; watched for staleness, hashed to find commits with equal device code", func(s *Spec) *[]string { return &s.Artifact }),
		text("imports", "MODULE", "Python module that must be imported from the checkout", func(s *Spec) *string { return &s.Imports }),
		text("health", "CMD", "probe after an abnormal end; its failure stops the hunt (default: rocminfo, amd-smi or nvidia-smi where there is a GPU; none: no probe)", func(s *Spec) *string { return &s.Health }),
		number("max-temp", "C", "wait up to five minutes before a run while a GPU is hotter than this", func(s *Spec) *float64 { return &s.MaxTempC }),
		text("dump", "CMD", "command that writes machine code to {dump_dir}", func(s *Spec) *string { return &s.Dump }),
		list("prove", "revert|fix-on", "measure a proof, too; revert: bad without the culprit; fix-on: bad with the patches", func(s *Spec) *[]string { return &s.Prove }),
		text("ladder", "tags|N", "measure the tags or N commits first and show the staircase", func(s *Spec) *string { return &s.Ladder }),
		list("nested", "PATH", "local clone to search when the culprit only moves a pin", func(s *Spec) *[]string { return &s.Nested }),
		number("reference", "VALUE", "recorded value of good; where good now measures otherwise, the answer warns of it or is that the environment changed", func(s *Spec) *float64 { return &s.Reference }),
		text("reuse", "RUN", "answer another metric from the outputs of RUN where they suffice", func(s *Spec) *string { return &s.Reuse }),
		toggle("all", "go on until the whole gap is explained", func(s *Spec) *bool { return &s.All }),
		text("mode", "auto|step", "step: pause after each commit, until perfbisect resume or bisect_step", func(s *Spec) *string { return &s.Mode }),
		text("executor", "local", "where measurements run", func(s *Spec) *string { return &s.Executor }),
		letter("j", integer("jobs", "parallel workers; the local executor has one", func(s *Spec) *int { return &s.Jobs })),
		toggle("yes", "take the default answer of every question", func(s *Spec) *bool { return &s.Yes }),
	}
}

// Set gives one setting of a search by its name, in flag form or with "_".
func (s *Spec) Set(name, value string) error { return s.SetFor(UseSearch, name, value) }

func text(name, value, usage string, at func(*Spec) *string) Option {
	return Option{
		Name: name, Value: value, Usage: usage,
		Set: func(s *Spec, v string) error { *at(s) = v; return nil },
		Get: func(s *Spec) string { return *at(s) },
	}
}

func list(name, value, usage string, at func(*Spec) *[]string) Option {
	return Option{
		Name: name, Value: value, Usage: usage, Repeatable: true,
		Set: func(s *Spec, v string) error { *at(s) = append(*at(s), v); return nil },
		Get: func(s *Spec) string { return strings.Join(*at(s), ",") },
	}
}

func toggle(name, usage string, at func(*Spec) *bool) Option {
	return Option{
		Name: name, Usage: usage,
		Set: func(s *Spec, v string) error {
			b, err := strconv.ParseBool(v)
			if err != nil {
				return fmt.Errorf("%s is %q, must be true or false", name, v)
			}
			*at(s) = b
			return nil
		},
		Get: func(s *Spec) string { return strconv.FormatBool(*at(s)) },
	}
}

func integer(name, usage string, at func(*Spec) *int) Option {
	return Option{
		Name: name, Value: "N", Usage: usage,
		Set: func(s *Spec, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil {
				return fmt.Errorf("%s is %q, must be a whole number", name, v)
			}
			*at(s) = n
			return nil
		},
		Get: func(s *Spec) string { return strconv.Itoa(*at(s)) },
	}
}

func number(name, value, usage string, at func(*Spec) *float64) Option {
	return Option{
		Name: name, Value: value, Usage: usage,
		Set: func(s *Spec, v string) error {
			x, err := strconv.ParseFloat(strings.TrimSuffix(v, "%"), 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("%s is %q, must be a number", name, v)
			}
			*at(s) = x
			return nil
		},
		Get: func(s *Spec) string { return strconv.FormatFloat(*at(s), 'g', -1, 64) },
	}
}

// tooLong is what a duration looks like: when it cannot be read it is too long.
var tooLong = regexp.MustCompile(`^([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`)

// duration takes 90, 90s, 10m or 1h30m; a bare number is seconds.
func duration(name, usage string, at func(*Spec) *float64) Option {
	return Option{
		Name: name, Value: "D", Usage: usage,
		Set: func(s *Spec, v string) error {
			if x, err := strconv.ParseFloat(v, 64); err == nil && x >= 0 && !math.IsInf(x, 0) {
				*at(s) = x
				return nil
			}
			d, err := time.ParseDuration(v)
			if err != nil && tooLong.MatchString(v) {
				return fmt.Errorf("%s is %q, which is too long", name, v)
			}
			if err != nil || d < 0 {
				return fmt.Errorf("%s is %q, must be a duration such as 90s, 10m or 1h30m", name, v)
			}
			*at(s) = d.Seconds()
			return nil
		},
		Get: func(s *Spec) string {
			if *at(s) == 0 {
				return "0" // what a flag does not show as its default
			}
			return time.Duration(*at(s) * float64(time.Second)).String()
		},
	}
}

func letter(l string, o Option) Option {
	o.Short = l
	return o
}
