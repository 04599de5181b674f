package tools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

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
	return fmt.Sprintf(" (did you mean %q?)", best)
}

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
