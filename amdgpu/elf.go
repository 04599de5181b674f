package amdgpu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"
)

const (
	elfOSABIHSA = 64
	noteAMDGPU  = 32 // NT_AMDGPU_METADATA
	// noteV2 is the first of the note types of code object v2 (1 to 12 with
	// owner "AMD").
	ownerV2 = "AMD"
)

// codeObjectByABI maps EI_ABIVERSION to the code object version.
var codeObjectByABI = map[byte]int{0: 2, 1: 3, 2: 4, 3: 5, 4: 6}

// parseELF reads an AMDGPU code object: a relocatable .o or a linked image,
// stripped or not. The caller has checked that it is one (isCodeObject).
func parseELF(file string, data []byte) *module {
	m := &module{file: file, kind: kindObject, evidence: map[string]*evidence{}, meta: new(metadata)}
	if class, what := elfDamage(data); class != "" {
		m.problem(class, "", "%s", what)
		return m
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		m.problem(Truncated, "", "reading ELF: %v", err)
		return m
	}
	if !m.checkABI(data) {
		return m
	}
	m.linked = f.Type != elf.ET_REL
	if info := f.Section(".amdgpu.info"); info != nil && info.Size > 0 && !m.linked {
		m.unlinked = objectLinking
		return m
	}
	m.elfNotes(f, data)
	m.checkTarget("the ELF header", targetFromFlags(elfFlags(data), data[elf.EI_ABIVERSION]).String(), ParseTarget(m.meta.target))
	m.compiler = elfCompiler(f)
	m.elfSymbols(f, data)
	return m
}

func (m *module) checkABI(data []byte) bool {
	abi, version := data[elf.EI_OSABI], data[elf.EI_ABIVERSION]
	if abi != elfOSABIHSA {
		m.problem(UnsupportedCodeObject, "", "ELF OS ABI %d; only 64 (AMDGPU HSA) is read", abi)
		return false
	}
	v, known := codeObjectByABI[version]
	switch {
	case !known:
		m.warnings = append(m.warnings, fmt.Sprintf("unknown_code_object_version: %s: ELF ABI version %d is newer than this reader", m.file, version))
	case v == 2:
		m.problem(UnsupportedCodeObject, "", "code object v2; v3 and later are read")
		return false
	}
	m.version = v
	return true
}

// elfNotes finds the metadata note in the SHT_NOTE sections, or, without
// sections, in the PT_NOTE segments.
func (m *module) elfNotes(f *elf.File, data []byte) {
	var areas [][2]uint64
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOTE {
			areas = append(areas, [2]uint64{s.Offset, s.FileSize})
		}
	}
	if len(areas) == 0 {
		for _, p := range f.Progs {
			if p.Type == elf.PT_NOTE {
				areas = append(areas, [2]uint64{p.Off, p.Filesz})
			}
		}
	}
	found := false
	for _, a := range areas {
		if a[0] > uint64(len(data)) || a[1] > uint64(len(data))-a[0] {
			m.problem(Truncated, "", "a note ends at byte %d of %d", a[0]+a[1], len(data))
			continue
		}
		found = m.noteArea(data[a[0]:a[0]+a[1]]) || found
	}
	if !found && len(m.problems) == 0 {
		m.problem(MetadataMissing, "", "no AMDGPU metadata note")
	}
}

// noteArea walks the notes of one section. Name and descriptor are padded to
// four bytes each.
func (m *module) noteArea(b []byte) (found bool) {
	le := binary.LittleEndian
	for len(b) >= 12 {
		nameLen, descLen, typ := uint64(le.Uint32(b)), uint64(le.Uint32(b[4:])), le.Uint32(b[8:])
		b = b[12:]
		name, rest, ok := cutPadded(b, nameLen)
		desc, rest, ok2 := cutPadded(rest, descLen)
		if !ok || !ok2 {
			m.problem(Truncated, "", "a note of %d bytes stands in a section with %d bytes left", nameLen+descLen, len(b))
			return found
		}
		b = rest
		switch owner := strings.TrimRight(string(name), "\x00"); {
		case owner == ownerV2:
			m.problem(UnsupportedCodeObject, "", "code object v2 note")
			found = true
		case owner == "AMDGPU" && typ == noteAMDGPU:
			m.addNote(desc)
			found = true
		}
	}
	return found
}

func cutPadded(b []byte, n uint64) (data, rest []byte, ok bool) {
	if n > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n], b[min(alignTo(int64(n), 4), int64(len(b))):], true
}

func (m *module) addNote(desc []byte) {
	meta, err := parseMsgpack(desc)
	if err != nil {
		m.problem(BadMetadata, "", "%v", err)
	}
	m.meta.join(meta)
}

// elfCompiler is the first string of .comment that is not the linker's.
func elfCompiler(f *elf.File) string {
	s := f.Section(".comment")
	if s == nil || s.Type == elf.SHT_NOBITS || s.Flags&elf.SHF_COMPRESSED != 0 || s.FileSize > 1<<16 {
		return ""
	}
	b, err := s.Data()
	if err != nil {
		return ""
	}
	for c := range bytes.SplitSeq(b, []byte{0}) {
		if len(c) > 0 && !bytes.HasPrefix(c, []byte("Linker:")) {
			return string(c)
		}
	}
	return ""
}

// symbolTable returns the symbols of .symtab, or of .dynsym in a stripped
// image; full says that it was .symtab.
func symbolTable(f *elf.File) (symbols []elf.Symbol, full bool) {
	if s, err := f.Symbols(); err == nil && len(s) > 0 {
		return s, true
	}
	s, _ := f.DynamicSymbols()
	return s, false
}

// elfSymbols reads descriptors, code sizes and the resource symbols that LLVM
// writes since version 20.
func (m *module) elfSymbols(f *elf.File, data []byte) {
	symbols, full := symbolTable(f)
	m.wantBodies = full
	for _, s := range symbols {
		switch {
		case s.Section == elf.SHN_ABS:
			m.absSymbol(s)
		case s.Section == elf.SHN_UNDEF || int(s.Section) >= len(f.Sections):
		case strings.HasSuffix(s.Name, ".kd") && s.Size == 64:
			m.elfDescriptor(f, data, s)
		case elf.ST_TYPE(s.Info) == elf.STT_FUNC, isEntry(f, s):
			m.get(s.Name).codeBytes = int64(min(s.Size, 1<<40))
			m.get(s.Name).hasBody = true
		}
	}
}

// isEntry accepts the label of hand-written code that has no .type directive.
func isEntry(f *elf.File, s elf.Symbol) bool {
	return elf.ST_TYPE(s.Info) == elf.STT_NOTYPE && elf.ST_BIND(s.Info) != elf.STB_LOCAL && f.Sections[s.Section].Flags&elf.SHF_EXECINSTR != 0
}

func (m *module) absSymbol(s elf.Symbol) {
	i := strings.LastIndexByte(s.Name, '.')
	if i <= 0 {
		return
	}
	name, v := strings.TrimPrefix(s.Name[:i], ".L"), symbolValue{set: true, v: int64(min(s.Value, 1<<40))}
	switch s.Name[i+1:] {
	case "num_vgpr":
		m.get(name).arch = v
	case "num_agpr":
		m.get(name).agpr = v
	case "numbered_sgpr":
		m.get(name).sgpr = v
	}
}

// sectionData is what a section has in the file, nil if that is nothing or not
// in the file.
func sectionData(data []byte, s *elf.Section) []byte {
	if s.Type == elf.SHT_NOBITS || s.Offset > uint64(len(data)) || s.FileSize > uint64(len(data))-s.Offset {
		return nil
	}
	return data[s.Offset : s.Offset+s.FileSize : s.Offset+s.FileSize]
}

// elfDescriptor decodes the 64 bytes behind a .kd symbol.
func (m *module) elfDescriptor(f *elf.File, data []byte, s elf.Symbol) {
	name := strings.TrimSuffix(s.Name, ".kd")
	sec := f.Sections[s.Section]
	at := s.Value - sec.Addr
	if f.Type == elf.ET_REL {
		at = s.Value
	}
	body := sectionData(data, sec)
	if at > uint64(len(body)) || uint64(len(body))-at < 64 {
		m.problem(Truncated, name, "the descriptor is outside its section")
		return
	}
	m.get(name).desc = decodeDescriptor(body[at:][:64])
	m.descriptorOrder = append(m.descriptorOrder, name)
}

// decodeDescriptor reads the fields we use. The VGPR count stays encoded,
// because its granule depends on the target.
func decodeDescriptor(kd []byte) *descriptor {
	le := binary.LittleEndian
	rsrc3, rsrc1, properties := le.Uint32(kd[44:]), le.Uint32(kd[48:]), le.Uint16(kd[56:])
	return &descriptor{
		lds: int64(le.Uint32(kd)), private: int64(le.Uint32(kd[4:])), hasLDS: true, hasPrivate: true,
		nextFreeVGPR: int64(rsrc1 & 63), hasVGPR: true, encodedInFile: true,
		accumOffset: int64(rsrc3&63+1) * 4,
		wave32:      toggleOf(properties&(1<<10) != 0), dynamicStack: toggleOf(properties&(1<<11) != 0),
		wgpMode: toggleOf(rsrc1&(1<<29) != 0),
	}
}
