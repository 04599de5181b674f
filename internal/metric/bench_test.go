package metric

import (
	"io"
	"strings"
	"testing"
)

// repeated is a stream of size bytes that repeats a text, without holding it.
type repeated struct {
	text string
	size int64
}

func (r repeated) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) && off < r.size {
		i := int(off % int64(len(r.text)))
		k := copy(p[n:], r.text[i:])
		k = int(min(int64(k), r.size-off))
		n += k
		off += int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func repeatedOutput(text string, size int64) Output {
	return Output{Stdout: io.NewSectionReader(repeated{text, size}, 0, size)}
}

// mixedLog is what a chatty benchmark prints between its results.
const mixedLog = `2026-11-30 09:14:02,113 INFO loading shard 3 of 12
[iter 17] loss 2.3145 time 12.3 ms tok/s 10432.1
MUL_MAT(type_a=q4_0,type_b=f32,m=4096,n=512,k=14336,bs=[1,1],nr=[1,1]):    288 runs -  3482.31 us/run -  17.27 TFLOPS
warning: no tuned configuration for this shape, using the default one, which may be slow on this machine
Latency: 1.23 ms
`

func benchmarkSpec(b *testing.B, spec string) {
	const size = 100 << 20
	out := repeatedOutput(mixedLog, size)
	s, err := Parse(spec)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Extract(out); err != nil {
			b.Fatal(err)
		}
	}
}

// The benchmarks read 100 MiB of output.
func BenchmarkExtractName(b *testing.B)  { benchmarkSpec(b, "name:Latency") }
func BenchmarkExtractRegex(b *testing.B) { benchmarkSpec(b, `regex:Latency: ([\d.]+)`) }

// BenchmarkReadOnly is the peer: splitting the same 100 MiB into lines.
func BenchmarkReadOnly(b *testing.B) {
	const size = 100 << 20
	b.SetBytes(size)
	for b.Loop() {
		lr := newLineReader(repeatedOutput(mixedLog, size).streams()[0].reader())
		n := 0
		for line, ok := lr.next(); ok; line, ok = lr.next() {
			n += len(line)
		}
		if n == 0 || !strings.HasPrefix(mixedLog, "2026") {
			b.Fatal("nothing read")
		}
	}
}

// BenchmarkCandidatesShortLines reads 100 MiB of lines of one letter: what a line
// costs, not what its bytes cost.
func BenchmarkCandidatesShortLines(b *testing.B) {
	const size = 100 << 20
	out := repeatedOutput("y\n", size)
	b.SetBytes(size)
	for b.Loop() {
		if c := Candidates(out); len(c) > 0 {
			b.Fatal(c)
		}
	}
}
