package hints

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// A labelled is one diff of testdata/hints with what it was written to show.
type labelled struct {
	name, label, why string
	diff             []byte
}

func readLabelled(t testing.TB) []labelled {
	t.Helper()
	names, err := filepath.Glob("../../testdata/hints/*.diff")
	if err != nil || len(names) == 0 {
		t.Fatalf("no labelled diffs: %v", err)
	}
	sort.Strings(names)
	var out []labelled
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		l := labelled{name: strings.TrimSuffix(filepath.Base(n), ".diff"), diff: b}
		head, _, _ := bytes.Cut(b, []byte("\n\n"))
		for line := range strings.Lines(string(head)) {
			k, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch k {
			case "label":
				l.label = v
			case "why":
				l.why = v
			}
		}
		if l.label == "" || l.label != "none" && patternByName[l.label].Name == "" {
			t.Fatalf("%s: unknown label %q", n, l.label)
		}
		out = append(out, l)
	}
	return out
}

// found tells whether the planted pattern is the first hint, or one of high or
// medium confidence.
func found(r *Report, label string) bool {
	for i, h := range r.Hints {
		if h.Pattern == label && (i == 0 || h.Confidence != Low) {
			return true
		}
	}
	return false
}

func worst(r *Report) string {
	if len(r.Hints) == 0 {
		return ""
	}
	rank := map[string]int{Low: 1, Medium: 2, High: 3}
	w := r.Hints[0].Confidence
	for _, h := range r.Hints {
		if rank[h.Confidence] > rank[w] {
			w = h.Confidence
		}
	}
	return w
}

// TestLabelled measures the package against the labelled diffs. The goals: at
// least 90 % of the planted patterns found, at most 10 % of the innocent diffs
// with a hint of high confidence.
//
// The held-out diffs were written in three goes, each measured once before any rule
// was changed for it: heldout- 20 of 22 planted found and 0 of 17 innocent flagged
// high; heldout2- (harder on purpose) 15 of 20 and 2 of 15; heldout3- 19 of 20 and
// 1 of 15. Together 54 of 62 (87 %) and 3 of 47 (6 %): what to expect on new input.
func TestLabelled(t *testing.T) {
	var planted, hit, first, innocent, high, any int
	for _, l := range readLabelled(t) {
		r, err := FromDiff(bytes.NewReader(l.diff), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if l.label == "none" {
			innocent++
			if len(r.Hints) > 0 {
				any++
				t.Logf("innocent %s (%s): %s", l.name, l.why, brief(r))
			}
			if worst(r) == High {
				high++
			}
			continue
		}
		planted++
		if len(r.Hints) > 0 && r.Hints[0].Pattern == l.label {
			first++
		}
		if found(r, l.label) {
			hit++
		} else {
			t.Logf("missed %s in %s (%s): %s", l.label, l.name, l.why, brief(r))
		}
	}
	recall, flagged := float64(hit)/float64(planted), float64(high)/float64(innocent)
	t.Logf("planted %d: recall %.1f %%, first %.1f %%", planted, 100*recall, 100*float64(first)/float64(planted))
	t.Logf("innocent %d: high %.1f %%, any hint %.1f %%", innocent, 100*flagged, 100*float64(any)/float64(innocent))
	t.Logf("precision of diffs with a high hint: %.1f %%", 100*float64(hit)/float64(max(hit+high, 1)))
	if planted < 30 || innocent < 30 || planted+innocent < 60 {
		t.Errorf("%d planted and %d innocent diffs are too few", planted, innocent)
	}
	if recall < 0.9 {
		t.Errorf("recall %.3f is below 0.9", recall)
	}
	if flagged > 0.1 {
		t.Errorf("%.3f of the innocent diffs have a high hint, more than 0.1", flagged)
	}
}

func brief(r *Report) string {
	var b strings.Builder
	for _, h := range r.Hints {
		fmt.Fprintf(&b, "[%s %s:%d %s: %s | %s] ", h.Pattern, h.File, h.Line, h.Confidence, h.After, h.Reason)
	}
	if b.Len() == 0 {
		return r.Note
	}
	return b.String()
}
