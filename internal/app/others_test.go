package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/testenv"
)

func hasWarning(st *Status, code, text string) bool {
	return slices.ContainsFunc(st.Warnings, func(w search.Warning) bool { return w.Code == code && strings.Contains(w.Text, text) })
}

// TestOtherHunt: a hunt that measures while one in another repository does is
// told which one; a hunt alone is told nothing.
func TestOtherHunt(t *testing.T) {
	a := newApp(t)
	s, _ := fakeSpec(t, testenv.Plant{N: 4, Culprit: 2})
	if st := over(t, a, start(t, a, s).RunID); hasWarning(st, "other_hunt", "") {
		t.Errorf("alone: %+v", st.Warnings)
	}
	long, _ := fakeSpec(t, testenv.Plant{N: 4, Culprit: 2})
	long.BenchCmd = "sleep 300"
	other := start(t, a, long).RunID
	until(t, a, other, func(*Status) bool { return strings.Contains(journal(t, a, other), `"step":"run"`) })
	s.NumRuns++ // another request
	s.Strategy = "classic"
	st := over(t, a, start(t, a, s).RunID)
	if st.State != engine.Completed || !hasWarning(st, "other_hunt", "run "+other) {
		t.Errorf("%s: %+v", st.Summary, st.Warnings)
	}
	if _, err := a.Stop(t.Context(), other, "finish"); err != nil {
		t.Error(err)
	}
}

// TestTaken: who is refused a repository is told what the run that has it does,
// and how to have it.
func TestTaken(t *testing.T) {
	dir := t.TempDir()
	a := appIn(t, dir)
	s, _ := fakeSpec(t, testenv.Plant{N: 4, Culprit: 2})
	refusal := func(a *App) string {
		t.Helper()
		q := s
		q.NumRuns = 17 // another request
		q.Checkout = "clone"
		_, err := a.Start(t.Context(), q)
		if _, ok := errors.AsType[*HintError](err); !ok {
			t.Fatalf("%v", err)
		}
		return err.Error()
	}
	s.BenchCmd = "sleep 300"
	id := start(t, a, s).RunID
	text := refusal(a)
	for _, want := range []string{"(run " + id + ")", "it works there now: perfbisect wait " + id, "perfbisect stop --pause " + id, "perfbisect resume " + id} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in: %s", want, text)
		}
	}
	b, err := New(Config{StateDir: t.TempDir(), CacheDir: a.cfg.CacheDir})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if text := refusal(b); !strings.Contains(text, "kept in another folder") || strings.Contains(text, "stop --pause") {
		t.Error(text)
	}
	if _, err := a.Stop(t.Context(), id, "pause"); err != nil { // as the hint says
		t.Fatal(err)
	}

	s.BenchCmd, s.Checkout = "echo widgets: 5", "in-place"
	s.Metric = "regex:widgets: (.*)"
	id = start(t, a, s).RunID
	until(t, a, id, in(engine.NeedsInput))
	if text := refusal(a); !strings.Contains(text, "it waits for an answer") || !strings.Contains(text, "perfbisect answer "+id) {
		t.Error(text)
	}
	if _, err := a.Stop(t.Context(), id, "finish"); err != nil {
		t.Error(err)
	}
}
