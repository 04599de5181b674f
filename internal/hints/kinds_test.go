package hints

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

var kindHead = regexp.MustCompile(`(?m)^#([a-z_]+)\|([^|\n]+)\|(.*)\n`)

// kinds calls f for each change of a file of small changes.
func kinds(t *testing.T, file string, f func(head, label string, r *Report)) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := kindHead.FindAllSubmatchIndex(b, -1)
	for i, m := range at {
		end := len(b)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		group := func(n int) string { return string(b[m[2*n]:m[2*n+1]]) }
		body := strings.TrimSuffix(string(b[m[1]:end]), "\n")
		f(string(bytes.TrimSpace(b[m[0]:m[1]]))+"\n"+body, group(1), fromLines(t, group(2), group(3), body, Options{}))
	}
	return len(at)
}

// TestKinds holds every kind of change that the rules were made for.
func TestKinds(t *testing.T) {
	n := kinds(t, "testdata/planted.txt", func(head, label string, r *Report) {
		if !found(r, label) {
			t.Errorf("%s\nmissed: %s", head, brief(r))
		}
	})
	if n < 500 {
		t.Errorf("%d planted changes are too few", n)
	}
	n = kinds(t, "testdata/innocent.txt", func(head, _ string, r *Report) {
		if worst(r) == High {
			t.Errorf("%s\nflagged: %s", head, brief(r))
		}
	})
	if n < 90 {
		t.Errorf("%d innocent changes are too few", n)
	}
}

// A swap is a bit of a mask of 64.
func TestSwaps(t *testing.T) {
	if len(swaps) > 64 {
		t.Errorf("%d swaps do not fit their mask", len(swaps))
	}
	for i, s := range swaps {
		if patternByName[s.pattern].Name == "" || s.reason == "" || s.level < 1 || s.level > 3 {
			t.Errorf("swap %d is not complete: %+v", i, s)
		}
	}
}
