package amdgpu

// processors maps EF_AMDGPU_MACH, the low byte of e_flags, to a processor.
// Source: llvm/BinaryFormat/ELF.h and its test elf-header-flags-mach.ll; every
// code of the first group was read back from an object of LLVM 22, except the
// gfx6 to gfx8 and gfx940/941 rows.
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

	// Named since LLVM 22; nothing of them is measured (unmeasured).
	0x50: "gfx1310", 0x57: "gfx1154", 0x5b: "gfx12-5-generic", 0x5c: "gfx1172",
	0x5d: "gfx1170", 0x5e: "gfx1171", 0x62: "gfx11-7-generic", 0x63: "gfx13-generic",
}

// unmeasured are processors whose register files and limits this reader does
// not know: they are named, and compared by what the input says.
var unmeasured = map[string]bool{
	"gfx1310": true, "gfx1154": true, "gfx12-5-generic": true, "gfx1172": true,
	"gfx1170": true, "gfx1171": true, "gfx11-7-generic": true, "gfx13-generic": true,
}

// namedProcessors is the set of the table's processors.
var namedProcessors = func() map[string]bool {
	m := make(map[string]bool, len(processors))
	for _, p := range processors {
		m[p] = true
	}
	return m
}()

// recognised reports whether the processor is in this reader's tables. Of one
// that is not, such as next year's, only what the input itself says is known.
func (t Target) recognised() bool { return namedProcessors[t.Processor] && !unmeasured[t.Processor] }
