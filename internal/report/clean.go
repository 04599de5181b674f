package report

import (
	"regexp"
	"strings"
	"unicode"
)

// escapes are the sequences by which text moves a terminal's cursor, colours
// it, names its window or does worse: CSI, then OSC, DCS, SOS, PM and APC
// strings, then all other two-byte ones (ECMA-48, 5.4 and 5.6).
var escapes = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?`)

// clean makes text from outside fit to be shown: no escape sequence, no control
// character but line feed and tab, no character that reverses the direction of
// what follows, and valid UTF-8.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = escapes.ReplaceAllString(s, "")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r&0xfffe == 0xfffe { // a noncharacter, which XML forbids
			return -1
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, s)
}

// line is clean text on one line.
func line(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// cut shortens s to at most n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// firstLines returns at most n lines of s and says how many were left out.
func firstLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) <= n {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:n], "\n") + "\n… (" + count(len(lines)-n, "more line") + ")"
}
