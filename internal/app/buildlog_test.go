package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfbisect/internal/bench"
)

// TestBuildFlood: builds that print much take little room, whether they work or
// not, and the cause of a failure is told although much was printed after it.
func TestBuildFlood(t *testing.T) {
	h := newHunt(t)
	fails := filepath.Join(t.TempDir(), "fails")
	h.spec.BuildCmd = fmt.Sprintf(`echo begin; echo "a.c:1: error: the cause"; seq -f "compiling file %%.0f" 200000; test ! -e %s`, fails)
	if err := errors.Join(h.settle(t.Context()), h.checkout(t.Context(), h.asked.Good)); err != nil {
		t.Fatal(err)
	}
	defer h.leave(errFinish) //nolint:errcheck // the folders go with the test
	for _, test := range []struct {
		want bench.Outcome
		most int64 // bytes of the log
	}{{bench.OK, 300 << 10}, {bench.BuildFailed, 3 << 20}} {
		res, err := h.buildOnce(t.Context(), h.asked.Good)
		if err != nil || res.Outcome != test.want {
			t.Fatalf("%+v, %v", res, err)
		}
		if size := sizeOf(res.LogPath); size > test.most {
			t.Errorf("%s: a log of %d bytes", res.Outcome, size)
		}
		if got := strings.Contains(res.Tail, "error: the cause"); got != (test.want == bench.BuildFailed) {
			t.Errorf("%s: the tail is\n%s", res.Outcome, res.Tail)
		}
		log, err := os.ReadFile(res.LogPath)
		if text := string(log); err != nil || !strings.HasPrefix(text, "begin\na.c:1: error: the cause\n") || !strings.HasSuffix(text, "compiling file 200000\n") {
			t.Errorf("%s: the ends of the log are not kept, %v", res.Outcome, err)
		}
		if err := os.WriteFile(fails, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
