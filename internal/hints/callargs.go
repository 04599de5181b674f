package hints

import (
	"fmt"
	"regexp"
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
func (fc *fileContext) sizedCallRule(r *run, p pair, d tokenDiff) {
	if !fc.lang.code() || r.judged[p.new] || len(d.new) == 0 || !listOnly(d.old) || !listOnly(d.new) || !hasNumber(d.old) || !hasNumber(d.new) {
		return
	}
	for i := 0; i+1 < len(p.new.toks); i++ {
		t := p.new.toks[i]
		open := p.new.toks[i+1].text
		if t.kind != tokIdent || open != "(" && open != "<" {
			continue
		}
		for _, s := range sizedCalls {
			if !s.re.MatchString(t.text) && !(s.level == 2 && capsMacro(p.new.toks, i) && fc.gpu) || !between(p.new.toks, i+1, d.new) {
				continue
			}
			e := evidenceOf{pattern: s.pattern, level: min(s.level, fc.level3(p.new)), old: p.old, new: p.new, run: r, reason: fmt.Sprintf("a number among the arguments of %s changed", t.text)}
			if x, y, ok := numbersOf(d.old, d.new); ok {
				e.multiple = ratioOf(max(x, y) / max(min(x, y), 1))
				e.faster = s.pattern == "vector_width" && y > x
			}
			fc.emit(e)
			r.judged[p.new] = true
			return
		}
	}
}

// between tells whether a token of d stands in the bracket that opens at open.
func between(ts []token, open int, d []token) bool {
	end := closing(ts, open)
	if ts[open].text == "<" {
		for end = open; end < len(ts) && ts[end].text != ">"; end++ {
		}
	}
	for _, t := range ts[open:min(end, len(ts))] {
		if changedHere(d, t) {
			return true
		}
	}
	return false
}

// constArgRule finds an argument that was a named parameter and is now a constant:
// pass(pm, prefetch, True) became pass(pm, 0, True).
func (fc *fileContext) constArgRule(r *run, p pair, d tokenDiff) {
	if r.judged[p.new] || len(d.old) != 1 || len(d.new) != 1 || d.old[0].kind != tokIdent {
		return
	}
	q := boolOf(d.new)
	if q == unknown && d.new[0].kind != tokNumber {
		return
	}
	k := fc.memo.key(d.old[0].last())
	if k == nil || k.pattern == "loop_bounds" || !isArgument(p.new.toks, d.new[0]) {
		return
	}
	e := evidenceOf{pattern: k.pattern, level: 2, old: p.old, new: p.new, run: r, reason: fmt.Sprintf("%s: %s, an argument, became %s", k.what, d.old[0].text, d.new[0].text)}
	if v, ok := evaluate(d.new); ok && q == unknown {
		q = yes
		if v == 0 {
			q = no
		}
	}
	if switchPattern[k.pattern] {
		e.faster = compareSwitch(k, d.old[0].text, q).faster
	}
	if k.generic && !fc.gpu {
		return
	}
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
