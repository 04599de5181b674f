package amdgpu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

func isELF(b []byte) bool { return bytes.HasPrefix(b, []byte("\x7fELF")) }

// isELF64 accepts 64-bit little-endian files, as all AMDGPU and HIP hosts have.
func isELF64(b []byte) bool {
	return isELF(b) && len(b) >= 20 && b[elf.EI_CLASS] == byte(elf.ELFCLASS64) && b[elf.EI_DATA] == byte(elf.ELFDATA2LSB)
}

func isCodeObject(b []byte) bool {
	return isELF64(b) && binary.LittleEndian.Uint16(b[18:]) == uint16(elf.EM_AMDGPU)
}

func elfFlags(data []byte) uint32 { return binary.LittleEndian.Uint32(data[48:]) }

// elfDamage compares what the headers promise with the file's length, and
// refuses compressed tables, which debug/elf would unpack to whatever size they
// claim and no linker makes. It returns "" for a file that can be read.
func elfDamage(data []byte) (Class, string) {
	le := binary.LittleEndian
	if len(data) < 64 {
		return Truncated, fmt.Sprintf("%d bytes, an ELF header alone has 64", len(data))
	}
	size := uint64(len(data))
	off, entry, many := le.Uint64(data[32:]), uint64(le.Uint16(data[54:])), uint64(le.Uint16(data[56:]))
	if off > size || entry*many > size-off {
		return Truncated, fmt.Sprintf("program headers end at byte %d of %d", off+entry*many, size)
	}
	off, entry, many = le.Uint64(data[40:]), uint64(le.Uint16(data[58:])), uint64(le.Uint16(data[60:]))
	if off > size || entry*many > size-off {
		return Truncated, fmt.Sprintf("section headers end at byte %d of %d", off+entry*many, size)
	}
	if many == 0 && off > 0 && size-off >= 64 && entry > 0 {
		// 65,280 sections and more: the first header has the number.
		if many = le.Uint64(data[off+32:]); many > (size-off)/entry {
			return Truncated, fmt.Sprintf("%d section headers at byte %d of %d", many, off, size)
		}
	}
	for i := range many {
		if h := data[off+i*entry:]; entry >= 64 {
			if class, what := sectionDamage(h, i, size); class != "" {
				return class, what
			}
		}
	}
	return "", ""
}

// sectionDamage looks at one raw section header.
func sectionDamage(h []byte, i, size uint64) (Class, string) {
	le := binary.LittleEndian
	typ, flags := elf.SectionType(le.Uint32(h[4:])), elf.SectionFlag(le.Uint64(h[8:]))
	at, n := le.Uint64(h[24:]), le.Uint64(h[32:])
	switch typ {
	case elf.SHT_NOBITS:
		return "", ""
	case elf.SHT_STRTAB, elf.SHT_SYMTAB, elf.SHT_DYNSYM:
		if flags&elf.SHF_COMPRESSED != 0 {
			return TooLarge, fmt.Sprintf("section %d is a compressed symbol or string table", i)
		}
	}
	if n > 0 && (at > size || n > size-at) {
		return Truncated, fmt.Sprintf("section %d ends at byte %d of %d", i, at+n, size)
	}
	return "", ""
}
