package hints

import "strings"

// divideRule finds divisions and remainders that a line of device code has and its
// old version had not. A constant divisor is a multiplication or a shift.
func (fc *fileContext) divideRule(c *change) {
	if c.new.toks[0].text == "#" || divisions(c.came) == 0 || divisions(c.new.toks) <= divisions(c.old.toks) {
		return
	}
	if _, loop := headOf(fc.lang, c.new.toks); loop || fc.lang == langC && hasText(c.new.toks, "constexpr") || fc.sameValue(c.old.toks, c.new.toks) {
		return
	}
	level := 1
	if c.new.loop == yes || hasText(c.gone, "*", ">>", "&") {
		level = 2
	}
	fc.emit(c.hint("math_function", level, "a division or remainder was added"))
}

// divisions counts those whose divisor is no literal.
func divisions(ts []token) int {
	n := 0
	for i := range ts {
		if hasText(ts[i:i+1], "/", "//", "%", "/=", "%=") && (i+1 == len(ts) || ts[i+1].kind != tokNumber) {
			n++
		}
	}
	return n
}

// doubleRule finds literals that lost their suffix: 0.5f became 0.5.
func (fc *fileContext) doubleRule(c *change) {
	if fc.ext == ".glsl" || fc.ext == ".comp" || hasText(c.new.toks, "double") {
		return
	}
	if len(only(c.came, isDouble)) > len(only(c.gone, isDouble)) && len(only(c.gone, isFloat)) > 0 {
		fc.emit(c.hint("dtype", 2, "a constant is a double now: the arithmetic around it is done in double precision"))
	}
}

func isDouble(t token) bool {
	return t.kind == tokNumber && strings.Contains(t.text, ".") && !strings.ContainsAny(t.text, "fFhHx")
}

func isFloat(t token) bool {
	return t.kind == tokNumber && strings.Contains(t.text, ".") && strings.ContainsAny(t.text, "fFhH")
}
