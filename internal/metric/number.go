package metric

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// number is a number as it was printed.
type number struct {
	value float64
	// res is one unit in the last printed place.
	res float64
	// integer is true when neither fraction nor exponent was printed.
	integer bool
	// end is the offset after the number.
	end int
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits returns the offset after the digits that start at i.
func digits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

// groupSep returns the length of the digit-group separator at s[i], or 0.
// A plain space is one only before a decimal comma: "4 096" may be two numbers.
func groupSep(s string, i int) int {
	if i >= len(s) {
		return 0
	}
	switch s[i] {
	case ',', '\'', '_', '.', ' ':
		return 1
	}
	for _, sep := range []string{"\u00a0", "\u202f", "\u2009", "’"} {
		if strings.HasPrefix(s[i:], sep) {
			return len(sep)
		}
	}
	return 0
}

// groups returns the offset after the groups of three digits, all with the
// separator sep, that start at i, and how many there are.
func groups(s string, i int, sep string) (end, n int) {
	for strings.HasPrefix(s[i:], sep) {
		j := digits(s, i+len(sep))
		if j-i-len(sep) != 3 {
			break
		}
		i = j
		n++
	}
	return i, n
}

// lexNumber reads a decimal number at s[i]: sign, digits that may be grouped,
// fraction, exponent. A comma is a decimal mark only where it cannot group
// digits ("1,43", "0,250", "1.234,5"); "1,234" is a thousand and more, since
// programs print in the C locale unless told otherwise. In a list (the caller
// knows) a comma is neither.
func lexNumber(s string, i int, list bool) (number, bool) {
	start := i
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	} else if strings.HasPrefix(s[i:], "−") {
		i += len("−")
	}
	intStart := i
	i = digits(s, i)
	intEnd, mark := i, 0
	if i > intStart && i-intStart <= 3 && s[intStart] != '0' {
		i, mark = grouped(s, i, list)
	}
	if mark == 0 {
		mark = decimalMark(s, i, i-intStart, list || intEnd != i)
	}
	fracStart, fracEnd := i, i
	if mark > 0 {
		fracStart = i + mark
		fracEnd = digits(s, fracStart)
		i = fracEnd
	}
	if intEnd == intStart && fracEnd == fracStart {
		return number{}, false
	}
	return finishNumber(s, start, i, s[intStart:fracStart], s[fracStart:fracEnd])
}

// grouped returns the offset after a grouped integer part whose first group
// ends at i, and the length of the decimal mark when the grouping decides it.
func grouped(s string, i int, list bool) (end, mark int) {
	n := groupSep(s, i)
	if n == 0 || list && s[i] == ',' {
		return i, 0
	}
	sep := s[i : i+n]
	j, k := groups(s, i, sep)
	if k == 0 || j < len(s) && isDigit(s[j]) {
		return i, 0
	}
	if sep == "." || sep == " " { // only "1.234,5" shows that the point groups
		if j+1 < len(s) && s[j] == ',' && isDigit(s[j+1]) && !list && (sep == "." || digits(s, j+1) != j+4) {
			return j, 1
		}
		return i, 0
	}
	if j+1 < len(s) && s[j:j+1] == sep && isDigit(s[j+1]) {
		return i, 0 // "1,234,56" groups nothing
	}
	return j, 0
}

// decimalMark returns the length of the decimal mark at s[i], or 0. n is the
// length of the integer part before it.
func decimalMark(s string, i, n int, noComma bool) int {
	if i+1 > len(s) || i >= len(s) {
		return 0
	}
	if s[i] == '.' && i+1 < len(s) && isDigit(s[i+1]) {
		return 1
	}
	if s[i] == '.' && n > 0 && (i+1 == len(s) || s[i+1] == ' ') {
		return 0 // the full stop of a sentence
	}
	if s[i] != ',' || noComma || n == 0 {
		return 0
	}
	j := digits(s, i+1)
	if j == i+1 || j < len(s) && (s[j] == ',' || s[j] == '.') {
		return 0
	}
	if j < len(s) && s[j] == ')' || j < len(s) && s[j] == ']' {
		return 0
	}
	return 1
}

// finishNumber reads the exponent at s[i] and evaluates the number. A value
// out of range of float64 is refused.
func finishNumber(s string, start, i int, whole, frac string) (number, bool) {
	exp := 0
	end := i
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if k := digits(s, j); k > j && k-j <= 4 {
			exp, _ = strconv.Atoi(strings.TrimPrefix(s[i+1:k], "+"))
			end = k
		}
	}
	var buf [48]byte
	text := buf[:0]
	if s[start] != '+' && !isDigit(s[start]) && s[start] != '.' && s[start] != ',' {
		text = append(text, '-')
	}
	for j := range len(whole) {
		if isDigit(whole[j]) {
			text = append(text, whole[j])
		}
	}
	if v, ok := small(whole, frac); ok && exp == 0 {
		if len(text) > 0 && text[0] == '-' {
			v = -v
		}
		return number{value: v, res: pow10[len(frac)], integer: frac == "" && end == i, end: end}, true
	}
	text = append(append(append(text, '.'), frac...), 'e')
	text = strconv.AppendInt(text, int64(exp), 10)
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return number{}, false
	}
	return number{
		value: v, res: math.Pow(10, float64(exp-len(frac))),
		integer: frac == "" && end == i, end: end,
	}, true
}

// pow10 holds the exact powers of ten that one unit in the last place may be.
var pow10 = [...]float64{1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15}

// small evaluates a number of at most 15 digits: both the digits as a whole
// number and the power of ten are exact then, so that the quotient is rounded
// once, as ParseFloat does.
func small(whole, frac string) (float64, bool) {
	if len(whole)+len(frac) > 15 {
		return 0, false
	}
	n := int64(0)
	for _, s := range [2]string{whole, frac} {
		for i := range len(s) {
			if isDigit(s[i]) {
				n = n*10 + int64(s[i]-'0')
			}
		}
	}
	return float64(n) / tens[len(frac)], true
}

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// clock reads "h:mm:ss", "m:ss" or "m:ss.ff" at s[i] as seconds. exact is true
// when a fraction was printed: then it is a duration and no time of day.
func clock(s string, i int) (n number, exact, ok bool) {
	total, parts := 0.0, 0
	for {
		j := digits(s, i)
		if j == i || j-i > 4 || parts > 0 && j-i != 2 {
			return number{}, false, false
		}
		v, _ := strconv.Atoi(s[i:j])
		total = total*60 + float64(v)
		parts++
		i = j
		if parts == 3 || j+1 >= len(s) || s[j] != ':' || !isDigit(s[j+1]) {
			break
		}
		i = j + 1
	}
	res := 1.0
	if i+1 < len(s) && s[i] == '.' && isDigit(s[i+1]) {
		j := digits(s, i+1)
		f, _ := strconv.ParseFloat("0"+s[i:j], 64)
		total += f
		res = math.Pow(10, -float64(j-i-1))
		i, exact = j, true
	}
	return number{value: total, res: res, end: i}, exact, parts > 1
}

// compound reads a duration of two or more parts, such as "0m1.234s",
// "1h 2m 3s" or "2 min 3.5 s", at s[i], in seconds. One space may stand before
// a part and, down to seconds, before its unit.
func compound(s string, i int) (number, bool) {
	total, res, last, parts, end := 0.0, 1.0, math.Inf(1), 0, i
	for {
		j := i
		if parts > 0 && j < len(s) && s[j] == ' ' {
			j++
		}
		n, ok := plainNumber(s, j)
		if !ok {
			break
		}
		k := n.end
		spaced := k+1 < len(s) && s[k] == ' ' && (n.integer || parts > 0)
		if spaced {
			k++
		}
		unitStart := k
		for k < len(s) && s[k] >= 'a' && s[k] <= 'z' {
			k++
		}
		scale := partScale(s[unitStart:k])
		if spaced && scale < 1 { // "5 ms 3 us" may be two numbers
			break
		}
		if scale == 0 || scale >= last || k < len(s) && (isWordByte(s[k]) && !isDigit(s[k])) {
			break
		}
		total += n.value * scale
		res, last, end = n.res*scale, scale, k
		parts++
		i = k
	}
	return number{value: total, res: res, end: end}, parts >= 2
}

// plainNumber reads unsigned digits with an optional fraction.
func plainNumber(s string, i int) (number, bool) {
	if i >= len(s) || !isDigit(s[i]) {
		return number{}, false
	}
	return lexNumber(s, i, true)
}

// partScale returns the seconds of one unit of a compound duration, or 0.
func partScale(u string) float64 {
	switch u {
	case "d":
		return 86400
	case "h", "hr", "hrs":
		return 3600
	case "m", "min", "mins":
		return 60
	case "s", "sec", "secs":
		return 1
	case "ms":
		return 1e-3
	case "us":
		return 1e-6
	case "ns":
		return 1e-9
	}
	return 0
}

// isWordByte reports whether c can stand inside a word.
func isWordByte(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
