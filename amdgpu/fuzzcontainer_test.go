package amdgpu

import (
	"debug/elf"
	"testing"
)

func FuzzArchive(f *testing.F) {
	device := string(makeObject(note(testTarget, oneKernel()), oneKernel()))
	f.Add([]byte(arOf(archiveMagic, arMember{"/", "\x00\x00\x00\x00"}, arMember{"//", "other.o/\n"}, arMember{"k.o/", device}, arMember{"/0", device})))
	f.Add([]byte(arOf(archiveMagic, arMember{"#1/4", "k.o\x00" + device}, arMember{"x", "y"})))
	f.Add([]byte(arOf(thinArchiveMagic, arMember{"/", "\x00\x00"}, arMember{"//", "sub/k.o/\n"}, arMember{"/0", device})))
	f.Add([]byte(arOf(archiveMagic, arMember{"k.s/", asm("k", 4, "")}, arMember{"in.a/", arOf(archiveMagic, arMember{"k.s/", asm("k", 9, "")})})))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := LoadBytes("l.a", data)
		checkSnapshot(t, s)
	})
}

func FuzzOffload(f *testing.F) {
	device := makeObject(note(testTarget, oneKernel()), oneKernel())
	for version := uint32(1); version <= 3; version++ {
		f.Add(offloadOf(version, hipImage("gfx90a", device)))
	}
	v3 := offloadOf(3, hipImage("gfx90a", device), hipImage("gfx942", []byte("BC\xc0\xde")))
	f.Add(compressOffload(f, v3, false))
	f.Add(compressOffload(f, v3, true))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := LoadBytes("k.img", data)
		checkSnapshot(t, s)
	})
}

func FuzzHostELF(f *testing.F) {
	device := makeObject(note(testTarget, oneKernel()), oneKernel())
	f.Add(hostWith(testSection{name: ".hip_fatbin", typ: elf.SHT_PROGBITS, data: bundleOf(device)[:4096+256]}))
	f.Add(hostWith(testSection{name: ".llvm.offloading", typ: shtOffloading, data: offloadOf(1, hipImage("gfx90a", device))}))
	f.Add(hostWith(testSection{name: entrySection + "hip-amdgcn-amd-amdhsa--gfx90a", typ: elf.SHT_PROGBITS, data: device}))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := LoadBytes("app", data)
		checkSnapshot(t, s)
	})
}
