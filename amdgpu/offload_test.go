package amdgpu

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// image is one entry of an offload binary that offloadOf writes.
type image struct {
	kind, producer uint16
	flags          uint32
	triple, arch   string
	data           []byte
}

func hipImage(arch string, data []byte) image {
	return image{1, 4, 0, "amdgcn-amd-amdhsa", arch, data}
}

// offloadOf writes an offload binary as LLVM's OffloadBinary::write does.
func offloadOf(version uint32, images ...image) []byte {
	le := binary.LittleEndian
	head, each := 32, 24
	if version == 1 {
		each = 16
	}
	if version == 3 {
		head = 40
	}
	strings := []byte("\x00arch\x00triple\x00")
	table := head + len(images)*offloadEntrySize
	strtab := table + len(images)*2*each
	var entries, maps []byte
	var bodies bytes.Buffer
	offset := func(s string) uint64 {
		strings = append(append(strings, s...), 0)
		return uint64(strtab + len(strings) - len(s) - 1)
	}
	for _, m := range images {
		for _, kv := range [][2]string{{"arch", m.arch}, {"triple", m.triple}} {
			key := uint64(strtab + bytes.Index(strings, []byte(kv[0])))
			maps = le.AppendUint64(le.AppendUint64(maps, key), offset(kv[1]))
			if version > 1 {
				maps = le.AppendUint64(maps, uint64(len(kv[1])))
			}
		}
	}
	data := (strtab + len(strings) + 7) &^ 7
	for i, m := range images {
		entries = le.AppendUint32(le.AppendUint16(le.AppendUint16(entries, m.kind), m.producer), m.flags)
		for _, v := range []int{table + i*2*each, 2, data + bodies.Len(), len(m.data)} {
			entries = le.AppendUint64(entries, uint64(v))
		}
		bodies.Write(m.data)
	}
	size := (data + bodies.Len() + 7) &^ 7
	b := le.AppendUint64(le.AppendUint32([]byte(offloadMagic), version), uint64(size))
	count := uint64(len(images))
	if version == 1 {
		count = offloadEntrySize
	}
	b = le.AppendUint64(le.AppendUint64(b, uint64(head)), count)
	b = append(b, make([]byte, head-32)...)
	b = append(append(append(b, entries...), maps...), strings...)
	b = append(append(b, make([]byte, data-len(b))...), bodies.Bytes()...)
	return append(b, make([]byte, size-len(b))...)
}

// compressOffload packs version 3 with zstd, or zlib.
func compressOffload(tb testing.TB, b []byte, useZlib bool) []byte {
	tb.Helper()
	var body bytes.Buffer
	if useZlib {
		z := zlib.NewWriter(&body)
		z.Write(b[40:])
		z.Close()
	} else {
		z, err := zstd.NewWriter(&body)
		if err != nil {
			tb.Fatal(err)
		}
		z.Write(b[40:])
		z.Close()
	}
	out := append(bytes.Clone(b[:40]), body.Bytes()...)
	out = append(out, make([]byte, -len(out)&7)...)
	binary.LittleEndian.PutUint64(out[8:], uint64(40+body.Len()))
	binary.LittleEndian.PutUint64(out[32:], uint64(len(b)))
	return out
}

// TestOffloadBinaries reads every version, alone, concatenated and in a host
// object, with the kinds of images that need no reading.
func TestOffloadBinaries(t *testing.T) {
	device := makeObject(note(testTarget, oneKernel()), oneKernel())
	code := hipImage("gfx90a", device)
	bc := hipImage("gfx942", []byte("BC\xc0\xde1234"))
	ptx := image{5, 1, 0, "nvptx64-nvidia-cuda", "sm_90", []byte(".version 8.0")}
	v1, v2 := offloadOf(1, code), offloadOf(2, code, bc, ptx)
	v3 := offloadOf(3, code, image{1, 4, 1, "amdgcn-amd-amdhsa", "gfx90a", nil})
	for _, c := range []struct {
		reason   string
		data     []byte
		kernels  int
		exit     int
		contains string
	}{
		{"version 1", v1, 1, 0, ""},
		{"version 1 three times", bytes.Join([][]byte{v1, v1, offloadOf(1, bc)}, nil), 2, 0, "unlinked: app#hip-amdgcn-amd-amdhsa--gfx942"},
		{"version 2 with bitcode and PTX", v2, 1, 0, "app#openmp-nvptx64-nvidia-cuda--sm_90 an entry for another target"},
		{"version 3 with an entry of metadata only", v3, 1, 0, ""},
		{"version 3, zstd", compressOffload(t, v3, false), 1, 0, ""},
		{"version 3, zlib", compressOffload(t, v3, true), 1, 0, ""},
		{"all of them, padded", bytes.Join([][]byte{v1, make([]byte, 16), v2, pad4096(v3), compressOffload(t, v3, false)}, nil), 4, 0, ""},
		{"the new spelling of triples", offloadOf(2, image{1, 4, 0, "amdgpu9.0a-amd-amdhsa", "gfx90a", device}), 1, 0, ""},
		{"a bundle as image", offloadOf(2, image{4, 4, 0, "amdgcn-amd-amdhsa", "", bundleOf(device)}), 1, 0, ""},
		{"only bitcode", offloadOf(2, bc), 0, 2, "unlinked"},
		{"only PTX", offloadOf(2, ptx), 0, 2, "an entry for another target"},
		{"an image that is empty", offloadOf(2, code, hipImage("gfx942", nil)), 1, 2, "the entry is empty"},
		{"an image that is garbage", offloadOf(2, hipImage("gfx942", []byte("garbage"))), 0, 2, "not_amdgpu"},
		{"a version to come", offloadOf(4, code), 0, 2, "version 4"},
		{"something after it", append(bytes.Clone(v1), "garbage"...), 1, 2, "where one should start"},
	} {
		for where, data := range map[string][]byte{"alone": c.data, "in a host object": offloadObject(c.data)} {
			s, _ := LoadBytes("app", data)
			if len(s.Kernels) != c.kernels || s.ExitCode() != c.exit {
				t.Errorf("%s %s: %d kernels, exit %d, want %d and %d\n%v", c.reason, where, len(s.Kernels), s.ExitCode(), c.kernels, c.exit, s.Problems)
			}
			if all := fmt.Sprint(s.Problems, s.Warnings, s.Skipped); !strings.Contains(all, c.contains) {
				t.Errorf("%s %s: no %q in %s", c.reason, where, c.contains, all)
			}
		}
	}
}

// offloadObject is an x86-64 object with a section .llvm.offloading.
func offloadObject(b []byte) []byte {
	data := layOut([]testSection{{}, {name: ".text", typ: 1, data: []byte{0xc3}}, {name: ".llvm.offloading", typ: shtOffloading, data: b}})
	data[18], data[7] = 62, 0
	return data
}

// TestOffloadDamage changes each byte of the headers and cuts at every length:
// whatever is read, nothing that was lost may look clean.
func TestOffloadDamage(t *testing.T) {
	device := makeObject(note(testTarget, oneKernel()), oneKernel())
	for version := uint32(1); version <= 3; version++ {
		whole := offloadOf(version, hipImage("gfx90a", device))
		for cut := len(offloadMagic); cut < len(whole); cut += 13 {
			if s, _ := LoadBytes("app", whole[:cut]); s.ExitCode() == 0 {
				t.Errorf("version %d cut at %d of %d: exit 0", version, cut, len(whole))
			}
		}
		for at := 8; at < 100; at++ {
			for _, v := range []byte{0, 1, 0x7f, 0xff} {
				bad := bytes.Clone(whole)
				bad[at] = v
				s, _ := LoadBytes("app", bad)
				if len(s.Kernels) == 0 && s.ExitCode() == 0 {
					t.Errorf("version %d with byte %d = %d: no kernel and exit 0", version, at, v)
				}
			}
		}
	}
}

// TestOverlap: entries that share bytes make a small file cost like a big one.
func TestOverlap(t *testing.T) {
	device := makeObject(note(testTarget, oneKernel()), oneKernel())
	le := binary.LittleEndian
	two := offloadOf(2, hipImage("gfx90a", device), hipImage("gfx942", device))
	copy(two[32+offloadEntrySize+24:], two[32+24:32+32])
	bundle := bundleOf(device)
	le.PutUint64(bundle[len(bundleMagic)+8+8:], 8) // the host's entry gets 8 bytes of the device's
	sections := make([]testSection, 3)
	for i := range sections[1:] {
		sections[i+1] = testSection{name: ".llvm.offloading", typ: shtOffloading, data: offloadOf(1, hipImage("gfx90a", device))}
	}
	object := layOut(sections)
	object[18], object[7] = 62, 0
	at := le.Uint64(object[40:])
	copy(object[at+2*64+24:][:8], object[at+64+24:][:8])
	le.PutUint64(object[at+64+32:], uint64(len(object))-le.Uint64(object[at+64+24:]))
	for name, data := range map[string][]byte{"offload binary": two, "bundle": bundle, "sections": object} {
		if s, _ := LoadBytes("app", data); !hasProblem(s.Problems, BadBundle) || !strings.Contains(fmt.Sprint(s.Problems), "overlap") {
			t.Errorf("%s: %v", name, s.Problems)
		}
	}
}
