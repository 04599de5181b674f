package amdgpu

import (
	"fmt"
	"strings"
)

// grouped collects texts that many kernels share, so that five thousand
// kernels of another compiler are one warning.
type grouped struct {
	index map[string]int
	list  []sharedText
}

type sharedText struct {
	kind, text string
	first      string // the first kernel
	n          int
	warning    bool
}

func (g *grouped) add(warning bool, kind, kernel, format string, args ...any) {
	t := sharedText{kind: kind, text: fmt.Sprintf(format, args...), first: kernel, warning: warning}
	id := kind + "\x00" + t.text
	i, ok := g.index[id]
	if !ok {
		i = len(g.list)
		g.index[id] = i
		g.list = append(g.list, t)
	}
	g.list[i].n++
}

func (g *grouped) warn(kind, kernel, format string, args ...any) {
	g.add(true, kind, kernel, format, args...)
}

func (g *grouped) note(kind, kernel, format string, args ...any) {
	g.add(false, kind, kernel, format, args...)
}

// texts is one line for each group: kind, kernel, how many more, text.
func (g *grouped) texts() (warnings, notes []string) {
	for _, t := range g.list {
		who := t.first
		if t.n > 1 {
			who = fmt.Sprintf("%s and %d more", t.first, t.n-1)
		}
		line := t.kind + ": " + who + ": " + t.text
		if t.warning {
			warnings = append(warnings, line)
		} else {
			notes = append(notes, line)
		}
	}
	return warnings, notes
}

// compareContext warns of differences that make numbers move without any
// change of the source, and notes what the columns do not show.
func compareContext(r *Row, p pair, g *grouped) {
	b, a := p.before, p.after
	if p.byName {
		g.note("matched_by_name", r.Key, "matched by kernel name across differing layouts")
	}
	if b.Compiler != a.Compiler && b.Compiler != "" && a.Compiler != "" {
		g.warn("compiler_differs", r.Key, "%s before, %s after", clip(b.Compiler, 80), clip(a.Compiler, 80))
	}
	if b.CodeObjectVersion != a.CodeObjectVersion && b.CodeObjectVersion != 0 && a.CodeObjectVersion != 0 {
		g.warn("code_object_version_differs", r.Key, "v%d before, v%d after: hidden arguments differ", b.CodeObjectVersion, a.CodeObjectVersion)
	}
	if b.WGPMode != nil && a.WGPMode != nil && *b.WGPMode != *a.WGPMode {
		g.warn("cu_mode_differs", r.Key, "%s before, %s after: another LDS pool", modeName(*b.WGPMode), modeName(*a.WGPMode))
	}
	if b.MaxFlatWorkgroupSize != a.MaxFlatWorkgroupSize && b.MaxFlatWorkgroupSize != 0 && a.MaxFlatWorkgroupSize != 0 {
		g.warn("launch_bounds_differ", r.Key, "at most %d work-items a group before, %d after", b.MaxFlatWorkgroupSize, a.MaxFlatWorkgroupSize)
	}
	if d := r.Delta[Occupancy]; d < 0 {
		g.warn("occupancy_fell", r.Key, "%s waves per SIMD (%s), then %s (%s)", r.Before[Occupancy], b.Limiter, r.After[Occupancy], a.Limiter)
	}
	if b.LDSLaunchBytes != a.LDSLaunchBytes {
		g.warn("launch_lds_differs", r.Key, "the launcher asks for %d bytes of LDS before, %d after", b.LDSLaunchBytes, a.LDSLaunchBytes)
	}
	compareDynamic(r, b, a, g)
	if len(r.Partial) > 0 {
		g.note("partial", r.Key, "not read on both sides: %s; the triggers were", columnList(r.Partial))
	}
}

func modeName(wgp bool) string {
	if wgp {
		return "WGP mode"
	}
	return "CU mode"
}

func compareDynamic(r *Row, b, a *Kernel, g *grouped) {
	if a.DynamicLDS && !b.DynamicLDS && r.Delta[LDSStaticBytes] < 0 {
		g.note("static_to_dynamic_lds", r.Key, "LDS moved from static to dynamic: the fall of lds_static_bytes is no saving")
	}
	if a.DynamicLDS || b.DynamicLDS {
		g.note("dynamic_lds", r.Key, "dynamic LDS in use: its size is not in the code")
	}
	if b.DynamicStack != nil && a.DynamicStack != nil && !*b.DynamicStack && *a.DynamicStack {
		g.note("dynamic_stack", r.Key, "the stack became dynamic: scratch_bytes is a lower bound from here on")
	}
	if where := strings.Join(a.SpillsTo, ", "); where != "" && (r.Delta[VGPRSpill] > 0 || r.Delta[SGPRSpill] > 0) {
		g.note("spills_to", r.Key, "the added spills go to %s", where)
	}
}

func columnList(list []Column) string { return strings.Join(columnStrings(list), ", ") }
