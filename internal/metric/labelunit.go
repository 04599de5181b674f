package metric

import "strings"

// labelUnit returns the unit that a label names and the label without it:
// "Time (us)", "Latency [ms]", "time in ms", "kernel_time_us", "AverageNs",
// "bytes_per_second", "rocblas-Gflops", "MLUPS". A label that is nothing but a
// unit stays as it is, except that a scale goes.
func labelUnit(s string) (u unit, stem string, ok bool) {
	if u, ok := wholeUnit(s); ok {
		if u.scale == 1 {
			return u, s, true
		}
		return u, u.name, true
	}
	for _, f := range []func(string) (unit, string, bool){bracketUnit, perUnit, wordUnit, camelUnit, anyRate} {
		if u, stem, ok := f(s); ok && strings.TrimSpace(stem) != "" {
			return u, trimMarks(strings.TrimRight(stem, " _-.")), true
		}
	}
	return unit{}, s, false
}

// nameUnit returns the unit that a name gives in brackets, and the name
// without it.
func nameUnit(s string) (unit, string, bool) {
	if u, stem, ok := bracketUnit(s); ok && stem != "" {
		return u, trimMarks(stem), true
	}
	return unit{}, s, false
}

// wholeUnit reads a label that is a unit. Words that are statistics or too
// short to be sure of are none.
func wholeUnit(s string) (unit, bool) {
	if strings.EqualFold(s, "min") || strings.EqualFold(s, "h") || s == "x" || s == "X" || s == "W" || s == "J" || s == "B" {
		return unit{}, false
	}
	return parseUnit(s)
}

// bracketUnit reads a unit in brackets, the last ones that hold one.
func bracketUnit(s string) (unit, string, bool) {
	for end := len(s); end > 0; {
		j := strings.LastIndexAny(s[:end], ")]")
		if j < 0 {
			break
		}
		i := strings.LastIndexAny(s[:j], "([")
		if i < 0 {
			break
		}
		in := strings.TrimSpace(s[i+1 : j])
		if k := strings.LastIndex(in, "in "); k >= 0 {
			in = in[k+3:]
		}
		in = strings.ReplaceAll(in, " / ", "/")
		if u, ok := parseUnit(in); ok && in != "x" {
			return u, strings.TrimSpace(s[:i]) + s[j+1:], true
		}
		if u, _, ok := perUnit(in); ok {
			return u, strings.TrimSpace(s[:i]) + s[j+1:], true
		}
		end = i
	}
	return unit{}, "", false
}

// perUnit reads "tokens per second", "bytes_per_second" and "ms_per_token" at
// the end of a label.
func perUnit(s string) (unit, string, bool) {
	for _, sep := range []string{" per ", "_per_", "-per-", "Per"} {
		i := strings.LastIndex(s, sep)
		if i <= 0 {
			continue
		}
		den := s[i+len(sep):]
		start := strings.LastIndexAny(s[:i], " _-(") + 1
		if sep == "Per" {
			start = lastUpper(s[:i])
		}
		if u, ok := ratioUnit(s[start:i], den); ok {
			if start == 0 {
				return u, s, true // the name is all there is
			}
			return u, s, true
		}
	}
	return unit{}, "", false
}

// lastUpper returns the offset of the last upper-case ASCII letter, or 0.
func lastUpper(s string) int {
	for i := len(s) - 1; i > 0; i-- {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return i
		}
	}
	return 0
}

// wordUnit reads a unit that is the last word of a label.
func wordUnit(s string) (unit, string, bool) {
	i := strings.LastIndexAny(s, " _-.")
	if i <= 0 {
		return unit{}, "", false
	}
	w := s[i+1:]
	if strings.HasSuffix(s[:i], "/") {
		return unit{}, "", false
	}
	if len(w) == 1 && !(w == "s" && s[i] == '_') || isWord(w, "min", "h", "hour", "minute") {
		return unit{}, "", false
	}
	u, ok := parseUnit(w)
	if !ok || (s[i] == ' ' || s[i] == '-') && u.si == "s" && !isWord(w, "ms", "us", "ns", "µs", "μs", "sec", "secs", "seconds", "s", "usec", "msec", "nsec", "milliseconds", "microseconds", "nanoseconds") {
		return unit{}, "", false
	}
	stem := strings.TrimRight(s[:i], " _-.,")
	stem = strings.TrimSuffix(stem, " in")
	if strings.HasSuffix(stem, " per") || strings.HasSuffix(stem, "_per") {
		return unit{}, "", false
	}
	return u, timeStem(stem, s[:i+1], u), true
}

// timeStem is the label without its unit. Only of times the unit goes
// altogether: "gemm-Gflops" and "gemm-GB/s" must stay two labels.
func timeStem(stem, before string, u unit) string {
	if u.si == "s" {
		return stem
	}
	return before + u.name
}

// camelUnit reads a unit of time glued to a word: "TotalDurationNs".
func camelUnit(s string) (unit, string, bool) {
	for _, w := range []string{"Ns", "Us", "Ms", "Sec", "Secs", "Seconds", "Bytes", "MHz", "GBps", "Gflops", "GFLOPS", "TFLOPS", "Percent"} {
		stem, ok := strings.CutSuffix(s, w)
		if !ok || stem == "" || stem[len(stem)-1] < 'a' || stem[len(stem)-1] > 'z' {
			continue
		}
		if u, ok := parseUnit(w); ok {
			return u, timeStem(stem, stem, u), true
		}
	}
	return unit{}, "", false
}

// anyRate reads a rate of operations or bytes that is a word anywhere in the
// label: "GFLOPS achieved". The label keeps it unless it is scaled.
func anyRate(s string) (unit, string, bool) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" _-():,[]", r) }) {
		u, ok := parseUnit(w)
		if ok && (u.si == "FLOP/s" || u.si == "B/s" || u.si == "OP/s") {
			return u, strings.Replace(s, w, u.name, 1), true
		}
	}
	return unit{}, "", false
}
