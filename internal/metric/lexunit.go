package metric

import (
	"strings"
	"unicode/utf8"
)

// gluedUnit reads what follows the number without a space: a unit, a prefix
// ("1.5M"), or the rest of a word such as "64x64", "2D" or a hash.
func gluedUnit(s string, t token) (token, bool) {
	j := unitEnd(s, t.number.end)
	w := strings.TrimRight(s[t.number.end:j], ".:")
	if len(w) > 1 && (j == len(s) || s[j] == ' ') {
		w = strings.TrimSuffix(w, "/") // "1.5us/  2.5ms"
	}
	j = t.number.end + len(w)
	if u, ok := parseUnit(w); ok {
		t.unit, t.hasUnit, t.end = u, true, j
		return perWord(s, t), true
	}
	if f, ok := prefixScale(w); ok && w[0] != 'm' && w[0] != 'p' && w[0] != 't' {
		t.unit, t.hasUnit, t.end = unit{scale: f}, true, j
		return prefixedUnit(s, t), true
	}
	t.end = wordEnd(s, j)
	return t, false
}

// prefixedUnit reads a unit that stands apart from its prefix: "1.5M ops/s".
func prefixedUnit(s string, t token) token {
	i := t.end + len(s[t.end:]) - len(strings.TrimLeft(s[t.end:], " "))
	j := unitEnd(s, i)
	u, ok := parseUnit(s[i:j])
	if ok && i > t.end && (u.si == "1/s" || u.si == "B" || u.si == "B/s" || u.si == "FLOP/s") && unitPlace(s, j, s[i:j]) {
		u.scale *= t.unit.scale
		t.unit, t.end = u, j
	}
	return t
}

// unitEnd returns the end of the run of unit characters at i.
func unitEnd(s string, i int) int {
	for i < len(s) {
		c := s[i]
		if wordBreak(c) || c == ':' || c >= utf8.RuneSelf && symbolAt(s, i) && !strings.HasPrefix(s[i:], "×") {
			break
		}
		i += runeLen(s, i)
	}
	return i
}

// spacedUnit reads a unit that follows the number after spaces.
func spacedUnit(s string, t token) token {
	i := t.number.end
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	for strings.HasPrefix(s[i:], "\u00a0") {
		i += 2
	}
	if i == len(s) {
		return t
	}
	if s[i] == '(' || s[i] == '[' {
		return bracketedUnit(s, t, i)
	}
	if i == t.number.end {
		return t
	}
	j := unitEnd(s, i)
	w := strings.TrimRight(s[i:j], ".:")
	if len(w) == 0 || len(w) > 32 || i-t.number.end > 8 {
		return t
	}
	j = i + len(w)
	if u, ok := parseUnit(w); ok && unitPlace(s, j, w) {
		t.unit, t.hasUnit, t.end = u, true, j
		return perWord(s, t)
	}
	if n, ok := countedName(w); ok && len(w) > 1 && !labelAfter(s, j) {
		t.count, t.end, t.unit = true, j, unit{scale: 1, name: n + "s"}
		return perWord(s, t)
	}
	return qualifiedRate(s, t, w, j)
}

// bracketedUnit reads a unit that stands alone in the bracket at i: "12.3 (us)".
// Before a word it is the beginning of the next label.
func bracketedUnit(s string, t token, i int) token {
	j := closing(s, i)
	if j < 0 || j-i > 16 {
		return t
	}
	if rest := strings.TrimLeft(s[j:], " \t"); rest != "" && strings.IndexByte(",;|([", rest[0]) < 0 {
		return t
	}
	if u, ok := wholeUnit(strings.TrimSpace(s[i+1 : j-1])); ok && u.si != "%" {
		t.unit, t.hasUnit, t.end = u, true, j
	}
	return t
}

// qualifiedRate reads a rate behind the word w that says of what, or how many,
// where w ends at j: "1234.5 output tokens/s", "545.1 logical GB/s".
func qualifiedRate(s string, t token, w string, j int) token {
	if !isAlpha(w) || j == len(s) || s[j] != ' ' {
		return t
	}
	end := unitEnd(s, j+1)
	rate := strings.TrimRight(s[j+1:end], ".")
	num, _, ok := strings.Cut(rate, "/")
	u, isUnit := parseUnit(rate)
	if _, counted := countedName(num); !ok || !isUnit || !strings.HasSuffix(u.si, "/s") || u.si == "1/s" && !counted || labelAfter(s, end) {
		return t
	}
	if f, ok := largeNumbers[strings.TrimSuffix(strings.ToLower(w), "s")]; ok {
		u.scale *= f
	} else {
		u.name = strings.ToLower(w) + " " + u.name
	}
	t.unit, t.hasUnit, t.end = u, true, j+1+len(rate)
	return t
}

// largeNumbers are the words that scale a number: "136.0 billion items/s".
var largeNumbers = map[string]float64{"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

// labelAfter reports whether what ends at j is a label of the next number:
// a colon or an equals sign follows.
func labelAfter(s string, j int) bool {
	rest := strings.TrimLeft(s[j:], " \t")
	return rest != "" && (rest[0] == ':' || rest[0] == '=')
}

// unitPlace reports whether the word w that ends at j can be a unit there:
// not the label of what follows ("min: 3"), not a dimension ("64 x 64").
func unitPlace(s string, j int, w string) bool {
	if labelAfter(s, j) {
		return false
	}
	rest := strings.TrimLeft(s[j:], " \t")
	if w == "x" || w == "X" || w == "×" {
		return rest == "" || !isDigit(rest[0])
	}
	if w == "min" {
		return !strings.Contains(s, "max") && !strings.Contains(s, "avg")
	}
	return true
}

// perWord reads "per token", "per second" or "per sec" after a unit or a count.
func perWord(s string, t token) token {
	rest := s[t.end:]
	trimmed := strings.TrimLeft(rest, " ")
	after, ok := strings.CutPrefix(trimmed, "per ")
	if !ok {
		after, ok = strings.CutPrefix(trimmed, "/ ")
	}
	if !ok {
		return t
	}
	after = strings.TrimLeft(after, " ")
	den := after[:unitEnd(after, 0)]
	den = strings.TrimRight(den, ".:")
	num := strings.TrimSpace(s[t.number.end:t.end])
	if u, ok := ratioUnit(num, den); ok && den != "" && !isDigit(den[0]) {
		t.unit, t.hasUnit, t.count = u, true, false
		t.end += len(rest) - len(after) + len(den)
	}
	return t
}
