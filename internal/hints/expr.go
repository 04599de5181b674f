package hints

import (
	"slices"
	"strings"
)

// maxInline bounds the expressions that replace a name.
const maxInline = 40

// expressions are the names that one side of a file's hunks gives an expression.
// A name with two has none.
func (fc *fileContext) expressions(after bool) map[string][]token {
	side := b2i(after)
	if fc.exprs[side] != nil {
		return fc.exprs[side]
	}
	ex := map[string][]token{}
	for _, l := range fc.sideLines(after) {
		if _, loop := headOf(fc.lang, l.toks); loop || !hasText(l.toks, "=") {
			continue
		}
		for _, s := range settingsOf(fc, l) {
			if s.kw || len(s.val) > maxInline {
				continue
			}
			if old, seen := ex[s.key]; seen && !equalTokens(old, s.val) {
				s.val = nil
			}
			ex[s.key] = s.val
		}
	}
	fc.exprs[side] = ex
	return ex
}

// sameValue tells whether two expressions are equal once the names that the diff
// itself introduces or drops are replaced by what they stand for.
func (fc *fileContext) sameValue(a, b []token) bool {
	return plain(fc.inline(a, false, true)) == plain(fc.inline(b, true, false)) ||
		plain(fc.inline(a, false, false)) == plain(fc.inline(b, true, true)) ||
		plain(fc.inline(a, false, true)) == plain(fc.inline(b, true, true))
}

// inline replaces the names that have an expression on this side; only with all,
// also those that have the same one on the other side.
func (fc *fileContext) inline(ts []token, after, all bool) []token {
	ex, other := fc.expressions(after), fc.expressions(!after)
	for range 3 {
		var out []token
		changed := false
		for _, t := range ts {
			v := ex[t.text]
			if t.kind != tokIdent || len(v) == 0 || !all && equalTokens(v, other[t.text]) || len(out) > 4*maxInline {
				out = append(out, t)
				continue
			}
			changed = true
			out = append(out, token{kind: tokOp, text: "("})
			out = append(out, v...)
			out = append(out, token{kind: tokOp, text: ")"})
		}
		ts = out
		if !changed {
			break
		}
	}
	return ts
}

// plain writes an expression without brackets that hold one name or stand around
// all of it, and without casts to integers.
func plain(ts []token) string {
	if len(ts) > 1 && ts[0].kind == tokOp && strings.Contains("<= >= !=", ts[0].text) {
		return ts[0].text + " " + plain(ts[1:])
	}
	for len(ts) > 1 && ts[0].text == "(" && closing(ts, 0) == len(ts)-1 {
		ts = ts[1 : len(ts)-1]
	}
	if in, ok := integerCast(ts); ok {
		return plain(in)
	}
	if x, y, ok := ceilDiv(ts); ok {
		return "ceil(" + plain(x) + "/" + plain(y) + ")"
	}
	var b strings.Builder
	for i := 0; i < len(ts); i++ {
		text := ts[i].text
		if by, ok := shiftOf(ts, i); ok {
			text = by
			i++
		} else if text == "(" && i+2 < len(ts) && ts[i+2].text == ")" && (i == 0 || ts[i-1].kind == tokOp) {
			text = ts[i+1].text
			i += 2
		} else if v, ok := parseNumber(text); ok && ts[i].kind == tokNumber {
			text = formatNumber(v) // 3u and 3
		}
		b.WriteString(text + " ")
	}
	return b.String()
}

// integerCast is what int(...) or static_cast<int>(...) holds, if ts is one.
func integerCast(ts []token) (in []token, ok bool) {
	if len(ts) <= 3 || !hasText(ts[:1], "int", "static_cast") {
		return nil, false
	}
	open := slices.IndexFunc(ts[1:], func(t token) bool { return t.text == "(" }) + 1
	if open == 0 || closing(ts, open) != len(ts)-1 {
		return nil, false
	}
	return ts[open+1 : len(ts)-1], true
}

var ceilName = rx(`(?i)^([\w.:]*[.:])?(ceil_?div|div_?ceil|cdiv|div_?up|div_?round_?up|integer_divide_ceil|ceil_?divide|divide_?up|updiv)$`)

// ceilDiv reads cdiv(x, y) and (x + y - 1) / y.
func ceilDiv(ts []token) (x, y []token, ok bool) {
	if len(ts) > 4 && ts[0].kind == tokIdent && ceilName.MatchString(ts[0].text) && ts[1].text == "(" && closing(ts, 1) == len(ts)-1 {
		if a := splitArgs(ts[2 : len(ts)-1]); len(a) == 2 {
			return a[0], a[1], true
		}
	}
	if len(ts) < 7 || ts[0].text != "(" {
		return nil, nil, false
	}
	end := closing(ts, 0)
	if end+2 >= len(ts) || ts[end+1].text != "/" && ts[end+1].text != "//" {
		return nil, nil, false
	}
	sum, div := ts[1:end], ts[end+2:]
	for i := 1; i+1 < len(sum); i++ {
		if sum[i].text != "+" {
			continue
		}
		a, aok := evaluate(sum[i+1:])
		b, bok := evaluate(div)
		n := len(sum) - 2
		if aok && bok && a == b-1 || n > i && sum[n].text == "-" && sum[n+1].text == "1" && equalTokens(sum[i+1:n], div) {
			return sum[:i], div, true
		}
	}
	return nil, nil, false
}

// shiftOf writes ">> 1" as "/ 2" and "<< 3" as "* 8".
func shiftOf(ts []token, i int) (string, bool) {
	if i+1 >= len(ts) || ts[i].text != ">>" && ts[i].text != "<<" || ts[i+1].kind != tokNumber {
		return "", false
	}
	n, ok := parseNumber(ts[i+1].text)
	if !ok || n < 0 || n > 30 {
		return "", false
	}
	op := "/ "
	if ts[i].text == "<<" {
		op = "* "
	}
	return op + formatNumber(float64(int(1)<<int(n))), true
}
