package amdgpu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinks: a file that two names lead to counts once, and a link to a
// directory is not followed.
func TestLinks(t *testing.T) {
	dir := write(t, map[string]string{"real/k.txt": asm("k", 4, ""), "d/x.mlir": "module {}"})
	for link, to := range map[string]string{"d/1_final_isa.s": "../real/k.txt", "d/loop": "..", "d/broken.s": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	s, _ := Load(dir)
	if len(s.Kernels) != 1 || s.Kernels[0].File != "d/1_final_isa.s" {
		t.Errorf("%d kernels: %+v", len(s.Kernels), s.Problems)
	}
	if !hasProblem(s.Problems, Unreadable) {
		t.Error("a link to nowhere that is named as code is not reported")
	}
	if !strings.Contains(fmt.Sprint(s.Skipped), "d/loop") {
		t.Errorf("%v", s.Skipped)
	}
}

// TestSniffBig: what decides about a file without a telling name is its start,
// which may be a small part of it.
func TestSniffBig(t *testing.T) {
	device := makeObject(note(testTarget, oneKernel()), oneKernel())
	noise := make([]byte, 4*sniffLen) // hardly packs
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(noise), func(i, j int) { noise[i], noise[j] = byte(i*j>>3), byte(i+j) })
	plain := append(bundleOf(append(device, make([]byte, -len(device)&7)...)), noise...)
	plain = plain[:len(plain):len(plain)]
	binary.LittleEndian.PutUint64(plain[len(bundleMagic)+8+8:], uint64(len(noise)))          // the host's entry
	binary.LittleEndian.PutUint64(plain[len(bundleMagic)+8:], uint64(len(plain)-len(noise))) // and where it is
	for reason, data := range map[string][]byte{
		"bundle": plain, "compressed bundle": packed(t, 2, 1, plain),
		"offload binary": offloadOf(1, hipImage("gfx90a", append(device, noise...))),
		"archive":        []byte(arOf(archiveMagic, arMember{"noise.txt/", string(noise)}, arMember{"k.o/", string(device)})),
	} {
		if len(data) <= sniffLen {
			t.Fatalf("%s: %d bytes are not many", reason, len(data))
		}
		s, _ := Load(write(t, map[string]string{"k": string(data)}))
		if len(s.Kernels) != 1 || s.ExitCode() != 0 {
			t.Errorf("%s: %d kernels, %v, %v", reason, len(s.Kernels), s.Problems, s.Skipped)
		}
	}
}

// TestUnreadable: what the system refuses is not "nothing there".
func TestUnreadable(t *testing.T) {
	dir := write(t, map[string]string{"k.s": asm("k", 4, ""), "locked/k.s": asm("k2", 4, ""), "secret.s": "x"})
	for _, name := range []string{"locked", "secret.s"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "locked"), 0o755) })
	if _, err := os.ReadDir(filepath.Join(dir, "locked")); err == nil {
		t.Skip("this user may read everything")
	}
	s, _ := Load(dir)
	n := 0
	for _, p := range s.Problems {
		if p.Class == Unreadable {
			n++
		}
	}
	if n != 2 || len(s.Kernels) != 1 {
		t.Errorf("%d kernels, %v", len(s.Kernels), s.Problems)
	}
}

// TestStages: the number decides, whatever its spelling.
func TestStages(t *testing.T) {
	for _, c := range []struct{ low, high string }{
		{"9_final_isa.s", "10_final_isa.s"},
		{"final_isa.s", "0_final_isa.s"},
		{"007_final_isa.s", "8_final_isa.s"},
		{"21_final_isa.s.gz", "21_final_isa.s"},
		{"99999999999999999999_final_isa.s", "100000000000000000000_final_isa.s"},
	} {
		if compareStages(c.low, c.high) >= 0 || compareStages(c.high, c.low) <= 0 {
			t.Errorf("%s is not before %s", c.low, c.high)
		}
	}
}

// TestLDSForms: loads that write LDS directly, in every generation's spelling.
func TestLDSForms(t *testing.T) {
	for line, want := range map[string]Mix{
		"buffer_load_dword v1, s[8:11], 0 offen lds":                    {BufferLoad: 1, LDSDMA: 1},
		"buffer_load_dword v1, s[8:11], 0 offen offset:4":               {BufferLoad: 1},
		"global_load_lds_dwordx4 v[0:1], off":                           {GlobalLoad: 1, LDSDMA: 1},
		"global_load_async_to_lds_b128 v0, v[2:3], off":                 {GlobalLoad: 1, LDSDMA: 1},
		"tensor_load_to_lds s[0:3], s[4:11]":                            {LDSDMA: 1},
		"global_load_dword v1, v0, s[0:1] ; lds":                        {GlobalLoad: 1},
		"ds_bpermute_b32 v0, v1, v2":                                    {},
		"ds_add_rtn_u32 v0, v1, v2":                                     {LDSOther: 1},
		"ds_read2st64_b32 v[0:1], v2 offset1:4":                         {LDSRead: 1},
		"ds_store_2addr_b64 v0, v[1:2], v[3:4]":                         {LDSWrite: 1},
		"ds_storexchg_rtn_b32 v0, v1, v2":                               {LDSOther: 1},
		"v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[12:19], v20":      {VALU: 1, Matrix: 1},
		"v_smfmac_f32_16x16x32_f16 a[0:3], v[0:1], v[2:5], v6":          {VALU: 1, Matrix: 1},
		"s_wait_loadcnt 0x0":                                            {SALU: 1, Wait: 1},
		"s_barrier_wait -1":                                             {SALU: 1, Barrier: 1},
		"scratch_load_b32 v0, off, off offset:4 ; 4-byte Folded Reload": {ScratchLoad: 1, SpillLoad: 1},
		"FOO = 7": {Total: -1},
		"label_x: s_load_b64 s[0:1], s[2:3], 0x0": {SALU: 1, SMEMLoad: 1},
	} {
		got, reason := countBody([]byte("\t"+line+"\n"), nil)
		want.Total++
		if *got != want || reason != "" {
			t.Errorf("%s: %+v, want %+v %s", line, *got, want, reason)
		}
	}
}

// TestWithoutSize: hand-written code without .size ends where the next thing
// starts, and must end somewhere.
func TestWithoutSize(t *testing.T) {
	text := asm("k", 4, "  ds_read_b32 v1, v0\nloop:\n  ds_read_b32 v1, v0\n  s_cbranch_scc1 loop")
	text = strings.Replace(text, ".size k, .-k\n", "", 1)
	s, _ := LoadBytes("k.s", []byte(text))
	if k := kernel(t, s, "k"); s.ExitCode() != 0 || k.Metrics[LDSRead].Value != 2 {
		t.Errorf("lds_read %s, %v", k.Metrics[LDSRead], s.Problems)
	}
	cut := strings.Replace(text, "  s_endpgm\n", "", 1)
	if s, _ := LoadBytes("k.s", []byte(cut)); !hasProblem(s.Problems, Truncated) {
		t.Errorf("no end of the code and no problem: %v", s.Problems)
	}
	wrong := strings.Replace(asm("k", 4, ""), ".size k, .-k", ".size k, .Lgone-k", 1)
	s, _ = LoadBytes("k.s", []byte(wrong))
	if k := kernel(t, s, "k"); k.Metrics[LDSRead].State != Unparsed || s.ExitCode() != 0 {
		t.Errorf("lds_read %s with an unknown end, %v", k.Metrics[LDSRead], s.Problems)
	}
}
