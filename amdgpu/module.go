package amdgpu

import "fmt"

// kind is what a module was read from.
type kind uint8

const (
	kindText kind = iota
	kindObject
)

// A module is one unit of compiled AMDGPU code, whatever it was read from:
// metadata entries, descriptors and what else is known of each kernel.
type module struct {
	file     string
	kind     kind
	linked   bool // of an object: not relocatable
	target   Target
	version  int // code object version, 0 if not known
	compiler string
	meta     *metadata
	// evidence is by kernel name; an entry without meta has a descriptor only.
	evidence map[string]*evidence
	// descriptorOrder keeps the descriptors' names as they stand in the file.
	descriptorOrder []string
	// unlinked says why the numbers are not final, if the linker adds to them.
	unlinked string
	// wantBodies says that a kernel without hasBody is a problem.
	wantBodies bool
	problems   []Problem
	warnings   []string
}

// evidence is what a module says about one kernel beside its metadata.
type evidence struct {
	desc    *descriptor
	hasBody bool
	rawDesc bool // a descriptor that is not written with .amdhsa_kernel
	// arch, agpr and sgpr are resource symbols (.set or ABS symbols).
	arch, agpr, sgpr symbolValue
	// commentArch and commentAGPR come from "; NumVgprs:" and "; NumAgprs:".
	commentArch, commentAGPR number
	mix                      *Mix   // nil if there is no text
	mixReason                string // why mix is a lower bound only; empty if it is exact
	codeBytes                int64  // 0 if not known
}

// symbolValue is the value of a resource symbol.
type symbolValue struct {
	set    bool
	v      int64
	reason string // set, but without a value
}

// descriptor is a kernel descriptor, from 64 bytes or from .amdhsa_ lines.
// Source: "Kernel Descriptor" in LLVM's AMDGPUUsage.
type descriptor struct {
	lds, private  int64
	hasLDS        bool // lds and private were given (always, in an object)
	hasPrivate    bool
	nextFreeVGPR  int64 // registers, or the encoded count times the granule
	hasVGPR       bool
	vgprReason    string // why hasVGPR is false
	wave32        toggle
	dynamicStack  toggle
	accumOffset   int64 // 0 if not given
	wgpMode       toggle
	encodedInFile bool // an object: nextFreeVGPR is granulated count, 0-based
}

// objectLinking is the reason not to read the input of a linker that merges
// resources: a kernel's numbers lack those of its callees, and its LDS is 0.
const objectLinking = "compiled for object linking: the linker adds what callees and LDS need; read the linked program or device image"

func (m *module) problem(c Class, kernel, format string, args ...any) {
	m.problems = append(m.problems, Problem{Class: c, File: m.file, Kernel: kernel, Text: fmt.Sprintf(format, args...)})
}

func (m *module) get(kernel string) *evidence {
	e := m.evidence[kernel]
	if e == nil {
		e = new(evidence)
		m.evidence[kernel] = e
	}
	return e
}

// checkTarget settles the target from the two places that name it. where is
// what to call the first place.
func (m *module) checkTarget(where, named string, other Target) {
	t := ParseTarget(named)
	switch {
	case named != "" && !t.Known():
		m.problem(TargetUnknown, "", "the target %q of %s is not one we can name", clip(named, 80), where)
	case !t.Known() && !other.Known():
		m.problem(TargetUnknown, "", "no target is named")
	case t.Known() && other.Known() && (t.Processor != other.Processor || !t.sameFeatures(other)):
		m.problem(TargetConflict, "", "%s says %s, the metadata says %s", where, t.Short(), other.Short())
	}
	m.target = t
	if !t.Known() {
		m.target = other
	}
	if m.target.Known() && m.target.OS != "" && m.target.OS != "amdhsa" {
		m.problem(UnsupportedCodeObject, "", "operating system %q; only amdhsa is read", m.target.OS)
	}
}
