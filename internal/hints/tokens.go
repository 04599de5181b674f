package hints

import (
	"slices"
	"strings"
)

// hasText tells whether a token is one of some words.
func hasText(ts []token, words ...string) bool {
	for i := range ts {
		for _, w := range words {
			if ts[i].text == w {
				return true
			}
		}
	}
	return false
}

// hasLast tells whether a chain of names ends with a name.
func hasLast(ts []token, name string) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return t.kind == tokIdent && t.last() == name })
}

// hasAny tells whether a token is in a set.
func hasAny(ts []token, set map[string]bool) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return set[t.text] })
}

// hasAnyLast tells whether the last name of a chain is in a set.
func hasAnyLast(ts []token, set map[string]bool) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return set[t.last()] })
}

// hasAnyOf tells whether a name holds one of some words in lower case, whatever its
// own case.
func hasAnyOf(name string, words ...string) bool {
	low := strings.ToLower(name)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(low, w) })
}

func isNumber(t token) bool { return t.kind == tokNumber }

func hasNumber(ts []token) bool { return slices.ContainsFunc(ts, isNumber) }

// justNumbers tells whether tokens are numbers and what may stand between them.
func justNumbers(ts []token) bool { return hasNumber(ts) && onlyNumbers(ts) }

func allNames(ts []token) bool {
	return !slices.ContainsFunc(ts, func(t token) bool { return t.kind != tokIdent })
}

// numbersIn lists the numbers among tokens.
func numbersIn(ts []token) []token { return only(ts, isNumber) }

func withoutStrings(ts []token) []token {
	return only(ts, func(t token) bool { return t.kind != tokString })
}

// numbersOf returns the two numbers if they are all that differs.
func numbersOf(a, b []token) (x, y float64, ok bool) {
	if len(a) != 1 || len(b) != 1 || a[0].kind != tokNumber || b[0].kind != tokNumber {
		return 0, 0, false
	}
	x, ok1 := parseNumber(a[0].text)
	y, ok2 := parseNumber(b[0].text)
	return x, y, ok1 && ok2
}

// equalTokens compares the texts of two lists.
func equalTokens(a, b []token) bool {
	return slices.EqualFunc(a, b, func(x, y token) bool { return x.text == y.text })
}

// nesting is +1 for a bracket that opens, -1 for one that closes.
func nesting(t token) int {
	switch t.text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// closing is the place of the bracket that closes the one at open, or len(ts).
func closing(ts []token, open int) int {
	depth := 0
	for i := open; i < len(ts); i++ {
		if n := nesting(ts[i]); n != 0 {
			if depth += n; n < 0 && depth == 0 {
				return i
			}
		}
	}
	return len(ts)
}

// splitArgs cuts at the commas outside brackets.
func splitArgs(ts []token) [][]token {
	var out [][]token
	from, depth := 0, 0
	for i, t := range ts {
		if depth += nesting(t); depth == 0 && t.text == "," {
			out = append(out, ts[from:i])
			from = i + 1
		}
	}
	if from < len(ts) {
		out = append(out, ts[from:])
	}
	return out
}

func triOf(v bool) tri {
	if v {
		return yes
	}
	return no
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// textOf writes tokens for people, at most some 60 bytes of them.
func textOf(ts []token) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && (ts[i-1].text == "," || t.kind != tokOp && ts[i-1].kind != tokOp) {
			b.WriteByte(' ')
		}
		if t.kind == tokString {
			b.WriteString(`"` + t.text + `"`)
		} else {
			b.WriteString(t.text)
		}
		if b.Len() > 60 {
			return clip(b.String()[:60]) + "..."
		}
	}
	return b.String()
}

// firstLine is the first of some lines that has a property, or nil.
func firstLine(ls []*srcLine, has func(*srcLine) bool) *srcLine {
	if i := slices.IndexFunc(ls, has); i >= 0 {
		return ls[i]
	}
	return nil
}

// only lists the tokens that have a property.
func only(ts []token, has func(token) bool) []token {
	var out []token
	for _, t := range ts {
		if has(t) {
			out = append(out, t)
		}
	}
	return out
}

// linesWith lists the lines that have a property.
func linesWith(ls []*srcLine, has func(*srcLine) bool) []*srcLine {
	var out []*srcLine
	for _, l := range ls {
		if has(l) {
			out = append(out, l)
		}
	}
	return out
}
