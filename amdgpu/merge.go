package amdgpu

import (
	"fmt"
	"maps"
	"slices"
)

// merge joins what one directory holds twice: the text and the object of one
// kernel. Files of one name (k.amdgcn and k.hsaco) or of two kinds must agree;
// two texts of different names stay apart, as templates are often compiled in
// several translation units.
func (s *Snapshot) merge() {
	names := make(map[string]bool, len(s.Kernels))
	for i := range s.Kernels {
		names[s.Kernels[i].Name] = true
	}
	if len(names) == len(s.Kernels) {
		return
	}
	m := merger{s: s, out: s.Kernels[:0:0], byStem: map[stemPlace]int{}, byFile: map[kernelPlace]map[string][]int{}}
	// Texts first: they carry the counts, so that objects are joined to them.
	for _, kind := range []kind{kindText, kindObject} {
		for i := range s.Kernels {
			if s.Kernels[i].kind == kind {
				m.add(&s.Kernels[i])
			}
		}
	}
	s.Kernels = m.out
}

// merger finds other copies of a kernel without looking at all of them: one
// fat binary may hold a template's kernel a thousand times.
type merger struct {
	s      *Snapshot
	out    []Kernel
	byStem map[stemPlace]int
	byFile map[kernelPlace]map[string][]int // by the file that contains it
}

type kernelPlace struct{ dir, target, name string }

type stemPlace struct {
	kernelPlace
	stem string
}

func (m *merger) add(k *Kernel) {
	at := kernelPlace{k.dir(), k.Target, k.Name}
	file, _ := k.container()
	if into := m.partner(at, file, k); into != nil {
		m.s.join(into, k)
		return
	}
	stem := stemPlace{at, k.stem()}
	if _, ok := m.byStem[stem]; !ok {
		m.byStem[stem] = len(m.out)
	}
	if m.byFile[at] == nil {
		m.byFile[at] = map[string][]int{}
	}
	m.byFile[at][file] = append(m.byFile[at][file], len(m.out))
	m.out = append(m.out, *k)
}

// partner is the kernel that k is another copy of, or nil.
func (m *merger) partner(at kernelPlace, file string, k *Kernel) *Kernel {
	if i, ok := m.byStem[stemPlace{at, k.stem()}]; ok && m.out[i].File != k.File {
		return &m.out[i]
	}
	var otherKind *Kernel
	for _, f := range slices.Sorted(maps.Keys(m.byFile[at])) {
		if f == file {
			continue
		}
		for _, i := range m.byFile[at][f] {
			o := &m.out[i]
			switch {
			case packedElsewhere(o, k) && differingTrigger(o, k) == "" && o.Metrics[CodeBytes] == k.Metrics[CodeBytes]:
				return o
			case o.kind != k.kind && (otherKind == nil || differingTrigger(otherKind, k) != ""):
				otherKind = o
			}
		}
	}
	return otherKind
}

// packedElsewhere reports whether two kernels of other files may be copies: one
// of them is in a bundle or archive, or one of two objects is linked and the
// other not. --save-temps leaves the object, the linked image and the bundle.
func packedElsewhere(a, b *Kernel) bool {
	fileA, packedA := a.container()
	fileB, packedB := b.container()
	return fileA != fileB && (packedA || packedB || a.kind == kindObject && b.kind == kindObject && a.linked != b.linked)
}

// join adds to a kernel what another copy of it knows.
func (s *Snapshot) join(into, k *Kernel) {
	if d := differingTrigger(into, k); d != "" {
		s.problem(ValueConflict, into.File, into.Name, fmt.Sprintf("%s holds the same kernel with other numbers: %s", k.File, d))
	}
	into.Files = append(into.Files, k.File)
	for _, c := range []Column{ArchVGPR, AGPR, NumberedSGPR, VGPRAlloc, CodeBytes} {
		if !into.Metrics[c].Known() && k.Metrics[c].Known() {
			into.Metrics[c] = k.Metrics[c]
		}
	}
	into.setOccupancy()
}

// differingTrigger names the first trigger that two copies disagree about.
func differingTrigger(a, b *Kernel) string {
	for c := range NumColumns {
		x, y := a.Metrics[c], b.Metrics[c]
		if c.Trigger() && x.Known() && y.Known() && x.Value != y.Value {
			return fmt.Sprintf("%s %d and %d", c, x.Value, y.Value)
		}
	}
	return ""
}
