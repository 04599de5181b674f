package hints

import (
	"regexp"
	"slices"
)

// A swap is a pair of names of which the second does the same work at another cost.
type swap struct {
	pattern  string
	from, to *regexp.Regexp // on a name, after its namespace too; from nil: any other
	level    int
	both     bool // either direction may slow down; else the way back speeds up
	device   bool // not in host code
	reason   string
}

// swaps is searched from the top; the first match of a line counts.
var swaps = []swap{
	{"synchronization", rx(`^(__syncwarp|wave_barrier|__builtin_amdgcn_wave_barrier|sub_group_barrier|simdgroup_barrier)$`), rx(`^(__syncthreads|barrier|work_group_barrier|block_sync_lds|s_barrier|__builtin_amdgcn_s_barrier|threadgroup_barrier)$`), 3, false, true, "a barrier of one wavefront became one of the workgroup"},
	{"synchronization", rx(`^(__threadfence_block|fence_block|mem_fence)$`), rx(`^(__threadfence(_system)?|fence_(device|system)|barrier)$`), 3, false, true, "the fence reaches further"},
	{"synchronization", rx(`^__threadfence$`), rx(`^__threadfence_system$`), 3, false, true, "the fence reaches further"},
	{"synchronization", rx(`^CLK_LOCAL_MEM_FENCE$`), rx(`^CLK_GLOBAL_MEM_FENCE$`), 3, false, true, "the barrier waits for global memory"},
	{"volatile_atomics", rx(`^unsafeAtomic\w+$`), rx(`^atomic\w+$`), 3, false, true, "a hardware atomic became one that may be a compare-and-swap loop"},
	{"volatile_atomics", rx(`^(atomic(Add|Max|Min|Or|And|Exch)\w*|__hip_atomic_fetch_\w+|atomic_(fetch_)?(add|max|min))$`), rx(`^(atomicCAS\w*|__hip_atomic_compare_exchange\w*|atomic_compare_exchange\w*|atomic_cmpxchg)$`), 3, false, true, "an atomic became a compare-and-swap loop"},
	{"volatile_atomics", rx(`^(Set|set)$|MemoryOperation(Enum)?::(S|s)et$`), rx(`^(Atomic(Add|Max)|atomic_(add|max))$`), 3, false, false, "results are combined by atomics"},
	{"host_sync", rx(`^(hip|cuda)(Stream|Event)Synchronize$`), rx(`^(hip|cuda)(Device|Ctx)Synchronize$`), 3, false, false, "the host waits for the whole device"},
	{"host_sync", rx(`^CL_FALSE$`), rx(`^CL_TRUE$`), 3, false, false, "the transfer became blocking"},
	{"host_sync", rx(`^(hip|cuda)Memcpy(2D|3D)?Async$`), rx(`^(hip|cuda)Memcpy(2D|3D)?$`), 3, false, false, "the copy became blocking"},
	{"masking", rx(`^Gemm(Default|NoPadding)$|^(No|Gemm)?Padding(None)?$`), rx(`^Gemm([MNK]+)(O)?Padding$`), 3, false, false, "instances pad their dimensions"},
	{"masking", rx(`^(Default|NoPadding|OddC|Filter1x1(Stride1)?Pad0)$`), rx(`^[MNKO]+Padding$`), 3, false, false, "instances pad their dimensions"},
	{"masking", rx(`^Filter\dx\d\w*$`), rx(`^Default$`), 2, false, false, "the general case replaces a specialised one"},
	{"masking", rx(`^(vector|amdgpu|tt|llvm)\.(load|store|transfer_read)$`), rx(`^(vector|llvm\.intr|llvm)\.masked_?(load|store)$`), 3, false, true, "the access is masked"},
	{"scheduling", rx(`^Intrawave$`), rx(`^Interwave$`), 3, true, false, "another pipeline scheduler"},
	{"prefetch", rx(`^(?:.*(?:[vV]er(?:sion)?_?|Pipeline|_)?)?[vV][2-9]$`), rx(`^(?:.*(?:[vV]er(?:sion)?_?|Pipeline|_)?)?[vV]1$`), 2, false, false, "a pipeline version without double buffering"},
	{"prefetch", rx(`(?i)pipeline_?\w*(comp|compute|async|tdm)(_?v?\d|$)`), rx(`(?i)pipeline_?\w*(mem|memory|basic|simple|naive)(_?v?\d|$)`), 3, false, false, "a pipeline without double buffering"},
	{"prefetch", rx(`PipelineVersion::v\d$`), rx(`PipelineVersion::v\d$`), 2, true, false, "another version of the pipeline"},
	{"memory_ops", rx(`^(__)?constant$`), rx(`^(__)?global$`), 2, false, true, "constant memory became global memory"},
	{"layout", rx(`^(Row|RowMajor)$`), rx(`^(Col|Column|ColMajor|ColumnMajor)$`), 3, true, false, "a matrix is stored the other way round"},
	{"mfma_shape", rx(`^dot_scaled$`), rx(`^dot$`), 3, false, true, "block-scaled matrix instructions are no longer used"},
	{"layout", rx(`^(threadIdx|blockIdx)\.x$`), rx(`^(threadIdx|blockIdx)\.y$`), 2, true, true, "lanes or workgroups are mapped to the other dimension"},
	{"stream", rx(`(?i)(get_?current_?(hip|cuda)?_?stream\w*|current_stream)$`), rx(`^(nullptr|hipStreamDefault|cudaStreamDefault|hipStreamLegacy|default_stream)$`), 3, false, false, "work goes to the default stream"},
	{"layout", rx(`^channels_last(_3d)?$`), rx(`^(contiguous_format|preserve_format)$`), 3, true, false, "the memory format changed"},
	{"compiler_flags", rx(`^(OPTIMIZE_)?O3$`), rx(`^(OPTIMIZE_)?O[0-2sz]$`), 3, false, false, "a lower optimisation level"},
	{"specialization", rx(`^__forceinline__|always_inline$`), rx(`^(__noinline__|noinline)$`), 3, false, false, "inlining is forbidden"},
	{"math_function", rx(`(?i)^(__umulhi|mul_hi|mulhi\w*|fast_?(div|mod|rem)\w*|magic_?div\w*)$`), rx(`^(/|%|//)$`), 3, false, true, "a multiplication by a reciprocal became a division"},
	{"math_function", rx(`^>>$`), rx(`^(/|//)$`), 2, false, true, "a shift became a division"},
	{"math_function", rx(`^&$`), rx(`^%$`), 2, false, true, "a bit mask became a remainder"},
	{"dispatch", rx(`(?i)(^|[._:])(asm|ck|aiter|hip|hipblaslt|triton|flydsl|opus|fused|fast|gluon|flash|wmma|mfma)_?\w*$`), rx(`^(torch\.(matmul|mm|bmm|einsum|nn\.functional\.\w+)|F\.(linear|scaled_dot_product_attention|softmax)|torch\.ops\.aten\.\w+|torch_\w+)$`), 2, false, false, "a library function replaces the kernel"},
	{"dispatch", nil, rx(`(?i)(^|[._:])\w*(naive|generic|fallback|reference|slow|unfused|eager)\w*$`), 3, false, false, "a slower implementation is called"},
}

// A swapMask has a bit for each swap that a name is on one side of.
type swapMask struct{ from, to uint64 }

// swapsOf looks a name up in the table, in full and without its namespace.
func swapsOf(name string) swapMask {
	last := token{text: name}.last()
	match := func(re *regexp.Regexp) bool { return re != nil && (re.MatchString(name) || re.MatchString(last)) }
	var m swapMask
	for i := range swaps {
		if match(swaps[i].from) {
			m.from |= 1 << i
		}
		if match(swaps[i].to) {
			m.to |= 1 << i
		}
	}
	return m
}

func (fc *fileContext) swapsIn(ts []token) swapMask {
	var m swapMask
	for _, t := range ts {
		if t.kind != tokString && t.kind != tokNumber {
			x := fc.memo.swap(t.text)
			m.from |= x.from
			m.to |= x.to
		}
	}
	return m
}

// swapRule looks for a name that was exchanged for one of another cost.
func (fc *fileContext) swapRule(c *change) {
	if isImport(c.new.toks) || len(c.gone)+len(c.came) > 40 {
		return
	}
	was, is := fc.swapsIn(c.gone), fc.swapsIn(c.came)
	if was.from&is.to|was.to&is.from|(was.to^is.to) == 0 {
		return
	}
	oldCalls, newCalls := called(c.old.toks, c.gone), called(c.new.toks, c.came)
	wasCalled, isCalled := was, is
	if len(c.gone) != 1 || len(c.came) != 1 {
		wasCalled, isCalled = fc.swapsIn(oldCalls), fc.swapsIn(newCalls)
	}
	for i := range swaps {
		s := &swaps[i]
		old, new := was, is
		if s.pattern == "dispatch" {
			old, new = wasCalled, isCalled
		}
		slower, faster := s.between(old, new, uint64(1)<<i)
		if s.from == nil {
			slower, faster = slower && len(oldCalls) > 0 && len(newCalls) > 0, faster && len(oldCalls) > 0 && len(newCalls) > 0
		}
		if !slower && !faster || s.device && c.new.dev == no || s.pattern == "math_function" && fc.sameValue(c.old.toks, c.new.toks) {
			continue
		}
		e := c.hint(s.pattern, s.level, s.reason)
		e.faster = !slower && !s.both
		if s.device && c.new.dev == unknown && !fc.gpu && !fc.deviceOnly() || s.pattern == "dispatch" && s.level < 3 && c.new.loop == no && c.new.fn == "" {
			e.level--
		}
		fc.emit(e)
		return
	}
}

// between tells whether a line went from the first name of the swap with this bit to
// the second, or back.
func (s *swap) between(was, is swapMask, bit uint64) (slower, faster bool) {
	if s.from == nil {
		return is.to&^was.to&bit != 0, was.to&^is.to&bit != 0
	}
	slower = was.from&is.to&bit != 0 && (is.from&bit == 0 || s.both && was.to&bit != 0)
	faster = was.to&is.from&bit != 0 && is.to&bit == 0
	return slower, faster
}

// called are those of some tokens that are called in their line.
func called(line, ts []token) []token {
	var out []token
	for i := 0; i+1 < len(line); i++ {
		if line[i].kind == tokIdent && hasText(line[i+1:i+2], "(", "<", "<<<", "[") && slices.Contains(ts, line[i]) {
			out = append(out, line[i])
		}
	}
	return out
}
