package hints

import (
	"fmt"
	"slices"
	"strings"
)

// widthRule compares access widths in names, and "<4 x float>" of LLVM.
func (fc *fileContext) widthRule(c *change) {
	a, b := widthOf(c.gone, c.old.toks), widthOf(c.came, c.new.toks)
	if a == 0 || b == 0 || a == b || strings.Contains(c.new.text, "mfma") || strings.Contains(c.new.text, "wmma") {
		return
	}
	e := c.hint("vector_width", fc.level3(c.new), fmt.Sprintf("%d to %d bits (or elements) for each access", a, b))
	e.faster, e.multiple = b > a, float64(max(a, b))/float64(min(a, b))
	fc.emit(e)
}

// widthOf is the width of the widest access among tokens, in bits, or in elements
// where a vector's type has them; 0 if none is named.
func widthOf(diff, line []token) int {
	w := 0
	for _, t := range diff {
		if t.kind == tokIdent {
			w = max(w, accessBits(t.last()))
		}
		if m := shapedType.FindStringSubmatch(t.text); t.kind == tokNumber && m != nil && hasPrefixToken(line, "vector") {
			n, _ := parseNumber(m[1])
			w = max(w, int(n))
		}
	}
	if w > 0 {
		return w
	}
	for i := 0; i+2 < len(line); i++ { // LLVM
		if line[i].text == "<" && line[i+1].kind == tokNumber && line[i+2].text == "x" {
			n, _ := parseNumber(line[i+1].text)
			return int(n)
		}
	}
	if len(line) > 3 && hasText(line, "load", "store") && hasText(line, "ptr", "addrspace") {
		return 1
	}
	return 0
}

func hasPrefixToken(ts []token, p string) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return strings.HasPrefix(t.text, p) })
}

// elementsRule finds "16 / sizeof(T)", the elements of a vector access, replaced by
// a number.
func (fc *fileContext) elementsRule(c *change) {
	a, b := elementCount(c.gone), elementCount(c.came)
	if a == b || a && !justNumbers(c.came) || b && !justNumbers(c.gone) {
		return
	}
	e := c.hint("vector_width", fc.level3(c.new), "the elements of a vector access are no longer computed from its bytes")
	e.faster = b
	fc.emit(e)
	c.explain()
}

func elementCount(ts []token) bool { return hasText(ts, "sizeof") && hasText(ts, "/") && hasNumber(ts) }

// vectorLoss finds vector accesses that a run replaces by scalar ones without a
// partner line: reinterpret_cast<float4*>.
func (fc *fileContext) vectorLoss(_ *sourceHunk, r *run) {
	first := firstLine(r.old, hasVector)
	if len(r.new) == 0 || first == nil || first.dev == no || firstLine(r.new, hasVector) != nil {
		return
	}
	fc.emit(r.hint(first, "vector_width", fc.level3(first), "vector types are gone from the replaced lines"))
}

// hasVector tells whether a line names a vector type.
func hasVector(l *srcLine) bool {
	return slices.ContainsFunc(l.toks, func(t token) bool {
		ti, ok := typeOf(t)
		return ok && t.kind == tokIdent && ti.lanes > 1
	})
}
