package hints

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzFromDiff: whatever the input, no panic, no error, a sorted report that
// encodes as JSON and keeps its promises about every field.
func FuzzFromDiff(f *testing.F) {
	for _, l := range readLabelled(f) {
		f.Add(l.diff)
	}
	f.Add([]byte("@@ -1 +1 @@\n-a\n+b\n"))
	f.Add([]byte("diff --cc x.cu\nindex 1,2..3\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n"))
	f.Add([]byte("diff --git \"a/\\303\\251.py\" \"b/\\303\\251.py\"\n--- \"a/\\303\\251.py\"\n+++ \"b/\\303\\251.py\"\n@@ -1 +1 @@\n-BLOCK=1\n+BLOCK=2\n\\ No newline at end of file\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := FromDiff(bytes.NewReader(b), Options{Max: 5, ISA: []ISAChange{{Kernel: "k", Before: map[string]float64{"vgpr": 1}, After: map[string]float64{"vgpr": 2}}}})
		if err != nil {
			t.Fatal(err)
		}
		checkReport(t, r, 5)
	})
}

func checkReport(t *testing.T, r *Report, limit int) {
	t.Helper()
	if r.Hints == nil || r.FilesSkipped == nil || len(r.Hints) > limit {
		t.Fatalf("report %+v", r)
	}
	if len(r.Hints) == 0 && r.Note == "" {
		t.Fatal("an empty report without a note")
	}
	for i, h := range r.Hints {
		switch {
		case patternByName[h.Pattern].Name == "":
			t.Errorf("unknown pattern %q", h.Pattern)
		case h.Cause == "" || h.Reason == "":
			t.Errorf("%s: cause %q, reason %q", h.Pattern, h.Cause, h.Reason)
		case h.Confidence != High && h.Confidence != Medium && h.Confidence != Low:
			t.Errorf("confidence %q", h.Confidence)
		case h.OldLine < 0 || h.NewLine < 0 || h.OldLine == 0 && h.NewLine == 0 && h.Pattern != "dependency_version" && h.File != "":
			t.Errorf("lines %d, %d of %+v", h.OldLine, h.NewLine, h)
		case len(h.Before) > 200 || len(h.After) > 200 || !utf8.ValidString(h.Before+h.After):
			t.Errorf("text %q, %q", h.Before, h.After)
		case i > 0 && h.Score > r.Hints[i-1].Score:
			t.Errorf("hint %d scores %v, the one before %v", i, h.Score, r.Hints[i-1].Score)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	if err := WriteText(io.Discard, r); err != nil {
		t.Error(err)
	}
}

type brokenReader struct{ r io.Reader }

var errBroken = errors.New("broken pipe")

func (b brokenReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if errors.Is(err, io.EOF) {
		err = errBroken
	}
	return n, err
}

// A diff that could not be read to its end is an error, never an empty report.
func TestReadError(t *testing.T) {
	_, err := FromDiff(brokenReader{strings.NewReader("diff --git a/x.py b/x.py\n")}, Options{})
	if !errors.Is(err, errBroken) {
		t.Errorf("error %v, want %v", err, errBroken)
	}
}
