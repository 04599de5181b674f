package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfbisect/engine"
	"perfbisect/internal/testenv"
)

// levelBench prints a number that nothing says to be the metric.
const levelBench = `read v <speed; echo "level: $v"`

// startBeside begins a hunt until the one that waits has given the slot back,
// which is a moment after its question can be seen.
func startBeside(t *testing.T, a *App, s Spec) *Status {
	t.Helper()
	var st *Status
	var err error
	if werr := testenv.Eventually(func() bool { st, err = a.Start(t.Context(), s); return err == nil }); werr != nil {
		t.Fatal(werr, err)
	}
	return st
}

// TestCorrectedStart: a hunt that waits for an argument does not keep the
// repository from the same request made whole, and goes on afterwards.
func TestCorrectedStart(t *testing.T) {
	for _, test := range []struct{ why, question, bench, answer string }{
		{"nothing is checked out yet", "bench_cmd", "", fakeBench},
		{"the first run was made", "metric", levelBench, "name:level"},
	} {
		t.Run(test.question, func(t *testing.T) {
			a := newApp(t)
			s, hashes := fakeSpec(t, testenv.Plant{N: 6, Culprit: 3})
			s.BenchCmd, s.Better = test.bench, "lower"
			waits := asking(t, a, start(t, a, s).RunID, test.question)
			whole := s
			if err := whole.Set(test.question, test.answer); err != nil {
				t.Fatal(err)
			}
			st := startBeside(t, a, whole)
			if st = over(t, a, st.RunID); st.State != engine.Completed || st.Result.Culprit != hashes[3] {
				t.Fatalf("%s: %s: %s", test.why, st.State, st.Summary)
			}
			if _, err := a.Answer(t.Context(), waits.RunID, "", test.answer); err != nil {
				t.Fatal(err)
			}
			if st = over(t, a, waits.RunID); st.State != engine.Completed || st.Result.Culprit != hashes[3] {
				t.Errorf("%s: the one that waited: %s: %s", test.why, st.State, st.Summary)
			}
			empty(t, a.cfg.CacheDir)
		})
	}
}

// TestSlotTakenMeanwhile: an answer that comes while another hunt works in the
// repository pauses the run, says which hunt that is, and is kept.
func TestSlotTakenMeanwhile(t *testing.T) {
	a := newApp(t)
	s, hashes := fakeSpec(t, testenv.Plant{N: 6, Culprit: 3})
	s.BenchCmd, s.Better = levelBench, "lower"
	waits := asking(t, a, start(t, a, s).RunID, "metric")
	other := s
	gate := filepath.Join(t.TempDir(), "gate")
	other.BenchCmd = fmt.Sprintf("test -e %s || exec sleep 600; %s", gate, fakeBench)
	works := startBeside(t, a, other)
	if _, err := a.Answer(t.Context(), waits.RunID, "", "name:level"); err != nil {
		t.Fatal(err)
	}
	st := over(t, a, waits.RunID)
	if st.State != engine.Paused || !strings.Contains(st.Reason, works.RunID) {
		t.Errorf("%s: %s", st.State, st.Reason)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Stop(t.Context(), works.RunID, "finish"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Resume(t.Context(), waits.RunID); err != nil {
		t.Fatal(err)
	}
	if st = over(t, a, waits.RunID); st.State != engine.Completed || st.Result.Culprit != hashes[3] {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
}

// TestBuiltTreeKept: what a waiting hunt has built is there when it goes on, even
// if another hunt had the repository meanwhile, and goes when it is stopped while
// another works.
func TestBuiltTreeKept(t *testing.T) {
	for _, stop := range []bool{false, true} {
		a := newApp(t)
		s, hashes := fakeSpec(t, testenv.Plant{N: 6, Culprit: 3})
		count := filepath.Join(t.TempDir(), "count")
		s.BenchCmd, s.Better, s.BuildCmd = levelBench, "lower", fmt.Sprintf("git rev-parse HEAD >>%s; cp speed built", count)
		waits := asking(t, a, start(t, a, s).RunID, "metric")
		other := s
		other.BuildCmd, other.BenchCmd = "", fakeBench
		if stop {
			other.BenchCmd = "sleep 600"
		}
		st := startBeside(t, a, other)
		if stop {
			until(t, a, st.RunID, func(*Status) bool { return strings.Contains(journal(t, a, st.RunID), `"step":"run"`) })
			if got, err := a.Stop(t.Context(), waits.RunID, "finish"); err != nil || got.State != engine.Stopped {
				t.Errorf("stop beside another: %+v, %v", got, err)
			}
			if left, _ := filepath.Glob(filepath.Join(a.cfg.CacheDir, "*/*"+waits.RunID+"*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			if _, err := a.Stop(t.Context(), st.RunID, "finish"); err != nil {
				t.Error(err)
			}
			continue
		}
		over(t, a, st.RunID)
		if left, _ := filepath.Glob(filepath.Join(a.cfg.CacheDir, "*/*"+waits.RunID+"*")); len(left) != 1 {
			t.Errorf("kept: %q", left)
		}
		if _, err := a.Answer(t.Context(), waits.RunID, "", "name:level"); err != nil {
			t.Fatal(err)
		}
		if st = over(t, a, waits.RunID); st.State != engine.Completed || st.Result.Culprit != hashes[3] {
			t.Errorf("%s: %s", st.State, st.Summary)
		}
		built, err := os.ReadFile(count)
		if err != nil {
			t.Fatal(err)
		}
		// What was built before the question is what is visited first after it.
		if lines := strings.Fields(string(built)); lines[0] == lines[1] {
			t.Errorf("it was built again: %q", lines)
		}
		empty(t, a.cfg.CacheDir)
	}
}
