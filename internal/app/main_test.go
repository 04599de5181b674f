package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"perfbisect/engine"
	"perfbisect/internal/proc"
	"perfbisect/internal/testenv"
)

func TestMain(m *testing.M) {
	if proc.IsSupervisor(os.Args) {
		proc.SupervisorMain()
	}
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	os.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	if e := os.Getenv(childEnv); e != "" {
		childMain(e)
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // supervisors need not linger under -race
	goleak.VerifyTestMain(m)
}

// newApp returns an App with folders of its own that ends with the test.
func newApp(t testing.TB) *App {
	t.Helper()
	return appIn(t, t.TempDir())
}

func appIn(t testing.TB, dir string) *App {
	t.Helper()
	a, err := New(Config{StateDir: filepath.Join(dir, "state"), CacheDir: filepath.Join(dir, "cache")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// fakeBench prints the time that the tree holds. A shell starts in a millisecond,
// the test binary under the race detector in many.
const fakeBench = `{ read v <built; } 2>/dev/null || read v <speed; echo "latency: $v ms"`

// fakeSpec is a hunt in a new repository for the fake benchmark.
func fakeSpec(t testing.TB, p testenv.Plant) (Spec, []string) {
	t.Helper()
	dir, hashes := testenv.MustRepo(t, p.Commits())
	s := DefaultSpec()
	s.Repo, s.Good, s.BenchCmd = dir, hashes[0], fakeBench
	return s, hashes
}

// start begins a hunt.
func start(t testing.TB, a *App, s Spec) *Status {
	t.Helper()
	st, err := a.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// until waits until ok holds of the run's status.
func until(t testing.TB, a *App, id string, ok func(*Status) bool) *Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // on a busy machine
	defer cancel()
	for {
		st, err := a.Status(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if ok(st) {
			return st
		}
		if ctx.Err() != nil {
			t.Fatalf("run %s is still %s: %s", id, st.State, st.Summary)
		}
		_ = sleep(ctx, 5*time.Millisecond)
	}
}

func in(states ...engine.Status) func(*Status) bool {
	return func(s *Status) bool {
		for _, state := range states {
			if s.State == state {
				return true
			}
		}
		return false
	}
}

// over waits until the run does nothing any more.
func over(t testing.TB, a *App, id string) *Status {
	t.Helper()
	return until(t, a, id, func(s *Status) bool { return s.State != engine.Measuring && !a.Mine(id) })
}

// asking waits for a question.
func asking(t testing.TB, a *App, id, question string) *Status {
	t.Helper()
	st := until(t, a, id, func(s *Status) bool { return s.Question != nil && s.Question.ID == question })
	if st.State != engine.NeedsInput && st.State != engine.Paused {
		t.Errorf("a question is open and the run is %s", st.State)
	}
	return st
}

// journal is the journal of a run as it is on disk.
func journal(t testing.TB, a *App, id string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(a.cfg.StateDir, "runs", id, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// empty fails when a folder holds more than folders.
func empty(t testing.TB, dir string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("left behind: %s", path)
		}
		return nil
	})
}
