package hints

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// A setScore counts what the package made of a set of labelled diffs.
type setScore struct{ planted, hit, first, innocent, high, any int }

func (s *setScore) add(l *labelled, r *Report) {
	if l.label == "none" {
		s.innocent++
		s.any += b2i(len(r.Hints) > 0)
		s.high += b2i(worst(r) == High)
		return
	}
	s.planted++
	s.first += b2i(len(r.Hints) > 0 && r.Hints[0].Pattern == l.label)
	s.hit += b2i(found(r, l.label))
}

func (s *setScore) recall() float64  { return float64(s.hit) / float64(max(s.planted, 1)) }
func (s *setScore) flagged() float64 { return float64(s.high) / float64(max(s.innocent, 1)) }

func (s *setScore) String() string {
	return fmt.Sprintf("planted %d: recall %.1f %%, first %d; innocent %d: high %.1f %%, any hint %d; precision of a high hint %.1f %%",
		s.planted, 100*s.recall(), s.first, s.innocent, 100*s.flagged(), s.any, 100*float64(s.hit)/float64(max(s.hit+s.high, 1)))
}

var setName = regexp.MustCompile(`^heldout\d*`)

// TestLabelled measures the package against the labelled diffs. The goals: at
// least 90 % of the planted patterns found, at most 10 % of the innocent diffs
// with a hint of high confidence.
//
// The diffs of a held-out set were written in one go, without the rules at hand,
// and measured once before any rule was changed for it. That first measurement
// says what to expect on new input; the one printed here cannot:
//
//	set        planted found   innocent flagged high
//	heldout    20 of 22         0 of 17
//	heldout2   15 of 20         2 of 15   harder on purpose
//	heldout3   19 of 20         1 of 15
//	heldout4   42 of 56         1 of 46   after the style of real commits
//	heldout5   52 of 65         1 of 46
//	heldout6   53 of 58         0 of 39
//	heldout7   35 of 39         1 of 25
func TestLabelled(t *testing.T) {
	all, sets := &setScore{}, map[string]*setScore{}
	for _, l := range readLabelled(t) {
		r, err := FromDiff(bytes.NewReader(l.diff), Options{})
		if err != nil {
			t.Fatal(err)
		}
		set := setName.FindString(l.name)
		if sets[set] == nil {
			sets[set] = &setScore{}
		}
		sets[set].add(&l, r)
		all.add(&l, r)
		switch {
		case l.label == "none" && len(r.Hints) > 0:
			t.Logf("innocent %s (%s): %s", l.name, l.why, brief(r))
		case l.label != "none" && !found(r, l.label):
			t.Logf("missed %s in %s (%s): %s", l.label, l.name, l.why, brief(r))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		t.Logf("%-8s %s", name, sets[name])
	}
	t.Logf("all      %s", all)
	if all.planted < 30 || all.innocent < 30 || all.planted+all.innocent < 60 {
		t.Errorf("%d planted and %d innocent diffs are too few", all.planted, all.innocent)
	}
	if all.recall() < 0.9 {
		t.Errorf("recall %.3f is below 0.9", all.recall())
	}
	if all.flagged() > 0.1 {
		t.Errorf("%.3f of the innocent diffs have a high hint, more than 0.1", all.flagged())
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
