package hints

import (
	"fmt"
	"slices"
	"strings"
)

// The lists of template arguments of Composable Kernel name nothing: what a number
// is follows from its place. In a Device... operation the numbers before the first
// S<...> end with
//
//	BlockSize, M, N, KPerBlock, AK1, BK1, MPerXDL, NPerXDL, MXdlPerWave, NXdlPerWave
//
// and each transfer of a tile is
//
//	S<cluster lengths>, S<arrange order>, S<access order>, SrcVectorDim,
//	SrcScalarPerVector, DstScalarPerVector, LdsExtra
//
// (DeviceGemm_Xdl_CShuffle and its relatives). In ck_tile a shape is
// sequence<block tile>, sequence<warps>, sequence<warp tile>.
var (
	beforeTransfer = []placed{
		{"tile_size", "N XDL per wave"},
		{"tile_size", "M XDL per wave"},
		{"mfma_shape", "N per XDL"},
		{"mfma_shape", "M per XDL"},
		{"vector_width", "BK1"},
		{"vector_width", "AK1"},
		{"tile_size", "K per block"},
		{"tile_size", "N per block"},
		{"tile_size", "M per block"},
		{"num_warps", "block size"},
	}
	afterOrders = []placed{{"layout", "source vector dimension"}, {"vector_width", "source scalars per vector"}, {"vector_width", "destination scalars per vector"}, {"lds_padding", "extra LDS row"}}
	shapeParts  = []placed{{"tile_size", "block tile"}, {"num_warps", "warps of the block"}, {"mfma_shape", "warp tile"}}
)

type placed struct{ pattern, what string }

// ckRule reads a changed number of such a list by its place. It looks at the new
// side of the hunk, so that a list may be cut into lines in any way.
func (fc *fileContext) ckRule(c *change) {
	if !listOnly(c.gone) || !listOnly(c.came) || len(c.came) == 0 {
		return
	}
	flat, from := flatSide(&c.h.new, c.new)
	seen := map[placed]bool{}
	for i := from; i < from+len(c.new.toks); i++ {
		if !slices.Contains(c.came, flat[i]) {
			continue
		}
		pl, ok := ckPlace(flat, i)
		if !ok || seen[pl] {
			continue
		}
		seen[pl] = true
		e := c.hint(pl.pattern, 3, fmt.Sprintf("the %s of a Composable Kernel instance changed (by its place in the list)", pl.what))
		e.scale(c, pl.pattern == "vector_width" || pl.pattern == "lds_padding")
		fc.emit(e)
		c.explain()
	}
}

// listOnly: numbers, switches and commas.
func listOnly(ts []token) bool {
	return !slices.ContainsFunc(ts, func(t token) bool { return !isListItem(t) && t.text != "," })
}

func isListItem(t token) bool { return isNumber(t) || t.text == "true" || t.text == "false" }

// flatSide is one side of a hunk as one list of tokens, and where those of l start.
func flatSide(sd *side, l *srcLine) (flat []token, from int) {
	for i := range sd.lines {
		x := &sd.lines[i]
		if x == l {
			from = len(flat)
		}
		flat = append(flat, x.toks...)
	}
	return flat, from
}

// ckPlace names the argument at i.
func ckPlace(ts []token, i int) (placed, bool) {
	if open := opening(ts, i); open > 0 {
		switch ts[open-1].last() {
		case "sequence":
			return shapePart(ts, open-1)
		case "S":
			if n, _ := groupsBefore(ts, open-1); n == 0 {
				return placed{"layout", "thread cluster"}, true
			}
			return placed{"layout", "order of a transfer"}, true
		}
	}
	// Numbers back to a bracket that closes S<...>.
	before, j := items(ts, i, -1, isListItem)
	if j > 0 && ts[j].text == ">" {
		start := openOf(ts, j)
		if start == 0 || ts[start-1].last() != "S" {
			return placed{}, false
		}
		n, _ := groupsBefore(ts, start-1)
		return pick(afterOrders, before, n >= 2)
	}
	// Numbers on to the first S<.
	behind, j := items(ts, i, 1, isNumber)
	return pick(beforeTransfer, behind, j+1 < len(ts) && ts[j].last() == "S" && ts[j+1].text == "<" && before+behind >= 8)
}

// shapePart names the numbers of the sequence whose name is at i: the place among
// those of a shape.
func shapePart(ts []token, i int) (placed, bool) {
	n, first := groupsBefore(ts, i)
	return pick(shapeParts, n, first > 1 && ts[first-1].text == "<" && strings.Contains(ts[first-2].last(), "Shape"))
}

func pick(names []placed, n int, ok bool) (placed, bool) {
	if !ok || n >= len(names) {
		return placed{}, false
	}
	return names[n], true
}

// items counts what a list holds from i, which does not count, in steps of by, and
// returns the place where it ends.
func items(ts []token, i, by int, is func(token) bool) (n, end int) {
	for end = i + by; end > 0 && end < len(ts); end += by {
		if is(ts[end]) {
			n++
		} else if ts[end].text != "," {
			break
		}
	}
	return n, end
}

// opening is the < of the innermost list of numbers around i, or 0.
func opening(ts []token, i int) int {
	for j := i - 1; j > 0; j-- {
		switch {
		case ts[j].kind == tokNumber || ts[j].text == ",":
		case ts[j].text == "<":
			return j
		default:
			return 0
		}
	}
	return 0
}

// openOf is the < that belongs to the > at j.
func openOf(ts []token, j int) int {
	for k := j - 1; k > 0 && j-k < 16; k-- {
		if ts[k].text == "<" {
			return k
		}
	}
	return 0
}

// groupsBefore counts the name<...> of the same name that stand right before the
// one whose name is at i, and returns the place of the first.
func groupsBefore(ts []token, i int) (n, first int) {
	for i > 2 && ts[i-1].text == "," && ts[i-2].text == ">" {
		open := openOf(ts, i-2)
		if open == 0 || ts[open-1].last() != ts[i].last() {
			break
		}
		n++
		i = open - 1
	}
	return n, i
}
