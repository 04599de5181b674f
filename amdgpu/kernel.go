package amdgpu

import (
	"fmt"
	"strings"
)

// kernels resolves the module's entries to kernels: values with sources, and
// cross-checks between the sources. Disagreement is a problem.
func (m *module) kernels() []Kernel {
	if m.meta == nil {
		return nil
	}
	for _, f := range m.meta.faults {
		m.problem(BadMetadata, "", "%s", f)
	}
	seen := make(map[string]bool, len(m.meta.kernels))
	out := make([]Kernel, 0, len(m.meta.kernels))
	for i := range m.meta.kernels {
		meta := &m.meta.kernels[i]
		name := meta.identity()
		switch {
		case name == "":
			m.problem(KernelWithoutIdentity, "", "entry %d of amdhsa.kernels has neither .name nor .symbol", i)
			continue
		case seen[name]:
			m.problem(DuplicateKernel, name, "the metadata declares it more than once")
			continue
		}
		seen[name] = true
		out = append(out, m.kernel(name, meta))
	}
	for _, name := range m.descriptorOrder {
		if !seen[name] && !m.broken() {
			m.problem(MetadataMissingFor, name, "it has a kernel descriptor and no metadata entry")
		}
	}
	return out
}

// broken reports whether the module as a whole was not read, so that missing
// entries are its consequence and not worth a problem each.
func (m *module) broken() bool {
	for _, p := range m.problems {
		switch p.Class {
		case Truncated, MetadataMissing, BadMetadata, UnsupportedCodeObject:
			return true
		}
	}
	return false
}

func (m *module) kernel(name string, meta *metaKernel) Kernel {
	e := m.evidence[name]
	if e == nil {
		e = new(evidence)
	}
	k := Kernel{
		Name: name, Key: name, DisplayName: displayName(name), File: m.file, Target: m.target.String(),
		CodeObjectVersion: m.version, Compiler: m.compiler, kind: m.kind, linked: m.linked,
	}
	m.checkIdentity(name, meta, e)
	m.setMetadata(&k, meta)
	m.setLaunch(&k, meta, e)
	m.setRegisters(&k, meta, e)
	m.setCounts(&k, e)
	m.checkDescriptor(&k, meta, e)
	k.setAllocation(e.desc)
	k.setOccupancy()
	k.setSpillsTo()
	k.DynamicLDS = meta.dynamicLDS || k.Mix != nil && usesLDS(k.Mix) && k.Metrics[LDSStaticBytes].Known() && k.Metrics[LDSStaticBytes].Value == 0
	k.setNotes()
	return k
}

func usesLDS(m *Mix) bool { return m.LDSRead+m.LDSWrite+m.LDSOther+m.LDSDMA > 0 }

func (m *module) checkIdentity(name string, meta *metaKernel, e *evidence) {
	if meta.hasName && meta.hasSymbol && strings.TrimSuffix(meta.symbol, ".kd") != meta.name {
		m.problem(IdentityConflict, name, ".name is %q, .symbol is %q", clip(meta.name, 80), clip(meta.symbol, 80))
	}
	for _, f := range meta.faults {
		m.problem(BadMetadata, name, "%s", f)
	}
	switch {
	case m.wantBodies && !e.hasBody:
		m.problem(BodyMissing, name, "it has a metadata entry and no code")
	case m.wantBodies && e.desc == nil && !e.rawDesc:
		m.problem(BodyMissing, name, "it has a metadata entry and no kernel descriptor")
	}
}

// metadataColumns are the columns that come from one key each.
var metadataColumns = []struct {
	col Column
	key metaKey
}{
	{VGPR, metaVGPR},
	{SGPR, metaSGPR},
	{VGPRSpill, metaVGPRSpill},
	{SGPRSpill, metaSGPRSpill},
	{ScratchBytes, metaPrivate},
	{LDSStaticBytes, metaGroup},
}

func (m *module) setMetadata(k *Kernel, meta *metaKernel) {
	for _, x := range metadataColumns {
		k.Metrics[x.col] = m.metaCell(k.Name, meta, x.key)
	}
}

// metaCell reads one key; a bad or a missing required one is a problem.
func (m *module) metaCell(kernel string, meta *metaKernel, key metaKey) Cell {
	n, info := meta.num[key], metaNames[key]
	switch {
	case n.bad:
		m.problem(BadValue, kernel, "%s is %q, want an integer from 0", info.name, n.txt)
		return unparsed(info.name + " is " + n.txt)
	case n.set:
		return value(n.v, "metadata "+info.name)
	case info.required:
		m.problem(MissingField, kernel, "the metadata has no %s", info.name)
		return unparsed("the metadata has no " + info.name)
	}
	return absent("the metadata has no " + info.name)
}

// setLaunch reads wave size, launch bounds and modes.
func (m *module) setLaunch(k *Kernel, meta *metaKernel, e *evidence) {
	if c := m.metaCell(k.Name, meta, metaWave); c.Known() {
		k.WavefrontSize = c.Value
		if c.Value != 32 && c.Value != 64 {
			m.problem(BadValue, k.Name, ".wavefront_size is %d, want 32 or 64", c.Value)
			k.WavefrontSize = 0
		}
	}
	k.MaxFlatWorkgroupSize = m.metaCell(k.Name, meta, metaMaxGroup).Value
	mode := meta.wgpMode
	if mode == unset && e.desc != nil && m.target.generation() >= 10 {
		mode = e.desc.wgpMode
	}
	k.WGPMode = mode.pointer()
	k.DynamicStack = meta.dynamicStack.pointer()
	if k.DynamicStack == nil && e.desc != nil && m.version >= 5 {
		k.DynamicStack = e.desc.dynamicStack.pointer()
	}
}

func (f toggle) pointer() *bool {
	if f == unset {
		return nil
	}
	v := f == isTrue
	return &v
}

// setRegisters fills the split of the register files from the best source.
func (m *module) setRegisters(k *Kernel, meta *metaKernel, e *evidence) {
	k.Metrics[AGPR] = m.agprCell(k, meta, e)
	k.Metrics[ArchVGPR] = m.archCell(k, e)
	k.Metrics[NumberedSGPR] = m.symbolCell(e.sgpr, "numbered_sgpr", "only LLVM 20 and later reports it")
	arch, agpr, total := k.Metrics[ArchVGPR], k.Metrics[AGPR], k.Metrics[VGPR]
	if !arch.Known() || !total.Known() || !m.target.recognised() {
		return
	}
	if !agpr.Known() && m.target.hasAGPRs() {
		return
	}
	if want := m.target.totalVGPRs(arch.Value, agpr.Value); want != total.Value {
		m.conflict(want > total.Value, k.Name, "arch_vgpr %d (%s) and agpr %s make %d VGPRs, .vgpr_count is %d", arch.Value, arch.Source, agpr, want, total.Value)
	}
}

// conflict records that .vgpr_count, which is compared, disagrees with another
// source. Too low it hides a regression and is a problem. Too high it hides
// none: .vgpr_count is the source of first rank, so that a warning is enough.
func (m *module) conflict(hides bool, kernel, format string, args ...any) {
	if hides {
		m.problem(ValueConflict, kernel, format, args...)
		return
	}
	m.warnings = append(m.warnings, string(ValueConflict)+": "+m.file+": "+kernel+": "+fmt.Sprintf(format, args...))
}

func (m *module) symbolCell(s symbolValue, suffix, otherwise string) Cell {
	switch {
	case !s.set:
		return absent(otherwise)
	case s.reason != "":
		return absent(s.reason)
	case m.kind == kindText:
		return value(s.v, ".set "+suffix)
	}
	return value(s.v, "symbol "+suffix)
}

func (m *module) agprCell(k *Kernel, meta *metaKernel, e *evidence) Cell {
	if m.target.recognised() && !m.target.hasAGPRs() {
		return absent("the target has no accumulator registers")
	}
	fromMeta := m.metaCell(k.Name, meta, metaAGPR)
	fromSymbol := m.symbolCell(e.agpr, "num_agpr", "not reported")
	switch {
	case fromMeta.Known() && fromSymbol.Known() && fromMeta.Value != fromSymbol.Value:
		m.problem(ValueConflict, k.Name, ".agpr_count is %d, num_agpr is %d", fromMeta.Value, fromSymbol.Value)
		return unparsed("two sources disagree")
	case fromMeta.State != NotApplicable:
		return fromMeta
	case fromSymbol.Known():
		return fromSymbol
	case e.commentAGPR.set:
		return value(e.commentAGPR.v, "comment NumAgprs")
	}
	return absent("not reported by this compiler")
}

func (m *module) archCell(k *Kernel, e *evidence) Cell {
	c := m.symbolCell(e.arch, "num_vgpr", "")
	if c.Known() {
		return c
	}
	agpr, total := k.Metrics[AGPR], k.Metrics[VGPR]
	switch {
	case e.commentArch.set:
		return value(e.commentArch.v, "comment NumVgprs")
	case !total.Known() || !m.target.recognised():
	case !m.target.hasAGPRs(), agpr.Known() && agpr.Value == 0:
		return value(total.Value, "vgpr, as there are no AGPRs")
	case m.target.unified() && agpr.Known() && e.desc != nil && e.desc.accumOffset > 0 && total.Value == e.desc.accumOffset+agpr.Value:
		return absent(fmt.Sprintf("between %d and %d, from the descriptor", e.desc.accumOffset-3, e.desc.accumOffset))
	}
	if c.Reason != "" {
		return c
	}
	return absent("not reported by this compiler")
}

// setCounts fills the columns that count instructions, and the code's size.
func (m *module) setCounts(k *Kernel, e *evidence) {
	k.Metrics[CodeBytes] = absent("only an object states it exactly")
	if e.codeBytes > 0 {
		k.Metrics[CodeBytes] = value(e.codeBytes, "symbol size")
	}
	cells := map[Column]int64{}
	if e.mix != nil {
		cells = map[Column]int64{
			LDSRead: e.mix.LDSRead, LDSWrite: e.mix.LDSWrite, ScratchStore: e.mix.ScratchSt,
			ScratchLoad: e.mix.ScratchLoad, MatrixOps: e.mix.Matrix,
		}
	}
	for c := LDSRead; c <= MatrixOps; c++ {
		switch {
		case (c == ScratchStore || c == ScratchLoad) && m.target.recognised() && !m.target.usesScratchInstructions():
			k.Metrics[c] = absent("the target spills with buffer instructions")
		case m.kind == kindObject:
			k.Metrics[c] = absent("an object is not disassembled")
		case e.mix == nil:
			k.Metrics[c] = unparsed("the kernel's code was not found")
		case e.mixReason != "":
			k.Metrics[c] = unparsed(e.mixReason)
		default:
			k.Metrics[c] = value(cells[c], "instruction lines")
		}
	}
	if e.mix != nil && e.mixReason == "" {
		k.Mix = e.mix
	}
}
