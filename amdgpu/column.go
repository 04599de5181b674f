package amdgpu

import "slices"

// A Column is one per-kernel quantity. The order is the order of the table and
// of every JSON object: the fourteen of ROCm's isa_resource_table, then ours.
type Column int

// The columns. The six triggers are VGPR, SGPR, VGPRSpill, SGPRSpill,
// ScratchBytes and LDSStaticBytes; all others are informational.
const (
	VGPR           Column = iota // registers per lane that occupancy is computed from (arch and accumulator together)
	ArchVGPR                     // registers per lane, the architectural half
	AGPR                         // registers per lane, the accumulator half
	SGPR                         // registers per wave, with VCC, FLAT_SCRATCH and XNACK extras
	NumberedSGPR                 // registers per wave, without the extras
	VGPRSpill                    // 32-bit stores at VGPR spill sites, not registers and not slots
	SGPRSpill                    // SGPRs spilled to VGPR lanes
	ScratchBytes                 // bytes of private segment per lane
	LDSStaticBytes               // bytes of LDS per work-group known at compile time
	LDSRead                      // instruction sites: ds_read*, ds_load*
	LDSWrite                     // instruction sites: ds_write*, ds_store*
	ScratchStore                 // instruction sites: scratch_store*
	ScratchLoad                  // instruction sites: scratch_load*
	MatrixOps                    // instruction sites: v_mfma*, v_smfmac*, v_wmma*, v_swmmac*
	VGPRAlloc                    // registers per lane that the hardware allocates, from the kernel descriptor
	Occupancy                    // waves per SIMD, an upper bound
	CodeBytes                    // bytes of machine code, from the symbol's size
	NumColumns                   // the number of columns
)

// columnInfo says what a reader needs to know about one column.
type columnInfo struct {
	name    string
	unit    string
	trigger bool
	higher  bool // higher is better
	cause   string
	advice  string
}

// columns is indexed by Column. Causes and advice follow the tuning guides'
// usual order: what moved, why it usually moves, what to try first.
var columns = [NumColumns]columnInfo{
	VGPR: {
		name: "vgpr", unit: "registers/lane", trigger: true,
		cause:  "more values live at once: unrolling, larger tiles, deeper prefetch or inlining",
		advice: "shorten live ranges (smaller tile or unroll, load later, recompute), or bound registers with launch bounds; read occupancy before undoing",
	},
	ArchVGPR: {name: "arch_vgpr", unit: "registers/lane"},
	AGPR:     {name: "agpr", unit: "registers/lane"},
	SGPR: {
		name: "sgpr", unit: "registers/wave", trigger: true,
		cause:  "more uniform values: pointers, strides, kernel arguments or loop constants kept in scalars",
		advice: "fewer kernel arguments or uniform temporaries; on gfx10 and newer SGPRs never limit occupancy",
	},
	NumberedSGPR: {name: "numbered_sgpr", unit: "registers/wave"},
	VGPRSpill: {
		name: "vgpr_spill", unit: "32-bit stores", trigger: true,
		cause:  "the register budget (launch bounds, waves per EU, tile size) is below what the kernel keeps live",
		advice: "relax launch bounds or shrink the tile until spills are 0; spills to memory cost more than a step of occupancy",
	},
	SGPRSpill: {
		name: "sgpr_spill", unit: "registers", trigger: true,
		cause:  "more uniform values than scalar registers; they move to VGPR lanes with v_writelane and v_readlane",
		advice: "split the kernel or pass a pointer to a block of constants; costs vector instructions and VGPRs, not memory",
	},
	ScratchBytes: {
		name: "scratch_bytes", unit: "bytes/lane", trigger: true,
		cause:  "spills, or a private array indexed at run time, or a call with a stack frame",
		advice: "make array indices compile-time constants (unroll), move the array to LDS, or inline the call",
	},
	LDSStaticBytes: {
		name: "lds_static_bytes", unit: "bytes/work-group", trigger: true,
		cause:  "a larger shared tile, more pipeline stages or added padding",
		advice: "fewer stages or a smaller tile; check how many work-groups still fit in the LDS of a compute unit",
	},
	LDSRead:      {name: "lds_read", unit: "sites"},
	LDSWrite:     {name: "lds_write", unit: "sites"},
	ScratchStore: {name: "scratch_store", unit: "sites"},
	ScratchLoad:  {name: "scratch_load", unit: "sites"},
	MatrixOps:    {name: "matrix_ops", unit: "sites"},
	VGPRAlloc:    {name: "vgpr_alloc", unit: "registers/lane"},
	Occupancy:    {name: "occupancy", unit: "waves/SIMD", higher: true},
	CodeBytes:    {name: "code_bytes", unit: "bytes"},
}

// String is the column's name in tables, JSON and metric specs.
func (c Column) String() string { return columns[c].name }

// Unit is the unit of the column's values.
func (c Column) Unit() string { return columns[c].unit }

// Trigger reports whether a rise of the column is a regression.
func (c Column) Trigger() bool { return columns[c].trigger }

// Cause says why the column usually rises; empty for informational columns.
func (c Column) Cause() string { return columns[c].cause }

// Advice says what to do about a rise; empty for informational columns.
func (c Column) Advice() string { return columns[c].advice }

// HigherIsBetter reports whether a rise is good. Only Occupancy says yes.
func (c Column) HigherIsBetter() bool { return columns[c].higher }

// ParseColumn finds a column by its name; false if there is none.
func ParseColumn(name string) (Column, bool) {
	i := slices.IndexFunc(columns[:], func(c columnInfo) bool { return c.name == name })
	return Column(max(i, 0)), i >= 0
}

// ColumnNames lists the names of all columns, in order.
func ColumnNames() []string {
	names := make([]string, NumColumns)
	for c := range NumColumns {
		names[c] = c.String()
	}
	return names
}
