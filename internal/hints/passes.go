package hints

import (
	"slices"
	"strings"
)

// passPattern says what the passes of a kernel compiler's pipeline are for, by words
// in their names. The rest are taken for compiler options.
var passPattern = []struct{ word, pattern string }{
	{"unroll", "unroll"},
	{"pipeline", "num_stages"},
	{"prefetch", "prefetch"},
	{"sched", "scheduling"},
	{"reorder", "scheduling"},
	{"interleave", "scheduling"},
	{"coalesce", "layout"},
	{"layout", "layout"},
	{"swizzle", "lds_padding"},
	{"accelerate_matmul", "mfma_shape"},
	{"buffer_ops", "memory_ops"},
	{"vectoriz", "vector_width"},
}

// passRule finds passes that a compiler written in Python no longer runs:
// passes.ttgpuir.add_pipeline(pm, ...).
func (fc *fileContext) passRule(_ *sourceHunk, r *run) {
	for _, l := range r.old {
		n := passName(l.toks)
		if n == "" || slices.ContainsFunc(r.new, func(x *srcLine) bool { return passName(x.toks) == n }) {
			continue
		}
		e := r.hint(l, "compiler_flags", 3, "the compiler no longer runs the pass "+n)
		e.cause = "other machine code from the same source"
		for _, p := range passPattern {
			if strings.Contains(n, p.word) {
				e.pattern = p.pattern
				break
			}
		}
		fc.emit(e)
		return
	}
}

// passName is the pass that a line adds to a pipeline, or "".
func passName(ts []token) string {
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind == tokIdent && ts[i+1].text == "(" && (strings.Contains(ts[i].text, "passes.") || strings.HasPrefix(ts[i].last(), "add_") && strings.HasPrefix(ts[i].text, "pm.")) {
			return strings.TrimPrefix(ts[i].last(), "add_")
		}
	}
	return ""
}
