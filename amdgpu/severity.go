package amdgpu

import (
	"slices"
	"strings"
)

// A Severity says what a row's changes cost, as far as registers tell.
type Severity string

// The severities, the worst first.
const (
	// MemorySpill: more spills or scratch, which cost memory traffic.
	MemorySpill Severity = "memory_spill"
	// OccupancyStep: fewer waves per SIMD than before.
	OccupancyStep Severity = "occupancy_step"
	// SeverityUnknown: no comparison, or occupancy cannot be computed.
	SeverityUnknown Severity = "unknown"
	// SameOccupancy: a trigger rose, the number of waves did not fall.
	SameOccupancy Severity = "same_occupancy"
	// SameGranule: more VGPRs inside the granule that was allocated already.
	SameGranule Severity = "same_granule"
	// Trade: spills to memory fell while registers rose. Still a regression by
	// the rule of triggers; usually a good trade.
	Trade Severity = "trade"
	// NoOccupancyCost: only SGPRs rose, on a target where they are free.
	NoOccupancyCost Severity = "no_occupancy_cost"
	// Improvement: triggers fell and none rose.
	Improvement Severity = "improvement"
	// Informational: only columns that are no triggers moved.
	Informational Severity = "informational"
	// NoChange: nothing moved.
	NoChange Severity = "none"
)

var severities = []Severity{MemorySpill, OccupancyStep, SeverityUnknown, SameOccupancy, SameGranule, Trade, NoOccupancyCost, Improvement, Informational, NoChange}

// severityWords explain a severity to people.
var severityWords = map[Severity]string{
	MemorySpill:     "spills or scratch in memory rose",
	OccupancyStep:   "crosses an occupancy step",
	SeverityUnknown: "cost unknown",
	SameOccupancy:   "no occupancy step crossed",
	SameGranule:     "inside the same allocation granule: the hardware allocates as before",
	Trade:           "trade: memory spills fell, registers rose",
	NoOccupancyCost: "no occupancy cost: SGPRs are free on this target",
	Improvement:     "improvement",
	Informational:   "informational columns only",
	NoChange:        "no change",
}

// judge fills severity, cause and advice of a compared row.
func (r *Row) judge(after *Kernel) {
	r.Severity = r.severity(after)
	var causes, advices []string
	for _, c := range []Column{VGPRSpill, ScratchBytes, VGPR, LDSStaticBytes, SGPRSpill, SGPR} {
		if slices.Contains(r.Worsened, c) {
			causes = append(causes, c.String()+": "+c.Cause())
			advices = append(advices, c.String()+": "+c.Advice())
		}
	}
	switch {
	case r.Severity == Trade:
		causes = []string{"registers now hold what was spilled to memory"}
		advices = []string{"usually faster; confirm with a timing before undoing it"}
	case len(causes) == 0 && r.Severity == OccupancyStep:
		causes = []string{"no trigger rose, yet fewer waves fit: the descriptor allocates more registers than the kernel uses (waves-per-EU or launch bounds attribute), or the launch asks for more LDS"}
		advices = []string{"compare vgpr_alloc, launch bounds and LDS of both sides"}
	case r.Severity == SameGranule:
		advices = append(advices, "nothing is lost yet; the next granule may cost a wave")
	}
	r.Cause, r.Advice = strings.Join(causes, "; "), strings.Join(advices, "; ")
}

func (r *Row) severity(after *Kernel) Severity {
	if r.Delta == nil {
		return SeverityUnknown
	}
	rose := func(c Column) bool { return slices.Contains(r.Worsened, c) }
	fell := func(c Column) bool { return slices.Contains(r.Improved, c) }
	occupancyFell := r.Delta[Occupancy] < 0
	switch {
	case len(r.Worsened) == 0:
		return r.mild(occupancyFell)
	case fell(VGPRSpill) && !rose(ScratchBytes) && !rose(LDSStaticBytes) && !rose(SGPRSpill):
		return Trade
	case rose(ScratchBytes), rose(VGPRSpill) && after.Metrics[ScratchBytes].Value > 0:
		return MemorySpill
	case occupancyFell:
		return OccupancyStep
	case len(r.Worsened) == 1 && rose(SGPR) && after.target().generation() >= 10:
		return NoOccupancyCost
	case !r.Before[Occupancy].Known() || !r.After[Occupancy].Known():
		return SeverityUnknown
	case len(r.Worsened) == 1 && rose(VGPR) && r.Before[VGPRAlloc].Known() && r.Before[VGPRAlloc] == r.After[VGPRAlloc]:
		return SameGranule
	}
	return SameOccupancy
}

// mild is the severity when no trigger rose.
func (r *Row) mild(occupancyFell bool) Severity {
	switch {
	case occupancyFell:
		return OccupancyStep
	case len(r.Improved) > 0:
		return Improvement
	case len(r.Delta) > 0:
		return Informational
	}
	return NoChange
}
