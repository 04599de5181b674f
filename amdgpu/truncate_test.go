package amdgpu

import (
	"bytes"
	"compress/gzip"
	"testing"
)

// TestCut cuts files of every kind at many places. Whatever is cut off, the
// answer must not be a comparison: neither "same" nor "better" nor "worse".
func TestCut(t *testing.T) {
	files := map[string][]byte{
		"text.s":      corpusFile(t, "cases/i12-truncated-in-last-number/before/sgemm_tile/21_final_isa.s"),
		"multi.s":     corpusFile(t, "cases/i13-truncated-at-entry-end/before/multi-hip-amdgcn-amd-amdhsa-gfx90a.s"),
		"quoted.s":    corpusFile(t, "cases/j02-quoted-names/before/quoted/21_final_isa.s"),
		"object.o":    corpusFile(t, "cases/k01-object-pair/before/softmax.o"),
		"bundle":      corpusFile(t, "cases/k06-offload-bundle/before/stream.hipfb"),
		"compressed":  corpusFile(t, "cases/k07-compressed-bundle/before/stream.hipfb"),
		"bundle.s":    corpusFile(t, "cases/k08-bundled-assembly/before/stream-hip.s"),
		"rocm.json":   corpusFile(t, "cases/l01-rocm-snapshot/before.json"),
		"handmade.o":  makeObject(note(testTarget, oneKernel()), oneKernel()),
		"text.s.gz":   gzipped(t, corpusFile(t, "cases/m01-no-comments-llvm19-agpr/before/acc_tile/21_final_isa.s")),
		"stripped.co": corpusFile(t, "cases/k02-hsaco-pair/before/sgemm.hsaco"),
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, _ := LoadBytes(name, data)
			if whole.ExitCode() != 0 {
				t.Fatal(whole.Problems)
			}
			end := bytes.LastIndex(data, []byte(".end_amdgpu_metadata"))
			if end < 0 {
				end = len(bytes.TrimRight(data, " \r\n\x00"))
			}
			for cut := end - 1; cut >= 0; cut -= 1 + (end-cut)/20 {
				s, _ := LoadBytes(name, data[:cut])
				if d := Compare(whole, s, Options{}); d.ExitCode != 2 {
					t.Fatalf("cut at %d of %d: %s", cut, len(data), d.Verdict)
				}
			}
		})
	}
}

func gzipped(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestBombs(t *testing.T) {
	zeros := gzipped(t, make([]byte, unpackFloor+1))
	nested := corpusFile(t, "cases/a01-nochange-flydsl-gfx942/before/row_softmax/21_final_isa.s")
	for range maxNesting + 1 {
		nested = gzipped(t, nested)
	}
	ccob := bytes.Clone(corpusFile(t, "cases/k07-compressed-bundle/before/stream.hipfb"))
	copy(ccob[12:], "\xff\xff\xff\x7f") // the unpacked size of version 2
	for name, data := range map[string][]byte{"zeros.gz": zeros, "nested.gz": nested, "ccob": ccob} {
		s, _ := LoadBytes(name, data)
		if !hasProblem(s.Problems, TooLarge) || len(s.Kernels) > 0 {
			t.Errorf("%s: %d kernels, %v", name, len(s.Kernels), s.Problems)
		}
	}
}

// TestLongLines: a line of megabytes with a marker at every few bytes takes
// time in proportion to its length. With a search back to the line's start for
// each marker this would take hours.
func TestLongLines(t *testing.T) {
	for _, unit := range []string{" x.amdgcn_target", " x.end_amdgpu_metadata", " /*", "max(", "\"", ".size k, "} {
		line := bytes.Repeat([]byte(unit), 4<<20/len(unit))
		for _, text := range [][]byte{line, append([]byte(".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.amdgpu_metadata\n"), line...), append([]byte(".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr "), line...)} {
			if s, _ := LoadBytes("k.s", text); s.ExitCode() != 2 {
				t.Errorf("%q: %d kernels and no problem", unit, len(s.Kernels))
			}
		}
	}
}
