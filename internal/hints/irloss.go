package hints

import "strings"

// llvmRule finds attributes and flags of LLVM IR that let the compiler do more and
// are gone: fast-math flags, noalias, alignment.
func (fc *fileContext) llvmRule(r *run, p pair, d tokenDiff) {
	if fc.lang != langLLVM {
		return
	}
	e := evidenceOf{old: p.old, new: p.new, run: r, level: 2}
	x, y, numbers := numbersOf(d.old, d.new)
	switch {
	case hasAny(d.old, fastFlags) && !hasAny(d.new, fastFlags):
		e.pattern, e.reason = "math_function", "fast-math flags are gone"
	case hasAny(d.old, pointerFacts) && !hasAny(d.new, pointerFacts):
		e.pattern, e.reason = "specialization", "what was known of a pointer is gone"
	case numbers && after(p.new.toks, d.new[0]) == "align" && (hasText(p.new.toks, "load") || hasText(p.new.toks, "store")):
		e.pattern, e.faster, e.reason = "vector_width", y > x, "the alignment of an access changed"
	case numbers && hasText(p.new.toks, "addrspace") && hasText(p.new.toks, "global") && after(p.new.toks, d.new[0]) == "[":
		e.pattern, e.reason = "lds_size", "the size of an array in shared memory changed"
		e.faster = y < x
	default:
		return
	}
	fc.emit(e)
}

var (
	fastFlags    = wordSet("fast contract afn arcp reassoc")
	pointerFacts = wordSet("noalias dereferenceable readonly nonnull noundef inreg")
)

func hasAny(ts []token, set map[string]bool) bool {
	for _, t := range ts {
		if set[t.text] {
			return true
		}
	}
	return false
}

// after is the text before a token of a line.
func after(ts []token, t token) string {
	for i := 1; i < len(ts); i++ {
		if ts[i] == t {
			return ts[i-1].text
		}
	}
	return ""
}

// mlirRule reads the sizes of launches and of memory shared by a workgroup.
func (fc *fileContext) mlirRule(r *run, p pair, d tokenDiff) {
	if fc.lang != langMLIR || len(d.old)+len(d.new) == 0 {
		return
	}
	ts := p.new.toks
	e := evidenceOf{old: p.old, new: p.new, run: r, level: 2}
	switch {
	case hasText(ts, "gpu.launch") || hasText(ts, "gpu.launch_func"):
		if !onlyNumbers(fc.unwrap(d.old)) || !onlyNumbers(fc.unwrap(d.new)) || len(d.new) == 0 {
			return
		}
		e.pattern, e.reason = "launch_config", "the size of a launch changed"
		for _, t := range ts {
			if t == d.new[0] {
				break
			}
			if t.text == "threads" {
				e.pattern = "num_warps"
			}
		}
	case strings.Contains(p.new.text, "workgroup>") && strings.Contains(p.old.text, "workgroup>") && strings.Contains(p.new.text, "alloc"):
		if len(d.old) != 1 || len(d.new) != 1 || !shapedType.MatchString(d.new[0].text) {
			return
		}
		e.pattern, e.reason = "lds_size", "the size of memory shared by the workgroup changed"
	default:
		return
	}
	fc.emit(e)
}
