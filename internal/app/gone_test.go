package app

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"perfbisect/engine"
	"perfbisect/internal/testenv"
)

// TestCheckoutGone: the first commit inside the range, where the benchmark
// removes its own checkout, failed to run; the others are measured in a new one.
func TestCheckoutGone(t *testing.T) {
	a := newApp(t)
	s, hashes := fakeSpec(t, testenv.Plant{N: 8, Culprit: 2})
	s.BenchCmd = fmt.Sprintf(`%s; case $(git rev-parse HEAD) in %s|%s) ;; *) test -e %[4]s || { touch %[4]s; rm -rf "$PWD"; };; esac`,
		fakeBench, hashes[0], hashes[8], filepath.Join(t.TempDir(), "once"))
	st := over(t, a, start(t, a, s).RunID)
	if st.State != engine.Completed || st.Result.Culprit != hashes[2] || !strings.Contains(journal(t, a, st.RunID), errGone) {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
	empty(t, a.cfg.CacheDir)
}

// TestCheckoutAlwaysGone is told as what it is.
func TestCheckoutAlwaysGone(t *testing.T) {
	a := newApp(t)
	s, _ := fakeSpec(t, testenv.Plant{N: 4, Culprit: 2})
	s.BenchCmd = fakeBench + `; rm -rf "$PWD"`
	st := over(t, a, start(t, a, s).RunID)
	if st.State != engine.Failed || !strings.Contains(st.Reason, errGone) {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
	empty(t, a.cfg.CacheDir)
}
