package amdgpu

// hardware is what the occupancy of one processor in one wave size and mode is
// computed from. Measured by forcing every register count through llc 22 and
// reading its "; Occupancy" comment; the formulas are those of
// AMDGPUBaseInfo.cpp (getTotalNumVGPRs, getVGPRAllocGranule,
// getNumWavesPerEUWithNumVGPRs).
type hardware struct {
	vgprs      int64 // registers per SIMD lane file, in units a wave can hold
	granule    int64 // VGPR allocation granule
	encoding   int64 // VGPR granule of the kernel descriptor
	maxWaves   int64 // waves per SIMD
	ldsBytes   int64 // LDS that the work-groups of simds share
	simds      int64 // SIMDs that share the LDS (2 in CU mode of gfx10+)
	barriers   int64 // multi-wave work-groups at once
	sgprLimits []sgprLimit
}

// sgprLimit allows waves up to max SGPRs.
type sgprLimit struct{ max, waves int64 }

var (
	sgprGFX6  = []sgprLimit{{48, 10}, {56, 9}, {64, 8}, {72, 7}, {80, 6}, {1 << 62, 5}}
	sgprGFX8  = []sgprLimit{{80, 10}, {88, 9}, {100, 8}, {1 << 62, 7}}
	sgprGFX90 = []sgprLimit{{100, 8}, {1 << 62, 7}}
)

// hardwareOf returns the limits of a target. wave is 32 or 64; cu is CU mode
// (gfx10+; false is WGP mode). It is false for a processor we do not know.
func hardwareOf(t Target, wave int64, cu bool) (hardware, bool) {
	switch gen := t.generation(); {
	case !t.recognised():
		return hardware{}, false
	case t.unified():
		h := hardware{512, 8, 8, 8, 65536, 4, 16, sgprGFX90}
		if t.Processor == "gfx950" {
			h.ldsBytes = 163840
		}
		return h, true
	case gen == 6 || gen == 7:
		return hardware{256, 4, 4, 10, 65536, 4, 16, sgprGFX6}, true
	case gen == 8 || gen == 9:
		return hardware{256, 4, 4, 10, 65536, 4, 16, sgprGFX8}, true
	case t.Processor == "gfx1250" || t.Processor == "gfx1251":
		return hardware{1024, 16, 16, 16, 327680, 4, 16, nil}, true
	case gen >= 10 && gen <= 12:
		return rdna(t, wave, cu), true
	}
	return hardware{}, false
}

// rdna is gfx10 to gfx12: wave64 halves the file and the granules.
func rdna(t Target, wave int64, cu bool) hardware {
	h := hardware{1024, 16, 8, 16, 131072, 4, 32, nil}
	switch t.Processor {
	case "gfx1010", "gfx1011", "gfx1012", "gfx1013", "gfx10-1-generic":
		h.granule, h.maxWaves = 8, 20
	case "gfx1100", "gfx1101", "gfx1151", "gfx1200", "gfx1201", "gfx12-generic":
		h.vgprs, h.granule = 1536, 24
	}
	if wave == 64 {
		h.vgprs, h.granule, h.encoding = h.vgprs/2, h.granule/2, h.encoding/2
	}
	if cu {
		h.ldsBytes, h.simds, h.barriers = 65536, 2, 16
	}
	return h
}

// demand is what one kernel asks of the hardware.
type demand struct {
	vgprs    int64 // from the descriptor where there is one
	sgprs    int64
	ldsBytes int64 // per work-group, static and known dynamic together
	group    int64 // largest flat work-group size; 0 if not reported
	wave     int64
}

// Limiter names what keeps occupancy from being higher.
type Limiter string

// The limiters. NoLimiter means that the hardware's maximum is reached.
const (
	NoLimiter        Limiter = "none"
	LimitedByVGPR    Limiter = "vgpr"
	LimitedBySGPR    Limiter = "sgpr"
	LimitedByLDS     Limiter = "lds"
	LimitedByGroup   Limiter = "workgroup"
	LimiterNotStated Limiter = ""
)

// occupancy is the number of waves per SIMD and what limits it. Equal limits
// are reported in the order VGPR, LDS, work-group, SGPR. It is an upper bound:
// dynamic LDS is unknown and LDS allocation blocks are ignored, as in LLVM.
func (h hardware) occupancy(d demand) (int64, Limiter) {
	byVGPR := clamp(h.vgprs/alignTo(max(d.vgprs, 1), h.granule), h.maxWaves)
	byGroup, groupLimiter := h.byGroup(d)
	best, limiter := h.maxWaves, NoLimiter
	for _, x := range []struct {
		waves int64
		name  Limiter
	}{{byVGPR, LimitedByVGPR}, {byGroup, groupLimiter}, {h.bySGPR(d.sgprs), LimitedBySGPR}} {
		if x.waves < best {
			best, limiter = x.waves, x.name
		}
	}
	return best, limiter
}

func clamp(waves, most int64) int64 { return min(most, max(1, waves)) }

func (h hardware) bySGPR(n int64) int64 {
	for _, l := range h.sgprLimits {
		if n <= l.max {
			return min(l.waves, h.maxWaves)
		}
	}
	return h.maxWaves
}

// byGroup is the limit from LDS and from the work-group's size: as many whole
// groups as fit on the SIMDs that share one LDS, spread over those SIMDs.
func (h hardware) byGroup(d demand) (int64, Limiter) {
	if d.group <= 0 || d.wave <= 0 {
		return h.maxWaves, NoLimiter
	}
	wavesPerGroup := (d.group + d.wave - 1) / d.wave
	groups := h.maxWaves * h.simds / wavesPerGroup
	if wavesPerGroup > 1 {
		groups = min(groups, h.barriers)
	}
	limiter := LimitedByGroup
	if d.ldsBytes > 0 && h.ldsBytes/d.ldsBytes < groups {
		groups, limiter = h.ldsBytes/d.ldsBytes, LimitedByLDS
	}
	return clamp((groups*wavesPerGroup+h.simds-1)/h.simds, h.maxWaves), limiter
}
