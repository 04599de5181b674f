package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfbisect/engine/search"
	"perfbisect/internal/session"
)

func TestTrimLogs(t *testing.T) {
	long := "first line\n" + strings.Repeat("x", 3<<20) + "\nlatency: 3 ms\n"
	huge := "first line\n" + strings.Repeat("compiling\n", 1<<17) + "a.c:1: error: the cause\n" + strings.Repeat("compiling\n", 1<<19) + "\nlatency: 3 ms\n"
	for _, test := range []struct {
		why, text string
		outcome   search.Outcome
		before    int64 // bytes of logs that are kept already
		most      int   // bytes that are left
	}{
		{"a long output of a good run", long, search.OK, 0, 300 << 10},
		{"a failure is kept for people", long, search.RunFailed, 0, len(long)},
		{"a run without a metric is a failure", long, search.NoMetric, 0, len(long)},
		{"a huge failure", huge, search.RunFailed, 0, 3 << 20},
		{"a failure when there are many logs", huge, search.RunFailed, manyLogs, 40 << 10},
		{"a short output", "latency: 3 ms\n", search.OK, manyLogs, 14},
	} {
		run := &session.Run{Dir: t.TempDir()}
		path := filepath.Join(run.Dir, "run-1.out")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		tr := &trial{outcome: test.outcome}
		tr.run.Stdout.Path = path
		h := &hunt{run: run, logs: logs{true, test.before + 1}}
		h.trimLogs(tr)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := string(data)
		if len(got) > test.most || (got == test.text) != (test.most == len(test.text)) || h.logs.bytes != test.before+1+int64(len(got)) {
			t.Errorf("%s: %d bytes of %d are left, %d counted", test.why, len(got), len(test.text), h.logs.bytes)
		}
		for what, kept := range map[string]bool{
			"the beginning": got == test.text || strings.HasPrefix(got, "first line\n"),
			"the end":       strings.HasSuffix(got, "latency: 3 ms\n"),
			"the gap":       got == test.text || strings.Contains(got, "left out"),
			"the error":     strings.Contains(got, "the cause") == strings.Contains(test.text, "the cause"),
		} {
			if !kept {
				t.Errorf("%s: %s is not kept", test.why, what)
			}
		}
	}
}
