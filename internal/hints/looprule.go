package hints

import (
	"fmt"
	"slices"
	"strings"
)

// loopRule compares the headers of a loop that the diff rewrites.
func (fc *fileContext) loopRule(c *change) {
	a, ok1 := headOf(fc.lang, c.old.toks)
	b, ok2 := headOf(fc.lang, c.new.toks)
	if !ok1 || !ok2 {
		return
	}
	fc.unrollKind(c, a, b)
	fc.resolveHead(&a, false)
	fc.resolveHead(&b, true)
	if v := fc.compareHeads(a, b); v.level > 0 {
		e := c.hint("loop_bounds", fc.loopPlace(c.new, v.level), v.reason)
		e.faster, e.multiple = v.faster, ratioOf(v.ratio)
		fc.emit(e)
	}
}

func (fc *fileContext) resolveHead(h *loopHead, after bool) {
	h.start, h.stop, h.step = fc.resolve(h.start, after), fc.resolve(h.stop, after), fc.resolve(h.step, after)
}

// loopPlace lowers a level for loops of host code.
func (fc *fileContext) loopPlace(l *srcLine, level int) int {
	gpu := fc.gpu || fc.triton || fc.ext == ".cu" || fc.ext == ".hip" || fc.ext == ".cuh"
	switch {
	case l.dev == yes || fc.deviceOnly():
		return level
	case l.dev == unknown && gpu:
		return min(level, 3)
	case gpu:
		return min(level-1, 2)
	}
	return min(level-2, 1)
}

// compareHeads says whether a loop now runs more often.
func (fc *fileContext) compareHeads(a, b loopHead) verdict {
	if (len(a.stop) == 0) != (len(b.stop) == 0) {
		return verdict{level: 2, reason: "the loop is controlled in another way"}
	}
	parts := []struct {
		name string
		a, b []token
		sign int // +1 if larger means more iterations
	}{{"stop", a.stop, b.stop, 1}, {"step", a.step, b.step, -1}, {"start", a.start, b.start, -1}, {"condition", a.cond, b.cond, 1}}
	best := verdict{}
	for _, q := range parts {
		if equalTokens(q.a, q.b) || q.name == "start" && len(q.a)*len(q.b) == 0 { // set before the loop: not known
			continue
		}
		if fc.sameValue(q.a, q.b) {
			continue
		}
		v := comparePart(q.a, q.b, q.sign)
		v.reason = fmt.Sprintf("the loop's %s changed from %s to %s", q.name, textOf(q.a), textOf(q.b)) + v.reason
		if q.name == "condition" && a.bare != "" {
			v.level = min(v.level, 1) // a walk over some collection
		}
		if a.bare != "" && b.bare != "" && a.bare != b.bare && !equalTokens(a.stop, b.stop) {
			v.level = min(v.level, 2) // perhaps not the same loop
		}
		if v.level > best.level || v.level == best.level && best.faster && !v.faster {
			best = v
		}
	}
	return best
}

// comparePart compares one part of two headers; sign is +1 if more of it means more
// iterations, -1 if fewer.
func comparePart(a, b []token, sign int) verdict {
	x, ok1 := evaluate(a)
	y, ok2 := evaluate(b)
	d := diffTokens(a, b)
	switch {
	case ok1 && ok2 && x == y, !(ok1 && ok2) && allIntegerTypes(d.gone) && allIntegerTypes(d.came):
		return verdict{}
	case ok1 && ok2:
		return verdict{level: 3, ratio: (y + 1) / (x + 1), faster: sign > 0 && y < x || sign < 0 && y > x}
	}
	v := verdict{level: 3}
	switch g := growth(d) * sign; {
	case g > 0:
		v.ratio, v.reason = 2, "; the expression grew"
	case g < 0:
		v.faster = true
	}
	switch {
	case ok1 != ok2:
		v.level, v.reason = 2, "; a number became a name, or the other way round"
	case len(d.gone) == 1 && len(d.came) == 1 && allNames(d.gone) && allNames(d.came):
		v.level, v.reason = 2, "; another name, which may hold the same value"
	case len(d.gone) > 0 && len(d.came) > 0 && !hasNumber(d.gone) && !hasNumber(d.came):
		v.level = 2
	}
	return v
}

// allIntegerTypes tells whether tokens are only names of integer types and casts to
// them.
func allIntegerTypes(ts []token) bool {
	return !slices.ContainsFunc(ts, func(t token) bool {
		n := strings.ToLower(t.last())
		return !integerWord[n] && scalarTypes[n].base != 'i'
	})
}

var integerWord = wordSet("int unsigned size_t auto const ( ) static_cast < > long index int32 index_cast")

// newLoops reports loops that are added around or between existing device code.
func (fc *fileContext) newLoops(_ *sourceHunk, r *run) {
	removed := len(linesWith(r.oldOnly, func(l *srcLine) bool { _, ok := headOf(fc.lang, l.toks); return ok }))
	for _, l := range r.newOnly {
		h, ok := headOf(fc.lang, l.toks)
		if !ok || l.dev == no || l.newFn != "" || l.dev == unknown && !fc.gpu || fc.lang == langPython && l.call != "" {
			continue
		}
		if removed--; removed >= 0 {
			continue
		}
		level, why := 2, "a loop was added"
		if l.loop == yes {
			level, why = 3, "a loop was added inside a loop"
		}
		if h.kind == "static" || l.dev == unknown || fc.lang == langPython && len(h.stop) == 0 || r.large() {
			level--
		}
		fc.emit(r.hint(l, "loop_bounds", level, why))
	}
}

// exitRule compares the condition under which a loop is left, and the bound that
// LLVM's loops compare with.
func (fc *fileContext) exitRule(c *change) {
	e := c.hint("loop_bounds", 2, "the condition that leaves the loop changed")
	switch {
	case fc.lang == langLLVM && hasText(c.new.toks, "icmp") && hasText(c.old.toks, "icmp"):
		if !onlyNumbers(c.gone) || !onlyNumbers(c.came) || c.new.loop != yes && !slices.ContainsFunc(c.new.toks, isInduction) {
			return
		}
		e.reason = "the number that a loop's counter is compared with changed"
	case c.new.loop == yes && c.new.dev != no && startsIf(c.new.toks) && startsIf(c.old.toks) && breaksNext(c.h, c.new):
		if allNames(c.gone) && allNames(c.came) {
			e.level = 1 // names for names
		}
	default:
		return
	}
	if !fc.sameValue(c.old.toks, c.new.toks) {
		fc.emit(e)
	}
}

var inductionName = rx(`(?i)^%(i|.*(next|iv|inc|loop))`)

func isInduction(t token) bool { return inductionName.MatchString(t.text) }

// breaksNext tells whether a line, or the one below it, leaves the loop.
func breaksNext(h *sourceHunk, l *srcLine) bool {
	if hasText(l.toks, "break") {
		return true
	}
	next := lineBelow(h, l, 1)
	return next != nil && next.toks[0].text == "break"
}

// lineBelow is the next line of least tokens or more on the new side, nil if the
// hunk has none.
func lineBelow(h *sourceHunk, l *srcLine, least int) *srcLine {
	at := slices.Index(h.all, l)
	for _, x := range h.all[at+1:] {
		if x.kind != '-' && len(x.toks) >= least {
			return x
		}
	}
	return nil
}
