package metric

import (
	"strings"
	"unicode"
)

// partSep joins the parts of a label: the row and the column of a table, the
// keys on the way to a JSON value, the heading and the label in a line.
const partSep = " / "

// verbatim marks a part that is a name (of a row, of an element): its last word
// is no unit.
const verbatim = "\x01"

// labelInfo is what the text of a label tells. It is worked out once for each
// different text.
type labelInfo struct {
	// label is the text for people and for name:LABEL: without what changes
	// from run to run and without a unit whose scale may change.
	label string
	// key is equal for labels that mean the same.
	key string
	// words are the lower-case words that say what the number is; where the
	// label is only a statistic or "value", those of the names before it too.
	words []string
	// all are the words of all parts.
	all []string
	// unit is the unit named by the label.
	unit    unit
	hasUnit bool
	// bare is true when the last part is a unit and nothing else.
	bare bool
}

// labels caches labelInfo by raw text, within bounds.
type labels map[string]labelInfo

func (c labels) of(raw string) labelInfo {
	if in, ok := c[raw]; ok {
		return in
	}
	if len(c) >= 2*maxLabels {
		clear(c)
	}
	in := readLabel(raw)
	c[strings.Clone(raw)] = in
	return in
}

// readLabel works out the label of a raw text whose parts are joined by
// partSep. The unit is that of the last part that names one.
func readLabel(raw string) labelInfo {
	if len(raw) > 2*maxLabelLen {
		raw = raw[:2*maxLabelLen]
	}
	var in labelInfo
	var shown, names []string
	for _, part := range strings.Split(raw, partSep) {
		part, isName := strings.CutPrefix(part, verbatim)
		text := stableText(part)
		if text == "" {
			continue
		}
		find := labelUnit
		if isName {
			find = nameUnit
		}
		u, stem, ok := find(text)
		_, in.bare = wholeUnit(text)
		if ok {
			in.unit, in.hasUnit = u, true
		}
		shown = append(shown, stem)
		w := splitWords(text)
		in.all = append(in.all, w...)
		switch {
		case isName && ok: // "Transfer bandwidth (GB/s)" says what is measured
			in.words = append(in.words, nameWords(stem)...)
			fallthrough
		case isName:
			names = append(names, nameWords(text)...)
		default:
			in.words = append(in.words, w...)
		}
	}
	if onlyStatistic(in.words) {
		in.words = append(names, in.words...)
	}
	in.label = strings.ToValidUTF8(strings.Join(shown, partSep), "?")
	if len(in.label) > maxLabelLen {
		in.label = strings.ToValidUTF8(in.label[:maxLabelLen], "")
	}
	in.key = foldLabel(in.label)
	return in
}

// nameWords returns the words of a name but for its parameters ("size=64").
func nameWords(s string) []string {
	var out []string
	for _, f := range strings.Fields(s) {
		if !strings.Contains(f, "=") {
			out = append(out, splitWords(f)...)
		}
	}
	return out
}

// isStatistic reports whether a key is the name of a statistic and nothing else.
func isStatistic(key string) bool {
	words := splitWords(key)
	for _, w := range words {
		if !statWords[w] {
			return false
		}
	}
	return len(words) > 0
}

// onlyStatistic reports whether the words say nothing about what was measured.
func onlyStatistic(words []string) bool {
	for _, w := range words {
		if !statWords[w] && w != "value" && w != "result" && w != "score" && w != "metric" {
			return false
		}
	}
	return true
}

// foldLabel returns the key of a label.
func foldLabel(label string) string {
	parts := strings.Split(label, partSep)
	for i, p := range parts {
		parts[i] = foldKey(p)
	}
	return strings.Join(parts, partSep)
}

// foldKey makes texts that mean the same equal.
func foldKey(s string) string {
	if u, ok := parseUnit(s); ok && len(s) > 1 {
		return u.name
	}
	return strings.Join(strings.Fields(strings.ToLower(s)), " ")
}

// spreadNames removes from "mean ± std. dev." the name of the spread.
var spreadNames = strings.NewReplacer(" ± σ", "", " ± std. dev.", "", " ± stddev", "", " ± std", "", " ± sd", "", " ± SD", "", " ± stdev", "")

// stableText removes from a label what changes from run to run: log prefixes,
// counters, dates, hashes, dot leaders and marks around it.
func stableText(s string) string {
	if strings.Contains(s, "±") {
		s = spreadNames.Replace(s)
	}
	s = trimMarks(s)
	if !strings.ContainsAny(s, "0123456789.\"'`[") && !strings.Contains(s, "  ") && !strings.Contains(s, "\t") {
		return dropLevel(s)
	}
	fields := strings.Fields(s)
	out := fields[:0]
	for i := 0; i < len(fields); i++ {
		f := strings.Trim(fields[i], "\"'`")
		switch {
		case len(f) > 0 && strings.Trim(f, ".") == "":
			continue
		case volatile(f) && !(i+1 < len(fields) && percentile(f, fields[i+1])):
			continue
		case len(out) > 0 && isCounter(out[len(out)-1]) && plainInt(strings.Trim(f, "[]()#:,/")):
			continue
		}
		if w, n, ok := cutNumbered(f); ok && isCounter(w) {
			f = strings.TrimRight(w, "=:#[(") + strings.TrimLeft(n, "0123456789/]):")
		}
		out = append(out, strings.TrimRight(f, "."))
	}
	return dropLevel(trimMarks(strings.Join(out, " ")))
}

// trimMarks removes separators and quotes around a label; brackets only where
// they have no partner.
func trimMarks(s string) string {
	for s != "" {
		t := strings.Trim(s, " \t:=,;|>*•·\"'`—–…~&@│┃?")
		t = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(t, "- "), "+ "), " -")
		t = strings.TrimSuffix(t, " #")
		t = strings.TrimLeft(t, ")]}")
		if len(t) > 0 && t[0] == '#' && (len(t) == 1 || !isDigit(t[1])) {
			t = t[1:]
		}
		if strings.Count(t, "(") > strings.Count(t, ")") {
			t = strings.TrimLeft(strings.TrimRight(t, "( "), "( ")
		}
		if strings.Count(t, "[") > strings.Count(t, "]") {
			t = strings.TrimLeft(strings.TrimRight(t, "[ "), "[ ")
		}
		t = strings.TrimLeft(strings.TrimRight(t, "{ "), "{ ")
		if t == "-" || t == "+/-" || t == "±" || t == "/" {
			t = ""
		}
		if t == s {
			break
		}
		s = t
	}
	return s
}

// dropLevel removes the level of a log line at the start of a label.
func dropLevel(s string) string {
	w, rest, _ := strings.Cut(s, " ")
	switch strings.ToUpper(strings.Trim(w, "[]():|")) {
	case "INFO", "DEBUG", "WARN", "WARNING", "NOTE", "TRACE", "LOG", "NOTICE", "I", "D", "W":
		if strings.ToUpper(w) == w && len(w) > 1 {
			return trimMarks(rest)
		}
	}
	return s
}

// volatile reports whether a field of a label changes from run to run: a date,
// a time, a hash, an address in memory, a progress.
func volatile(f string) bool {
	f = strings.Trim(f, "[](){}<>,;:|\"'")
	if f == "" {
		return false
	}
	if strings.HasPrefix(f, "0x") && len(f) > 6 {
		return true
	}
	if !isDigit(f[0]) {
		return isHash(f)
	}
	marks := func(allowed string) int { return marksIn(f, allowed) }
	switch {
	case f[len(f)-1] == '%': // progress
		return true
	case len(f) > 10 && f[4] == '-' && f[7] == '-' && isDigit(f[5]) && isDigit(f[8]): // a time as in ISO 8601
		return true
	case strings.IndexByte(f, ':') > 0 && marks(":.TZ-,") > 0: // a time
		return true
	case len(f) >= 8 && (marks("-") == 2 || marks("/") == 2): // a date
		return true
	case marks("/") == 1 || marks(".") == 1: // a fraction
		return true
	}
	return isHash(f)
}

// percentile reports whether f is a percentage that names one, by the word after
// it: "99% percentile", "1% low", "90% line".
func percentile(f, next string) bool {
	return strings.HasSuffix(f, "%") && isWord(strings.Trim(next, ":=()[],"), "percentile", "quantile", "ile", "low", "lows", "line", "tail", "latency")
}

// marksIn returns how many bytes of f are among the allowed marks; -1 when one
// is neither mark nor digit.
func marksIn(f, allowed string) int {
	n := 0
	for i := range len(f) {
		switch {
		case isDigit(f[i]):
		case strings.IndexByte(allowed, f[i]) >= 0:
			n++
		default:
			return -1
		}
	}
	return n
}

// isHash reports whether f looks like a commit or another hash.
func isHash(f string) bool {
	if len(f) < 7 || len(f) > 64 {
		return false
	}
	letters, nums := 0, 0
	for i := range len(f) {
		switch c := f[i]; {
		case isDigit(c):
			nums++
		case c >= 'a' && c <= 'f':
			letters++
		case c == '-' && len(f) == 36: // UUID
		default:
			return false
		}
	}
	return nums > 0 && letters > 0
}

// isCounter reports whether a word counts repetitions, so that the number
// after it changes without the label meaning anything else.
func isCounter(w string) bool {
	switch strings.ToLower(strings.Trim(w, "[]():=#,")) {
	case "iter", "iters", "iteration", "step", "run", "epoch", "rep", "repeat", "repetition", "trial", "pass", "round",
		"attempt", "loop", "pid", "tid", "sample", "try", "port", "seed", "#", "job", "jobid":
		return true
	}
	return false
}

func plainInt(s string) bool {
	return s != "" && digits(s, 0) == len(s)
}

// cutNumbered splits "iter=5" or "step[12]" before its number.
func cutNumbered(f string) (word, num string, ok bool) {
	i := strings.IndexAny(f, "0123456789")
	if i <= 0 || strings.IndexByte("=:#[(", f[i-1]) < 0 {
		return "", "", false
	}
	return f[:i-1], f[i:], true
}

// splitWords returns the lower-case words of a label: letters and digits,
// split at a change from lower to upper case too.
func splitWords(s string) []string {
	var out []string
	start := -1
	var prev rune
	flush := func(end int) {
		if start >= 0 {
			out = append(out, strings.ToLower(s[start:end]))
			start = -1
		}
	}
	for i, r := range s {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !word || unicode.IsUpper(r) && unicode.IsLower(prev) {
			flush(i)
		}
		if word && start < 0 {
			start = i
		}
		prev = r
	}
	flush(len(s))
	return out
}
