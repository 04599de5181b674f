package hints

import (
	"fmt"
	"strings"
)

var layoutCall = rx(`(Layout|Encoding|Swizzle)$|^(\w*[.:])*(make_\w*(layout|descriptor|distribution|coordinate_transform|xor_transform)\w*|transform_tensor_descriptor|tile_distribution_encoding|make_embed_transform|make_pad_transform|make_block_ptr|trans|permute|reshape|transpose|contiguous_layout|\w*swizzle\w*)$|^#?(ttg\.|triton_gpu\.|ttng\.)?(blocked|shared|swizzled_shared|padded_shared|mma|amd_mfma|amd_wmma|dot_op|linear|slice|generic_linear)\d*$`)

// layoutRule finds changed arguments of whatever makes a layout.
func (fc *fileContext) layoutRule(c *change) {
	name := fc.layoutName(c.new)
	if name == "" || isImport(c.new.toks) || fc.layoutName(c.old) == "" {
		return
	}
	level, reason := fc.compareLayouts(c, name)
	if level == 0 {
		return
	}
	if hasAnyOf(name, "swizzled", "padded", "xor") {
		fc.emit(c.hint("lds_padding", 2, reason))
	}
	level = min(level, fc.level3(c.new))
	if hasAnyOf(name, "naive", "packed") {
		level = min(level, 2) // often the sizes of the problem
	}
	if level > 1 {
		c.explain()
	}
	fc.emit(c.hint("layout", level, reason))
}

// compareLayouts says what became of the layout that is called name; level 0 says
// nothing.
func (fc *fileContext) compareLayouts(c *change, name string) (level int, reason string) {
	was, is := fc.layoutCtor(c.gone), fc.layoutCtor(c.came)
	numbers := hasNumber(c.gone) || hasNumber(c.came)
	switch {
	case numbers && onlyNumbers(c.gone) && onlyNumbers(c.came):
		return 3, fmt.Sprintf("the numbers of %s changed", name)
	case was != "" && is != "":
		level = 1
		if strings.HasSuffix(was, "Layout") && strings.HasSuffix(is, "Layout") {
			level = 3
		}
		return level, fmt.Sprintf("%s became %s", was, is)
	case numbers:
		return 2, fmt.Sprintf("the arguments of %s changed", name)
	case hasText(c.new.toks, "stride") && !(allNames(c.gone) && allNames(c.came)):
		return 2, fmt.Sprintf("the strides of %s changed", name)
	}
	return 0, ""
}

// layoutName is what makes the layout that a line is part of, "" if nothing does.
func (fc *fileContext) layoutName(l *srcLine) string {
	if n := fc.layoutCtor(l.toks); n != "" {
		return n
	}
	for _, n := range []string{l.call, l.outer} {
		if n != "" && fc.memo.word(n).layout {
			return n
		}
	}
	return ""
}

// layoutCtor is the first name among tokens that makes a layout, or "".
func (fc *fileContext) layoutCtor(ts []token) string {
	for i, t := range ts {
		if t.kind == tokIdent && i+1 < len(ts) && strings.Contains("([{<", ts[i+1].text) && fc.memo.word(t.text).layout {
			return t.text
		}
	}
	return ""
}

// typeParameter is the name of a template parameter that names a layout.
var typeParameter = rx(`^[A-Z]\w?Layout$|^(In|Out|Wei|Bias)Layout$`)

// orderOfCalls finds layout-making calls in another order: w.t().contiguous().
func (fc *fileContext) orderOfCalls(c *change) {
	if len(c.gone) > 0 && hasLast(c.new.toks, "contiguous") && sameBag(links(c.old.toks), links(c.new.toks)) {
		fc.emit(c.hint("layout", 2, "the tensor is made contiguous in another order"))
	}
}

// links are the names of a line, taken out of their chains.
func links(ts []token) []token {
	var out []token
	for _, t := range ts {
		for n := range strings.SplitSeq(t.text, ".") {
			out = append(out, token{text: n})
		}
	}
	return out
}
