package hints

import (
	"cmp"
	"fmt"
	"strings"
)

// unrollKind compares whether the compiler must unroll a loop.
func (fc *fileContext) unrollKind(c *change, a, b loopHead) {
	if a.kind == b.kind || c.new.dev == no {
		return
	}
	e := c.hint("unroll", 3, "the loop is no longer unrolled at compile time")
	if b.kind == "static" {
		e.level, e.reason = 2, "the loop is now unrolled at compile time: code size and registers grow"
	}
	e.level = min(e.level, fc.level3(c.new))
	fc.emit(e)
}

// unrollPragmas compares the pragmas of a run: #pragma unroll, _Pragma, clang loop.
func (fc *fileContext) unrollPragmas(_ *sourceHunk, r *run) {
	e := comparePragmas(r, linesWith(r.old, isUnroll), linesWith(r.new, isUnroll))
	if l := cmp.Or(e.new, e.old); l != nil && l.newFn == "" && (l.dev != no || fc.gpu) {
		fc.emit(e)
	}
}

// comparePragmas says what became of the unroll pragmas of a run; without a line
// nothing did.
func comparePragmas(r *run, olds, news []*srcLine) evidenceOf {
	switch {
	case len(olds) > len(news):
		return r.hint(missing(olds, news), "unroll", 3, "an unroll pragma was removed")
	case len(news) > len(olds):
		l := missing(news, olds)
		if unrollFactor(l.toks) == 1 {
			return r.hint(l, "unroll", 3, "unrolling is forbidden")
		}
		return r.hint(l, "unroll", 2, "an unroll pragma was added: code size and registers grow")
	}
	for i := range olds {
		if olds[i].hash != news[i].hash {
			x, y := unrollFactor(olds[i].toks), unrollFactor(news[i].toks)
			return evidenceOf{
				pattern: "unroll", level: 3, run: r, old: olds[i], new: news[i], multiple: (y + 1) / (x + 1),
				reason: fmt.Sprintf("the unroll factor changed from %s to %s", factorText(x), factorText(y)),
			}
		}
	}
	return evidenceOf{}
}

// missing is the first line that there are fewer of in less.
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

// isUnroll tells whether a line is a pragma or attribute about unrolling.
func isUnroll(l *srcLine) bool {
	ts := l.toks
	if len(ts) < 2 {
		return false
	}
	pragma := ts[0].text == "#" && ts[1].text == "pragma" || hasText(ts[:1], "_Pragma", "__pragma") || ts[0].text == "[" && ts[1].text == "[" && l.twin != nil
	return pragma && hasAnyOf(l.text, "unroll") || strings.Contains(l.text, "llvm.loop.unroll")
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

// staticLoopLoss finds compile-time loops that a run replaces by run-time ones
// without a partner line.
func (fc *fileContext) staticLoopLoss(_ *sourceHunk, r *run) {
	oldStatic, oldDynamic := fc.loopKinds(r.oldOnly)
	newStatic, newDynamic := fc.loopKinds(r.newOnly)
	if len(oldStatic) <= len(newStatic) || len(newDynamic) <= len(oldDynamic) || oldStatic[0].dev == no {
		return
	}
	fc.emit(r.hint(oldStatic[0], "unroll", fc.level3(oldStatic[0]), "a loop is no longer unrolled at compile time"))
}

// loopKinds lists the headers of loops that the compiler must unroll, and the rest.
func (fc *fileContext) loopKinds(ls []*srcLine) (static, dynamic []*srcLine) {
	for _, l := range ls {
		h, ok := headOf(fc.lang, l.toks)
		switch {
		case ok && h.kind == "static":
			static = append(static, l)
		case ok:
			dynamic = append(dynamic, l)
		}
	}
	return static, dynamic
}
