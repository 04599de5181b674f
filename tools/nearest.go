package tools

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"perfbisect/internal/app"
)

// optionsArgument is the argument that takes every flag of perfbisect run.
const optionsArgument = "options"

// synonyms are names that models give to arguments; those that a tool has count.
var synonyms = map[string][]string{
	"bench_cmd": {"command"}, "benchmark": {"bench_cmd", "command"}, "benchmark_command": {"bench_cmd", "command"}, "bench_command": {"bench_cmd", "command"},
	"command": {"bench_cmd"}, "cmd": {"bench_cmd", "command"}, "build": {"build_cmd"}, "build_command": {"build_cmd"}, "dump": {"dump_cmd"},
	"timeout": {"timeout_s", "wait_s"}, "wait": {"wait_s"}, "repository": {"repo"}, "cwd": {"repo"}, "dir": {"repo", "path"}, "directory": {"repo", "path"}, "path": {"repo"},
	"id": {"run_id"}, "run": {"run_id"}, "output": {"text"},
	"good": {"before_rev"}, "before_commit": {"before_rev"}, "bad": {"after_rev"}, "after_commit": {"after_rev"}, "commit": {"after_rev"},
}

// hintFor says behind the name of an unknown argument what was meant: another
// argument, a setting that goes into options, or a name that is written alike.
func hintFor(name string, value any, valid []string) string {
	plain := strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_")
	if contains(valid, plain) {
		return didYouMean(plain)
	}
	for _, s := range synonyms[plain] {
		if contains(valid, s) {
			return didYouMean(s)
		}
	}
	if contains(valid, optionsArgument) {
		if list := settingsOf(plain, value); list != "" {
			return fmt.Sprintf(" (put it into options: %s)", list)
		}
	}
	return suggestion(plain, valid)
}

// settingsOf is an argument as a list for options; "" when no flag of
// perfbisect run has its name.
func settingsOf(name string, value any) string {
	if alias, ok := optionAliases[name]; ok {
		name = alias
	}
	for _, o := range app.Options() {
		if strings.ReplaceAll(o.Name, "-", "_") == name {
			return settings(name, value, cmp.Or(o.Value, "true"))
		}
	}
	return ""
}

// maxSettings bounds a list that settings shows whole, in bytes.
const maxSettings = 200

// settings shows name=value for each value, or for the placeholder where they
// are none or too long.
func settings(name string, value any, placeholder string) string {
	values, ok := listOf(value)
	if text, single := stringOf(value); single && !ok {
		values = []string{text}
	}
	if len(values) == 0 || len(strings.Join(values, "")) > maxSettings {
		values = []string{placeholder}
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = strconv.Quote(name + "=" + v)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// suggestion is " (did you mean X?)" for the nearest of valid, or "" when none
// is near: more than a third of the letters, and more than two, would change,
// and neither name begins with the other.
func suggestion(name string, valid []string) string {
	best, at := "", max(2, len(name)/3)+1
	for _, v := range valid {
		d := distance(name, v)
		if len(name) >= 3 && (strings.HasPrefix(v, name) || strings.HasPrefix(name, v)) {
			d = min(d, 1)
		}
		if d < at {
			best, at = v, d
		}
	}
	if best == "" {
		return ""
	}
	return didYouMean(best)
}

func didYouMean(name string) string { return fmt.Sprintf(" (did you mean %q?)", name) }

// distance is the Levenshtein distance of a and b in bytes. Only the first 64
// bytes count, so that a hostile name costs nothing.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func contains(list []string, s string) bool { return slices.Contains(list, s) }
