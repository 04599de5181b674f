package hints

import "regexp"

// A feature is something that a run may hold more or less of than before: calls
// of one kind, or a keyword. What counts is the difference, so that a call that is
// only rewritten is no change.
type feature struct {
	kind    string // counted together
	pattern string
	re, not *regexp.Regexp // on the whole chain of names
	call    bool           // only when a bracket follows (C and Python)
	dir     int            // +1: adding slows down; -1: removing does
	where   tri            // yes: device code only; no: host code only
	// level by loop: in a loop, not known, not in a loop. 0 is no hint.
	inLoop, open, outside int
	what                  string
	when                  func(use) bool // what else must hold; nil: nothing
}

// elsewhere tells whether a place is on the side where the feature does not matter.
func (f *feature) elsewhere(dev tri) bool {
	return f.where == yes && dev == no || f.where == no && dev == yes
}

const ns = `^([@%]?[\w.]*[.:])?` // any namespace in front

var features = []feature{
	{
		kind: "barrier", pattern: "synchronization", dir: 1, where: yes, inLoop: 3, open: 3, outside: 3, call: true, what: "barrier", when: notDeclared,
		re: rx(ns + `(__syncthreads(_and|_or|_count)?|__syncwarp|__builtin_amdgcn_s_barrier(_signal|_wait)?|block_sync_lds\w*|s_barrier(_signal|_wait)?|debug_barrier|barrier|work_group_barrier|sub_group_barrier|sync_threads|syncthreads|workgroup_barrier|group_barrier|lds_barrier|cluster_barrier|cluster_(arrive|wait)|threadgroup_barrier|wait_barrier|barrier0|bar\.sync|amdgcn\.s\.barrier\w*)$`), not: rx(`^(dist|torch|threading|mpi|MPI|self|comm|pg|process_group|asyncio|multiprocessing)\.|distributed`),
	},
	{
		kind: "gridsync", pattern: "synchronization", dir: 1, where: yes, inLoop: 3, open: 3, outside: 3, call: true, what: "grid or group synchronisation",
		re: rx(`^(\w*(grid|block|cta|tile|warp|group|cg|tb)\w*\.sync|cg::sync|cooperative_groups::sync|\w*grid_?sync\w*|\w*grid_barrier|\.sync)$`),
	},
	{
		kind: "wait", pattern: "synchronization", dir: 1, where: yes, inLoop: 3, open: 3, outside: 2, call: true, what: "wait for memory",
		re: rx(ns + `(__builtin_amdgcn_s_waitcnt\w*|s_waitcnt\w*|s_wait_\w+|cp_async_wait\w*|async_wait\w*|wait_group|wait_all|__pipeline_wait_prior|amdgcn\.s\.waitcnt|cp\.async\.wait_\w+|consumer_wait|mbarrier\.wait|wait_asynccnt|memory_counter_wait|waitcnt)$`), not: rx(`asyncio|^self\.`),
	},
	{
		kind: "fence", pattern: "synchronization", dir: 1, where: yes, inLoop: 3, open: 3, outside: 2, what: "memory fence",
		re: rx(ns + `(__threadfence(_block|_system)?|__builtin_amdgcn_fence|mem_fence|read_mem_fence|write_mem_fence|atomic_work_item_fence|atomic_thread_fence|fence|fence_\w+|s_sleep|__nanosleep|__builtin_amdgcn_s_sleep)$`), not: rx(`^(self|torch)\.`),
	},
	{
		kind: "sync", pattern: "synchronization", dir: 1, where: yes, inLoop: 3, open: 3, outside: 2, call: true, what: "synchronisation between blocks or devices",
		re: rx(ns + `((start|end|pre|post|block|peer|device|cross|multi_gpu|inter_block)_sync\w*|sync_(blocks?|peers?|ranks?|all|warps?|waves?)|\w*(load|store|copy|lds)_fence)$`), not: rx(`^(torch|self|dist)\.`),
	},
	{
		kind: "remap", pattern: "launch_config", dir: -1, where: yes, inLoop: 3, open: 3, outside: 3, call: true, what: "mapping of workgroups to tiles",
		re: rx(`^([\w.]*[.:])?(remap_xcd\w*|xcd_(remap|swizzle)\w*|swizzle2d|pid_grid\w*|chiplet_transform\w*|grouped_pid\w*|\w*_remap_bx_by|get_swizzled_pid\w*|swizzle_tile\w*|\w*pid_swizzle\w*)$`),
	},
	{
		kind: "relayout", pattern: "layout", dir: 1, where: yes, inLoop: 3, open: 2, outside: 2, call: true, what: "transposition or layout conversion",
		re: rx(`^((tl|gl|ttgl)\.(trans|permute|convert_layout)|(ttg|gpu|triton_gpu)\.convert_layout|tt\.trans|vector\.transpose|shuffle_tile|transpose_tile\w*)$`),
	},
	{
		kind: "swizzle", pattern: "lds_padding", dir: -1, where: yes, inLoop: 2, open: 2, outside: 2, call: true, what: "swizzle of an index",
		re: rx(`(?i)^([\w.]*[.:])?(xor_)?swizzle(_?xor\w*|_?lds\w*|_?col\w*|_?k\w*|_?idx|_?index)?$|^([\w.]*[.:])?\w*(lds|smem|xor|bank)_?swizzle\w*$`), not: rx(`(?i)pid|xcd|tile|grid`),
	},
	{
		kind: "switch", pattern: "specialization", dir: -1, where: unknown, inLoop: 2, open: 2, outside: 2, call: true, what: "choice of a specialised kernel",
		re: rx(`^(\w+_SWITCH|BOOL_SWITCH\w*)$`),
	},
	{
		kind: "preshuffle", pattern: "layout", dir: -1, where: unknown, inLoop: 2, open: 2, outside: 2, call: true, what: "shuffle into the layout of the kernel",
		re: rx(`(?i)^([\w.]*[.:])?(pre_?)?(shuffle|swizzle|permute)_(weights?|scales?|b|w\d*)\w*$|^([\w.]*[.:])?pre_?shuffle\w*$`),
	},
	{
		kind: "uniform", pattern: "specialization", dir: -1, where: yes, inLoop: 2, open: 2, outside: 2, call: true, what: "mark of a value that is the same in all lanes",
		re: rx(`(^|[._])(readfirstlane|readlane)\w*$`),
	},
	{
		kind: "inplace", pattern: "alloc", dir: -1, where: no, inLoop: 2, open: 2, outside: 2, call: true, what: "operation in place",
		re: rx(`^[\w.]*\.(add|sub|mul|div|clamp|relu|masked_fill|sigmoid|exp|softmax)_$`),
	},
	{
		kind: "nocompile", pattern: "host_overhead", dir: 1, where: unknown, inLoop: 2, open: 2, outside: 2, what: "exclusion from compilation",
		re: rx(`^torch\.(_dynamo\.disable|compiler\.disable|jit\.ignore|_dynamo\.graph_break)$`),
	},
	{
		kind: "assume", pattern: "specialization", dir: -1, where: unknown, inLoop: 2, open: 2, outside: 2, call: true, what: "assumption or alignment hint",
		re: rx(`^((tl|gl)\.(multiple_of|max_contiguous|assume)|__builtin_assume\w*|llvm\.assume)$`),
	},
	{
		kind: "fused", pattern: "host_overhead", dir: -1, where: no, inLoop: 2, open: 2, outside: 2, call: true, what: "fused operation",
		re: rx(`^([\w.]*[.:])?_?fused_\w+$`),
	},
	{
		kind: "errorcheck", pattern: "hot_path_checks", dir: 1, where: no, inLoop: 2, open: 1, outside: 1, call: true, what: "error check",
		re: rx(`^((hip|cuda)(GetLastError|PeekAtLastError)|TORCH_CHECK\w*|GGML_ASSERT)$`),
	},
	{
		kind: "cachehint", pattern: "cache_modifier", dir: 0, where: yes, inLoop: 3, open: 3, outside: 3, what: "cache hint",
		re: rx(`^(__ld(cg|cs|ca|lu|cv|g)|__st(cs|cg|wb|wt)|__builtin_nontemporal_(load|store)|nt_?(load|store)\w*|(load|store)_?nt(_\w+)?|(streaming|non_?temporal)_(load|store)\w*|!nontemporal|nontemporal|ld\.global\.nc\S*)$`),
	},
	{
		kind: "launch", pattern: "host_overhead", dir: 1, where: no, inLoop: 3, open: 2, outside: 2, what: "kernel launch", when: isLaunch,
		re: rx(`^(hipLaunchKernelGGL|hipLaunchKernel|hipModuleLaunchKernel|hipExtLaunchKernelGGL|cudaLaunchKernel\w*|clEnqueueNDRangeKernel|\w*_kernel|\w*_kernel_\w+|launch_kernel)$`),
	},
	{
		kind: "sched", pattern: "scheduling", dir: 0, where: yes, inLoop: 3, open: 3, outside: 3, call: true, what: "scheduling hint",
		re: rx(ns + `(__builtin_amdgcn_(sched_barrier|sched_group_barrier|iglp_opt|s_setprio)|sched_barrier|sched_group_barrier|iglp_opt|s_setprio|set_prio|sched_(mfma|dsrd|vmem|dswr|valu)|hot_loop_scheduler|HotLoopScheduler|instruction_sched_hint|amdgcn\.sched\.\w+\.?\w*|amdgcn\.iglp\.opt|amdgcn\.s\.setprio)$`),
	},
	{
		kind: "load", pattern: "memory_ops", dir: 1, where: yes, inLoop: 3, open: 2, outside: 2, call: true, what: "load", when: notBare,
		re:  rx(`^((tl|gl|ttgl|tle|fx)\.(\w+\.)*(load|gather|buffer_load\w*|descriptor_load|experimental_descriptor_load|load_tensor_descriptor)|([\w.]*[.:])?(raw_)?(ptr_)?buffer_load\w*|([\w.]*[.:])?(global|flat|scratch)_load\w*|([\w.]*[.:])?ds_(read|load)\w*|__builtin_amdgcn_\w*(buffer_load|global_load|ds_read)\w*|__builtin_nontemporal_load|__ld(g|cg|cs|ca|lu|cv)|vload(a_half)?\d*|([\w.]*[.:])?(async_)?load_tile\w*|memref\.load|vector\.(load|transfer_read|maskedload|gather)|(tt|ttg|amdgpu|amdg|llvm|affine)\.(buffer_)?(load|local_load|descriptor_load)|amdgpu\.(raw_buffer_load|gather_to_lds)|load|load_\w+|\w+_load|\w+\.load|async_copy\w*|[\w.]*\.(async_copy\w*|global_load_to_shared|buffer_load_to_shared|gather_to_lds)|cp_async\w*|cp\.async\.\w+|[\w.:]*(blockwise_copy|copy_gmem|RunRead|load_global)\w*|local_load)$`),
		not: rx(`^(json|yaml|torch|pickle|np|numpy|toml|tomllib|dlopen|importlib|config|model|state|hip|cuda)\b.*|wait|commit|load_(state|model|config|json|yaml|weights?|checkpoint|module|library|inline|kernel|dict)|workload|payload|download|reload|preload|^(load_fn|is_load)`),
	},
	{
		kind: "store", pattern: "memory_ops", dir: 1, where: yes, inLoop: 3, open: 2, outside: 2, call: true, what: "store", when: notBare,
		re:  rx(`^((tl|gl|ttgl|tle|fx)\.(\w+\.)*(store|scatter|buffer_store\w*|descriptor_store)|([\w.]*[.:])?(raw_)?(ptr_)?buffer_store\w*|([\w.]*[.:])?(global|flat|scratch)_store\w*|([\w.]*[.:])?ds_(write|store)\w*|__builtin_amdgcn_\w*(buffer_store|ds_write)\w*|__builtin_nontemporal_store|__st(cs|cg|wb|wt)|vstore(a_half)?\d*|([\w.]*[.:])?store_tile\w*|memref\.store|vector\.(store|transfer_write|maskedstore|scatter)|(tt|ttg|amdgpu|llvm|affine)\.(buffer_)?(store|local_store)|store|store_\w+|\w+_store|\w+\.store|RunWrite|local_store)$`),
		not: rx(`^(self|torch|redis|session|db|kv|state|ckpt|dist)\b|datastore|store_(config|state|true|false)|restore`),
	},
	{
		kind: "atomic", pattern: "volatile_atomics", dir: 1, where: yes, inLoop: 3, open: 3, outside: 3, what: "atomic operation",
		re:  rx(`^(atomic(Add|Sub|Max|Min|CAS|Exch|Or|And|Inc|Dec|Xor)\w*|\w*AtomicAdd\w*|(tl|gl|ttgl)\.(\w+\.)*atomic_\w+|__hip_atomic_(fetch|load|store|exchange|compare)\w*|__atomic_(fetch|load|store|exchange|compare|add)\w*|__builtin_amdgcn_\w*atomic\w*|atomic_(add|sub|inc|dec|max|min|xchg|cmpxchg|fetch\w*|or|and|xor|load|store|fadd|exchange|compare\w*)\w*|atomicrmw|cmpxchg|[\w.]*\.(atomic_rmw|atomic_cas|atomicrmw|cmpxchg|atomic_add\w*|atomic_fadd\w*|fetch_add)|(global|buffer|flat|ds)_(atomic\w*|add_\w+|pk_add\w*)|[\w.]*buffer_atomic\w*)$`),
		not: rx(`std::|^atomic_t$`),
	},
	{
		kind: "volatile", pattern: "volatile_atomics", dir: 1, where: yes, inLoop: 3, open: 3, outside: 3, what: "volatile access", when: notAsm,
		re: rx(`^volatile$`),
	},
	{
		kind: "select", pattern: "masking", dir: 1, where: yes, inLoop: 3, open: 2, outside: 2, call: true, what: "select",
		re: rx(`^((tl|gl|ttgl|fx)\.(where|masked\w*)|arith\.select|[\w.]*\.select|select|__builtin_amdgcn_\w*cndmask\w*|cndmask\w*|boundary_check|v_cndmask\w*)$`), not: rx(`^(torch|np|self|F)\b|index_select|item\.select`),
	},
	{
		kind: "mask", pattern: "masking", dir: 1, where: yes, inLoop: 3, open: 3, outside: 2, what: "masked access", when: isMask,
		re: rx(`^(mask|boundary_check|other)$`),
	},
	{
		kind: "dot", pattern: "mfma_shape", dir: 0, where: yes, inLoop: 3, open: 2, outside: 2, what: "matrix instruction",
		re: rx(`^((tl|gl|ttgl)\.(\w+\.)*(dot|dot_scaled|mfma\w*|wmma\w*)|__builtin_amdgcn_\w*(mfma|wmma|smfmac)\w*|[\w.]*\b(rocdl|amdgpu)\.(mfma|wmma)\w*|v_(mfma|wmma|smfmac)\w*|(tt|ttg|gpu)\.(dot|mfma)\w*|\w*(dp4a|sdot4|sudot4|fdot2|dot4_i32)\w*|[\w.]*(mma_sync|mfma_f\w+|wmma_f\w+|llvm\.amdgcn\.(mfma|wmma)[\w.]*))$`),
	},
	{
		kind: "prefetch", pattern: "prefetch", dir: -1, where: yes, inLoop: 3, open: 3, outside: 3, what: "prefetch or double buffer", when: isPrefetch,
		re: rx(`(?i)(prefetch|(^|_)p[io]ng(_|$)|double_?buf|dbuf|ping_?pong|multi_?buffer|(^|_)(next|nxt)(_[a-z0-9]+)?$|^[a-z0-9]+_(next|nxt|pre|pf)$|async_copy|cp_async|cp\.async|load_to_lds|load_to_shared|gather_to_lds|global_load_lds|commit_group|tensor_load_to_lds|local_prefetch|^(read|write|load|cur|curr|stage|buf|buffer|smem|lds)_?(idx|index|buf|buffer|stage|phase|slot|cur)?_(next|write|read)$|^stage_(idx|id)$|^(buf|slot|phase|stage|pp|cur_buf|buf_idx|lds_buf)$)`), not: rx(`(?i)wait|next_power_of|nextafter|next\(|np\.|torch\.|self\.`),
	},
	{
		kind: "devprint", pattern: "hot_path_checks", dir: 1, where: unknown, inLoop: 3, open: 3, outside: 3, call: true, what: "device print or assertion",
		re: rx(`^((tl|gl|ttgl)\.(device_print|device_assert)|__assert_fail|__trap|__builtin_trap|fx\.printf|gpu\.printf|tt\.(print|assert)|cuda_assert|CUDA_KERNEL_ASSERT\w*|[\w:]*KERNEL_ASSERT\w*)$`),
	},
	{
		kind: "printf", pattern: "hot_path_checks", dir: 1, where: yes, inLoop: 3, open: 3, outside: 3, call: true, what: "printf or assert in device code", when: isPrintf,
		re: rx(`^(printf|assert|clock64|clock|wall_clock64|__clock64|s_memtime|s_memrealtime|__builtin_readcyclecounter|__builtin_amdgcn_s_mem\w*time)$`),
	},
	{
		kind: "log", pattern: "hot_path_checks", dir: 1, where: no, inLoop: 2, open: 1, outside: 1, what: "logging",
		re: rx(`^((self\.)?_?(logger|logging|log|LOG)\.(info|debug|warning|warn|error|critical|log|trace)|print|warnings\.warn|VLOG|LOG|spdlog::\w+|std::cout|std::cerr|fprintf|AITER_LOG\w*|TORCH_WARN\w*|pprint)$`),
	},
	{
		kind: "check", pattern: "hot_path_checks", dir: 1, where: no, inLoop: 3, open: 2, outside: 2, call: true, what: "check of a tensor's values",
		re: rx(`^(torch\.(isnan|isinf|isfinite|allclose|equal|any|all|isclose)|[\w.]*\.(isnan|isinf|isfinite|all|any)|at::(isnan|isfinite)|torch\.testing\.\w+)$`), not: rx(`^(np|builtins|F)\.`),
	},
	{
		kind: "hostsync", pattern: "host_sync", dir: 1, where: no, inLoop: 3, open: 3, outside: 3, call: true, what: "host-side synchronisation",
		re:  rx(`^((hip|cuda)(Device|Stream|Event|Ctx)Synchronize|torch\.(cuda|hip|accelerator|xpu)\.synchronize|[\w.]*\.(item|cpu|tolist|numpy|synchronize|wait_to_read)|(hip|cuda)(Memcpy|MemcpyDtoH|MemcpyHtoD|Memset)|(hip|cuda)StreamWaitValue\w*|clFinish|clWaitForEvents|[\w.:]*\.(barrier)|(torch\.)?dist(ributed)?\.barrier|torch\.(nonzero|unique|masked_select)|[\w.]*\.nonzero|(c10|at)::(cuda|hip)::\w*synchronize|device_synchronize|jax\.block_until_ready|[\w.]*\.block_until_ready|HIP_SYNC|stream_synchronize|[\w.:]*streamSynchronize)$`),
		not: rx(`^(np|random|argparse|shape|sys)\.`),
	},
	{
		kind: "malloc", pattern: "alloc", dir: 1, where: no, inLoop: 3, open: 3, outside: 3, call: true, what: "device allocation",
		re: rx(`^((hip|cuda)(Malloc|Free|HostMalloc|HostFree|MallocManaged|MallocHost|FreeHost|HostAlloc|HostRegister)\w*|clCreateBuffer|clReleaseMemObject)$`), not: rx(`Async`),
	},
	{
		kind: "tensor", pattern: "alloc", dir: 1, where: no, inLoop: 3, open: 2, outside: 2, call: true, what: "allocation or copy of a tensor",
		re: rx(`^(torch\.(empty|zeros|ones|full|empty_like|zeros_like|ones_like|full_like|cat|stack|clone|empty_strided)|[\w.]*\.(clone|contiguous|new_empty|new_zeros|new_full|repeat_interleave|repeat)|at::(empty|zeros|cat|clone|full)\w*|torch::(empty|zeros|cat|full|clone)\w*)$`), not: rx(`^np\.`),
	},
	{
		kind: "heap", pattern: "alloc", dir: 1, where: unknown, inLoop: 2, open: 0, outside: 0, what: "heap allocation",
		re: rx(`^(malloc|calloc|realloc|new|std::(vector|string|make_unique|make_shared|map|unordered_map)|[\w.]*\.(resize|push_back|emplace_back|reserve))$`),
	},
	{
		kind: "stack", pattern: "alloc", dir: 1, where: yes, inLoop: 3, open: 2, outside: 2, what: "stack allocation (scratch)",
		re: rx(`^(alloca|memref\.alloca|llvm\.alloca|__builtin_alloca)$`),
	},
	{
		kind: "stream", pattern: "stream", dir: 1, where: no, inLoop: 3, open: 2, outside: 2, call: true, what: "stream or event operation",
		re: rx(`^((hip|cuda)Stream(Create|Destroy|WaitEvent)\w*|(hip|cuda)Event(Record|Create)\w*|[\w.]*\.(wait_stream|wait_event|record_stream)|[\w.]*\.record_event)$`),
	},
	{
		kind: "graph", pattern: "stream", dir: -1, where: no, inLoop: 3, open: 3, outside: 3, what: "graph capture, side stream or asynchronous copy", when: isGraph,
		re: rx(`^((hip|cuda)Graph(Launch|Instantiate)\w*|(hip|cuda)StreamBeginCapture|torch\.(cuda|hip)\.(graph|CUDAGraph|make_graphed_callables|Stream|stream)|[\w.]*graph\w*\.replay|\.replay|(hip|cuda)MemcpyAsync|(hip|cuda)StreamNonBlocking|[\w.]*cuda_?graph\w*)$`),
	},
	{
		kind: "cache", pattern: "host_overhead", dir: -1, where: unknown, inLoop: 3, open: 3, outside: 3, what: "cache or compiled wrapper",
		re: rx(`^((functools\.)?(lru_cache|cache|cached_property)|torch\.(compile|inference_mode|no_grad|jit\.script|jit\.ignore)|_?(kernel_|jit_|compile_|config_)cache|static_cache|[\w.]*_?cache\.(get|setdefault))$`),
	},
	{
		kind: "python", pattern: "host_overhead", dir: 1, where: no, inLoop: 3, open: 2, outside: 2, call: true, what: "Python or host work",
		re: rx(`^(copy\.deepcopy|deepcopy|json\.(loads?|dumps?)|inspect\.\w+|subprocess\.\w+|os\.popen|time\.sleep|gc\.collect|re\.(compile|match|sub|search)|importlib\.\w+|pickle\.\w+|torch\.(tensor|as_tensor|from_numpy)|std::(lock_guard|unique_lock|scoped_lock|to_string|ostringstream|stringstream|regex\w*)|torch\.(autograd\.)?profiler\.record_function|(torch\.cuda\.)?nvtx\.\w+|roctxRange\w*|torch\.cuda\.(empty_cache|get_device_properties|mem_get_info|memory_stats)|traceback\.\w+|os\.path\.exists|open|hashlib\.\w+|hipGetDeviceProperties|cudaGetDeviceProperties|std::this_thread::sleep_for|getenv|std::getenv|triton\.compile|hipModuleLoad\w*|cuModuleLoad\w*|hipDeviceGetAttribute)$`),
	},
	{
		kind: "constexpr", pattern: "specialization", dir: -1, where: yes, inLoop: 3, open: 3, outside: 3, what: "compile-time constant", when: isConstexpr,
		re: rx(`^((tl|gl|ttgl|fx)\.constexpr|constexpr|(fx\.)?Constexpr)$`),
	},
	{
		kind: "restrict", pattern: "specialization", dir: -1, where: unknown, inLoop: 3, open: 3, outside: 3, what: "restrict",
		re: rx(`^(__restrict__|__restrict|restrict)$`),
	},
	{
		kind: "inline", pattern: "specialization", dir: -1, where: unknown, inLoop: 3, open: 3, outside: 3, what: "forced inlining",
		re: rx(`^(__forceinline__|__forceinline|always_inline|CK_TILE_DEVICE_INLINE|alwaysinline|FORCE_INLINE)$`),
	},
	{
		kind: "noinline", pattern: "specialization", dir: 1, where: unknown, inLoop: 3, open: 3, outside: 3, what: "noinline",
		re: rx(`^(__noinline__|noinline|optnone)$`),
	},
	{
		kind: "fastmath", pattern: "math_function", dir: -1, where: yes, inLoop: 3, open: 3, outside: 2, call: true, what: "fast intrinsic",
		re:  rx(`^(__expf|__exp10f|__logf|__log2f|__sinf|__cosf|__powf|__fdividef|__frcp_rn|__frsqrt_rn|__fsqrt_rn|rsqrtf?|exp2f?|native_\w+|half_(exp|log|sqrt|recip|rsqrt)\w*|[\w.]*\.(fast_\w+|exp2|rsqrt|fast_expf|fdiv)|__builtin_amdgcn_(exp2f|rcpf|rsqf|logf|sqrtf|sinf|cosf|fdiv_fast|rcp\w*|exp2\w*)|[\w.]*(approx|fast)_(exp|tanh|gelu|rcp)\w*|fast_(exp|rcp|tanh)\w*|math\.(exp2|rsqrt)|rocdl\.(exp2|rcp|rsq))$`),
		not: rx(`^(torch|np|math|F)\.rsqrt|^np\.|^torch\.`),
	},
	{
		kind: "slowmath", pattern: "math_function", dir: 1, where: yes, inLoop: 3, open: 2, outside: 2, call: true, what: "precise or transcendental function",
		re: rx(`^(expf?|logf?|powf?|sqrtf|sinf?|cosf?|tanhf?|erff?|fmodf?|std::(exp|log|pow|sqrt|sin|cos|tanh|fmod|erf)|(tl|tl\.math|libdevice|tl\.extra\.\w+\.libdevice|gl)\.(exp|log|pow|sqrt|sin|cos|tanh|erf|div_rn|sqrt_rn|fmod))$`),
	},
	{
		kind: "upcast", pattern: "dtype", dir: 1, where: unknown, inLoop: 3, open: 2, outside: 2, call: true, what: "conversion to a wider type",
		re: rx(`^(__half2float|__bfloat162float|__half22float2|__nv_cvt_\w+|convert_float\d*|convert_double\d*|arith\.extf|arith\.extsi|fpext|[\w.]*\.(float|double)|vload_half\d*|[\w:]*bf16_to_f(p)?32|[\w:]*half_to_float|GGML_FP16_TO_FP32|ggml_cuda_cast|v_cvt_f32_f16\w*|cvt_f32_\w+)$`),
	},
	{
		kind: "downcast", pattern: "dtype", dir: -1, where: unknown, inLoop: 3, open: 2, outside: 2, call: true, what: "conversion to a narrower type",
		re: rx(`^(__float2half\w*|__float2bfloat16\w*|convert_half\d*|arith\.truncf|fptrunc|[\w.]*\.(half|bfloat16)|[\w:]*f(p)?32_to_bf16|[\w:]*float_to_half)$`),
	},
}

// deviceNames are names that occur in device code.
var deviceNames = rx(`^(tl|gl|ttgl|gluon|rocdl|libdevice|buffer_ops|fx|flyc|vector|scf|arith|gpu|amdgpu)\.|^(threadIdx|blockIdx|blockDim|gridDim|hipThreadIdx|hipBlockIdx|hipBlockDim)\b|^(__shared__|__global__|__device__|__kernel|__local|__syncthreads|__syncwarp|__launch_bounds__|__forceinline__|__noinline__|__restrict__|get_(global|local|group)_(id|size)|get_num_groups|CK_TILE_DEVICE|CK_TILE_HOST_DEVICE|__shfl\w*|__ballot|__any|__all|warpSize|WARP_SIZE|__ldg|block_sync_lds\w*|static_for|range_constexpr|const_expr|half2?|__half2?|bfloat16x\d|half8_t|bf16x\d\w*|fp16x\d\w*|float[24]|floatx\d+|uint4|int4|lane_id|laneid|warp_id|wave_id|tid|program_id|sweep_tile\w*|load_tile|store_tile|make_tile_window|tile_window|FragC?|atomicAdd|__threadfence\w*|barrier|__hip_atomic\w*|__expf|__builtin_nontemporal_\w+|smem\w*|lds\w*|s_barrier|s_waitcnt)$|^__builtin_amdgcn_|^(mfma|v_mfma)\w*|(^|_)(sh|shared|smem|lds)_(mem|buf|a|b|k|v|q|ptr)|^ck(_tile)?::(static_for|index_t|make_)|\.(tt|ttg|gpu)\.`)

// hostNames are names that occur in host code.
var hostNames = rx(`^(torch|np|numpy|os|sys|json|math|logging|argparse|pytest|time|functools|subprocess|re|pathlib|Path|jnp|jax)\.|^(self|cls)\.|^logger\.|^(print|argparse|dim3|argc|argv|hipStream_t|cudaStream_t|TORCH_CHECK\w*|TORCH_LIBRARY\w*|hipLaunchKernelGGL|CHECK|HIP_CHECK|CUDA_CHECK|C10_\w+|std::(cout|cerr|endl|vector|string|unique_ptr|shared_ptr|map|unordered_map|ofstream|ifstream|mutex|lock_guard|to_string|chrono\w*|thread|function|optional|make_unique|make_shared|runtime_error|getenv|stringstream)|throw|try|catch|new|isinstance|getattr|hasattr|raise|super|FileNotFoundError|ValueError|RuntimeError)$|^(at|c10|torch|spdlog|fmt)::|^(hip|cuda)[A-Z]|^cl(Create|Enqueue|Set|Get|Release|Build|Finish|Wait)\w+|^triton\.(cdiv|Config|autotune|testing|next_power_of_2)`)
