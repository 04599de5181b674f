package session

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"perfbisect/engine"
)

// written is a run with three facts, the bytes of its journal, and the facts.
func written(t *testing.T) (*Run, []byte, []engine.Event) {
	t.Helper()
	_, r := newRun(t)
	j, _ := lockRun(t, r)
	var events []engine.Event
	for _, reason := range []string{"one", "two 2.50", "three"} {
		events = append(events, appendTo(t, j, pause(reason)))
	}
	j.Close()
	return r, journalOf(t, r), events
}

func journalOf(t *testing.T, r *Run) []byte {
	t.Helper()
	data, err := os.ReadFile(r.journal())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func replaceJournal(t *testing.T, r *Run, data []byte) {
	t.Helper()
	if err := os.WriteFile(r.journal(), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFlippedBit: whatever single bit of a journal flips, what is read is a
// beginning of what was written, never another fact.
func TestFlippedBit(t *testing.T) {
	r, whole, want := written(t)
	for i := range len(whole) * 8 {
		flipped := bytes.Clone(whole)
		flipped[i/8] ^= 1 << (i % 8)
		replaceJournal(t, r, flipped)
		got, err := r.Events()
		if diff := cmp.Diff(want[:min(len(got), len(want))], got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("bit %d of byte %d: (-written +read):\n%s", i%8, i/8, diff)
		}
		_, damaged := errors.AsType[*DamagedError](err)
		lost := bytes.Count(flipped[i/8:], []byte("\n")) > 1 // lines follow: it is no torn end
		if lost && len(got) < len(want) && !damaged {
			t.Fatalf("bit %d of byte %d: %d of %d facts, %v", i%8, i/8, len(got), len(want), err)
		}
	}
}

// TestDamage: the facts before the place that cannot be read are there, and the
// error says which line it is and why.
func TestDamage(t *testing.T) {
	lineOf := func(whole []byte, n int) []byte { return bytes.SplitAfter(whole, []byte("\n"))[n-1] }
	for _, test := range []struct {
		why    string
		damage func(whole []byte) []byte
		facts  int
		says   string
	}{
		{"a line is missing", func(w []byte) []byte { return append(bytes.Clone(lineOf(w, 1)), lineOf(w, 3)...) }, 1, ""},
		{"a line is missing in the middle", func(w []byte) []byte {
			return bytes.Join([][]byte{lineOf(w, 1), lineOf(w, 3), lineOf(w, 3)}, nil)
		}, 1, "line 2 cannot be used: it has the number 3"},
		{"a newer version", func(w []byte) []byte {
			return bytes.Join([][]byte{lineOf(w, 1), []byte("{\"v\":2,\"seq\":2,\"event\":\"dreamt\"}\n"), lineOf(w, 3)}, nil)
		}, 1, "line 2 cannot be used: it is of version 2"},
		{"a line without a checksum between others", func(w []byte) []byte {
			return bytes.Join([][]byte{lineOf(w, 1), []byte("{\"v\":1,\"seq\":2,\"event\":\"paused\"}\n"), lineOf(w, 3)}, nil)
		}, 1, "its checksum is missing"},
		{"another value", func(w []byte) []byte { return bytes.Replace(w, []byte("two 2.50"), []byte("two 2.00"), 1) }, 1, "line 2 cannot be used: its checksum is wrong"},
		{"emptied", func([]byte) []byte { return nil }, 0, "it was emptied"},
		{"one line of something else", func([]byte) []byte { return []byte("MZ\x90\x00\n") }, 0, "it was emptied"},
	} {
		r, whole, _ := written(t)
		if err := os.MkdirAll(filepath.Join(r.LogDir(), "0123456"), 0o700); err != nil {
			t.Fatal(err)
		}
		replaceJournal(t, r, test.damage(whole))
		events, err := r.Events()
		if test.says == "" { // a torn end
			if err != nil || len(events) != test.facts {
				t.Errorf("%s: %d facts, %v", test.why, len(events), err)
			}
			continue
		}
		if _, ok := errors.AsType[*DamagedError](err); !ok || len(events) != test.facts || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %d facts, %v", test.why, len(events), err)
		}
		if _, _, err := r.Lock(); err == nil {
			t.Errorf("%s: opened for writing", test.why)
		}
	}
}

// TestHugeLine: no line fills the memory.
func TestHugeLine(t *testing.T) {
	for size, long := range map[int]bool{999: false, 1000: true, 1 << 20: true} {
		l := newLines(strings.NewReader(strings.Repeat("x", size) + "\n"))
		l.max = 1000
		_, err := l.line()
		if got := err != nil && strings.Contains(err.Error(), "longer than 1000 bytes"); got != long {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestNoFile: what is no file in the journal's place is damage, and neither hangs
// nor ends the reader.
func TestNoFile(t *testing.T) {
	r, _, _ := written(t)
	if err := errors.Join(os.Remove(r.journal()), os.Mkdir(r.journal(), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Events(); err == nil || !strings.Contains(err.Error(), "cannot be read: it is no file") {
		t.Error(err)
	}
	mend(t, r, 0)
	if events, err := r.Events(); err != nil || len(events) != 1 {
		t.Errorf("mended: %d events, %v", len(events), err)
	}
}

// mend keeps the first facts of a run and ends it.
func mend(t *testing.T, r *Run, lines int) (kept string) {
	t.Helper()
	h, err := r.Hold()
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	err = h.Mend(lines, func(name string) []engine.Event {
		kept = name
		return []engine.Event{{Kind: engine.EventStopped, Reason: "mended"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// TestMend: the readable facts stay, the damaged file is kept, and one that was
// kept by a process that was killed just then is not kept twice.
func TestMend(t *testing.T) {
	r, whole, want := written(t)
	broken := bytes.Replace(whole, []byte("two"), []byte("tw\x00"), 1)
	replaceJournal(t, r, broken)
	half, err := r.setAside()
	if err != nil {
		t.Fatal(err)
	}
	kept := mend(t, r, 1)
	if kept != half || kept == "" {
		t.Errorf("kept as %q, then as %q", half, kept)
	}
	if data, _ := os.ReadFile(kept); !bytes.Equal(data, broken) {
		t.Errorf("kept %q", data)
	}
	got, err := r.Events()
	if err != nil || len(got) != 2 || got[1].Reason != "mended" || got[1].Seq != 2 || got[1].AtS != want[0].AtS {
		t.Fatalf("%+v, %v", got, err)
	}
	if diff := cmp.Diff(want[:1], got[:1]); diff != "" {
		t.Error(diff)
	}
	replaceJournal(t, r, append(journalOf(t, r), broken...))
	if again := mend(t, r, 2); again == kept {
		t.Errorf("the second damaged journal replaced the first one: %q", again)
	}
}
