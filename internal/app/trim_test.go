package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfbisect/engine/search"
)

func TestTrimLogs(t *testing.T) {
	long := "first line\n" + strings.Repeat("x", 3<<20) + "\nlatency: 3 ms\n"
	for _, test := range []struct {
		why, text string
		outcome   search.Outcome
		cut       bool
	}{
		{"a long output of a good run", long, search.OK, true},
		{"a failure is kept for people", long, search.RunFailed, false},
		{"a run without a metric is a failure", long, search.NoMetric, false},
		{"a short output", "latency: 3 ms\n", search.OK, false},
	} {
		path := filepath.Join(t.TempDir(), "run-1.out")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		tr := &trial{outcome: test.outcome}
		tr.run.Stdout.Path = path
		trimLogs(tr)
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if (string(got) != test.text) != test.cut || len(got) > longLog && test.cut {
			t.Errorf("%s: %d bytes of %d are left", test.why, len(got), len(test.text))
		}
		if test.cut && (!strings.HasPrefix(string(got), "first line\n") || !strings.HasSuffix(string(got), "\nlatency: 3 ms\n") || !strings.Contains(string(got), "left out")) {
			t.Errorf("%s: the ends are not kept", test.why)
		}
	}
}
