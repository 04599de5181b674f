package hints

import "fmt"

// level3 is 3 where the code is surely about kernels, else 2.
func (fc *fileContext) level3(l *srcLine) int {
	if l.dev == yes || fc.deviceOnly() || l.dev == unknown && (fc.gpu || fc.triton) {
		return 3
	}
	return 2
}

// isAnnotation tells whether a Python line only changes in type hints.
func isAnnotation(l *srcLine) bool {
	return l.lang == langPython && (hasText(l.toks, "->") || len(l.toks) > 0 && statementStart(l.toks).text == "def")
}

// isCondition tells whether a line asks for a type instead of using one.
func isCondition(ts []token) bool {
	switch ts[0].text {
	case "if", "elif", "while", "assert", "static_assert", "case", "}":
		return true
	}
	return hasText(ts, "==") || hasText(ts, "!=")
}

// address64 is what wide indices cost.
const address64 = "64-bit address arithmetic takes two instructions and two registers"

// typeRule compares the types that the two versions of a line name.
func (fc *fileContext) typeRule(c *change) {
	if isAnnotation(c.new) || isImport(c.new.toks) || isCondition(c.new.toks) {
		return
	}
	if fc.lang == langC && c.new.dev == yes && hasAnyLast(c.came, wide64) && !hasAnyLast(c.old.toks, wide64) {
		fc.emit(c.wideIndex())
		return
	}
	x, y := typesIn(fc.lang, c.gone), typesIn(fc.lang, c.came)
	if len(x) == 0 || len(y) == 0 {
		return
	}
	a, b := widest(x), widest(y)
	e := fc.compareWidest(c, a, b)
	integer := a.base == 'i' && b.base == 'i'
	if c.new.dev != yes && (integer || hasText(c.came, "float", "double")) { // host code uses these as well
		e.level--
		e.reason += "; the hunk does not show that this is device code"
	}
	if c.new.dev == no && fc.lang == langC && !fc.gpu {
		e.level--
	}
	e.level = min(e.level, fc.level3(c.new)+b2i(fc.lang == langPython && e.level == 3))
	fc.emit(e)
}

// compareWidest compares the widest types of two versions; level 0 says nothing.
func (fc *fileContext) compareWidest(c *change, a, b typeInfo) evidenceOf {
	switch {
	case fc.lang == langC && a.lanes > 1 && a.size() > b.size() && pointerCast(c.old.toks):
		e := c.hint("vector_width", 3, fmt.Sprintf("%d to %d bits for each access", a.size(), b.size()))
		e.multiple = float64(a.size()) / float64(b.size())
		return e
	case a.bits == b.bits && a.lanes != b.lanes:
		e := c.hint("vector_width", 3, fmt.Sprintf("%d to %d elements of %d bits for each access", a.lanes, b.lanes, b.bits))
		e.faster, e.multiple = b.lanes > a.lanes, float64(max(a.lanes, b.lanes))/float64(min(a.lanes, b.lanes))
		if fc.lang == langPython && min(a.lanes, b.lanes) == 1 {
			e.level = 0 // two ways to spell a vector's type
		}
		return e
	}
	v := widening(a, b)
	e := c.hint("dtype", v.level, v.reason)
	e.faster, e.multiple = v.faster, ratioOf(v.ratio)
	if a.base == 'i' && b.base == 'i' {
		e.level, e.cause = min(e.level, 2), address64
		if b.bits < 64 {
			e.level = min(e.level, 1)
		}
	}
	return e
}

// wideIndexRule finds Python index arithmetic that became 64 bits wide.
func (fc *fileContext) wideIndexRule(c *change) {
	if hasLast(c.came, "int64") && !hasLast(c.old.toks, "int64") {
		fc.emit(c.wideIndex())
	}
}

func (c *change) wideIndex() evidenceOf {
	e := c.hint("dtype", 2, "index arithmetic became 64 bits wide")
	e.cause = address64
	return e
}

// wide64 are the names of 64-bit integer types.
var wide64 = wordSet("int64_t uint64_t size_t ptrdiff_t long_index_t ulong int64")

// pointerCast tells whether a line reads memory through a pointer of another type.
func pointerCast(ts []token) bool {
	return hasText(ts, "reinterpret_cast") || hasText(ts, "*")
}

func widest(ts []typeInfo) typeInfo {
	w := ts[0]
	for _, t := range ts[1:] {
		if t.bits > w.bits {
			w = t
		}
	}
	return w
}
