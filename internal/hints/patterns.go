package hints

// A Pattern is a kind of change that the package knows.
type Pattern struct {
	Name      string // as in Hint.Pattern
	What      string // the change, in words
	Languages string // where it is looked for
	Cause     string // how it makes a kernel slow
	// weight orders patterns of equal confidence: how often, in the public
	// threads read for this table, such a change was the culprit. 0 to 40.
	weight float64
}

// Patterns lists what the package knows, the ten best known kinds first.
func Patterns() []Pattern { return append([]Pattern(nil), patterns...) }

const (
	kernels = "Triton, Gluon, FlyDSL, HIP, CUDA, CK, OpenCL"
	irs     = ", LLVM IR, MLIR, GCN assembly"
	configs = ", JSON, YAML, TOML"
)

var patterns = []Pattern{
	{"loop_bounds", "the range, step or condition of a loop changed", kernels + irs, "more iterations, so more work for each workgroup", 36},
	{"synchronization", "a barrier, fence or wait was added, or waits for more", kernels + irs, "wavefronts stall until the slowest arrives; loads in flight are drained", 38},
	{"tile_size", "a block or tile size changed", kernels + irs + configs, "worse occupancy (larger tile) or more iterations and less reuse (smaller tile)", 34},
	{"memory_ops", "a load or store was added, or moved into a loop", kernels + irs, "more memory traffic", 37},
	{"dtype", "a wider type or a conversion to one", kernels + irs + configs, "more bytes for each element: memory bandwidth and register pressure grow", 37},
	{"prefetch", "prefetching, double buffering or early issue of loads was removed", kernels + irs, "the latency of loads is no longer hidden behind compute", 38},
	{"waves_per_eu", "the requested number of waves per SIMD changed", kernels + irs + configs, "lower occupancy (fewer waves), or spills because the register budget shrank (more waves)", 36},
	{"masking", "a mask, bounds check or select was added", kernels + irs, "extra vector ALU work and divergent branches; masked loads do not vectorise as well", 33},
	{"layout", "a register, shared-memory or matrix layout changed", kernels + irs, "LDS bank conflicts, uncoalesced access or layout conversions", 35},
	{"num_stages", "the number of pipeline stages changed", "Triton, Gluon, FlyDSL, CK, MLIR" + configs, "other software pipelining: latency exposed (fewer stages), or LDS and registers exhausted (more)", 34},
	{"num_warps", "the number of warps or threads in a workgroup changed", kernels + irs + configs, "fewer wavefronts to hide latency, or fewer registers and less work for each", 33},
	{"launch_bounds", "launch bounds or a register limit changed", kernels + irs, "the compiler's register budget changes: spills or lower occupancy", 35},
	{"unroll", "unrolling was removed, forced or changed", kernels + irs, "less instruction-level parallelism and more branches, or code growth and register pressure", 34},
	{"vector_width", "narrower vector loads or fewer elements for each access", kernels + irs, "more memory instructions for the same bytes", 36},
	{"volatile_atomics", "atomics or volatile access were added, or their order or scope was raised", kernels + irs, "serialised memory access; no caching in registers", 36},
	{"lds_padding", "padding or swizzle of LDS changed", kernels, "LDS bank conflicts", 35},
	{"lds_size", "the size of an LDS or private array changed", kernels, "more LDS or scratch for each workgroup: lower occupancy, or spills", 30},
	{"cache_modifier", "cache or eviction flags of an access changed", kernels + irs, "data bypasses or pollutes a cache", 34},
	{"mfma_shape", "the shape of matrix instructions changed, or they were replaced", kernels + irs + configs, "lower matrix-core throughput", 36},
	{"autotune_config", "the list of tuning configurations or its keys changed", "Triton, JSON, YAML, CSV", "the best configuration is no longer tried, or another one is chosen", 31},
	{"math_function", "a fast intrinsic was replaced by a precise function, or a division added", kernels, "many more instructions for each call", 30},
	{"specialization", "a compile-time constant, restrict or inlining was lost", kernels, "the compiler can no longer fold, unroll, or prove that pointers differ", 30},
	{"scheduling", "instruction scheduling hints were changed", kernels + irs, "the compiler orders loads and matrix instructions differently", 32},
	{"launch_config", "the grid, split or mapping of workgroups changed", kernels, "fewer workgroups in flight, worse cache reuse, or an extra reduction", 31},
	{"dispatch", "a fast path was switched off or a kernel choice changed", "all", "another, slower kernel runs", 31},
	{"compiler_flags", "compiler flags or the build type changed", "CMake, Make, setup.py, shell, Docker, YAML, C", "other machine code from the same source", 35},
	{"dependency_version", "a compiler, library, image or submodule moved", "requirements, lock files, Docker, CMake, pin files, submodules", "the slow code came in from there; search that range next", 34},
	{"environment_variable", "an environment variable that steers the GPU stack changed", "all", "other run-time behaviour without any change of code", 32},
	{"hot_path_checks", "logging, printing or checks were added in a hot path", "Python, C++, HIP", "work on every call; on a tensor also a synchronisation", 31},
	{"host_sync", "the host waits for the device", "Python, C++, HIP", "the queue runs dry: launch latency is exposed", 36},
	{"alloc", "allocation or copying of buffers was added in a hot path", "Python, C++, HIP", "allocation and copies on every call; hipMalloc and hipFree also synchronise", 30},
	{"stream", "streams, events or graphs changed", "Python, C++, HIP", "work that overlapped is serialised", 32},
	{"host_overhead", "Python work or kernel launches were added for each call", "Python, C++", "the host cannot keep the queue filled", 29},
}

var patternByName = func() map[string]Pattern {
	m := map[string]Pattern{}
	for _, p := range patterns {
		m[p.Name] = p
	}
	return m
}()
