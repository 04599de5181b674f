package amdgpu

import (
	"slices"
	"strconv"
	"strings"
)

// A Target is a parsed AMDGPU target ID. The zero Target is "unknown".
// Source: "Target ID" in LLVM's AMDGPUUsage.
type Target struct {
	// Processor is for example "gfx942" or "gfx9-4-generic"; empty if unknown.
	Processor string
	// Features are "xnack+", "sramecc-" and so on, sorted. An absent feature
	// means "any", which is a third state and not equal to "+" or "-".
	Features []string
	// OS is the third field of the triple: "amdhsa", "amdpal", "mesa3d" or "".
	OS string
}

// ParseTarget reads "amdgcn-amd-amdhsa--gfx90a:xnack+", with any environment
// field, the code object v3 spelling "gfx90a+xnack+sram-ecc", a bundle entry
// ID ("hipv4-amdgcn-amd-amdhsa--gfx90a") or a bare "gfx90a:xnack+". Anything
// else gives a Target without Processor.
func ParseTarget(id string) Target {
	head, features, _ := strings.Cut(strings.TrimSpace(id), ":")
	if i := strings.Index(head, "amdgcn-"); i > 0 {
		head = head[i:]
	}
	var t Target
	if parts := strings.SplitN(head, "-", 5); len(parts) == 5 && parts[0] == "amdgcn" {
		t.OS, head = parts[2], parts[4]
	}
	head, old, isV3 := strings.Cut(head, "+")
	if !validProcessor(head) {
		return Target{OS: t.OS}
	}
	t.Processor = head
	if features != "" {
		t.Features = strings.Split(features, ":")
	}
	if isV3 {
		for f := range strings.SplitSeq(old, "+") {
			t.Features = append(t.Features, strings.Replace(f, "sram-ecc", "sramecc", 1)+"+")
		}
	}
	slices.Sort(t.Features)
	return t
}

// validProcessor accepts "gfx" and a hexadecimal number, or a generic name
// such as "gfx10-3-generic". It need not be a processor we know.
func validProcessor(p string) bool {
	rest, ok := strings.CutPrefix(p, "gfx")
	if !ok || rest == "" {
		return false
	}
	rest, generic := strings.CutSuffix(rest, "-generic")
	for i := range len(rest) {
		c := rest[i]
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		if !hex && !(generic && c == '-') {
			return false
		}
	}
	return rest != "" && (generic || len(rest) >= 3)
}

// Known reports whether the processor was named.
func (t Target) Known() bool { return t.Processor != "" }

// String is the canonical ID, with the environment field left empty, or "".
func (t Target) String() string {
	if !t.Known() {
		return ""
	}
	os := t.OS
	if os == "" {
		os = "amdhsa"
	}
	return strings.Join(append([]string{"amdgcn-amd-" + os + "--" + t.Processor}, t.Features...), ":")
}

// Short is the processor with its features: "gfx90a:xnack+".
func (t Target) Short() string {
	return strings.Join(append([]string{t.Processor}, t.Features...), ":")
}

func (t Target) sameFeatures(o Target) bool { return slices.Equal(t.Features, o.Features) }

// generation is 9 for gfx90a and gfx9-4-generic, 12 for gfx1250, 0 if unknown.
func (t Target) generation() int {
	p := strings.TrimPrefix(t.Processor, "gfx")
	if g, ok := strings.CutSuffix(p, "-generic"); ok {
		p, _, _ = strings.Cut(g, "-")
	} else if len(p) > 2 {
		p = p[:len(p)-2]
	}
	n, err := strconv.Atoi(p)
	if err != nil {
		return 0
	}
	return n
}

// unified reports whether architectural and accumulator VGPRs share one file,
// so that the total is alignTo(arch, 4) + agpr.
func (t Target) unified() bool {
	switch t.Processor {
	case "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950", "gfx9-4-generic":
		return true
	}
	return false
}

// hasAGPRs reports whether the processor has accumulator registers at all.
func (t Target) hasAGPRs() bool { return t.unified() || t.Processor == "gfx908" }

// usesScratchInstructions reports whether the compiler spills with scratch_*
// instructions; older targets use buffer_*, so the two columns do not exist.
func (t Target) usesScratchInstructions() bool {
	switch t.Processor {
	case "gfx940", "gfx941", "gfx942", "gfx950", "gfx9-4-generic":
		return true
	}
	return t.generation() >= 11
}

// totalVGPRs is what LLVM reports as .vgpr_count for a split.
// Source: getTotalNumVGPRs in LLVM's AMDGPUBaseInfo.cpp.
func (t Target) totalVGPRs(arch, agpr int64) int64 {
	if !t.unified() {
		return max(arch, agpr)
	}
	if agpr == 0 {
		return arch
	}
	return alignTo(arch, 4) + agpr
}

func alignTo(v, n int64) int64 { return (v + n - 1) / n * n }

// processors maps EF_AMDGPU_MACH, the low byte of e_flags, to a processor.
// Source: llvm/BinaryFormat/ELF.h; every code here was read back from an
// object of LLVM 22, except the gfx6 to gfx8 and gfx940/941 rows.
var processors = map[uint32]string{
	0x20: "gfx600", 0x21: "gfx601", 0x22: "gfx700", 0x23: "gfx701", 0x24: "gfx702",
	0x25: "gfx703", 0x26: "gfx704", 0x28: "gfx801", 0x29: "gfx802", 0x2a: "gfx803",
	0x2b: "gfx810", 0x2c: "gfx900", 0x2d: "gfx902", 0x2e: "gfx904", 0x2f: "gfx906",
	0x30: "gfx908", 0x31: "gfx909", 0x32: "gfx90c", 0x33: "gfx1010", 0x34: "gfx1011",
	0x35: "gfx1012", 0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032", 0x39: "gfx1033",
	0x3a: "gfx602", 0x3b: "gfx705", 0x3c: "gfx805", 0x3d: "gfx1035", 0x3e: "gfx1034",
	0x3f: "gfx90a", 0x40: "gfx940", 0x41: "gfx1100", 0x42: "gfx1013", 0x43: "gfx1150",
	0x44: "gfx1103", 0x45: "gfx1036", 0x46: "gfx1101", 0x47: "gfx1102", 0x48: "gfx1200",
	0x49: "gfx1250", 0x4a: "gfx1151", 0x4b: "gfx941", 0x4c: "gfx942", 0x4e: "gfx1201",
	0x4f: "gfx950", 0x51: "gfx9-generic", 0x52: "gfx10-1-generic", 0x53: "gfx10-3-generic",
	0x54: "gfx11-generic", 0x55: "gfx1152", 0x58: "gfx1153", 0x59: "gfx12-generic",
	0x5a: "gfx1251", 0x5f: "gfx9-4-generic",
}

// recognisedNames is the set of the table's processors.
var recognisedNames = func() map[string]bool {
	m := make(map[string]bool, len(processors))
	for _, p := range processors {
		m[p] = true
	}
	return m
}()

// recognised reports whether the processor is in this reader's tables. Of one
// that is not, such as next year's, only what the input itself says is known.
func (t Target) recognised() bool { return recognisedNames[t.Processor] }

// targetFromFlags decodes e_flags. abiVersion is EI_ABIVERSION: 1 is code
// object v3, whose feature bits are 8 and 9; later ones use two bits each.
func targetFromFlags(flags uint32, abiVersion byte) Target {
	t := Target{Processor: processors[flags&0xff], OS: "amdhsa"}
	if !t.Known() {
		return Target{OS: "amdhsa"}
	}
	if abiVersion <= 1 {
		if flags&0x100 != 0 {
			t.Features = append(t.Features, "xnack+")
		}
		if flags&0x200 != 0 {
			t.Features = append(t.Features, "sramecc+")
		}
	} else {
		t.Features = appendFeature(t.Features, "xnack", flags>>8&3)
		t.Features = appendFeature(t.Features, "sramecc", flags>>10&3)
	}
	slices.Sort(t.Features)
	return t
}

// appendFeature decodes a two-bit feature: 0 unsupported and 1 any add nothing.
func appendFeature(list []string, name string, bits uint32) []string {
	switch bits {
	case 2:
		return append(list, name+"-")
	case 3:
		return append(list, name+"+")
	}
	return list
}
