package amdgpu

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"strings"
)

// objectHasher hashes the kernels of one code object.
type objectHasher struct {
	m       *module
	f       *elf.File
	data    []byte
	symbols []elf.Symbol
	relocs  map[int][]relocation // by section, in order of offset
	digests map[place][32]byte   // of what many kernels may reach
}

type relocation struct {
	off    uint64
	typ    uint32
	symbol int // index into symbols, -1 for none
	addend int64
}

// objectHashes hashes each kernel of a code object, by name; none of an object that
// debug/elf does not read.
func objectHashes(m *module, data []byte) map[string]string {
	out := map[string]string{}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return out
	}
	o := &objectHasher{m: m, f: f, data: data, digests: map[place][32]byte{}}
	o.symbols, _ = symbolTable(f)
	funcs, kds := o.definitions()
	var shared []byte
	if f.Type == elf.ET_REL {
		o.readRelocs()
	} else {
		shared = o.shared(funcs, kds)
	}
	for name, kd := range kds {
		h := codeHash("object", m)
		h.Write(normalDescriptor(o.bytes(kd)))
		fn, ok := funcs[name]
		switch {
		case !ok:
			o.section(h, ".text")
		case f.Type == elf.ET_REL:
			o.reachable(h, fn)
		default:
			h.Write(o.bytes(fn))
		}
		h.Write(shared)
		out[name] = sum(h)
	}
	return out
}

// definitions are the functions and the kernel descriptors that the file holds, by
// the name of the function or kernel.
func (o *objectHasher) definitions() (funcs, kds map[string]elf.Symbol) {
	funcs, kds = map[string]elf.Symbol{}, map[string]elf.Symbol{}
	for _, s := range o.symbols {
		switch name, isKD := strings.CutSuffix(s.Name, ".kd"); {
		case o.bytes(s) == nil:
		case isKD && s.Size == 64:
			kds[name] = s
		case elf.ST_TYPE(s.Info) == elf.STT_FUNC:
			funcs[s.Name] = s
		}
	}
	return funcs, kds
}

// normalDescriptor clears kernel_code_entry_byte_offset, which moves with
// whatever else is in the object.
func normalDescriptor(kd []byte) []byte {
	kd = bytes.Clone(kd)
	clear(kd[16:24])
	return kd
}

// bytes is what a symbol covers, nil if that is not in the file.
func (o *objectHasher) bytes(s elf.Symbol) []byte {
	if s.Section == elf.SHN_UNDEF || int(s.Section) >= len(o.f.Sections) {
		return nil
	}
	sec := o.f.Sections[s.Section]
	return o.slice(sec, s.Value-o.base(sec), s.Size)
}

// base is what a symbol's value is relative to.
func (o *objectHasher) base(sec *elf.Section) uint64 {
	if o.f.Type == elf.ET_REL {
		return 0
	}
	return sec.Addr
}

func (o *objectHasher) slice(sec *elf.Section, at, size uint64) []byte {
	b := sectionData(o.data, sec)
	if at > uint64(len(b)) || size > uint64(len(b))-at {
		return nil
	}
	return b[at : at+size : at+size]
}

func (o *objectHasher) section(h hash.Hash, name string) {
	for _, s := range o.f.Sections {
		if s.Name == name {
			h.Write(o.slice(s, 0, s.FileSize))
		}
	}
}

// readRelocs reads the SHT_RELA sections.
func (o *objectHasher) readRelocs() {
	o.relocs = map[int][]relocation{}
	le := binary.LittleEndian
	for _, s := range o.f.Sections {
		if s.Type != elf.SHT_RELA || int(s.Info) >= len(o.f.Sections) {
			continue
		}
		b := o.slice(s, 0, s.FileSize)
		list := o.relocs[int(s.Info)]
		for ; len(b) >= 24; b = b[24:] {
			info := le.Uint64(b[8:])
			list = append(list, relocation{le.Uint64(b), uint32(info), int(info>>32) - 1, int64(le.Uint64(b[16:]))})
		}
		slices.SortStableFunc(list, func(a, b relocation) int { return cmp.Compare(a.off, b.off) })
		o.relocs[int(s.Info)] = list
	}
}

// place is one definition: a symbol's extent in a section.
type place struct {
	section   int
	at, bytes uint64
}

// reachable hashes a function and all it refers to through relocations,
// numbered in the order of first mention.
func (o *objectHasher) reachable(h hash.Hash, fn elf.Symbol) {
	order := map[place]int{}
	var queue []place
	mention := func(s elf.Symbol) int {
		p := o.place(s)
		n, ok := order[p]
		if !ok {
			n = len(queue)
			order[p] = n
			queue = append(queue, p)
		}
		return n
	}
	mention(fn)
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		d := o.digest(p)
		fmt.Fprintf(h, "= %d %d %d\n%s", i, o.f.Sections[p.section].Type, p.bytes, d[:])
		for _, r := range o.relocsIn(p) {
			fmt.Fprintf(h, "reloc %d %d %d ", r.off-p.at, r.typ, r.addend)
			if r.symbol < 0 || r.symbol >= len(o.symbols) {
				continue
			}
			if s := o.symbols[r.symbol]; s.Section == elf.SHN_UNDEF || int(s.Section) >= len(o.f.Sections) {
				fmt.Fprintf(h, "%q %d\n", s.Name, s.Value)
			} else {
				fmt.Fprintf(h, "<%d>\n", mention(s))
			}
		}
	}
}

// relocsIn are the relocations inside a place, in order of offset.
func (o *objectHasher) relocsIn(p place) []relocation {
	list := o.relocs[p.section]
	from := func(at uint64) int {
		i, _ := slices.BinarySearchFunc(list, at, func(r relocation, at uint64) int { return cmp.Compare(r.off, at) })
		return i
	}
	return list[from(p.at):from(p.at+p.bytes)]
}

// digest hashes the bytes of a place once, as every kernel may refer to it.
func (o *objectHasher) digest(p place) [32]byte {
	d, ok := o.digests[p]
	if !ok {
		d = sha256.Sum256(o.slice(o.f.Sections[p.section], p.at, p.bytes))
		o.digests[p] = d
	}
	return d
}

// place is what a reference to a symbol reaches: the symbol's extent, or the
// rest of the section where the symbol has none.
func (o *objectHasher) place(s elf.Symbol) place {
	sec := o.f.Sections[s.Section]
	p := place{int(s.Section), s.Value, s.Size}
	if s.Value > sec.Size {
		return place{int(s.Section), 0, sec.Size}
	}
	if s.Size == 0 || s.Size > sec.Size-s.Value {
		p.bytes = sec.Size - s.Value
	}
	return p
}

// shared hashes what all kernels of a linked object may reach: code that is no
// kernel's, and data that is no descriptor.
func (o *objectHasher) shared(funcs, kds map[string]elf.Symbol) []byte {
	var own []elf.Symbol
	for name, kd := range kds {
		own = append(own, kd)
		if fn, ok := funcs[name]; ok {
			own = append(own, fn)
		}
	}
	slices.SortFunc(own, func(a, b elf.Symbol) int { return cmp.Compare(a.Value, b.Value) })
	h := codeHash("shared", o.m)
	for i, s := range o.f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 || !holdsCode(s.Name) {
			continue
		}
		if s.Type == elf.SHT_NOBITS {
			fmt.Fprintf(h, "%s %d\n", s.Name, s.Size)
			continue
		}
		b := bytes.Clone(o.slice(s, 0, s.FileSize))
		for _, k := range own {
			if at := k.Value - s.Addr; int(k.Section) == i && at <= uint64(len(b)) && k.Size <= uint64(len(b))-at {
				clear(b[at : at+k.Size])
			}
		}
		h.Write(dropPadding(b))
	}
	return h.Sum(nil)
}

func holdsCode(section string) bool {
	for _, prefix := range []string{".text", ".rodata", ".data", ".bss"} {
		if strings.HasPrefix(section, prefix) {
			return true
		}
	}
	return false
}

// dropPadding drops the words that fill gaps: zero, s_nop 0 and s_code_end.
func dropPadding(b []byte) []byte {
	out := b[:0]
	for ; len(b) >= 4; b = b[4:] {
		switch binary.LittleEndian.Uint32(b) {
		case 0, 0xbf800000, 0xbf9f0000:
		default:
			out = append(out, b[:4]...)
		}
	}
	return append(out, b...)
}
