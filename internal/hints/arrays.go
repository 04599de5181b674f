package hints

import (
	"math"
	"slices"
)

// arrayRule looks at the dimensions of shared and private arrays.
func (fc *fileContext) arrayRule(c *change) {
	shared := isShared(c.new) && isShared(c.old)
	if !shared && (fc.lang != langC || c.new.dev != yes || !isArrayDeclaration(c.new.toks) || !isArrayDeclaration(c.old.toks)) {
		return
	}
	a, b := dimensions(c.old.toks), dimensions(c.new.toks)
	if len(a) == 0 || len(b) == 0 || slices.EqualFunc(a, b, equalTokens) {
		return
	}
	e := c.hint("lds_size", 2, "the dimensions of an array changed")
	x, xok := evaluate(a[len(a)-1])
	y, yok := evaluate(b[len(b)-1])
	switch numbers := xok && yok; {
	case shared && fewerBuffers(a, b):
		e = c.hint("prefetch", 3, "the array has fewer buffers")
	case shared && len(a) == len(b) && (numbers && isPad(x, y) || !numbers && hasText(a[len(a)-1], "+") != hasText(b[len(b)-1], "+")):
		e = c.hint("lds_padding", 3, "the padding of the last dimension changed")
		e.faster = numbers && y > x
	case numbers:
		e.multiple = y / math.Max(x, 1)
	}
	if !shared {
		e.cause = "more registers or scratch for each work-item"
	}
	fc.emit(e)
}

// fewerBuffers tells whether a first dimension of 2 to 4 is gone, or became 1.
func fewerBuffers(a, b [][]token) bool {
	x, xok := evaluate(a[0])
	y, yok := evaluate(b[0])
	return xok && x >= 2 && x <= 4 && (len(a) > len(b) || len(a) == len(b) && yok && y < 2)
}

// isPad: the numbers differ by at most 8 and one is a multiple of 8.
func isPad(x, y float64) bool {
	return x != y && math.Abs(x-y) <= 8 && (math.Mod(x, 8) == 0 || math.Mod(y, 8) == 0)
}

var sharedWord = wordSet("__shared__ __local local CK_TILE_SHARED threadgroup groupshared")

// isShared tells whether a line declares or allocates shared memory.
func isShared(l *srcLine) bool {
	return slices.ContainsFunc(l.toks, func(t token) bool {
		return sharedWord[t.text] || hasAnySuffix(t.text, "allocate_shared_memory", "local_alloc", "alloc_lds", "SmemAllocator")
	})
}

// isArrayDeclaration tells whether a line of C declares an array.
func isArrayDeclaration(ts []token) bool {
	for i := 1; i+1 < len(ts); i++ {
		if ts[i].kind == tokIdent && ts[i-1].kind == tokIdent && ts[i+1].text == "[" && ts[i-1].text != "return" {
			return !hasText(ts[:i], "=")
		}
	}
	return false
}

// dimensions lists what stands in the square brackets; for a call those of its
// shape argument.
func dimensions(ts []token) [][]token {
	var out [][]token
	for i := 0; i+2 < len(ts); i++ {
		if ts[i].text == "shape" && ts[i+1].text == "=" && ts[i+2].text == "(" {
			return splitArgs(ts[i+3 : closing(ts, i+2)])
		}
	}
	for i := 0; i < len(ts); i++ {
		if ts[i].text != "[" {
			continue
		}
		end := closing(ts, i)
		if parts := splitArgs(ts[i+1 : end]); len(parts) > 1 {
			return parts
		}
		out = append(out, ts[i+1:end])
		i = end
	}
	return out
}
