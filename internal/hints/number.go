package hints

import (
	"math"
	"slices"
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

// op takes the next token if it is one of some operators, and returns it, or "".
func (e *evaluator) op(set ...string) string {
	if e.at < len(e.ts) && e.ts[e.at].kind == tokOp && slices.Contains(set, e.ts[e.at].text) {
		e.at++
		return e.ts[e.at-1].text
	}
	return ""
}

func (e *evaluator) sum(depth int) (float64, bool) {
	return e.chain(func() (float64, bool) { return e.product(depth) }, "+", "-", "<<")
}

func (e *evaluator) product(depth int) (float64, bool) {
	return e.chain(func() (float64, bool) { return e.unit(depth) }, "*", "/", "//")
}

// chain computes operands with operators of one level between them, from the left.
func (e *evaluator) chain(operand func() (float64, bool), operators ...string) (float64, bool) {
	v, ok := operand()
	for ok {
		o := e.op(operators...)
		if o == "" {
			return v, true
		}
		var w float64
		if w, ok = operand(); ok {
			v, ok = calculate(v, o, w)
		}
	}
	return 0, false
}

func calculate(v float64, op string, w float64) (float64, bool) {
	switch op {
	case "+":
		return v + w, true
	case "-":
		return v - w, true
	case "*":
		return v * w, true
	case "<<":
		return math.Ldexp(v, int(w)), w >= 0 && w <= 62
	}
	return v / w, w != 0
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
	if t.kind != tokNumber && t.kind != tokString {
		return 0, false
	}
	e.at++
	return parseNumber(t.text)
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
