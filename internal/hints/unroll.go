package hints

import (
	"fmt"
	"strings"
)

func (fc *fileContext) unrollKind(r *run, p pair, a, b loopHead) {
	if a.kind == b.kind || p.new.dev == no {
		return
	}
	e := evidenceOf{pattern: "unroll", level: 3, old: p.old, new: p.new, run: r, reason: "the loop is no longer unrolled at compile time"}
	if b.kind == "static" {
		e.level, e.reason = 2, "the loop is now unrolled at compile time: code size and registers grow"
	}
	e.level = min(e.level, fc.level3(p.new))
	fc.emit(e)
}

// unrollPragmas compares the pragmas of a run: #pragma unroll, _Pragma, clang loop.
func (fc *fileContext) unrollPragmas(r *run) {
	if fc.lang != langC && fc.lang != langLLVM {
		return
	}
	old, new := pragmas(r.old), pragmas(r.new)
	if len(old) == 0 && len(new) == 0 {
		return
	}
	e := evidenceOf{pattern: "unroll", level: 3, run: r}
	switch {
	case len(old) > len(new):
		e.old, e.new = partners(missing(old, new))
		e.reason = "an unroll pragma was removed"
	case len(new) > len(old):
		l := missing(new, old)
		e.old, e.new = partners(l)
		e.reason = "an unroll pragma was added: code size and registers grow"
		e.level = 2
		if f := unrollFactor(l.toks); f == 1 {
			e.level, e.reason = 3, "unrolling is forbidden"
		}
	default:
		i := 0
		for i < len(old) && old[i].hash == new[i].hash {
			i++
		}
		if i == len(old) {
			return
		}
		x, y := unrollFactor(old[i].toks), unrollFactor(new[i].toks)
		e.old, e.new = old[i], new[i]
		e.reason = fmt.Sprintf("the unroll factor changed from %s to %s", factorText(x), factorText(y))
		e.multiple = (y + 1) / (x + 1)
	}
	l := e.new
	if l == nil {
		l = e.old
	}
	if l.newFn != "" || l.dev == no && !fc.gpu {
		return
	}
	fc.emit(e)
}

func missing(more, less []*srcLine) *srcLine {
	n := map[uint64]int{}
	for _, l := range less {
		n[l.hash]++
	}
	for _, l := range more {
		if n[l.hash]--; n[l.hash] < 0 {
			return l
		}
	}
	return more[0]
}

func pragmas(ls []*srcLine) []*srcLine {
	var out []*srcLine
	for _, l := range ls {
		ts := l.toks
		if len(ts) < 2 {
			continue
		}
		is := ts[0].text == "#" && ts[1].text == "pragma" || ts[0].text == "_Pragma" || ts[0].text == "__pragma" || ts[0].text == "[" && ts[1].text == "[" && l.twin != nil
		if is && strings.Contains(strings.ToLower(l.text), "unroll") || strings.Contains(l.text, "llvm.loop.unroll") {
			out = append(out, l)
		}
	}
	return out
}

// unrollFactor is the number in a pragma; 1 for nounroll, 64 for "all".
func unrollFactor(ts []token) float64 {
	if len(ts) > 4 && ts[0].text == "[" && ts[3].text == "]" {
		return 64 // [[unroll]]; the numbers are those of the loop
	}
	for _, t := range ts {
		if t.kind == tokNumber {
			v, _ := parseNumber(t.text)
			return v
		}
		if strings.Contains(t.text, "nounroll") || strings.Contains(t.text, "unroll.disable") || strings.Contains(t.text, "disable") {
			return 1
		}
	}
	return 64
}

func factorText(f float64) string {
	switch f {
	case 64:
		return "all"
	case 1:
		return "none"
	}
	return fmt.Sprint(f)
}
