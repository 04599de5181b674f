package amdgpu

import (
	"bytes"
	"debug/elf"
	"fmt"
	"strings"
)

const (
	shtOffloading = elf.SectionType(0x6fff4c0b) // SHT_LLVM_OFFLOADING
	// Objects of "-fgpu-rdc" have a section for each entry of a bundle, named
	// with this and the entry's ID.
	entrySection = bundleMagic
)

// A deviceSection is a section of a host object that holds device code.
type deviceSection struct {
	name string
	data []byte
}

// deviceSections lists the sections of a host object with device code, in the
// order of the file. It goes by type, name and content: the linker renames
// sections, and OpenMP's and other wrappers choose names of their own.
func deviceSections(data []byte) ([]deviceSection, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading ELF: %w", err)
	}
	var list []deviceSection
	total := uint64(0)
	for _, s := range f.Sections {
		body := sectionData(data, s)
		if len(body) == 0 || !isDeviceSection(s, body) {
			continue
		}
		if s.Flags&elf.SHF_COMPRESSED != 0 {
			return list, fmt.Errorf("reading ELF: section %q is compressed", clip(s.Name, 60))
		}
		if total += s.FileSize; total > uint64(len(data)) {
			return list, fmt.Errorf("reading ELF: the sections with device code overlap, at %q", clip(s.Name, 60))
		}
		list = append(list, deviceSection{s.Name, body})
	}
	return list, nil
}

func isDeviceSection(s *elf.Section, body []byte) bool {
	switch {
	case s.Type == shtOffloading, s.Name == ".hip_fatbin", strings.HasPrefix(s.Name, ".hip_fatbin."),
		strings.HasPrefix(s.Name, ".llvm.offloading"), strings.HasPrefix(s.Name, entrySection):
		return true
	}
	return s.Type == elf.SHT_PROGBITS && isContainer(body)
}

// isContainer reports whether b starts with one of the containers of device
// code.
func isContainer(b []byte) bool {
	return isCCOB(b) || bytes.HasPrefix(b, []byte(bundleMagic)) || bytes.HasPrefix(b, []byte(offloadMagic))
}

// hostELF reads the device code inside a host object, executable or library.
func (l *loader) hostELF(name string, data []byte, explicit bool, depth int) {
	if !isELF64(data) {
		if len(data) < 64 {
			l.damagedHost(name, Truncated, fmt.Sprintf("%d bytes, an ELF header alone has 64", len(data)), explicit)
			return
		}
		l.notISA(name, noDeviceCode, explicit)
		return
	}
	if class, what := elfDamage(data); class != "" {
		l.damagedHost(name, class, what, explicit)
		return
	}
	sections, err := deviceSections(data)
	if err != nil {
		l.damagedHost(name, BadBundle, err.Error(), explicit || len(sections) > 0)
	}
	if len(sections) == 0 {
		if err == nil {
			l.notISA(name, noDeviceCode, explicit)
		}
		return
	}
	n := l.nest(name, depth)
	for _, s := range sections {
		if id, ok := strings.CutPrefix(s.name, entrySection); ok {
			n.member(member{id: id, data: s.data})
		} else {
			n.containers(s.data)
		}
	}
	n.finish()
}

const noDeviceCode = "ELF for another machine, without device code that is read"

// damagedHost records a host object that cannot be read. It may have held
// device code: a skip would hide that, unless nothing says that it is code.
func (l *loader) damagedHost(name string, class Class, what string, explicit bool) {
	if explicit || promiseOf(name) != nothing {
		l.s.problem(class, name, "", what)
		return
	}
	l.notISA(name, noDeviceCode, explicit)
}
