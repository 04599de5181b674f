package amdgpu

import (
	"strings"
	"testing"
)

func TestParseTarget(t *testing.T) {
	for _, c := range []struct{ id, want, os string }{
		{"amdgcn-amd-amdhsa--gfx942", "gfx942", "amdhsa"},
		{"amdgcn-amd-amdhsa-unknown-gfx942", "gfx942", "amdhsa"},
		{"amdgcn-amd-amdhsa--gfx90a:xnack+", "gfx90a:xnack+", "amdhsa"},
		{"amdgcn-amd-amdhsa--gfx906:xnack+:sramecc-", "gfx906:sramecc-:xnack+", "amdhsa"},
		{"amdgcn-amd-amdhsa--gfx90a+xnack+sram-ecc", "gfx90a:sramecc+:xnack+", "amdhsa"}, // code object v3
		{"amdgcn-amd-amdhsa--gfx11-generic", "gfx11-generic", "amdhsa"},
		{"amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+", "gfx9-4-generic:sramecc+", "amdhsa"},
		{"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", "gfx90a:xnack-", "amdhsa"},
		{"gfx1100", "gfx1100", ""},
		{"amdgpu9.50-amd-amdhsa-unknown-gfx950:xnack-", "gfx950:xnack-", "amdhsa"}, // LLVM 23 and later
		{"amdgpu-amd-amdhsa-unknown-gfx1201", "gfx1201", "amdhsa"},
		{"amdgpu9.4-amd-amdhsa-unknown-gfx9-4-generic", "gfx9-4-generic", "amdhsa"},
		{"hip-amdgpu9.4-amd-amdhsa--gfx942:xnack+", "gfx942:xnack+", "amdhsa"},
		{"hipv4-amdgpu12.5-amd-amdhsa--gfx12-5-generic", "gfx12-5-generic", "amdhsa"},
		{"amdgpu12.50-amd-amdhsa-unknown-", "gfx1250", "amdhsa"}, // the first field alone says it
		{"amdgpu9.0a-amd-amdhsa--:sramecc+", "gfx90a:sramecc+", "amdhsa"},
		{"amdgpu9.4-amd-amdhsa--", "gfx9-4-generic", "amdhsa"},
		{"amdgpu11-amd-amdhsa--", "gfx11-generic", "amdhsa"},
		{"amdgpu99.98-amd-amdhsa--", "", "amdhsa"},
		{"amdgpu-amd-amdhsa--", "", "amdhsa"},
		{"amdgpux-amd-amdhsa--gfx90a", "", ""},
		{"amdgpu12.50s-amd-amdhsa-unknown-gfx1250s", "gfx1250s", "amdhsa"}, // a variant
		{"amdgcn-amd-amdpal--gfx1030", "gfx1030", "amdpal"},
		{"", "", ""},
		{"amdgcn-amd-amdhsa--", "", "amdhsa"},
		{"x86_64-unknown-linux-gnu", "", ""},
		{"amdgcn-amd-amdhsa--sm_90", "", "amdhsa"},
		{"gfx", "", ""},
	} {
		got := ParseTarget(c.id)
		if got.Short() != c.want || got.OS != c.os || got.Known() != (c.want != "") {
			t.Errorf("%q: %q on %q, want %q on %q", c.id, got.Short(), got.OS, c.want, c.os)
		}
		if again := ParseTarget(got.String()); got.Known() && again.String() != got.String() {
			t.Errorf("%q: %q becomes %q", c.id, got, again)
		}
	}
}

// TestNewTriple: LLVM 23 and later write "amdgpu9.42-amd-amdhsa-unknown-gfx942"
// and unwind directives in bodies; the numbers are the same.
func TestNewTriple(t *testing.T) {
	old := corpusFile(t, "cases/a01-nochange-flydsl-gfx942/before/row_softmax/21_final_isa.s")
	text := strings.ReplaceAll(string(old), "amdgcn-amd-amdhsa--gfx942", "amdgpu9.42-amd-amdhsa-unknown-gfx942")
	text = strings.ReplaceAll(text, "amdgcn-amd-amdhsa-unknown-gfx942", "amdgpu9.42-amd-amdhsa-unknown-gfx942")
	text = strings.Replace(text, "\nrow_softmax:", "\nrow_softmax:\n\t.cfi_startproc\n\t.cfi_escape 0x0f, 0x04, 0x30, 0x36, 0xe9, 0x02 ; CFA is 0 in private_wave aspace\n\t.cfi_undefined 16", 1)
	if strings.Contains(text, "amdgcn-amd") || !strings.Contains(text, "cfi_startproc") {
		t.Fatal("the file is not what this test rewrites")
	}
	b, _ := LoadBytes("k.s", old)
	a, _ := LoadBytes("k.s", []byte(text))
	d := Compare(b, a, Options{AllRows: true})
	if d.ExitCode != 0 || d.Unchanged != 1 || len(d.Rows) != 1 || len(d.Rows[0].Delta) != 0 {
		t.Errorf("%s: %v\n%+v", d.Verdict, d.Problems, d.Rows)
	}
}

func TestTotalVGPRs(t *testing.T) {
	for _, c := range []struct {
		processor        string
		arch, agpr, want int64
	}{
		{"gfx942", 25, 15, 43}, // alignTo(25, 4) + 15, not 40
		{"gfx942", 40, 0, 40},
		{"gfx942", 33, 0, 33}, // no alignment without accumulators
		{"gfx908", 64, 60, 64},
		{"gfx908", 64, 72, 72}, // two files: the larger one counts
	} {
		if got := (Target{Processor: c.processor}).totalVGPRs(c.arch, c.agpr); got != c.want {
			t.Errorf("%s: %d and %d make %d, want %d", c.processor, c.arch, c.agpr, got, c.want)
		}
	}
}

func TestGeneration(t *testing.T) {
	for processor, want := range map[string]int{
		"gfx803": 8, "gfx90a": 9, "gfx90c": 9, "gfx9-4-generic": 9, "gfx1030": 10, "gfx11-7-generic": 11,
		"gfx12-5-generic": 12, "gfx1250": 12, "gfx1250s": 12, "gfx1310": 13, "": 0,
	} {
		if got := (Target{Processor: processor}).generation(); got != want {
			t.Errorf("%s: generation %d, want %d", processor, got, want)
		}
	}
}

func TestTargetFromFlags(t *testing.T) {
	for _, c := range []struct {
		flags uint32
		abi   byte
		want  string
	}{
		{0x53f, 3, "gfx90a"}, // both features any
		{0x63f, 3, "gfx90a:xnack-"},
		{0x73f, 3, "gfx90a:xnack+"},
		{0xb2f, 3, "gfx906:sramecc-:xnack+"},
		{0x33f, 1, "gfx90a:sramecc+:xnack+"}, // v3: one bit each
		{0x01000054, 4, "gfx11-generic"},     // generic version in the high byte
		{0xfe, 3, ""},                        // a processor of the future
	} {
		if got := targetFromFlags(c.flags, c.abi).Short(); got != c.want {
			t.Errorf("%#x: %q, want %q", c.flags, got, c.want)
		}
	}
}

func TestEval(t *testing.T) {
	sets := map[string]setValue{
		"k.num_vgpr":          {text: []byte("max(42, amdgpu.max_num_vgpr)")},
		"amdgpu.max_num_vgpr": {text: []byte("3")},
		"k.num_agpr":          {text: []byte("max(0, 15)")},
		"_Z4polyf.num_vgpr":   {text: []byte("25")},
		"a b.num_vgpr":        {text: []byte("7")},
		"loop":                {text: []byte("other+1")},
		"other":               {text: []byte("loop")},
		"twice":               {text: []byte("1"), conflict: true},
	}
	for _, c := range []struct {
		expr string
		want int64
		err  string
	}{
		{"169", 169, ""},
		{"0x10", 16, ""},
		{"1+2*3-4/2", 5, ""},
		{"(1|6)&~2", 5, ""},
		{"max(8, .L_Z4polyf.num_vgpr)", 25, ""},
		{"max(totalnumvgprs(k.num_agpr, k.num_vgpr), 1, 0)", 59, ""}, // alignTo(42, 4) + 15
		{"(((((alignto(max(1, k.num_vgpr), 4)/4)-1)&~65536)&63)+1)*4", 44, ""},
		{"or(1, 4)", 5, ""},
		{`"a b.num_vgpr"`, 7, ""},
		{"0+max(1, 2)", 2, ""},
		{"loop", 0, "defined by itself"},
		{"twice", 0, "two different things"},
		{"gone", 0, "not defined"},
		{"1/0", 0, "division by zero"},
		{"occupancy(8, 8, 512)", 0, "not known"},
		{"", 0, "no value"},
		{"1 2", 0, "unexpected"},
		{strings.Repeat("(", 10_000), 0, "too deep"},
		{"99999999999999999999", 0, "out of range"},
	} {
		e := &evaluator{target: Target{Processor: "gfx90a"}, sets: sets, values: map[string]int64{}, busy: map[string]bool{}}
		got, err := e.eval([]byte(c.expr))
		switch {
		case c.err == "" && (err != nil || got != c.want):
			t.Errorf("%s: %d, %v, want %d", c.expr, got, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %d, %v, want an error with %q", clip(c.expr, 40), got, err, c.err)
		}
	}
	e := &evaluator{target: Target{Processor: "gfx908"}}
	if got, err := e.eval([]byte("totalnumvgprs(15, 42)")); got != 42 || err != nil {
		t.Errorf("the files of gfx908 are two: %d, %v, want 42", got, err)
	}
}
