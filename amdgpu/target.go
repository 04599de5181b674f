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
// field, the spelling "amdgpu9.0a-amd-amdhsa-unknown-gfx90a" of LLVM 23 and
// later, the code object v3 spelling "gfx90a+xnack+sram-ecc", a bundle entry
// ID ("hipv4-amdgcn-amd-amdhsa--gfx90a") or a bare "gfx90a:xnack+". Anything
// else gives a Target without Processor.
func ParseTarget(id string) Target {
	head, features, _ := strings.Cut(strings.TrimSpace(id), ":")
	var t Target
	var arch string
	if i := deviceTriple(head); i >= 0 {
		if parts := strings.SplitN(head[i:], "-", 5); len(parts) == 5 {
			arch, t.OS, head = parts[0], parts[2], parts[4]
		}
	}
	head, old, isV3 := strings.Cut(head, "+")
	if head == "" {
		head = subarchProcessor(arch)
	}
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

// deviceTriple is where the AMDGPU triple starts in a target or entry ID, at a
// field "amdgcn", "amdgpu" or "amdgpu9.4", or -1 if there is none.
func deviceTriple(id string) int {
	for at := 0; ; {
		field, _, more := strings.Cut(id[at:], "-")
		sub, isGPU := strings.CutPrefix(field, "amdgpu")
		if more && (field == "amdgcn" || isGPU && (sub == "" || sub[0] >= '0' && sub[0] <= '9')) {
			return at
		}
		if !more {
			return -1
		}
		at += len(field) + 1
	}
}

// subarchProcessor names the processor of "amdgpu12.50": assembly may leave
// the last field empty if the first says it. Two digits after the dot are one
// processor, fewer are a family. Source: "Triple" in LLVM's AMDGPUUsage.
func subarchProcessor(arch string) string {
	major, minor, dotted := strings.Cut(strings.TrimPrefix(arch, "amdgpu"), ".")
	name := "gfx" + major + minor
	switch {
	case dotted && len(minor) < 2:
		name = "gfx" + major + "-" + minor + "-generic"
	case !dotted:
		name = "gfx" + major + "-generic"
	}
	if !namedProcessors[name] {
		return ""
	}
	return name
}

// validProcessor accepts "gfx" and a number, which may have letters, or a
// generic name such as "gfx10-3-generic". It need not be a processor we know.
func validProcessor(p string) bool {
	rest, ok := strings.CutPrefix(p, "gfx")
	rest, generic := strings.CutSuffix(rest, "-generic")
	if !ok || rest == "" || rest[0] < '0' || rest[0] > '9' {
		return false
	}
	for i := range len(rest) {
		c := rest[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || generic && c == '-') {
			return false
		}
	}
	return generic || len(rest) >= 3
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
	} else if p = strings.TrimRight(p, "ghijklmnopqrstuvwxyz"); len(p) > 2 { // "1250s" is a variant
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
