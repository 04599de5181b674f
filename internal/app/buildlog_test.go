package app

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"perfbisect/engine"
	"perfbisect/internal/testenv"
)

// TestBuildFlood: builds that print much take little room, whether they work or
// not, and the cause of a failure is told although much was printed after it.
func TestBuildFlood(t *testing.T) {
	a := newApp(t)
	s, hashes := fakeSpec(t, testenv.Plant{N: 4, Culprit: 3, Broken: [2]int{2, 2}})
	flood := `seq -f "compiling file %.0f" 200000; `
	s.BuildCmd = `echo begin; test ! -e broken || echo "a.c:1: error: the cause"; ` + flood + `cp speed built; test ! -e broken`
	st := over(t, a, start(t, a, s).RunID)
	if st.State != engine.Completed || !slices.Contains(st.Result.Candidates, hashes[3]) {
		t.Fatalf("%s: %s", st.State, st.Summary)
	}
	dir := filepath.Join(a.cfg.StateDir, "runs", st.RunID, "logs")
	builds, _ := filepath.Glob(filepath.Join(dir, "*/build-*.out"))
	if size := sizeOf(dir); len(builds) == 0 || size > int64(len(builds))*(3<<20) {
		t.Errorf("%d builds left %d bytes of logs", len(builds), size)
	}

	if !strings.Contains(journal(t, a, st.RunID), "error: the cause") {
		t.Error("the cause of the failure is in no fact")
	}
}
