package hints

import "strings"

// divideRule finds divisions and remainders that a line of device code has and its
// old version had not. A constant divisor is a multiplication or a shift.
func (fc *fileContext) divideRule(r *run, p pair, d tokenDiff) {
	if p.new.dev != yes || fc.lang != langC && fc.lang != langPython || r.judged[p.new] || p.new.toks[0].text == "#" {
		return
	}
	if _, loop := headOf(fc.lang, p.new.toks); loop || divisions(p.new.toks) <= divisions(p.old.toks) || divisions(d.new) == 0 {
		return
	}
	if fc.sameValue(p.old.toks, p.new.toks) || hasText(d.new, "constexpr") || fc.lang == langC && hasText(p.new.toks, "constexpr") {
		return
	}
	level := 1
	if p.new.loop == yes || hasText(d.old, "*") || hasText(d.old, ">>") || hasText(d.old, "&") {
		level = 2
	}
	fc.emit(evidenceOf{pattern: "math_function", level: level, old: p.old, new: p.new, run: r, reason: "a division or remainder was added"})
}

// divisions counts those whose divisor is no literal.
func divisions(ts []token) int {
	n := 0
	for i := range ts {
		switch ts[i].text {
		case "/", "//", "%", "/=", "%=":
			if i+1 == len(ts) || ts[i+1].kind != tokNumber {
				n++
			}
		}
	}
	return n
}

// doubleRule finds literals that lost their suffix: 0.5f became 0.5.
func (fc *fileContext) doubleRule(r *run, p pair, d tokenDiff) {
	if fc.lang != langC || p.new.dev != yes || fc.ext == ".glsl" || fc.ext == ".comp" || hasText(p.new.toks, "double") {
		return
	}
	a, b := doubles(d.old), doubles(d.new)
	if b <= a || !floats(d.old) {
		return
	}
	fc.emit(evidenceOf{pattern: "dtype", level: 2, old: p.old, new: p.new, run: r, reason: "a constant is a double now: the arithmetic around it is done in double precision"})
}

func doubles(ts []token) int {
	n := 0
	for _, t := range ts {
		if t.kind == tokNumber && strings.Contains(t.text, ".") && !strings.ContainsAny(t.text, "fFhHx") {
			n++
		}
	}
	return n
}

func floats(ts []token) bool {
	for _, t := range ts {
		if t.kind == tokNumber && strings.Contains(t.text, ".") && strings.ContainsAny(t.text, "fFhH") {
			return true
		}
	}
	return false
}
