package proc

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the pieces in which a stream arrives: ends keeps its first and last
// bytes, and everything while both fit.
func TestEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 50).Draw(t, "limit")
		var head, tail memory
		e := ends{limit: int64(limit), head: &head, tail: &tail}
		var all []byte
		for _, piece := range rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 120)).Draw(t, "pieces") {
			all = append(all, piece...)
			if err := e.write(piece); err != nil {
				t.Fatal(err)
			}
		}
		var last bytes.Buffer
		if _, err := last.ReadFrom(e.last(&tail)); err != nil {
			t.Fatal(err)
		}
		wantHead := all[:min(limit, len(all))]
		rest := all[len(wantHead):]
		wantTail := rest[max(0, len(rest)-limit):]
		if !bytes.Equal(head.buf, wantHead) || !bytes.Equal(last.Bytes(), wantTail) || e.total != int64(len(all)) {
			t.Errorf("kept %q and %q of %d, want %q and %q of %d", head.buf, last.Bytes(), e.total, wantHead, wantTail, len(all))
		}
		if e.gap() != (len(wantHead)+len(wantTail) < len(all)) {
			t.Errorf("gap = %v", e.gap())
		}
	})
}

func TestRecorderFile(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("line\n", n) }
	tests := []struct {
		why   string
		max   int64
		in    string
		file  string
		trunc bool
	}{
		{"fits", 40, lines(8), lines(8), false},
		{"one byte over", 40, lines(8) + "x", lines(4) + Omitted + "\n" + "line\nline\nline\nx", true},
		{"both cuts inside a line", 44, lines(40), lines(4) + Omitted + "\n" + lines(4), true},
		{"number not cut in two", 20, "12345 67890 12345 67890\n", "12345 \n" + Omitted + "\n67890\n", true},
		{"carriage returns end lines too", 16, "10%\r20%\r30%\r40%\r50%\r", "10%\r20%\r\n" + Omitted + "\n50%\r", true},
		{"no boundary at all", 4, "abcdefgh", "ab\n" + Omitted + "\ngh", true},
		{"limit of one byte", 1, "abc", "a\n" + Omitted + "\nc", true},
		{"nothing", 4, "", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out")
			r, err := newRecorder(path, tt.max)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = r.Write([]byte(tt.in))
			c := r.finish()
			got, err := os.ReadFile(path)
			if err != nil || string(got) != tt.file || c.Truncated != tt.trunc || c.WriteError != "" {
				t.Errorf("file %q, truncated %v, %q, %v; want %q, %v", got, c.Truncated, c.WriteError, err, tt.file, tt.trunc)
			}
			if string(c.Head) != tt.in || c.Total != int64(len(tt.in)) || !c.Complete() {
				t.Errorf("memory %q of %d, want everything", c.Head, c.Total)
			}
			if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
				t.Errorf("files left: %v", files)
			}
		})
	}
}

func TestRecorderMemory(t *testing.T) {
	r, err := newRecorder("", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = r.Write([]byte("first\n"))
	for range 3 {
		_, _ = r.Write([]byte(strings.Repeat("0123456\n", MemoryLimit/8)))
	}
	_, _ = r.Write([]byte("metric: 42\n"))
	c := r.finish()
	if !c.Truncated || c.Complete() || c.Total != 6+3*MemoryLimit+11 {
		t.Errorf("truncated %v, complete %v, total %d", c.Truncated, c.Complete(), c.Total)
	}
	if !bytes.HasPrefix(c.Head, []byte("first\n0123456\n")) || !bytes.HasSuffix(c.Tail, []byte("0123456\nmetric: 42\n")) {
		t.Errorf("head begins %q, tail ends %q", c.Head[:20], c.Tail[len(c.Tail)-20:])
	}
	if len(c.Head) > MemoryLimit || len(c.Tail) > MemoryLimit {
		t.Errorf("kept %d and %d bytes", len(c.Head), len(c.Tail))
	}
	if n := bytes.Count(c.Bytes(), []byte("\n"+Omitted+"\n")); n != 1 {
		t.Errorf("%d marker lines", n)
	}
}

// Open gives the file only where memory lacks something and the file is whole.
func TestCaptureOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, []byte("file"), 0o600); err != nil {
		t.Fatal(err)
	}
	gap := Capture{Head: []byte("a\n"), Tail: []byte("z\n"), Total: 100}
	marked := "a\n" + Omitted + "\nz\n"
	with := func(path, failure string) Capture {
		c := gap
		c.Path, c.WriteError = path, failure
		return c
	}
	tests := []struct {
		why  string
		c    Capture
		want string
	}{
		{"all in memory", Capture{Path: path, Head: []byte("mem"), Total: 3}, "mem"},
		{"more in the file", with(path, ""), "file"},
		{"no file", with("", ""), marked},
		{"file cut off by a full disk", with(path, "no space"), marked},
	}
	for _, tt := range tests {
		r, err := tt.c.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || string(got) != tt.want || r.Close() != nil {
			t.Errorf("%s: %q (%v), want %q", tt.why, got, err, tt.want)
		}
	}
	if _, err := with(path+"-gone", "").Open(); err == nil {
		t.Error("a file that is gone reads as one")
	}
}

// A full disk is told, and the end of the output is still in memory.
func TestRecorderDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here:", err)
	}
	r, err := newRecorder(filepath.Join(t.TempDir(), "out"), 100)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.file.Close()
	if r.file, err = os.OpenFile("/dev/full", os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	r.disk.head = r.file
	_, _ = r.Write([]byte("time 1\n"))
	_, _ = r.Write([]byte("time 2\n"))
	c := r.finish()
	if c.WriteError == "" || !c.Truncated || string(c.Head) != "time 1\ntime 2\n" {
		t.Errorf("got %+v", c)
	}
}
