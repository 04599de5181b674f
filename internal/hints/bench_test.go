package hints

import (
	"bytes"
	"io"
	"runtime"
	"testing"
)

// bigDiff repeats the labelled diffs until they are size bytes long.
func bigDiff(tb testing.TB, size int) []byte {
	tb.Helper()
	var b bytes.Buffer
	ls := readLabelled(tb)
	for b.Len() < size {
		for _, l := range ls {
			b.Write(l.diff)
		}
	}
	return b.Bytes()
}

// BenchmarkFromDiff reads a diff of 50 MB; the ratio to reading its lines alone is
// the cost of understanding it.
func BenchmarkFromDiff(b *testing.B) {
	d := bigDiff(b, 50<<20)
	b.Run("hints", func(b *testing.B) {
		b.SetBytes(int64(len(d)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := FromDiff(bytes.NewReader(d), Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parse only", func(b *testing.B) {
		b.SetBytes(int64(len(d)))
		for b.Loop() {
			if err := newParser(bytes.NewReader(d), func(*diffFile) {}).run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// oneFile is a diff of one file with n changed lines, made as it is read.
type oneFile struct {
	head []byte
	line []byte
	n    int
	buf  []byte
}

func (o *oneFile) Read(p []byte) (int, error) {
	if len(o.buf) == 0 {
		switch {
		case o.head != nil:
			o.buf, o.head = o.head, nil
		case o.n > 0:
			o.n--
			o.buf = o.line
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, o.buf)
	o.buf = o.buf[n:]
	return n, nil
}

// A file of fifty thousand added lines is read in parts, in bounded memory.
func TestBoundedMemory(t *testing.T) {
	const lines = 50_000
	src := &oneFile{
		head: []byte("diff --git a/k.cu b/k.cu\n--- a/k.cu\n+++ b/k.cu\n@@ -1,0 +1,50000 @@ __global__ void k(float* x)\n"),
		line: []byte("+  for (int i = 0; i < n; ++i) { x[i] = __expf(x[i]); __syncthreads(); }\n"), n: lines,
	}
	peak := uint64(0)
	var m runtime.MemStats
	c := newCollector()
	p := newParser(src, func(f *diffFile) {
		c.file(f)
		runtime.GC()
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
	})
	if err := p.run(); err != nil {
		t.Fatal(err)
	}
	r := c.report(p, Options{Max: 20})
	if !r.Truncated || r.FilesRead != 1 {
		t.Errorf("truncated %v, %d files read", r.Truncated, r.FilesRead)
	}
	if peak > 200<<20 {
		t.Errorf("%d MB live after a part", peak>>20)
	}
	t.Logf("peak of live heap: %d MB", peak>>20)
}
