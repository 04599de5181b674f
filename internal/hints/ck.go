package hints

import (
	"fmt"
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
func (fc *fileContext) ckRule(h *sourceHunk, r *run, p pair, d tokenDiff) {
	if fc.lang != langC || r.judged[p.new] || !listOnly(d.old) || !listOnly(d.new) || len(d.new) == 0 {
		return
	}
	flat, at := flatten2(h, p.new)
	seen := map[placed]bool{}
	for _, i := range at {
		if !changedHere(d.new, flat[i]) {
			continue
		}
		pl, ok := ckPlace(flat, i)
		if !ok || seen[pl] {
			continue
		}
		seen[pl] = true
		e := evidenceOf{pattern: pl.pattern, level: 3, old: p.old, new: p.new, run: r, reason: fmt.Sprintf("the %s of a Composable Kernel instance changed (by its place in the list)", pl.what)}
		if x, y, ok := numbersOf(d.old, d.new); ok {
			e.multiple = ratioOf(max(x, y) / max(min(x, y), 1))
			e.faster = pl.pattern == "vector_width" && y > x || pl.pattern == "lds_padding" && y > x
		}
		fc.emit(e)
	}
	if len(seen) > 0 {
		r.judged[p.new] = true
	}
}

// listOnly: numbers, switches and commas.
func listOnly(ts []token) bool {
	for _, t := range ts {
		if t.kind != tokNumber && t.text != "," && t.text != "true" && t.text != "false" {
			return false
		}
	}
	return true
}

func changedHere(d []token, t token) bool {
	for _, x := range d {
		if x == t {
			return true
		}
	}
	return false
}

// flatten2 is the new side of a hunk as one list of tokens, and the places of the
// tokens of l in it.
func flatten2(h *sourceHunk, l *srcLine) (flat []token, at []int) {
	for i := range h.new.lines {
		x := &h.new.lines[i]
		if x == l {
			for k := range x.toks {
				at = append(at, len(flat)+k)
			}
		}
		flat = append(flat, x.toks...)
	}
	return flat, at
}

// ckPlace names the argument at i.
func ckPlace(ts []token, i int) (placed, bool) {
	if open := opening(ts, i); open > 0 && ts[open-1].kind == tokIdent {
		switch ts[open-1].last() {
		case "sequence":
			n, first := groupsBefore(ts, open-1)
			if n < len(shapeParts) && first > 1 && ts[first-1].text == "<" && strings.Contains(ts[first-2].last(), "Shape") {
				return shapeParts[n], true
			}
			return placed{}, false
		case "S":
			if n, _ := groupsBefore(ts, open-1); n == 0 {
				return placed{"layout", "thread cluster"}, true
			}
			return placed{"layout", "order of a transfer"}, true
		}
	}
	// Numbers back to a bracket that closes S<...>.
	k := 0
	for j := i - 1; j > 0; j-- {
		switch {
		case ts[j].text == ",":
			continue
		case ts[j].kind == tokNumber, ts[j].text == "true", ts[j].text == "false":
			k++
			continue
		case ts[j].text == ">":
			start := openOf(ts, j)
			if start == 0 || ts[start-1].last() != "S" {
				return placed{}, false
			}
			if n, _ := groupsBefore(ts, start-1); n >= 2 && k < len(afterOrders) {
				return afterOrders[k], true
			}
			return placed{}, false
		}
		break
	}
	// Numbers on to the first S<.
	before := k
	k = 0
	for j := i + 1; j < len(ts); j++ {
		switch {
		case ts[j].text == ",":
			continue
		case ts[j].kind == tokNumber:
			k++
			continue
		case ts[j].last() == "S" && j+1 < len(ts) && ts[j+1].text == "<" && k < len(beforeTransfer) && before+k >= 8:
			return beforeTransfer[k], true
		}
		break
	}
	return placed{}, false
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
