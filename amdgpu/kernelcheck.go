package amdgpu

import "fmt"

// checkDescriptor compares what the metadata says with what the hardware is
// told. The two agreed in every one of 214 compiled units.
func (m *module) checkDescriptor(k *Kernel, meta *metaKernel, e *evidence) {
	d := e.desc
	if d == nil {
		return
	}
	lds, scratch := k.Metrics[LDSStaticBytes], k.Metrics[ScratchBytes]
	if d.hasLDS && lds.Known() && d.lds != lds.Value {
		m.problem(ValueConflict, k.Name, "the metadata says %d bytes of LDS, the descriptor %d", lds.Value, d.lds)
	}
	if d.hasPrivate && scratch.Known() && d.private != scratch.Value {
		m.problem(ValueConflict, k.Name, "the metadata says %d bytes of scratch, the descriptor %d", scratch.Value, d.private)
	}
	if d.wave32 != unset && k.WavefrontSize != 0 && m.target.generation() >= 10 && (d.wave32 == isTrue) != (k.WavefrontSize == 32) {
		m.problem(ValueConflict, k.Name, "the metadata says wave%d, the descriptor does not", k.WavefrontSize)
	}
	if meta.wgpMode != unset && d.wgpMode != unset && meta.wgpMode != d.wgpMode {
		m.problem(ValueConflict, k.Name, "metadata and descriptor disagree about WGP mode")
	}
	if arch := k.Metrics[ArchVGPR]; m.target.unified() && arch.Known() && d.accumOffset > 0 && arch.Value > d.accumOffset {
		m.problem(ValueConflict, k.Name, "arch_vgpr is %d, the descriptor starts the accumulators at %d", arch.Value, d.accumOffset)
	}
	if alloc, total := k.allocated(d), k.Metrics[VGPR]; alloc.Known() && total.Known() && alloc.Value < total.Value && m.target.Processor != "gfx908" {
		m.conflict(false, k.Name, "the metadata says %d VGPRs, the descriptor allocates %d", total.Value, alloc.Value)
	}
}

// allocated is what the descriptor makes the hardware allocate, rounded up to
// the granule.
func (k *Kernel) allocated(d *descriptor) Cell {
	h, known := hardwareOf(k.target(), k.WavefrontSize, false)
	switch {
	case !known:
		return absent("the processor is not in this reader's tables")
	case d == nil:
		return absent("no kernel descriptor was read")
	case !d.hasVGPR:
		return absent(d.vgprReason)
	case d.encodedInFile:
		return value(alignTo((d.nextFreeVGPR+1)*h.encoding, h.granule), "descriptor")
	}
	return value(alignTo(max(d.nextFreeVGPR, 1), h.granule), ".amdhsa_next_free_vgpr")
}

func (k *Kernel) setAllocation(d *descriptor) { k.Metrics[VGPRAlloc] = k.allocated(d) }

// setOccupancy computes waves per SIMD from the descriptor's registers where
// they are known, else from the metadata's.
func (k *Kernel) setOccupancy() {
	k.Limiter = LimiterNotStated
	h, known := hardwareOf(k.target(), k.WavefrontSize, k.WGPMode != nil && !*k.WGPMode)
	vgpr, source := k.Metrics[VGPRAlloc], "computed from the descriptor"
	if !vgpr.Known() {
		vgpr, source = k.Metrics[VGPR], "computed from .vgpr_count"
	}
	sgpr, lds := k.Metrics[SGPR], k.Metrics[LDSStaticBytes]
	switch {
	case !known:
		k.Metrics[Occupancy] = absent("the processor is not in this reader's tables")
		return
	case !vgpr.Known() || !sgpr.Known() || !lds.Known() || k.WavefrontSize == 0:
		k.Metrics[Occupancy] = absent("a number that it is computed from is missing")
		return
	}
	waves, limiter := h.occupancy(demand{
		vgprs: vgpr.Value, sgprs: sgpr.Value, ldsBytes: lds.Value + k.LDSLaunchBytes,
		group: k.MaxFlatWorkgroupSize, wave: k.WavefrontSize,
	})
	k.Metrics[Occupancy], k.Limiter = value(waves, source), limiter
}

// setSpillsTo says where spilled registers go.
func (k *Kernel) setSpillsTo() {
	vgpr, sgpr, scratch := k.Metrics[VGPRSpill], k.Metrics[SGPRSpill], k.Metrics[ScratchBytes]
	k.SpillsTo = nil
	switch {
	case vgpr.Value == 0:
	case scratch.Known() && scratch.Value == 0 && k.target().hasAGPRs():
		k.SpillsTo = append(k.SpillsTo, "agprs")
	default:
		k.SpillsTo = append(k.SpillsTo, "memory")
	}
	if sgpr.Value > 0 {
		k.SpillsTo = append(k.SpillsTo, "vgpr_lanes")
	}
}

// setNotes says in words what a reader of the numbers must know.
func (k *Kernel) setNotes() {
	if k.DynamicLDS {
		k.Notes = append(k.Notes, "dynamic_lds: dynamic LDS in use; lds_static_bytes does not include it and occupancy is an upper bound")
	}
	if k.LDSLaunchBytes > 0 {
		k.Notes = append(k.Notes, fmt.Sprintf("launch_lds: the launcher's .json asks for %d bytes of LDS", k.LDSLaunchBytes))
	}
	if k.DynamicStack != nil && *k.DynamicStack {
		k.Notes = append(k.Notes, "dynamic_stack: the stack's size is unknown (indirect call or recursion); scratch_bytes is a lower bound")
	}
	if k.Metrics[ScratchBytes].Value > 0 && k.Metrics[VGPRSpill].Known() && k.Metrics[VGPRSpill].Value == 0 {
		k.Notes = append(k.Notes, "scratch_without_spill: scratch holds private arrays or call frames, not spilled registers")
	}
	if k.MaxFlatWorkgroupSize == 0 && k.Metrics[Occupancy].Known() {
		k.Notes = append(k.Notes, "no_launch_bounds: the work-group size is not stated; occupancy ignores it")
	}
}
