package amdgpu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// hostWith is an x86-64 object with the sections.
func hostWith(sections ...testSection) []byte {
	data := layOut(append([]testSection{{}, {name: ".text", typ: elf.SHT_PROGBITS, data: []byte{0xc3}}}, sections...))
	data[18], data[7] = 62, 0
	return data
}

// TestHostSections: where compilers and linkers put device code, by type, name
// or content of the section.
func TestHostSections(t *testing.T) {
	device := makeObject(note(testTarget, oneKernel()), oneKernel())
	bundle, offload := bundleOf(device), offloadOf(1, hipImage("gfx90a", device))
	bits := elf.SHT_PROGBITS
	for _, c := range []struct {
		reason   string
		sections []testSection
		kernels  int
		exit     int
		contains string
	}{
		{"HIP", []testSection{{name: ".hip_fatbin", typ: bits, data: bundle}, {name: ".hipFatBinSegment", typ: bits, data: make([]byte, 24)}}, 1, 0, ""},
		{"a relocatable link", []testSection{{name: ".hip_fatbin.relocatable", typ: bits, data: pad4096(bundle)}}, 1, 0, ""},
		{"two sections with one kernel", []testSection{{name: ".hip_fatbin", typ: bits, data: bundle}, {name: ".llvm.offloading", typ: shtOffloading, data: offload}}, 1, 0, ""},
		{"any name, by content", []testSection{{name: ".rodata.images", typ: bits, data: offload}}, 1, 0, ""},
		{"any name, by type", []testSection{{name: ".x", typ: shtOffloading, data: offload}}, 1, 0, ""},
		{"-fgpu-rdc of the old driver", []testSection{
			{name: entrySection + "hip-amdgcn-amd-amdhsa--gfx90a", typ: bits, data: device},
			{name: entrySection + "host-x86_64-unknown-linux-gnu-", typ: bits, data: []byte{0}},
		}, 1, 0, ""},
		{"-fgpu-rdc with bitcode", []testSection{{name: entrySection + "hip-amdgcn-amd-amdhsa--gfx90a", typ: bits, data: []byte("BC\xc0\xde1234")}}, 0, 2, "unlinked"},
		{"four letters are no bundle", []testSection{{name: ".rodata", typ: bits, data: []byte("CCOB is a word of four letters")}}, 0, 2, "without device code"},
		{"an empty section", []testSection{{name: ".hip_fatbin", typ: bits}}, 0, 2, "without device code"},
		{"a section of zeros", []testSection{{name: ".hip_fatbin", typ: bits, data: make([]byte, 64)}}, 0, 2, "without a device entry"},
		{"a section of garbage", []testSection{{name: ".hip_fatbin", typ: bits, data: []byte("garbage")}}, 0, 2, "where one should start"},
		{"a compressed section", []testSection{{name: ".llvm.offloading", typ: bits, flags: elf.SHF_COMPRESSED, data: []byte("garbage of more than twenty-four bytes")}}, 0, 2, "is compressed"},
	} {
		s, _ := LoadBytes("app", hostWith(c.sections...))
		if len(s.Kernels) != c.kernels || s.ExitCode() != c.exit {
			t.Errorf("%s: %d kernels, exit %d, want %d and %d\n%v", c.reason, len(s.Kernels), s.ExitCode(), c.kernels, c.exit, s.Problems)
		}
		if all := fmt.Sprint(s.Problems, s.Warnings, s.Skipped); !strings.Contains(all, c.contains) {
			t.Errorf("%s: no %q in %s", c.reason, c.contains, all)
		}
	}
}

// TestUnlinked: what only the linker finishes is a problem alone, a warning
// beside the linked image, and never part of "the same code".
func TestUnlinked(t *testing.T) {
	linked := asm("k", 4, "")
	info := strings.Replace(asm("k", 4, ""), ".amdgpu_metadata", ".amdgpu_info k\n  .amdgpu_num_vgpr 4\n  .amdgpu_call helper\n.end_amdgpu_info\n.amdgpu_metadata", 1)
	object := string(objectWith(testSection{name: ".amdgpu.info", typ: elf.SHT_PROGBITS, data: []byte{1, 8, 0, 0, 0, 0, 0, 0, 0, 0}}))
	for _, c := range []struct {
		reason  string
		files   map[string]string
		kernels int
		class   Class // "" for a clean snapshot with a warning
	}{
		{"bitcode alone", map[string]string{"k.o": "BC\xc0\xde123"}, 0, Unlinked},
		{"wrapped bitcode alone", map[string]string{"k.o": "\xde\xc0\x17\x0b123"}, 0, Unlinked},
		{"bitcode beside code", map[string]string{"k.o": "BC\xc0\xde123", "k2.s": linked}, 1, ""},
		{"text for object linking", map[string]string{"k.s": info}, 0, Unlinked},
		{"object for object linking", map[string]string{"k.o": object}, 0, Unlinked},
		{"text for object linking beside code", map[string]string{"k.s": info, "k.out": linked}, 1, ""},
		{"cut text for object linking", map[string]string{"k.s": info[:len(info)-30]}, 0, Truncated},
	} {
		dir := write(t, c.files)
		s, _ := Load(dir)
		if len(s.Kernels) != c.kernels || c.class != "" && !hasProblem(s.Problems, c.class) {
			t.Errorf("%s: %d kernels, %v", c.reason, len(s.Kernels), s.Problems)
		}
		if c.class == "" && (len(s.Problems) > 0 || !startsWith(s.Warnings, "unlinked: ")) {
			t.Errorf("%s: %v %q", c.reason, s.Problems, s.Warnings)
		}
		if _, err := CodeFingerprint(dir); err == nil {
			t.Errorf("%s: a fingerprint without all of the code", c.reason)
		}
	}
}

// objectWith is oneKernel's object with another section.
func objectWith(s testSection) []byte {
	kd := make([]byte, 64)
	return layOut([]testSection{{}, {name: ".rodata", typ: elf.SHT_PROGBITS, data: kd}, s})
}

// TestSmallBombs: many small streams that unpack to the floor of the limit are
// one bomb.
func TestSmallBombs(t *testing.T) {
	one := packed(t, 2, 1, append([]byte(bundleMagic), make([]byte, unpackFloor-64)...))
	if len(one) > 4096 {
		t.Fatalf("%d bytes are no bomb", len(one))
	}
	s, _ := LoadBytes("k.hipfb", bytes.Repeat(one, 200))
	if !hasProblem(s.Problems, TooLarge) {
		t.Errorf("%d problems, none of them %s: %v", len(s.Problems), TooLarge, s.Problems[0])
	}
}

// TestSmallStreams: a stream of 24 bytes that asks for a window of 16 MiB, as
// streaming compressors do, is read; many of them in one file are a bomb.
func TestSmallStreams(t *testing.T) {
	le := binary.LittleEndian
	bundle := le.AppendUint64([]byte(bundleMagic), 0)
	frame := append([]byte("\x28\xb5\x2f\xfd\x00"), 14<<3)                 // a window of 2^24 bytes
	frame = append(frame, byte(1|len(bundle)<<3), byte(len(bundle)>>5), 0) // one raw block, the last
	frame = append(frame, bundle...)
	one := le.AppendUint16(le.AppendUint16([]byte(compressedMagic), 2), 1)
	one = le.AppendUint32(le.AppendUint32(one, uint32(24+len(frame))), uint32(len(bundle)))
	one = append(le.AppendUint64(one, 0), frame...)
	if s, _ := LoadBytes("k.hipfb", one); !strings.Contains(fmt.Sprint(s.Skipped), "without a device entry") {
		t.Errorf("one: %v", s.Problems)
	}
	if s, _ := LoadBytes("k.hipfb", bytes.Repeat(one, 1000)); !hasProblem(s.Problems, TooLarge) {
		t.Errorf("a thousand: %v", s.Problems)
	}
}

// TestEmptyTemps: clang --save-temps writes empty device objects for inputs
// without device code; an empty dump or text is still a problem.
func TestEmptyTemps(t *testing.T) {
	for name, exit := range map[string]int{"stub-hip-amdgcn-amd-amdhsa-gfx942.o": 0, "stub.o": 2, "stub-hip-amdgcn-amd-amdhsa-gfx942.s": 2} {
		s, _ := Load(write(t, map[string]string{"k.s": asm("k", 4, ""), name: ""}))
		if s.ExitCode() != exit {
			t.Errorf("%s: exit %d, want %d: %v", name, s.ExitCode(), exit, s.Problems)
		}
	}
}

// TestSectionCounts: a file of 65,280 sections and more has their number in the
// first header. What that hides must be checked like the rest.
func TestSectionCounts(t *testing.T) {
	le := binary.LittleEndian
	whole := makeObject(note(testTarget, oneKernel()), oneKernel())
	headers := whole[le.Uint64(whole[40:]):]
	at := uint64(len(whole))
	le.PutUint64(whole[40:], at)
	le.PutUint16(whole[60:], 0)
	whole = append(append(whole, headers...), make([]byte, 65_300*64-len(headers))...)
	le.PutUint64(whole[at+32:], 65_300)
	for _, c := range []struct {
		reason string
		change func(b []byte)
		class  Class
	}{
		{"healthy", func([]byte) {}, ""},
		{"more sections than the file has room for", func(b []byte) { le.PutUint64(b[at+32:], 1<<60) }, Truncated},
		{"the descriptors' section is outside", func(b []byte) { le.PutUint64(b[at+2*64+24:], 1<<40) }, Truncated},
		{"the code is outside", func(b []byte) { le.PutUint64(b[at+64+32:], 1<<62) }, Truncated},
	} {
		b := bytes.Clone(whole)
		c.change(b)
		s, _ := LoadBytes("k.o", b)
		if c.class == "" && (s.ExitCode() != 0 || len(s.Kernels) != 1) || c.class != "" && !hasProblem(s.Problems, c.class) {
			t.Errorf("%s: %d kernels, %v", c.reason, len(s.Kernels), s.Problems)
		}
		if _, err := CodeHashes(filepath.Join(write(t, map[string]string{"k.o": string(b)}), "k.o")); (err == nil) != (c.class == "") {
			t.Errorf("%s: hashes: %v", c.reason, err)
		}
		objectHashes(parseELF("k.o", b), b) // whatever it gives, without a panic
	}
}
