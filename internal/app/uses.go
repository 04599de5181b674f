package app

import (
	"fmt"
	"slices"
	"strings"
)

// Use is a kind of work that options are given for. An option that would have no
// effect on it is none of its options.
type Use int

// The uses. A search has all options.
const (
	UseSearch  Use = iota // run, bisect_start
	UseCompare            // compare, baseline_measure
	UseDump               // isa capture, isa diff and isa_diff of two commits
)

// usedBy are the options that work on commits without a search has, by name.
var usedBy = map[Use][]string{
	UseCompare: {
		"repo", "bench-cmd", "build", "build-timeout", "metric", "better", "num-runs", "warmup-runs", "timeout", "max-runs", "max-time",
		"checkout", "clean", "overlay", "bench-from", "patch", "build-for", "env", "share-caches", "artifact", "imports", "health",
		"max-temp", "dump", "yes",
	},
	UseDump: {
		"repo", "build", "build-timeout", "timeout", "checkout", "clean", "overlay", "bench-from", "patch", "build-for", "env",
		"share-caches", "artifact", "health", "dump", "yes",
	},
}

// usage words an option for a use where it is said otherwise than for a search.
var usage = map[Use]map[string]string{
	UseCompare: {
		"num-runs": "runs per commit",
		"max-runs": "budget in runs; what was measured by then counts",
		"dump":     "command that writes machine code to {dump_dir}, for --metric isa:KERNEL:COLUMN",
		"artifact": "what the build makes; watched for staleness, and read for --metric isa:KERNEL:COLUMN",
	},
	UseDump: {
		"build":    "run after each checkout",
		"timeout":  "longest run of the dump command",
		"artifact": "what the build makes; read instead of what --dump writes",
		"yes":      "with --checkout in-place: save and restore what is uncommitted",
	},
}

// OptionsFor returns the options that have an effect on a use, in the order of
// Options.
func OptionsFor(u Use) []Option {
	list := Options()
	if names, ok := usedBy[u]; ok {
		list = slices.DeleteFunc(list, func(o Option) bool { return !slices.Contains(names, o.Name) })
	}
	for i := range list {
		if text := usage[u][list[i].Name]; text != "" {
			list[i].Usage = text
		}
	}
	return list
}

// SetFor gives one setting by its name, in flag form or with "_". It refuses an
// option that has no effect on u.
func (s *Spec) SetFor(u Use, name, value string) error {
	flag := strings.ReplaceAll(name, "_", "-")
	is := func(o Option) bool { return o.Name == flag || o.Short == flag }
	list := OptionsFor(u)
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i].Set(s, value)
	}
	names := make([]string, len(list))
	for i, o := range list {
		names[i] = strings.ReplaceAll(o.Name, "-", "_")
	}
	what := "unknown option %q"
	if slices.ContainsFunc(Options(), is) {
		what = "option %q has an effect on a search only"
	}
	return fmt.Errorf(what+"; the options are: %s", name, strings.Join(names, ", "))
}
