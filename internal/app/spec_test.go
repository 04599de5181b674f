package app

import (
	"os"
	"strings"
	"testing"

	"perfbisect/engine"
	"perfbisect/internal/testenv"
)

// TestRefusedAtOnce: what is wrong with an argument makes no run.
func TestRefusedAtOnce(t *testing.T) {
	a := newApp(t)
	base, _ := fakeSpec(t, testenv.Plant{N: 3, Culprit: 2})
	for _, test := range []struct{ name, value, want string }{
		{"ladder", "x", `ladder is "x", must be "tags" or a number from 3 to 64`},
		{"prove", "x", `prove is "x", must be one of: revert, fix-on`},
		{"reuse", "nosuch", `reuse: unknown run "nosuch"`},
		{"nested", "/nonexistent", `nested is "/nonexistent": `},
		{"overlay", "/nonexistent", `overlay is "/nonexistent": `},
		{"patch", "/nonexistent", `patch is "/nonexistent": `},
		{"max-runs", "-1", "max_runs is -1, must be 0 to 2147483647"},
		{"better", "up", `better is "up", must be one of: lower, higher`},
		{"bench-cmd", "a\x00b", "bench_cmd holds a NUL byte"},
		{"env", "A=b\x00", "env holds a NUL byte"},
		{"jobs", "2", "jobs is 2, must be 1: the local executor runs one at a time"},
	} {
		s := base
		if err := s.Set(test.name, test.value); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Start(t.Context(), s); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v, want %s", test.name, test.value, err, test.want)
		}
	}
	if runs, err := os.ReadDir(a.cfg.StateDir + "/runs"); err != nil || len(runs) > 0 {
		t.Errorf("%d runs were made: %v", len(runs), err)
	}
}

// TestDurations: what is too long is told from what is none.
func TestDurations(t *testing.T) {
	for value, want := range map[string]string{
		"90": "", "1h30m": "", "1.5h": "",
		"9999999h":   "too long",
		"99999999d":  "must be a duration",
		"-1s":        "must be a duration",
		"soon":       "must be a duration",
		"1h9999999h": "too long",
	} {
		var s Spec
		err := s.Set("timeout", value)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
}

// TestWarnings: another text about the same commit is another warning.
func TestWarnings(t *testing.T) {
	h := newHunt(t)
	for _, text := range []string{"one", "two", "one"} {
		if err := h.warn("checkout", "abc", text); err != nil {
			t.Fatal(err)
		}
		if err := h.warnOnce("hot", text); err != nil {
			t.Fatal(err)
		}
	}
	count := map[string]int{}
	for _, w := range h.state.Warnings {
		count[w.Code]++
	}
	if count["checkout"] != 2 || count["hot"] != 1 {
		t.Errorf("%v in %v", count, h.state.Warnings)
	}
	if h.state.Status == engine.Failed {
		t.Error("failed")
	}
}
