package amdgpu

import "fmt"

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
	type place struct{ dir, target, name string }
	first := map[place][]int{}
	out := s.Kernels[:0:0]
	// Texts first: they carry the counts, so that objects are joined to them.
	for _, kind := range []kind{kindText, kindObject} {
		for i := range s.Kernels {
			k := &s.Kernels[i]
			if k.kind != kind {
				continue
			}
			at := place{k.dir(), k.Target, k.Name}
			if into := s.partner(out, first[at], k); into != nil {
				s.join(into, k)
				continue
			}
			first[at] = append(first[at], len(out))
			out = append(out, *k)
		}
	}
	s.Kernels = out
}

// partner is the kernel that k is another copy of, or nil.
func (s *Snapshot) partner(out []Kernel, at []int, k *Kernel) *Kernel {
	var otherKind *Kernel
	for _, i := range at {
		o := &out[i]
		switch {
		case o.File == k.File:
		case o.stem() == k.stem():
			return o
		case packedElsewhere(o, k) && differingTrigger(o, k) == "" && o.Metrics[CodeBytes] == k.Metrics[CodeBytes]:
			return o
		case o.kind != k.kind && (otherKind == nil || differingTrigger(otherKind, k) != ""):
			otherKind = o
		}
	}
	return otherKind
}

// packedElsewhere reports whether exactly the files differ of two kernels of
// which one is in a bundle: --save-temps leaves the object and its bundle.
func packedElsewhere(a, b *Kernel) bool {
	fileA, memberA := splitMember(a.File)
	fileB, memberB := splitMember(b.File)
	return fileA != fileB && (memberA != "" || memberB != "")
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
