package hints

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// sizedCalls are names whose numbers, given by place, say how large something is.
var sizedCalls = []struct {
	pattern string
	re      *regexp.Regexp
	level   int
}{
	{"mfma_shape", rx(`(?i)(^|[._:])(mfma|wmma|mma_?atom|mma_?shape|amd_?(mfma|wmma)_?layout|matrix_instr\w*)$|wmma::fragment`), 3},
	{"vector_width", rx(`(?i)(^|[._:])(vec|vector|ext_vector(_type)?|vector_type|make_vec\w*|aligned_array|VecType)$`), 3},
	{"tile_size", rx(`(?i)tile_?(size|shape|config)|block_?(shape|size)|fmha\w*tile`), 3},
	{"tile_size", rx(`^[A-Z][A-Z0-9_]*(DISPATCH|LAUNCH|KERNEL|IMPL|INSTANCE|CASE)[A-Z0-9_]*$`), 2},
}

// sizedCallRule finds changed numbers among the arguments of such names.
func (fc *fileContext) sizedCallRule(c *change) {
	if !listOnly(c.gone) || !listOnly(c.came) || !hasNumber(c.gone) || !hasNumber(c.came) {
		return
	}
	ts := c.new.toks
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind != tokIdent || ts[i+1].text != "(" && ts[i+1].text != "<" {
			continue
		}
		for _, s := range sizedCalls {
			named := s.re.MatchString(ts[i].text) || s.level == 2 && fc.gpu && capsMacro(ts, i)
			if !named || !between(ts, i+1, c.came) {
				continue
			}
			e := c.hint(s.pattern, min(s.level, fc.level3(c.new)), fmt.Sprintf("a number among the arguments of %s changed", ts[i].text))
			e.scale(c, s.pattern == "vector_width")
			fc.emit(e)
			c.explain()
			return
		}
	}
}

// scale takes the size of a change from the two numbers that are all of it, if they
// are. moreIsFaster: the larger number is the better one.
func (e *evidenceOf) scale(c *change, moreIsFaster bool) {
	if x, y, ok := numbersOf(c.gone, c.came); ok {
		e.multiple, e.faster = ratioOf(max(x, y)/max(min(x, y), 1)), moreIsFaster && y > x
	}
}

// between tells whether a token of d stands in the bracket that opens at open.
func between(ts []token, open int, d []token) bool {
	end := closing(ts, open)
	if ts[open].text == "<" {
		for end = open; end < len(ts) && ts[end].text != ">"; end++ {
		}
	}
	return slices.ContainsFunc(ts[open:end], func(t token) bool { return slices.Contains(d, t) })
}

// constArgRule finds an argument that was a named parameter and is now a constant:
// pass(pm, prefetch, True) became pass(pm, 0, True).
func (fc *fileContext) constArgRule(c *change) {
	if len(c.gone) != 1 || len(c.came) != 1 || c.gone[0].kind != tokIdent {
		return
	}
	q := boolOf(c.came)
	if c.came[0].kind == tokNumber {
		v, _ := evaluate(c.came)
		q = triOf(v != 0)
	}
	k := fc.memo.key(c.gone[0].last())
	if q == unknown || k == nil || k.pattern == "loop_bounds" || k.generic && !fc.gpu || !isArgument(c.new.toks, c.came[0]) {
		return
	}
	e := c.hint(k.pattern, 2, fmt.Sprintf("%s: %s, an argument, became %s", k.what, c.gone[0].text, c.came[0].text))
	e.faster = switchPattern[k.pattern] && compareSwitch(k, c.gone[0].text, q).faster
	fc.emit(e)
}

// isArgument tells whether a token stands between commas and brackets.
func isArgument(ts []token, t token) bool {
	for i := 1; i+1 < len(ts); i++ {
		if ts[i] == t {
			return (ts[i-1].text == "," || ts[i-1].text == "(") && (ts[i+1].text == "," || ts[i+1].text == ")")
		}
	}
	return false
}

var notSized = rx(`ASSERT|EXPECT|CHECK|TEST|LOG|PRINT|ERROR|WARN|REQUIRE|VERSION`)

// capsMacro tells whether a macro is called with numbers, three of them or more.
func capsMacro(ts []token, i int) bool {
	n := ts[i].text
	if n != strings.ToUpper(n) || len(n) < 4 || notSized.MatchString(n) || ts[i+1].text != "(" {
		return false
	}
	return len(numbersIn(ts[i+1:closing(ts, i+1)])) >= 3
}

var templateName = rx(`(?i)tile|block|gemm|shape|sequence|kernel|launch|dispatch|config|traits|policy|^device|problem|fmha|attention|flash|conv|reduce|norm|pipeline|instance`)

// templateRule finds numbers that changed among template arguments.
func (fc *fileContext) templateRule(c *change) {
	if !plainNumbers(c.gone) || !plainNumbers(c.came) {
		return
	}
	name := templateOf(c.new, numbersIn(c.came)[0])
	if name == "" || strings.Contains(name, "static_for") {
		return
	}
	e := c.hint("tile_size", 2, fmt.Sprintf("a number among the template arguments of %s changed", name))
	device := c.new.dev == yes || fc.gpu
	switch {
	case hasAnyOf(name, "warpgemm", "mfma", "wmma"):
		e.pattern, e.level = "mfma_shape", 3
	case device:
		e.level = 3
	}
	if !device {
		e.level--
	}
	fc.emit(e)
}

// plainNumbers tells whether tokens are numbers and commas, and not commas alone.
func plainNumbers(ts []token) bool {
	return hasNumber(ts) && !slices.ContainsFunc(ts, func(t token) bool { return t.kind != tokNumber && t.text != "," })
}

// templateOf returns the name whose <...> holds the token, or "" if none does. A
// line of nothing but numbers, names and commas counts as the middle of a long list.
func templateOf(l *srcLine, at token) string {
	var stack []string
	list := true
	for i, t := range l.toks {
		switch t.text {
		case "<":
			name := ""
			if i > 0 {
				name = l.toks[i-1].last()
			}
			stack = append(stack, name)
		case ">":
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
		if t == at && len(stack) > 0 {
			for k := len(stack) - 1; k >= 0; k-- {
				if templateName.MatchString(stack[k]) {
					return stack[k]
				}
			}
		}
		if t.kind == tokOp && t.text != "," && t.text != "<" && t.text != ">" {
			list = false
		}
	}
	if list && len(l.toks) >= 6 && hasText(l.toks, ",") && l.call == "" {
		return "a template"
	}
	return ""
}
