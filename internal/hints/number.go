package hints

import (
	"strconv"
	"strings"
)

// parseNumber reads a literal of any of the languages: 64, 0x40, 1'024, 128u, 2.5f.
func parseNumber(s string) (float64, bool) {
	if s == "" || !isDigit(s[0]) && s[0] != '.' && s[0] != '-' {
		return 0, false
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "'", ""), "_", "")
	if len(s) > 2 && (s[:2] == "0x" || s[:2] == "0X") {
		v, err := strconv.ParseUint(strings.TrimRight(s[2:], "uUlL"), 16, 64)
		return float64(v), err == nil
	}
	v, err := strconv.ParseFloat(strings.TrimRight(s, "uUlLfFzZ"), 64)
	return v, err == nil
}

// evaluate computes a constant expression of numbers, * / // + - << ( ). ok is
// false for anything else.
func evaluate(ts []token) (v float64, ok bool) {
	e := evaluator{ts: ts}
	v, ok = e.sum(0)
	return v, ok && e.at == len(ts)
}

type evaluator struct {
	ts []token
	at int
}

func (e *evaluator) op(set ...string) string {
	if e.at < len(e.ts) && e.ts[e.at].kind == tokOp {
		for _, s := range set {
			if e.ts[e.at].text == s {
				e.at++
				return s
			}
		}
	}
	return ""
}

func (e *evaluator) sum(depth int) (float64, bool) {
	v, ok := e.product(depth)
	for ok {
		o := e.op("+", "-", "<<")
		if o == "" {
			return v, true
		}
		var w float64
		w, ok = e.product(depth)
		switch o {
		case "+":
			v += w
		case "-":
			v -= w
		case "<<":
			if w < 0 || w > 62 {
				return 0, false
			}
			v *= float64(int64(1) << int(w))
		}
	}
	return 0, false
}

func (e *evaluator) product(depth int) (float64, bool) {
	v, ok := e.unit(depth)
	for ok {
		o := e.op("*", "/", "//")
		if o == "" {
			return v, true
		}
		var w float64
		w, ok = e.unit(depth)
		switch {
		case o == "*":
			v *= w
		case w == 0:
			return 0, false
		default:
			v /= w
		}
	}
	return 0, false
}

func (e *evaluator) unit(depth int) (float64, bool) {
	if depth > 20 || e.at >= len(e.ts) {
		return 0, false
	}
	if e.op("(") != "" {
		v, ok := e.sum(depth + 1)
		return v, ok && e.op(")") != ""
	}
	t := e.ts[e.at]
	if t.kind == tokNumber {
		e.at++
		return parseNumber(t.text)
	}
	if t.kind == tokString {
		e.at++
		return parseNumber(t.text)
	}
	return 0, false
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
