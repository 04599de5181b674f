package amdgpu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/tinylib/msgp/msgp"
)

// testKernel is one kernel of an object that makeObject writes.
type testKernel struct {
	name       string
	vgpr, sgpr uint64
	lds        uint64
	kdLDS      uint32 // what the descriptor says
	code       []byte
}

// note is the metadata note's descriptor for the kernels.
func note(target string, kernels []testKernel) []byte {
	b := msgp.AppendMapHeader(nil, 3)
	b = msgp.AppendString(b, "amdhsa.kernels")
	b = msgp.AppendArrayHeader(b, uint32(len(kernels)))
	for _, k := range kernels {
		b = msgp.AppendMapHeader(b, 10)
		b = msgp.AppendString(msgp.AppendString(b, ".name"), k.name)
		b = msgp.AppendString(msgp.AppendString(b, ".symbol"), k.name+".kd")
		for _, f := range []struct {
			key string
			v   uint64
		}{
			{".vgpr_count", k.vgpr},
			{".sgpr_count", k.sgpr},
			{".vgpr_spill_count", 0},
			{".sgpr_spill_count", 0},
			{".private_segment_fixed_size", 0},
			{".group_segment_fixed_size", k.lds},
			{".wavefront_size", 64},
			{".max_flat_workgroup_size", 256},
		} {
			b = msgp.AppendUint64(msgp.AppendString(b, f.key), f.v)
		}
	}
	b = msgp.AppendString(msgp.AppendString(b, "amdhsa.target"), target)
	b = msgp.AppendString(b, "amdhsa.version")
	return msgp.AppendInt(msgp.AppendInt(msgp.AppendArrayHeader(b, 2), 1), 2)
}

// makeObject writes a relocatable gfx90a object of code object v5.
func makeObject(noteDesc []byte, kernels []testKernel) []byte {
	var text, rodata, symbols, names bytes.Buffer
	names.WriteByte(0)
	symbols.Write(make([]byte, 24))
	symbol := func(name string, info byte, section uint16, value, size uint64) {
		binary.Write(&symbols, binary.LittleEndian, elf.Sym64{Name: uint32(names.Len()), Info: info, Shndx: section, Value: value, Size: size})
		names.WriteString(name)
		names.WriteByte(0)
	}
	for _, k := range kernels {
		symbol(k.name, elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), 1, uint64(text.Len()), uint64(len(k.code)))
		text.Write(k.code)
		symbol(k.name+".kd", elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT), 2, uint64(rodata.Len()), 64)
		kd := make([]byte, 64)
		binary.LittleEndian.PutUint32(kd, k.kdLDS)
		binary.LittleEndian.PutUint32(kd[48:], uint32((k.vgpr+7)/8-1)&63)
		rodata.Write(kd)
	}
	var noteSection bytes.Buffer
	for _, n := range []uint32{7, uint32(len(noteDesc)), noteAMDGPU} {
		binary.Write(&noteSection, binary.LittleEndian, n)
	}
	noteSection.WriteString("AMDGPU\x00\x00")
	noteSection.Write(noteDesc)
	noteSection.Write(make([]byte, -len(noteDesc)&3))
	return layOut([]testSection{
		{},
		{".text", elf.SHT_PROGBITS, elf.SHF_ALLOC | elf.SHF_EXECINSTR, 0, 0, text.Bytes()},
		{".rodata", elf.SHT_PROGBITS, elf.SHF_ALLOC, 0, 0, rodata.Bytes()},
		{".note", elf.SHT_NOTE, 0, 0, 0, noteSection.Bytes()},
		{".symtab", elf.SHT_SYMTAB, 0, 5, 24, symbols.Bytes()},
		{".strtab", elf.SHT_STRTAB, 0, 0, 0, names.Bytes()},
	})
}

type testSection struct {
	name    string
	typ     elf.SectionType
	flags   elf.SectionFlag
	link    uint32
	entsize uint64
	data    []byte
}

func layOut(sections []testSection) []byte {
	var names bytes.Buffer
	out := bytes.NewBuffer(make([]byte, 64))
	headers := make([]elf.Section64, 0, len(sections)+1)
	sections = append(sections, testSection{name: ".shstrtab", typ: elf.SHT_STRTAB})
	for i, s := range sections {
		name := uint32(names.Len())
		names.WriteString(s.name + "\x00")
		if i == len(sections)-1 {
			s.data = names.Bytes()
		}
		headers = append(headers, elf.Section64{
			Name: name, Type: uint32(s.typ), Flags: uint64(s.flags), Off: uint64(out.Len()), Size: uint64(len(s.data)),
			Link: s.link, Addralign: 1, Entsize: s.entsize,
		})
		out.Write(s.data)
		out.Write(make([]byte, -out.Len()&7))
	}
	headers[0] = elf.Section64{}
	h := elf.Header64{
		Type: uint16(elf.ET_REL), Machine: uint16(elf.EM_AMDGPU), Version: 1, Shoff: uint64(out.Len()), Flags: 0x53f,
		Ehsize: 64, Shentsize: 64, Shnum: uint16(len(headers)), Shstrndx: uint16(len(headers) - 1),
	}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01\x40\x03")
	binary.Write(out, binary.LittleEndian, headers)
	var head bytes.Buffer
	binary.Write(&head, binary.LittleEndian, h)
	data := out.Bytes()
	copy(data, head.Bytes())
	return data
}

const testTarget = "amdgcn-amd-amdhsa--gfx90a"

func oneKernel() []testKernel {
	return []testKernel{{name: "k", vgpr: 33, sgpr: 20, lds: 512, kdLDS: 512, code: []byte("\x00\x00\x81\xbf")}}
}

func TestObjectProblems(t *testing.T) {
	two := append(oneKernel(), oneKernel()...)
	other := oneKernel()
	other[0].kdLDS = 1024
	extra := append(oneKernel(), testKernel{name: "unlisted", vgpr: 8, code: []byte("\x00\x00\x81\xbf")})
	for _, c := range []struct {
		reason string
		data   []byte
		class  Class
	}{
		{"a healthy object", makeObject(note(testTarget, oneKernel()), oneKernel()), ""},
		{"the descriptor has more LDS", makeObject(note(testTarget, oneKernel()), other), ValueConflict},
		{"two entries of one name", makeObject(note(testTarget, two), oneKernel()), DuplicateKernel},
		{"a descriptor without entry", makeObject(note(testTarget, oneKernel()), extra), MetadataMissingFor},
		{"an entry without code", makeObject(note(testTarget, extra), oneKernel()), BodyMissing},
		{"header and metadata name two targets", makeObject(note("amdgcn-amd-amdhsa--gfx942", oneKernel()), oneKernel()), TargetConflict},
		{"the note is cut", makeObject(note(testTarget, oneKernel())[:40], oneKernel()), BadMetadata},
		{"a count beyond the note", makeObject([]byte("\x81\xaeamdhsa.kernels\xdd\xff\xff\xff\xff"), oneKernel()), BadMetadata},
		{"an integer over 63 bits", makeObject(note(testTarget, []testKernel{{name: "k", vgpr: 1 << 63, lds: 512}}), oneKernel()), BadValue},
		{"no note at all", makeObject(nil, oneKernel()), BadMetadata},
	} {
		s, _ := LoadBytes("k.o", c.data)
		if c.class == "" && (len(s.Problems) > 0 || len(s.Kernels) != 1) {
			t.Errorf("%s: %v", c.reason, s.Problems)
		}
		if c.class != "" && !hasProblem(s.Problems, c.class) {
			t.Errorf("%s: no %s in %v", c.reason, c.class, s.Problems)
		}
	}
}

func hasProblem(list []Problem, c Class) bool {
	for _, p := range list {
		if p.Class == c {
			return true
		}
	}
	return false
}

func TestMetadataDepth(t *testing.T) {
	deep := append([]byte("\x81\xa1x"), bytes.Repeat([]byte{0x91}, 1<<16)...)
	if _, err := parseMsgpack(deep); err == nil {
		t.Error("65,536 nested lists are read")
	}
	yamlDeep := "amdhsa.kernels: " + string(bytes.Repeat([]byte("["), 1<<16))
	if _, err := parseYAML([]byte(yamlDeep)); err == nil {
		t.Error("65,536 nested YAML lists are read")
	}
}

func BenchmarkObject(b *testing.B) {
	kernels := make([]testKernel, 10_000)
	for i := range kernels {
		kernels[i] = testKernel{name: fmt.Sprintf("_ZN4perf4kernILi%dEEvPfPKfi", i), vgpr: 33, sgpr: 20, lds: 512, kdLDS: 512, code: make([]byte, 256)}
	}
	data := makeObject(note(testTarget, kernels), kernels)
	b.SetBytes(int64(len(data)))
	b.ResetTimer()
	for b.Loop() {
		if s, _ := LoadBytes("k.o", data); len(s.Kernels) != len(kernels) || s.ExitCode() != 0 {
			b.Fatal(s.Problems[0])
		}
	}
	b.ReportMetric(float64(len(kernels)*b.N)/b.Elapsed().Seconds(), "kernels/s")
}
