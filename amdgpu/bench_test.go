package amdgpu

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Two shapes of a 24 MiB dump: few big kernels and many small ones.
const (
	bigTemplate   = "cases/d01-vgpr-spill-gfx942/after/sgemm_tile/21_final_isa.s"
	smallTemplate = "cases/b05-same-granule-gfx942/before/edge_kernel/21_final_isa.s"
)

// hugeText repeats the one kernel of a template n times under new names, with
// labels, descriptors, symbols and metadata entries of their own.
func hugeText(tb testing.TB, template, name string, n int) []byte {
	tb.Helper()
	text := string(corpusFile(tb, template))
	start := strings.Index(text, "\t.protected\t"+name)
	if start < 0 {
		start = strings.Index(text, "\t.globl\t"+name)
	}
	size := strings.Index(text, "\t.size\t"+name+",")
	end := size + strings.Index(text[size:], "\t.section\t.AMDGPU.gpr_maximums")
	entries := strings.Index(text, "amdhsa.kernels:\n") + len("amdhsa.kernels:\n")
	tail := strings.Index(text, "amdhsa.target:")
	if start < 0 || size < 0 || end < size || entries > tail {
		tb.Fatalf("%s is not a template", template)
	}
	code := text[start:end] + "\t.text\n"
	var b bytes.Buffer
	b.WriteString(text[:start])
	for i := range n {
		n := strconv.Itoa(i)
		strings.NewReplacer(name, fmt.Sprintf("%s_%05d", name, i), ".LBB0", ".LBB"+n, ".Lfunc_begin0", ".Lfunc_begin"+n, ".Lfunc_end0", ".Lfunc_end"+n).WriteString(&b, code)
	}
	b.WriteString(text[end:entries])
	for i := range n {
		b.WriteString(strings.ReplaceAll(text[entries:tail], name, fmt.Sprintf("%s_%05d", name, i)))
	}
	b.WriteString(text[tail:])
	return b.Bytes()
}

func hugeBig(tb testing.TB) []byte   { return hugeText(tb, bigTemplate, "sgemm_tile", 534) }
func hugeSmall(tb testing.TB) []byte { return hugeText(tb, smallTemplate, "edge_kernel", 5703) }

func TestHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("makes two texts of 24 MB")
	}
	for _, c := range []struct {
		name    string
		text    []byte
		kernels int
	}{{"534 kernels", hugeBig(t), 534}, {"5703 kernels", hugeSmall(t), 5703}} {
		before, _ := LoadBytes("before.s", c.text)
		if len(before.Kernels) != c.kernels || before.ExitCode() != 0 {
			t.Fatalf("%s: %d kernels, %v", c.name, len(before.Kernels), before.Problems)
		}
		i := bytes.LastIndex(c.text, []byte(".vgpr_count:")) + len(".vgpr_count:     ")
		grown := bytes.Clone(c.text)
		grown[i]++ // the first digit: one kernel's VGPRs grow, in the metadata only
		after, _ := LoadBytes("after.s", grown)
		d := Compare(before, after, Options{})
		if d.Worsened != 1 || len(d.Rows) != 1 || d.ExitCode != 1 {
			t.Errorf("%s: %d worsened in %d rows, want 1 in 1\n%v", c.name, d.Worsened, len(d.Rows), d.Problems)
		}
	}
}

func BenchmarkText(b *testing.B) {
	for _, c := range []struct {
		name string
		text []byte
	}{{"534kernels", hugeBig(b)}, {"5703kernels", hugeSmall(b)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if s, _ := LoadBytes("x.s", c.text); s.ExitCode() != 0 {
					b.Fatal(s.Problems)
				}
			}
			reportPeak(b, c.text)
		})
	}
}

// reportPeak reports all bytes allocated by one load, which bounds the memory
// it needs beside the file itself, as a multiple of the file.
func reportPeak(b *testing.B, text []byte) {
	b.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, _ := LoadBytes("x.s", text)
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(len(text)), "allocated/file")
	runtime.KeepAlive(s)
}

func BenchmarkYAML(b *testing.B) {
	text := hugeSmall(b)
	i := bytes.Index(text, []byte(".amdgpu_metadata\n")) + len(".amdgpu_metadata\n")
	doc := text[i:bytes.Index(text, []byte("\t.end_amdgpu_metadata"))]
	for _, c := range []struct {
		name string
		read func([]byte) (*metadata, error)
	}{{"plain", plainYAML}, {"yaml.v3", generalYAML}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if _, err := c.read(doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	s, _ := LoadBytes("x.s", hugeSmall(b))
	b.ResetTimer()
	for b.Loop() {
		Compare(s, s, Options{})
	}
	b.ReportMetric(float64(len(s.Kernels)*b.N)/b.Elapsed().Seconds(), "kernels/s")
}
