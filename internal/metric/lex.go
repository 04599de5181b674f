package metric

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a number in a line with the unit that is written with it.
type token struct {
	number
	start, end int // of number and unit in the line
	unit       unit
	hasUnit    bool
	// count is true for a number of things: "176 runs".
	count bool
	// bad is true for nan and inf.
	bad bool
	// aux is true for a spread, a bound or a part of a progress display, part
	// for a number that is part of a label.
	aux, part bool
	// again is true for a further sample in a row of samples: "0.51 0.49 0.50 ms".
	again bool
	// from is where the text before the number begins: the end of the number
	// before it that is no part of a label.
	from int
	// head is where that text ends: at the number, or at the bracket it is in.
	head int
}

// lex returns the numbers of a line in order. Digits inside words, versions,
// dates, times of day, hashes, addresses and sizes like 64x64 are words. dst
// is reused.
func lex(s string, dst []token) []token {
	dst = dst[:0]
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case isDigit(c) || signed(s, i):
			var t token
			var ok bool
			if t, ok = lexRun(s, i); ok {
				dst = append(dst, t)
			}
			i = max(t.end, i+1)
		case isWordByte(c) || c == '/' && (i+1 == len(s) || !isDigit(s[i+1])) || c == '#' || c == '$' || c == '~':
			j := wordEnd(s, i)
			if badValue(s[i:j]) && valuePlace(s, i) {
				dst = append(dst, token{start: i, end: j, bad: true})
			}
			i = max(j, i+1)
		default:
			i++
		}
	}
	return dst
}

// signed reports whether a number with a sign or without an integer part
// starts at i.
func signed(s string, i int) bool {
	j := i
	switch {
	case s[i] == '-' || s[i] == '+':
		j++
	case strings.HasPrefix(s[i:], "−"):
		j += len("−")
	case s[i] != '.':
		return false
	}
	if j < len(s) && s[j] == '.' {
		j++
	}
	if j >= len(s) || !isDigit(s[j]) {
		return false
	}
	return i == 0 || strings.IndexByte(" \t([{=:,;|<>/", s[i-1]) >= 0
}

// wordBreak reports whether c ends a word.
func wordBreak(c byte) bool {
	return strings.IndexByte(" \t=,;|\"'`(){}[]<>", c) >= 0
}

// wordEnd returns the end of the word at i. Brackets glued to a word belong to
// it when they close and the line goes on to another number: the arguments of
// a call, a template, a test's parameters.
func wordEnd(s string, i int) int {
	start := i
	for i < len(s) {
		c := s[i]
		if c == ':' && !colonInside(s, i) {
			return i
		}
		if c == '(' || c == '[' || c == '<' {
			j := closing(s, i)
			if i == start || j < 0 || c != '<' && !digitAfter(s, j) {
				return i
			}
			i = j
			continue
		}
		if wordBreak(c) || c >= utf8.RuneSelf && symbolAt(s, i) {
			return max(i, start+1)
		}
		i += runeLen(s, i)
	}
	return i
}

// colonInside reports whether the colon at i is inside a word: "std::max",
// "file:line" but not "time:1.2" nor "time: 1.2".
func colonInside(s string, i int) bool {
	if i > 0 && s[i-1] == ':' {
		return true
	}
	if i+1 >= len(s) {
		return false
	}
	c := s[i+1]
	return c == ':' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

// runeLen returns the length of the rune at i.
func runeLen(s string, i int) int {
	if s[i] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return n
}

// symbolAt reports whether the rune at i is a sign such as ±, … or │.
func symbolAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '°'
}

// closing returns the offset after the bracket that closes the one at i, or
// -1. It looks no further than maxLabelLen bytes.
func closing(s string, i int) int {
	open := s[i]
	closer := map[byte]byte{'(': ')', '[': ']', '<': '>'}[open]
	depth := 0
	for j := i; j < len(s) && j < i+2*maxLabelLen; j++ {
		switch s[j] {
		case open:
			depth++
		case closer:
			if depth--; depth == 0 {
				return j + 1
			}
		}
	}
	return -1
}

func digitAfter(s string, i int) bool {
	return strings.ContainsAny(s[i:], "0123456789")
}

// badValue reports whether w is a number that is none.
func badValue(w string) bool {
	if len(w) < 3 || len(w) > 10 || strings.IndexByte("nNiI+-", w[0]) < 0 {
		return false
	}
	switch strings.ToLower(strings.Trim(w, "+-.")) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

// valuePlace reports whether what starts at i stands where a value would.
func valuePlace(s string, i int) bool {
	before := strings.TrimRight(s[:i], " \t+-")
	return before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "=")
}

// lexRun reads what starts with a digit at i: a number with its unit, or a
// word (then ok is false and end is its end).
func lexRun(s string, i int) (t token, ok bool) {
	t.start = i
	if n, ok := compound(s, i); ok {
		t.number, t.end, t.unit, t.hasUnit = n, n.end, unit{si: "s", scale: 1, name: "s"}, true
		return t, true
	}
	n, okNum := lexNumber(s, i, listPlace(s, i))
	if !okNum {
		t.end = wordEnd(s, i+1)
		return t, false
	}
	t.number, t.end = n, n.end
	if n.integer && n.end-i == 8 && isDate(n.value) && strings.Count(s[n.end:min(len(s), n.end+10)], ":") > 0 {
		return t, false
	}
	if n.end == len(s) {
		return t, true
	}
	switch c := s[n.end]; {
	case c == ':' && n.integer:
		return lexClock(s, t)
	case c == '.' && n.end+1 < len(s) && isWordByte(s[n.end+1]):
		t.end = wordEnd(s, n.end) // a version or an address
		return t, false
	case c == '/' && n.end+1 < len(s) && isDigit(s[n.end+1]):
		if d := dateEnd(s, i); d > 0 {
			t.end = d
			return t, false
		}
		return t, true
	case c == '.' || wordBreak(c) || c == ':' || c >= utf8.RuneSelf && symbolAt(s, n.end):
		return spacedUnit(s, t), true
	case strings.HasPrefix(s[n.end:], "+/-") || strings.HasPrefix(s[n.end:], "+-"):
		return t, true
	}
	return gluedUnit(s, t)
}

// isDate reports whether v reads as a day, 20261130.
func isDate(v float64) bool {
	n := int(v)
	return n >= 19700101 && n <= 20991231 && n/100%100 >= 1 && n/100%100 <= 12 && n%100 >= 1 && n%100 <= 31
}

// listPlace reports whether the number at i stands in a list, where a comma
// separates: a bracket holds only numbers and commas around it, or a comma is
// right before it.
func listPlace(s string, i int) bool {
	if i == 0 {
		return false
	}
	if s[i-1] == ',' {
		return true
	}
	if s[i-1] != '(' && s[i-1] != '[' && s[i-1] != '{' {
		return false
	}
	j := i
	for j < len(s) && (isDigit(s[j]) || s[j] == ',' || s[j] == ' ' || s[j] == '.') {
		j++
	}
	return j < len(s) && (s[j] == ')' || s[j] == ']' || s[j] == '}')
}

// lexClock decides between a time of day, a duration and "5:".
func lexClock(s string, t token) (token, bool) {
	n, exact, ok := clock(s, t.start)
	if !ok {
		return t, true
	}
	t.end = n.end
	label := strings.ToLower(s[max(0, t.start-40):t.start])
	named := strings.Contains(label, "elapsed") || strings.Contains(label, "duration") ||
		strings.Contains(label, "wall") || strings.Contains(label, "took") || strings.Contains(label, "m:ss")
	if n.end+1 < len(s) && s[n.end] == ',' && isDigit(s[n.end+1]) { // 09:14:02,113
		t.end = digits(s, n.end+1)
		return t, false
	}
	if n.end < len(s) && (isWordByte(s[n.end]) || s[n.end] == ':' || s[n.end] == ',' || s[n.end] == '-') {
		t.end = wordEnd(s, n.end)
		return t, false
	}
	alone := strings.TrimSpace(s[n.end:]) == "" || strings.Count(s[t.start:n.end], ":") == 1 && strings.HasSuffix(strings.TrimRight(label, " :="), "time")
	if !named && !(exact && alone && strings.Contains(label, "time")) {
		return t, false
	}
	t.number, t.unit, t.hasUnit = n, unit{si: "s", scale: 1, name: "s"}, true
	return t, true
}

// dateEnd returns the end of a date like 11/30/2026 at i, or 0.
func dateEnd(s string, i int) int {
	a := digits(s, i)
	if a >= len(s) || s[a] != '/' {
		return 0
	}
	b := digits(s, a+1)
	if b == a+1 || b >= len(s) || s[b] != '/' {
		return 0
	}
	c := digits(s, b+1)
	if (c-b == 5 || a-i == 4) && c > b+1 && (c == len(s) || s[c] != '.') {
		return c
	}
	return 0
}
