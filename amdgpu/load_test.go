package amdgpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a directory with the files.
func write(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// asm is a small kernel as a person writes it.
func asm(name string, vgpr int, more string) string {
	return fmt.Sprintf(`// by hand
.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl %[1]s
.type %[1]s,@function
%[1]s:
  s_nop 0 // ds_read_b32 only in a comment
%[3]s
  s_endpgm
.size %[1]s, .-%[1]s
.amdhsa_kernel %[1]s
  .amdhsa_next_free_vgpr %[2]d
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset %[4]d
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - {.name: %[1]s, .symbol: %[1]s.kd, .vgpr_count: %[2]d, .agpr_count: 0, .sgpr_count: 16, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64}
.end_amdgpu_metadata
`, name, vgpr, more, alignTo(int64(vgpr), 4))
}

func kernel(tb testing.TB, s *Snapshot, name string) *Kernel {
	tb.Helper()
	for i := range s.Kernels {
		if s.Kernels[i].Name == name {
			return &s.Kernels[i]
		}
	}
	tb.Fatalf("no kernel %q\n%v", name, s.Problems)
	return nil
}

// TestOddNames: LLVM prints a descriptor's name bare, quotes labels, and
// escapes backslashes in them since version 20 only.
func TestOddNames(t *testing.T) {
	for _, c := range []struct{ name, label string }{
		{"has;semi // slash", `"has;semi // slash"`},
		{`a b"c\d`, `"a b\"c\d"`},
		{`a b"c\d`, `"a b\"c\\d"`},
		{"x::y(int, float*)", `"x::y(int, float*)"`},
		{"true", "true"},
	} {
		text := strings.NewReplacer("\nNAME:", "\n"+c.label+":", "kernel NAME", "kernel "+c.name, "NAME", c.label).Replace(asm("NAME", 4, ""))
		head, meta, _ := strings.Cut(text, ".amdgpu_metadata")
		yaml := "'" + c.name + "'"
		text = head + ".amdgpu_metadata" + strings.NewReplacer(c.label+".kd", "'"+c.name+".kd'", c.label, yaml).Replace(meta)
		s, _ := LoadBytes("k.s", []byte(text))
		if s.ExitCode() != 0 || len(s.Kernels) != 1 || s.Kernels[0].Name != c.name || !s.Kernels[0].Metrics[VGPRAlloc].Known() {
			t.Errorf("%q as %s: %v\n%s", c.name, c.label, s.Problems, text)
		}
	}
}

func TestHandWritten(t *testing.T) {
	s, _ := LoadBytes("k.s", []byte(asm("k", 4, "  v_mov_b32 v0, 0 /* ds_read_b32\n ds_read_b32 */\nloop: ds_read_b32 v1, v0 offset:4\n  /* x */ ds_write2_b64 v0, v[0:1], v[2:3] ; ds_write_b32\n  ds_storexchg_rtn_b32 v0, v1, v2\n  s_cbranch_scc1 loop")))
	if s.ExitCode() != 0 {
		t.Fatal(s.Problems)
	}
	k := kernel(t, s, "k")
	if k.Metrics[LDSRead].Value != 1 || k.Metrics[LDSWrite].Value != 1 || k.Mix.LDSOther != 1 || k.Mix.Total != 7 {
		t.Errorf("mix is %+v", *k.Mix)
	}
	if c := k.Metrics[VGPRSpill]; c.State != NotApplicable {
		t.Errorf("vgpr_spill is %s where the metadata has none: not 0 and not a fault", c)
	}
	if k.Metrics[VGPRAlloc].Value != 8 || k.Metrics[ArchVGPR].Value != 4 {
		t.Errorf("vgpr_alloc %s, arch_vgpr %s", k.Metrics[VGPRAlloc], k.Metrics[ArchVGPR])
	}
}

// TestMetadataComments: the assembler drops comment lines before YAML sees them.
func TestMetadataComments(t *testing.T) {
	text := strings.Replace(asm("k", 4, ""), "amdhsa.kernels:\n", "amdhsa.kernels:\n  ;- { .args: none }\n // - {}\n", 1)
	s, _ := LoadBytes("k.s", []byte(text))
	if s.ExitCode() != 0 || len(s.Kernels) != 1 {
		t.Error(s.Problems)
	}
}

// TestHiddenCode: where lines are not instructions the counts are "?", and the
// triggers still give a verdict.
func TestHiddenCode(t *testing.T) {
	for _, more := range []string{".rept 4\n  ds_read_b32 v1, v0\n.endr", ".if 0\n  ds_read_b32 v1, v0\n.endif"} {
		b, _ := LoadBytes("k.s", []byte(asm("k", 4, more)))
		a, _ := LoadBytes("k.s", []byte(asm("k", 9, more)))
		if k := kernel(t, b, "k"); k.Metrics[LDSRead].State != Unparsed {
			t.Errorf("lds_read is %s for %q", k.Metrics[LDSRead], more)
		}
		d := Compare(b, a, Options{})
		if d.Verdict != Regression || d.Partial != 1 || !startsWith(d.Notes, "partial: ") {
			t.Errorf("%s, partial %d, %q", d.Verdict, d.Partial, d.Notes)
		}
	}
	macro := ".macro LOADS\n  ds_read_b32 v1, v0\n.endm\n"
	s, _ := LoadBytes("k.s", []byte(macro+asm("k", 4, "  LOADS")))
	if k := kernel(t, s, "k"); k.Metrics[LDSRead].State != Unparsed {
		t.Errorf("lds_read is %s in a body that calls a macro", k.Metrics[LDSRead])
	}
}

// TestRawBytes: LLVM prints the bytes of constants raw into the comments of
// debug information; anywhere else such a byte hides something.
func TestRawBytes(t *testing.T) {
	for _, c := range []struct {
		reason, more string
		exit         int
	}{
		{"a constant's bytes in debug information", "\t.byte\t255   ; \xff\n\t.byte\t0   ; \x00\n\t.byte\t10   ; \n", 0},
		{"a byte of a mnemonic", "  ds_\xffead_b32 v1, v0", 2},
		{"NUL bytes", "\x00\x00\x00\x00", 2},
		{"a byte in a string", ".ascii \"\xff;\"", 2},
	} {
		s, _ := LoadBytes("k.s", []byte(asm("k", 4, c.more)))
		if s.ExitCode() != c.exit {
			t.Errorf("%s: exit %d\n%v", c.reason, s.ExitCode(), s.Problems)
		}
	}
	inMetadata := strings.Replace(asm("k", 4, ""), ".name: k,", ".name: k, .x: ';\xff',", 1)
	if s, _ := LoadBytes("k.s", []byte(inMetadata)); s.ExitCode() != 2 {
		t.Error("a semicolon in the metadata hides a byte")
	}
}

// TestNewProcessor: a processor that no table knows is compared by what the
// input says, with a warning and without a guess.
func TestNewProcessor(t *testing.T) {
	text := strings.ReplaceAll(asm("k", 40, "  scratch_load_b32 v0, off, off\n.set k.num_vgpr, 20\n.set k.num_agpr, 20"), "gfx942", "gfx999")
	s, _ := LoadBytes("k.s", []byte(strings.Replace(text, ".agpr_count: 0, ", "", 1)))
	k := kernel(t, s, "k")
	if s.ExitCode() != 0 || !startsWith(s.Warnings, "unknown_processor: ") || k.Metrics[Occupancy].Known() || k.Metrics[AGPR].Value != 20 || k.Metrics[ScratchLoad].Value != 1 {
		t.Errorf("%v %q agpr %s occupancy %s", s.Problems, s.Warnings, k.Metrics[AGPR], k.Metrics[Occupancy])
	}
	if d := Compare(s, s, Options{}); d.ExitCode != 0 {
		t.Errorf("with itself: %v", d.Problems)
	}
}

// TestOneSidedTrigger: spill counts that only one side reports cannot be
// compared, and are not a rise from 0.
func TestOneSidedTrigger(t *testing.T) {
	text := asm("k", 4, "")
	b, _ := LoadBytes("k.s", []byte(text))
	a, _ := LoadBytes("k.s", []byte(strings.Replace(text, ".agpr_count: 0", ".agpr_count: 0, .vgpr_spill_count: 7", 1)))
	if d := Compare(b, a, Options{}); d.ExitCode != 2 || !hasProblem(d.Problems, OneSidedValue) || d.Worsened != 0 {
		t.Errorf("%s: %v", d.Verdict, d.Problems)
	}
}

// TestConflicts: two sources of one number that disagree are a problem.
func TestConflicts(t *testing.T) {
	text := asm("k", 40, "")
	for _, c := range []struct{ reason, from, to string }{
		{"LDS of the descriptor", ".amdhsa_next_free_sgpr 16", ".amdhsa_group_segment_fixed_size 64"},
		{"scratch of the descriptor", ".amdhsa_next_free_sgpr 16", ".amdhsa_private_segment_fixed_size 64"},
		{"the split makes more than the total", ".amdhsa_accum_offset 40", ".set k.num_vgpr, 48"},
		{"accumulators counted twice", ".amdhsa_accum_offset 40", ".set k.num_agpr, 12"},
	} {
		s, _ := LoadBytes("k.s", []byte(strings.Replace(text, c.from, c.to, 1)))
		if !hasProblem(s.Problems, ValueConflict) {
			t.Errorf("%s: %v", c.reason, s.Problems)
		}
	}
	for _, c := range []struct{ reason, from, to string }{
		{"fewer VGPRs allocated than the metadata says", ".amdhsa_next_free_vgpr 40", ".amdhsa_next_free_vgpr 8"},
		{"the split makes less than the total", ".amdhsa_accum_offset 40", ".set k.num_vgpr, 12"},
	} {
		s, _ := LoadBytes("k.s", []byte(strings.Replace(text, c.from, c.to, 1)))
		if s.ExitCode() != 0 || !startsWith(s.Warnings, "value_conflict: ") {
			t.Errorf("%s: %v, %q", c.reason, s.Problems, s.Warnings)
		}
	}
}

// TestLayouts: what a directory may hold, and what becomes of it.
func TestLayouts(t *testing.T) {
	k := asm("k", 4, "")
	object := string(makeObject(note(testTarget, oneKernel()), oneKernel()))
	host := "\t.text\nmain:\n\t.cfi_startproc\n\tpushq\t%rbp\n"
	for _, c := range []struct {
		reason   string
		files    map[string]string
		kernels  int
		exit     int
		contains string // in problems, warnings or skips
	}{
		{"one module twice in a file", map[string]string{"k.s": k + k}, 2, 2, "duplicate_kernel"},
		{"two modules in a file", map[string]string{"k.s": k + asm("other", 8, "")}, 2, 0, ""},
		{"no extension", map[string]string{"dump": k}, 1, 0, ""},
		{"deep", map[string]string{"a/b/c/d/k.s": k}, 1, 0, ""},
		{"same template in two units", map[string]string{"a.s": k, "b.s": k}, 2, 0, ""},
		{"two spellings of one file", map[string]string{"k.s": k, "k.amdgcn": k}, 1, 0, ""},
		{"two spellings that disagree", map[string]string{"k.s": k, "k.amdgcn": asm("k", 9, "")}, 1, 2, "other numbers"},
		{"object in a bundle in a gzip", map[string]string{"k.hipfb.gz": string(gzipped(t, bundleOf([]byte(object))))}, 1, 0, ""},
		{"fat binary of two sources", map[string]string{"app": string(hostObject(append(pad4096(bundleOf([]byte(object))), bundleOf([]byte(object))...)))}, 2, 0, ""},
		{"host object without device code", map[string]string{"k.s": k, "host.o": string(hostObject(nil))}, 1, 0, "ELF for another machine"},
		{"an object of ten bytes", map[string]string{"k.s": k, "k2.o": object[:10]}, 1, 2, "10 bytes"},
		{"a host object cut in its fat binary", map[string]string{"k.s": k, "app.so": string(hostObject(bundleOf([]byte(object)))[:5000])}, 1, 2, "truncated"},
		{"a bundle for two targets, one not ours", map[string]string{"b": strings.Replace(string(bundleOf([]byte(object))), "host-x86_64-unknown-linux-gnu-", "hip-spirv64-amd-amdhsa--amdgcn", 1)}, 1, 0, "an entry for another target"},
		{"host assembly", map[string]string{"k.s": k, "main.s": host}, 1, 0, "skipped_file"},
		{"only host assembly", map[string]string{"main.s": host}, 0, 2, "none of them is AMDGPU code"},
		{"an empty dump beside a good one", map[string]string{"a/1_final_isa.s": k, "b/1_final_isa.s": ""}, 1, 2, "empty"},
		{"a stale stage", map[string]string{"9_final_isa.s": asm("old", 4, ""), "10_final_isa.s": k}, 1, 0, "stale_stage_file"},
		{"bitcode and text", map[string]string{"k.s": k, "k.bc": "BC\xc0\xde123", "notes.txt": "hello"}, 1, 0, "LLVM bitcode"},
		{"a module without kernels", map[string]string{"f.s": ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.amdgpu_metadata\namdhsa.kernels: []\namdhsa.version: [1, 2]\n.end_amdgpu_metadata\n"}, 0, 2, "without kernels"},
	} {
		s, err := Load(write(t, c.files))
		if err != nil || len(s.Kernels) != c.kernels || s.ExitCode() != c.exit {
			t.Errorf("%s: %d kernels, exit %d, %v, want %d and %d\n%v", c.reason, len(s.Kernels), s.ExitCode(), err, c.kernels, c.exit, s.Problems)
		}
		if all := fmt.Sprint(s.Problems, s.Warnings, s.Skipped); !strings.Contains(all, c.contains) {
			t.Errorf("%s: no %q in %s", c.reason, c.contains, all)
		}
	}
}

// bundleOf is an offload bundle with a host entry and one for gfx90a.
func bundleOf(object []byte) []byte {
	b := binary.LittleEndian.AppendUint64([]byte(bundleMagic), 2)
	ids := []string{"host-x86_64-unknown-linux-gnu-", "hipv4-amdgcn-amd-amdhsa--gfx90a"}
	const at = 4096
	for i, id := range ids {
		size := 0
		if i == 1 {
			size = len(object)
		}
		for _, v := range []int{at, size, len(id)} {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		b = append(b, id...)
	}
	return append(append(b, make([]byte, at-len(b))...), object...)
}

func pad4096(b []byte) []byte { return append(b, make([]byte, -len(b)&4095)...) }

// hostObject is an x86-64 object, with a .hip_fatbin section if fat is not nil.
func hostObject(fat []byte) []byte {
	sections := []testSection{{}, {name: ".text", typ: 1, data: []byte{0xc3}}}
	if fat != nil {
		sections = append(sections, testSection{name: ".hip_fatbin", typ: 1, data: fat})
	}
	data := layOut(sections)
	data[18], data[7] = 62, 0 // EM_X86_64, no OS ABI
	return data
}

func TestMissing(t *testing.T) {
	s, err := Load(filepath.Join(t.TempDir(), "gone"))
	if err == nil || s == nil || !hasProblem(s.Problems, InputMissing) {
		t.Errorf("a missing path: %v", err)
	}
	if _, err := CodeHashes(filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("hashes of a missing path")
	}
}

// TestMetric: what a search for a resource step asks.
func TestMetric(t *testing.T) {
	s, _ := Load(write(t, map[string]string{"a.s": asm("small", 4, ""), "b.s": asm("_Z5largePf", 99, ""), "c.s": asm("hidden", 4, ".rept 2\n.endr")}))
	for _, c := range []struct {
		kernel, column string
		want           float64
		reason         string
	}{
		{"small", "vgpr", 4, ""},
		{"_Z5largePf", "vgpr", 99, ""},
		{"large(float*)", "vgpr", 99, ""},
		{"large", "vgpr", 99, ""},
		{"*", "vgpr", 99, ""},
		{"*", "occupancy", 4, ""}, // the fewest waves: 104 registers allocated
		{"*", "vgpr_spill", 0, "n/a"},
		{"*", "lds_read", 0, "not read"},
		{"small", "lds_read", 0, ""},
		{"nobody", "vgpr", 0, "no kernel"},
		{"small", "speed", 0, "no column"},
	} {
		v, ok, reason := s.Metric(c.kernel, c.column)
		if ok != (c.reason == "") || v != c.want || !strings.Contains(reason, c.reason) {
			t.Errorf("%s:%s: %v, %t, %q, want %v, %q", c.kernel, c.column, v, ok, reason, c.want, c.reason)
		}
	}
	s.problem(BadValue, "a.s", "small", "x")
	if _, ok, _ := s.Metric("small", "vgpr"); ok {
		t.Error("a kernel with a problem has a metric")
	}
	if _, ok, _ := s.Metric("large", "vgpr"); !ok {
		t.Error("another kernel's problem hides a metric")
	}
}

// TestSnapshotRoundTrip: a saved snapshot compares as its source does.
func TestSnapshotRoundTrip(t *testing.T) {
	for _, id := range []string{"d01-vgpr-spill-gfx942", "g04-kernel-renamed", "g05-two-translation-units", "g07-same-kernel-two-dirs", "k06-offload-bundle", "h07-wgp-to-cu-mode", "j02-quoted-names"} {
		dir := unpack(t, "cases/"+id+"/")
		before, _ := Load(filepath.Join(dir, "before"))
		after, _ := Load(filepath.Join(dir, "after"))
		var b bytes.Buffer
		if err := before.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		saved, _ := LoadBytes("before.json", b.Bytes())
		x, y := diffText(t, before, after), diffText(t, saved, after)
		if x != y {
			t.Errorf("%s: from the directory\n%s\nfrom the snapshot\n%s", id, x, y)
		}
	}
}

func diffText(t *testing.T, b, a *Snapshot) string {
	t.Helper()
	var out bytes.Buffer
	d := Compare(b, a, Options{})
	if err := WriteTable(&out, d, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := WriteDiagnostics(&out, d.Problems, d.Warnings); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
