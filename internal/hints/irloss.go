package hints

import (
	"slices"
	"strings"
)

// llvmRule finds attributes and flags of LLVM IR that let the compiler do more and
// are gone: fast-math flags, noalias, alignment.
func (fc *fileContext) llvmRule(c *change) {
	x, y, numbers := numbersOf(c.gone, c.came)
	switch {
	case hasAny(c.gone, fastFlags) && !hasAny(c.came, fastFlags):
		fc.emit(c.hint("math_function", 2, "fast-math flags are gone"))
	case hasAny(c.gone, pointerFacts) && !hasAny(c.came, pointerFacts):
		fc.emit(c.hint("specialization", 2, "what was known of a pointer is gone"))
	case numbers && after(c.new.toks, c.came[0]) == "align" && hasText(c.new.toks, "load", "store"):
		e := c.hint("vector_width", 2, "the alignment of an access changed")
		e.faster = y > x
		fc.emit(e)
	case numbers && hasText(c.new.toks, "addrspace") && hasText(c.new.toks, "global") && after(c.new.toks, c.came[0]) == "[":
		e := c.hint("lds_size", 2, "the size of an array in shared memory changed")
		e.faster = y < x
		fc.emit(e)
	}
}

var (
	fastFlags    = wordSet("fast contract afn arcp reassoc")
	pointerFacts = wordSet("noalias dereferenceable readonly nonnull noundef inreg")
)

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
func (fc *fileContext) mlirRule(c *change) {
	switch {
	case hasText(c.new.toks, "gpu.launch", "gpu.launch_func"):
		if len(c.came) == 0 || !onlyNumbers(fc.unwrap(c.gone)) || !onlyNumbers(fc.unwrap(c.came)) {
			return
		}
		e := c.hint("launch_config", 2, "the size of a launch changed")
		if hasText(c.new.toks[:slices.Index(c.new.toks, c.came[0])], "threads") {
			e.pattern = "num_warps"
		}
		fc.emit(e)
	case len(c.gone) == 1 && len(c.came) == 1 && shapedType.MatchString(c.came[0].text) &&
		strings.Contains(c.new.text, "workgroup>") && strings.Contains(c.old.text, "workgroup>") && strings.Contains(c.new.text, "alloc"):
		fc.emit(c.hint("lds_size", 2, "the size of memory shared by the workgroup changed"))
	}
}
