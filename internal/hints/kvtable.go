package hints

import (
	"regexp"
	"strings"
)

// A keyClass says what the name of a parameter speaks of.
type keyClass struct {
	pattern string
	re      *regexp.Regexp // on the name in snake_case, without its namespace
	not     *regexp.Regexp
	// generic names mean something else outside GPU code.
	generic bool
	// worse tells which direction slows down: +1 larger, -1 smaller, 0 either.
	worse int
	what  string // the parameter in words, for the reason
}

// better tells whether a parameter that went from a to b makes code faster.
func (k *keyClass) better(a, b float64) bool {
	return k.worse > 0 && b < a || (k.worse < 0 || k.pattern == "prefetch") && b > a
}

func rx(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// notSize are words that make "block" or "tile" something other than a size.
var notSize = rx(`(^|_)(num|nums|count|counter|id|ids|idx|index|offset|offsets|off|offs|ptr|ptrs|stride|strides|table|tables|warps?|waves?|threads?|start|end|mask|masks|name|names|fn|map|list|layout|layouts|barrier|sparse|pid|desc|manager|hash|type|dtype|scale|scales|input|output|ref|data|buf|lds|order|iter|iterator|loop|version|allocator|pool|scheduler|cluster|distribution|window|partitioner|elementwise|op|bytes|shared|pointer|remap|quant)(_|\d*$)`)

// keyClasses is searched from the top; the first match counts.
var keyClasses = []keyClass{
	{pattern: "waves_per_eu", re: rx(`waves_per_eu|waves_per_simd|min_waves|^(k_)?(min_)?blocks?_per_(cu|sm|mp)$|^occupancy$|num_consumer_groups`), what: "waves per SIMD"},
	{pattern: "num_stages", re: rx(`^(k_)?(num_|n_|n|pipeline_|load_|gemm_)?(stages?|pipe_stages|pipeline_depth|pipelines)$|num_stages|num_pipeline|loop_stages|^stages_`), not: rx(`name|stages?_(1|2)_|model`), what: "pipeline stages"},
	{pattern: "prefetch", re: rx(`prefetch|pre_?load(_[a-z])?$|^1?_?lds_buffer$|direct_to_(lds|vgpr)|double_?(smem_|lds_|shared_)?buf|dbuf|ping_?pong|^(k_)?(num_|n_)?(smem_|lds_|shared_)?buffers$|^(k_)?(num_|n_)bufs?$|blk_gemm_pipe.*ver|pipeline_version|gemm_pipeline(_v|$)|^pipeline$|async_copy|use_async|enable_async|pipelined|multi_?buffer`), not: rx(`dataloader|factor$`), what: "buffering and prefetch"},
	{pattern: "unroll", re: rx(`(^|_)(no)?unroll(_(factor|count|full|mode|[a-z]|\d+)|$)|(^|_)unroll_`), not: rx(`unrolled`), what: "unrolling"},
	{pattern: "launch_bounds", re: rx(`launch_bounds|flat_work_group_size|max_?n?reg|(^|_)num_[vs]gprs?$|reqd_work_group|work_group_size_hint|max_threads_per_block|max_thread_per_block|min_blocks?(_per)?_|max_?registers|regs_per_thread|gpu_max_threads`), what: "launch bounds or register limit"},
	{pattern: "num_warps", re: rx(`^(k_)?(num|n|max|total)_?(warps|waves|wavefronts|threads)(_|$)|^n_?warps$|^n_?waves$|^known_block_size$|reqd_sub_group_size|^launch_block$|^work_?group$|^mi_?wave_?group$|^cl_local$|num_warps|num_waves|^threads_?per_?(block|group|cta|tg|workgroup)|^(k_)?(block_)?threads$|^(k_)?warps$|^(wg|workgroup|work_group|local|local_work|cta|thread_?block)_?size|^block_?dim|block_?threads|^n_?threads$|block_?warps|(gemm_?)?block_?waves|^[mnk]_?(warps?|waves?)$|^[mnk]_warp_num|warp_per_block|^[mnk]_(waves|warps)_per|warps_per_block|cuda_num_threads|waves_per_(wg|block|group)`), not: rx(`cpu|omp|worker|thread_pool|intra|inter|loader|gemm_threads_max`), what: "warps or threads of a workgroup"},
	{pattern: "lds_padding", re: rx(`(lds|smem|shared|sh)_?(mem_)?(k_)?(pad|padding|stride|extra|ld|skew|swizzle)|^(k_)?(pad|skew|padding)(_[abkvq])?$|pad_(lds|smem)|extra_?[mnk]$|lds_k_pad|swizzle_(mode|bits|size)|bank_(pad|offset)|interval_padding`), not: rx(`pad_token|left|right|side|k_pad_[mnk]$`), what: "LDS padding"},
	{pattern: "vector_width", re: rx(`^(k_)?(max_)?(vec|vec_?size|vec_?len|vec_?width|vector_?size|vector_?width|vector_?len|vector_?length|vec_?dtype_?size|vec_?elems?)(_[a-z0-9]+)?$|scalar_per_vector|elems?_per_(load|vec|access)|(read|store|load|access)_?vector_?width|k_?pack$|vector_?size_?[a-z]?$|^[ab]?_?k1$|^[ab]k1_?value$|k_alignment|alignment_[abcqkvo]|load_width|access_width|vec_width|bytes_per_(load|access|lane)|vector_?(load|store|read|write)_?(size|width|len)|(load|store)_vector_size|vectorization|vectorize`), not: rx(`db|embedding|store_vector|vec_id`), worse: -1, what: "elements for each access"},
	{pattern: "mfma_shape", re: rx(`matrix_instr|instr_shape|mfma|wmma|warp_?tile|^[mnk]_?per_?(xdl|wmma|dpp)|xdl|warp_gemm|^mma_[mnk]$|mma_shape|nonkdim|warp_size_[mnk]|instr_[mnk]$|^(k_)?(inst|wmma|mma)_?[mnk]$`), not: rx(`layout`), what: "matrix instruction shape"},
	{pattern: "layout", re: rx(`size_?per_?thread|threads_?per_?warp|warps_?per_?cta|(^|_)order$|per_?phase|max_?phase|^vec$|reg_bases|lane_bases|warp_bases|cta_(layout|order|split)|tiles_per_warp|thread_cluster_lengths|cluster_arrange_order|(src_)?access_order|layout|encoding|^k_width$|swizzle|^transposed$|memory_format|row_major|col_major|tile_distribution`), not: rx(`^(pipeline_|app_|page_)layout|layouts?_(name|file|path)`), what: "layout"},
	{pattern: "launch_config", re: rx(`^(k_)?group_(size_)?m$|group_size_m|^group_m$|^(max_|num_|k_)?(kv_)?split_?k?(v)?s?(_size|_num)?$|num_(kv_)?splits|split_k|k_?splits?(_|$)|k_batch|^num_(sms|cus|xcds|blocks|ctas|programs|partitions|segments|wgs|workgroups)|^n_?blocks$|^blocks$|^n_?groups?$|grid(_size|_dim|_x|_y|_z|s)?$|persistent|^ctas?_per|blocks_per_(cu|sm|grid)|num_ctas|stream_?k|xcd|cu_count|num_groups_per|^global_(work_)?size$|^gridsize$|max_blocks|cluster_(size|dims?|shape)|work_?group_?mapping|^wgm$|^global_?split_?u|^stagger_?u|^pid_[mnk]$|^first_pid|^cl_global$|num_\w*segments$|partition_size$`), not: rx(`gradient|num_blocks_per_seq|data_split`), what: "grid or split of the work"},
	{pattern: "tile_size", re: rx(`(^|_)(block|tile|blk|chunk|xblock|yblock|zblock|rblock|r0|blocksize|tilesize|blocklen|dmodel|subtile)(_|\d*$)|^(k_)?b[mnkq]\d?$|^(k_)?[mnk]\d?_?per_?(block|tile|wave|warp|wg|cta)|^k_?[mnk]\d?$|^(x|y|z|r|r0_)_?block$|^[xyzr]_?block|(items|elems|elements|rows|cols|work|tokens|outputs|pixels|values|vals|data)_per_(thread|block|warp|wave|cta|wg|tile|workitem|lane|item|group)|^(k_)?[mnk]_?repeat$|^thread_tile|(^|_)mmq_[xy](_|$)|^mmq|^wpt$|^ts$|^items$|^depth_?u$|^(mi_?wave|thread|macro)_?tile\d?$|^tile_sizes?$|^n_?batch_(fa|k\d?|v\d?)|^n_?(r0|dst)(_|$)|^[tr][mnk]$|^w[mnk]$|^(m|n|k)wg$|block_?shape|tile_?shape|_tile$|_tile_[mnkhdqv]|head_block|^q_block|^kv_block|^page_block|cols_per_block|ncols|nrows|rows_per|cols_per|per_thread$`), not: notSize, what: "tile size"},
	{pattern: "tile_size", re: rx(`^(mi_?wave|thread|macro)_?tile\d?$|^depth_?u$|^tile_sizes?$`), what: "tile size"},
	{pattern: "cache_modifier", re: rx(`cache_modifier|eviction_policy|^(coherence|coherency)|non_?temporal|cache_policy|cache_hint|^aux$|^(glc|slc|dlc|scc|nt|sc0|sc1)$|mem_op$|cachepolicy|b_nt$|use_nt|load_cache`), what: "cache policy"},
	{pattern: "dtype", re: rx(`(^|_)(dtype|data_?type|acc_?type|accum_?type|compute_?type|precision|input_precision|out_type|scalar_t|elem(ent)?_type|element_?ty|acc_dtype|kv_cache_dtype|quantization|quant_config|comp_?type)(_|$)|allow_tf32|tf32|^([abcdeoqkvps]|acc|acc_?data|c_?shuffle|compute|in|out|src|dst|bias|scale|weight)_?(data_?)?type$|use_(fp|bf|f)(8|16|32)|fp8|half_precision|[a-z]data_type$`), not: rx(`node_type|device_type|content_type`), what: "data type"},
	{pattern: "masking", re: rx(`^(k_)?pad_(seq|head|m|n|k|q|s|hdim)|even_[mnk]|^is_?even|boundary_check|^(k_)?pad_?[mnk]$|gemm_?spec|gemmspecialization|use_mask|has_mask|check_bounds|bounds_check|is_divisible|padding_option|need_check|^in_bounds$|check_oob|do_check|do_bounds|^other$|^mask$`), what: "bounds checks"},
	{pattern: "scheduling", re: rx(`sched(ule|uling)?_?(hint|variant|mode|barrier)|gemm_?pipeline_?scheduler|blk_gemm_pipe_sched|loop_?sched(uler)?|instruction_sched|schedule_?iter_?alg|^schedule_?(local|global)_?(read|write)|set_?prio|iglp|^scheduler$`), not: rx(`lr_`), what: "instruction schedule"},
	{pattern: "loop_bounds", re: rx(`^(k_)?(num|n|max|total)_?(iters?|iterations?|loops?|steps|repeats?|passes|rounds|k_?tiles|k_?iters?|tiles|chunks|trips?)(_|$)|^n_?iters?$|^k_?iters?$|(^|_)(total|num|n)_\w*(loops?|iters?|steps?|trips?)$|^(main_)?loop_?(count|num|times|end|start|bound)|^iters?(ations)?(_per_\w+)?$|trip_count|^num_k_|k_loops?|^(end|start|lo|hi|n_end|n_start|begin|limit|upper|lower|kv_end|kv_start|k_end|k_start|loop_k)(_[a-z])?$|_end$|_iters?$`), not: rx(`warmup|epoch|train|backend|frontend`), generic: true, worse: 1, what: "loop bound"},
	{pattern: "autotune_config", re: rx(`^(autotune|tuning|tuned)|^configs?$|prune|^search_space|^early_config_prune|^key$|cache_results|^warmup$|^rep$|max_autotune`), generic: true, what: "tuning"},
	{pattern: "host_overhead", re: rx(`enforce_eager|use_cuda_?graphs?|cuda_?graphs?|torch_?compile|fullgraph|cudagraph|graph_mode|use_graph|hip_?graph`), what: "graph capture or compilation"},
	{pattern: "specialization", re: rx(`do_not_specialize`), what: "arguments that are not specialised"},
	{pattern: "compiler_flags", re: rx(`fp_fusion|^fast_?math$|opt_level|^optimi[sz]ation(_level)?$|early_inline|allow_flush_denorm|^denormal|misched|^lsr_|post_ra_|sched_strategy|inline_all|^amdgpu_(early|function|mfma|schedule)`), what: "compiler option"},
	{pattern: "volatile_atomics", re: rx(`^(sem|memory_order|mem_order|memory_scope|sync_?scope)$`), what: "memory order"},
	{pattern: "host_sync", re: rx(`^non_?blocking$|async_?(scheduling|output)|sync_?(every|after|each)|^blocking$`), what: "asynchronous copy"},
	{pattern: "stream", re: rx(`multi_?stream|^(num_)?streams?$|overlap|use_streams?|side_stream`), not: rx(`stream_interval|chunk_overlap`), what: "streams and overlap"},
	{pattern: "hot_path_checks", re: rx(`^debug(_mode)?$|enable_(debug|asserts?|logging|trace|profil\w+|checks?)|^sanitize|check_(nan|inf|numerics)|detect_anomaly|device_assert|trace_enabled|(^|_)verbose$`), generic: true, what: "debug switch"},
	{pattern: "dispatch", re: rx(`^(k_)?(use|enable|disable|with|has|force|allow|prefer|no|is)_|_enabled$|_disabled$|fast_?path|fallback|^backend$|(attn|attention|moe|gemm|kernel)_?(backend|impl|version|type|variant|algo)|fused?$|^algo(rithm)?$|^impl(ementation)?$|threshold|max_seq_?len|min_(m|n|k|tokens|batch)|max_batch(_size)?$|^(is|needs)_`), generic: true, what: "switch of a code path"},
}

// classifyKey finds the class of a parameter's name, or nil.
func classifyKey(name string) *keyClass {
	n := snake(name)
	if n == "" || len(n) > 80 {
		return nil
	}
	if k := classOf(n); k != nil {
		return k
	}
	if s, ok := strings.CutPrefix(n, "k_"); ok && len(s) > 2 {
		return classOf(s) // kThreadsPerBlock
	}
	return nil
}

func classOf(n string) *keyClass {
	for i := range keyClasses {
		k := &keyClasses[i]
		if k.re.MatchString(n) && (k.not == nil || !k.not.MatchString(n)) {
			return k
		}
	}
	return nil
}

// snake turns kMPerBlock, BLOCK_M, --block-m, -DBLOCK_M and ck::BlockSize into
// lower-case words joined by '_'.
func snake(s string) string {
	if i := strings.LastIndexAny(s, ".:"); i >= 0 && i+1 < len(s) {
		s = s[i+1:]
	}
	if d, ok := strings.CutPrefix(s, "-D"); ok {
		s = d
	}
	s = strings.TrimLeft(s, "-_%@!#")
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if isUpper(c) {
			prevLow := i > 0 && (s[i-1] >= 'a' && s[i-1] <= 'z' || isDigit(s[i-1]) && i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z')
			lastOfAcronym := i > 0 && isUpper(s[i-1]) && i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z'
			if prevLow || lastOfAcronym {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		if c == '-' || c == ' ' {
			c = '_'
		}
		b.WriteByte(c)
	}
	return strings.Trim(b.String(), "_")
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
