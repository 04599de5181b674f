package amdgpu

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func diffMetadata(a, b *metadata) string {
	return cmp.Diff(a, b, cmp.AllowUnexported(metadata{}, metaKernel{}, number{}))
}

// TestYAMLReaders holds the fast reader against yaml.v3 on every metadata
// block of the corpus, and counts how often the fast one is enough.
func TestYAMLReaders(t *testing.T) {
	plain, all := 0, 0
	for name, data := range corpus(t) {
		_, doc, ok := bytes.Cut(data, []byte("\t.amdgpu_metadata\n"))
		doc, _, ok2 := bytes.Cut(doc, []byte("\t.end_amdgpu_metadata"))
		if !ok || !ok2 {
			continue
		}
		all++
		fast, err := plainYAML(doc)
		if err != nil {
			continue
		}
		plain++
		slow, err := generalYAML(doc)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := diffMetadata(fast, slow); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if plain*10 < all*9 {
		t.Errorf("the fast reader takes %d of %d compiler outputs", plain, all)
	}
}

// TestYAMLForms reads one kernel in every form that LLVM's assembler takes.
func TestYAMLForms(t *testing.T) {
	for _, c := range []struct{ reason, doc string }{
		{"LLVM's own layout", "---\namdhsa.kernels:\n  - .name:           k\n    .symbol:         k.kd\n    .vgpr_count:     7\namdhsa.target:   amdgcn-amd-amdhsa--gfx90a\namdhsa.version:\n  - 1\n  - 2\n...\n"},
		{"list in the column of its key", "amdhsa.kernels:\n- .name: k\n  .symbol: k.kd\n  .args:\n  - .size: 8\n  .vgpr_count: 7\namdhsa.target: amdgcn-amd-amdhsa--gfx90a\namdhsa.version:\n- 1\n- 2\n"},
		{"flow maps", "{amdhsa.version: [1, 2], amdhsa.target: amdgcn-amd-amdhsa--gfx90a, amdhsa.kernels: [{.name: k, .symbol: k.kd, .vgpr_count: 7}]}"},
		{"quotes, a tag, hexadecimal and a comment", "amdhsa.kernels:\n  - .name: 'k'\n    .symbol: \"k.kd\" # c\n    .vgpr_count: !int 0x7\namdhsa.target: 'amdgcn-amd-amdhsa--gfx90a'\namdhsa.version: [1, 2]\n"},
		{"keys in another order, CRLF", "amdhsa.version:\r\n  - 1\r\n  - 2\r\namdhsa.target: amdgcn-amd-amdhsa--gfx90a\r\namdhsa.kernels:\r\n  - .vgpr_count: 7\r\n    .symbol: k.kd\r\n    .name: k\r\n"},
		{"value on the next line", "amdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    .vgpr_count:\n      7\namdhsa.target: amdgcn-amd-amdhsa--gfx90a\namdhsa.version: [1, 2]\n"},
		{"an anchor and its alias", "amdhsa.target: amdgcn-amd-amdhsa--gfx90a\namdhsa.version: [1, 2]\namdhsa.kernels:\n  - .kernarg_segment_size: &seven 7\n    .name: k\n    .symbol: k.kd\n    .vgpr_count: *seven\n"},
	} {
		m, err := parseYAML([]byte(c.doc))
		if err != nil || len(m.kernels) != 1 {
			t.Errorf("%s: %d kernels, %v", c.reason, len(m.kernels), err)
			continue
		}
		k := m.kernels[0]
		got := fmt.Sprint(k.name, k.symbol, k.num[metaVGPR].v, m.target, m.major, m.minor, m.versions)
		if want := "k k.kd 7 amdgcn-amd-amdhsa--gfx90a 1 2 2"; got != fmt.Sprint("k", "k.kd", 7, "amdgcn-amd-amdhsa--gfx90a", 1, 2, 2) {
			t.Errorf("%s: %s, want %s", c.reason, got, want)
		}
	}
}

func TestScalarNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		v    int64
		bad  bool
	}{
		{"0", 0, false},
		{"246", 246, false},
		{"0x10", 16, false},
		{"9223372036854775807", 1<<63 - 1, false},
		{"9223372036854775808", 0, true}, // 2^63 would wrap
		{"18446744073709551616", 0, true},
		{"-1", 0, true},
		{"1_000", 0, true}, // Go's spelling, not YAML's
		{"many", 0, true},
		{"1.5", 0, true},
		{"", 0, true},
	} {
		n := (scalar{text: c.text}).number()
		if !n.set || n.bad != c.bad || n.v != c.v {
			t.Errorf("%q: %+v, want %d, bad %t", c.text, n, c.v, c.bad)
		}
	}
}
