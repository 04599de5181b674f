package app

import (
	"strings"
	"testing"

	"perfbisect/engine"
)

func TestIneffective(t *testing.T) {
	line := &engine.Plan{Positions: []engine.Position{{Commit: "a"}, {Commit: "b"}, {Commit: "c"}}}
	graph := &engine.Plan{Positions: []engine.Position{{Commit: "a"}, {Commit: "b", Parents: []int32{0}}, {Commit: "c", Parents: []int32{0, 1}}}}
	for _, tt := range []struct {
		why  string
		plan *engine.Plan
		set  string
		want string
	}{
		{"defaults say nothing", line, "", ""},
		{"a default that is given is no wish", line, "num_runs=3", ""},
		{"adaptive chooses how often", line, "num_runs=5", "--num-runs"},
		{"adaptive has no threshold", line, "threshold_pct=20", "--threshold-pct"},
		{"classic uses both", line, "strategy=classic num_runs=5 threshold_pct=20", ""},
		{"classic states no probability", line, "strategy=classic confidence=strict", "--confidence"},
		{"classic does not look at the recorded value", line, "strategy=classic reference=4", "--reference"},
		{"classic names one step, in a graph too", graph, "strategy=classic all=true", "--all"},
		{"a clone has a place for the commits of a proof", line, "prove=revert", ""},
		{"the user's object store has none", line, "prove=revert checkout=worktree", "--prove"},
		{"nor for those with patches", line, "prove=fix-on checkout=in-place", "--prove"},
		{"the rest of a line is searched", line, "all=true", ""},
		{"the rest of a graph is not", graph, "all=true", "--all"},
	} {
		s := DefaultSpec()
		for _, o := range strings.Fields(tt.set) {
			name, value, _ := strings.Cut(o, "=")
			if err := s.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, text := range ineffective(&s, tt.plan) {
			option, _, _ := strings.Cut(text, " ")
			got = append(got, option)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
}
