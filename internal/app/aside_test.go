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
			waits := over2(t, a, start(t, a, s).RunID, test.question)
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
	waits := over2(t, a, start(t, a, s).RunID, "metric")
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
