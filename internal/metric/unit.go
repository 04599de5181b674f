package metric

import "strings"

// unit is a unit of measurement and what it is in SI base units.
type unit struct {
	// si is the unit of the value once multiplied by scale: "s", "B/s",
	// "FLOP/s", "1/s", …; empty for a bare count.
	si    string
	scale float64
	// name stays the same when only the scale changes: "s", "s/tok", "tok/s",
	// "FLOP/s". It labels numbers that have no other label.
	name string
	// text is the unit as it was written; it takes no part in comparisons.
	text string
}

// timeUnits are the units of time in seconds.
var timeUnits = map[string]float64{
	"ps": 1e-12, "ns": 1e-9, "nsec": 1e-9, "nsecs": 1e-9, "nanosecond": 1e-9, "nanoseconds": 1e-9, "nanos": 1e-9,
	"us": 1e-6, "usec": 1e-6, "usecs": 1e-6, "microsecond": 1e-6, "microseconds": 1e-6, "micros": 1e-6,
	"ms": 1e-3, "msec": 1e-3, "msecs": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3, "millis": 1e-3, "millisec": 1e-3,
	"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
	"min": 60, "mins": 60, "minute": 60, "minutes": 60,
	"h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600,
}

// counted are the things that are counted, singular, with the short name that
// stands for all their spellings.
var counted = map[string]string{
	"tok": "tok", "token": "tok", "t": "tok", "it": "it", "iter": "it", "iteration": "it", "loop": "it", "rep": "it",
	"op": "op", "operation": "op", "call": "call", "invocation": "call", "run": "run", "step": "step",
	"launch": "launch", "launche": "launch", "kernel": "kernel", "elem": "elem", "element": "elem", "item": "item",
	"req": "req", "request": "req", "batch": "batch", "batche": "batch", "image": "img", "img": "img",
	"sample": "sample", "frame": "frame", "query": "query", "querie": "query", "lookup": "lookup", "row": "row",
	"record": "record", "key": "key", "point": "point", "pt": "point", "cell": "cell", "pixel": "pixel", "px": "pixel",
	"event": "event", "eval": "event", "msg": "msg", "message": "msg", "packet": "packet", "pair": "pair", "update": "update",
	"epoch": "epoch", "example": "example", "seq": "seq", "sequence": "seq", "word": "word", "char": "char",
	"line": "line", "job": "job", "task": "task", "txn": "txn", "transaction": "txn", "prompt": "prompt",
	"read": "read", "write": "write", "atom": "atom", "particle": "particle", "edge": "edge", "ray": "ray",
	"interaction": "interaction", "alloc": "alloc", "allocation": "alloc", "cycle": "cycle", "round": "round",
	"test": "test", "file": "file", "user": "user", "node": "node", "gpu": "gpu", "block": "block",
	"hash": "hash", "hashe": "hash", "ligand": "ligand", "lup": "LUP", "gup": "UP", "solve": "solve", "measurement": "measurement", "value": "value",
}

// rateWords are whole words that are rates of one a second.
var rateWords = map[string]string{
	"fps": "frame/s", "qps": "query/s", "rps": "req/s", "tps": "tok/s", "iops": "op/s",
	"lups": "LUP/s", "ups": "UP/s", "teps": "edge/s", "hz": "Hz",
}

// prefixScale returns the factor of an SI or binary prefix ("k", "M", "Gi").
func prefixScale(p string) (float64, bool) {
	if p == "" {
		return 1, true
	}
	base := 1000.0
	if len(p) == 2 && (p[1] == 'i' || p[1] == 'I') {
		base = 1024
	} else if len(p) != 1 {
		return 0, false
	}
	scale := 1.0
	switch p[0] {
	case 'P', 'p':
		scale *= base
		fallthrough
	case 'T', 't':
		scale *= base
		fallthrough
	case 'G', 'g':
		scale *= base
		fallthrough
	case 'M', 'm':
		scale *= base
		fallthrough
	case 'K', 'k':
		return scale * base, true
	}
	return 0, false
}

// parseUnit reads a unit such as "ms", "GB/s", "us/it", "TFLOPS" or "tok/s".
// It knows no unit of one letter but s, B, W, J and h.
func parseUnit(w string) (unit, bool) {
	if w == "" || len(w) > 32 {
		return unit{}, false
	}
	w = strings.TrimSuffix(w, ".")
	u, ok := simpleUnit(w)
	if num, den, ratio := cutLast(w, "/"); ratio {
		u, ok = ratioUnit(strings.TrimSpace(num), strings.TrimSpace(den))
	}
	u.text = w
	return u, ok
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// ratioUnit reads num/den. "t/s/u" is a rate for each user; the last part is
// in the name only.
func ratioUnit(num, den string) (unit, bool) {
	if t, ok := timeUnit(den); ok {
		return rateUnit(num, t)
	}
	short, ok := countedName(den)
	if den == "u" && strings.Contains(num, "/") {
		short, ok = "user", true
	}
	if !ok {
		return unit{}, false
	}
	u, ok := parseUnit(num)
	if !ok {
		n, isCount := countedName(num)
		if !isCount {
			return unit{}, false
		}
		u = unit{si: "", scale: 1, name: n}
	}
	u.name += "/" + short
	return u, true
}

// rateUnit reads what is counted in t seconds.
func rateUnit(num string, t float64) (unit, bool) {
	if num == "" || num == "1" {
		return unit{si: "1/s", scale: 1 / t, name: "1/s"}, true
	}
	if f, ok := prefixScale(num); ok && num != "t" && num != "p" && num != "m" {
		return unit{si: "1/s", scale: f / t, name: "1/s"}, true
	}
	if u, ok := workUnit(num); ok {
		u.si, u.scale, u.name = u.si+"/s", u.scale/t, u.name+"/s"
		return u, true
	}
	if f, n, ok := prefixedCount(num); ok {
		return unit{si: "1/s", scale: f / t, name: n + "/s"}, true
	}
	if isAlpha(num) { // anything can be counted
		return unit{si: "1/s", scale: 1 / t, name: strings.ToLower(num) + "/s"}, true
	}
	return unit{}, false
}

// isAlpha reports whether w is made of ASCII letters only.
func isAlpha(w string) bool {
	for i := range len(w) {
		if c := w[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return w != ""
}

// prefixedCount reads a counted thing with an optional prefix: "Melem".
func prefixedCount(w string) (scale float64, name string, ok bool) {
	if n, ok := countedName(w); ok {
		return 1, n, true
	}
	for _, k := range []int{1, 2} {
		if len(w) <= k+1 || w[0] < 'A' && w[0] != 'k' {
			continue
		}
		f, okP := prefixScale(w[:k])
		n, okC := countedName(strings.TrimPrefix(w[k:], "-"))
		if okP && okC && (w[0] == 'k' || w[0] <= 'Z') {
			return f, n, true
		}
	}
	return 0, "", false
}

// countedName returns the short name of a counted thing, singular or plural.
func countedName(w string) (string, bool) {
	if len(w) > 16 {
		return "", false
	}
	l := strings.ToLower(w)
	if n, ok := counted[l]; ok {
		return n, true
	}
	if s, plural := strings.CutSuffix(l, "s"); plural && len(s) > 1 {
		n, ok := counted[s]
		return n, ok
	}
	return "", false
}

func timeUnit(w string) (float64, bool) {
	if len(w) > 1 && (w[0] == 0xc2 && w[1] == 0xb5 || w[0] == 0xce && w[1] == 0xbc) {
		w = "u" + w[2:] // micro sign, Greek mu
	}
	if t, ok := timeUnits[w]; ok {
		return t, true
	}
	if len(w) < 2 || len(w) > 12 {
		return 0, false
	}
	t, ok := timeUnits[strings.ToLower(w)]
	return t, ok
}

// workUnit reads bytes, bits and operations with a prefix: "GB", "MiB",
// "Gbit", "GFLOP".
func workUnit(w string) (unit, bool) {
	for k := 0; k <= 2 && k < len(w); k++ {
		f, ok := prefixScale(w[:k])
		if !ok {
			continue
		}
		switch rest := w[k:]; {
		case rest == "B" || rest == "b" && k > 0 && w[0] >= 'a' || isWord(rest, "byte", "bytes"):
			return unit{si: "B", scale: f, name: "B"}, true
		case rest == "b" && k > 0 || isWord(rest, "bit", "bits"):
			return unit{si: "bit", scale: f, name: "bit"}, true
		case isWord(rest, "flop", "flops"):
			return unit{si: "FLOP", scale: f, name: "FLOP"}, true
		case isWord(rest, "op", "ops") && k > 0 && (w[0] == 'T' || w[0] == 'G' || w[0] == 'P'):
			return unit{si: "OP", scale: f, name: "OP"}, true
		}
	}
	return unit{}, false
}

func isWord(w string, of ...string) bool {
	for _, o := range of {
		if strings.EqualFold(w, o) {
			return true
		}
	}
	return false
}

// simpleUnit reads a unit without a slash.
func simpleUnit(w string) (unit, bool) {
	switch w {
	case "%":
		return unit{si: "%", scale: 1, name: "%"}, true
	case "x", "×", "X":
		return unit{si: "x", scale: 1, name: "x"}, true
	case "°C", "degC":
		return unit{si: "°C", scale: 1, name: "°C"}, true
	}
	if isWord(w, "percent", "pct", "percentage") {
		return unit{si: "%", scale: 1, name: "%"}, true
	}
	if t, ok := timeUnit(w); ok {
		return unit{si: "s", scale: t, name: "s"}, true
	}
	if u, ok := milliUnit(w); ok {
		return u, true
	}
	for k := 0; k <= 2 && k < len(w); k++ {
		f, ok := prefixScale(w[:k])
		if !ok {
			continue
		}
		if u, ok := suffixUnit(w[k:], f, k > 0); ok {
			return u, true
		}
	}
	u, ok := workUnit(w)
	return u, ok && u.si != "OP"
}

// suffixUnit reads what follows a prefix of factor f in a word that is a rate
// or a physical unit.
func suffixUnit(rest string, f float64, prefixed bool) (unit, bool) {
	switch {
	case isWord(rest, "flops") && !(rest == "FLOPs" && !prefixed): // "FLOPs" alone is a count
		return unit{si: "FLOP/s", scale: f, name: "FLOP/s"}, true
	case (rest == "OPS" || rest == "OPs" || rest == "ops") && prefixed:
		return unit{si: "OP/s", scale: f, name: "OP/s"}, true
	case rest == "Bps" || isWord(rest, "Bps") && prefixed && rest[0] == 'B':
		return unit{si: "B/s", scale: f, name: "B/s"}, true
	case prefixed && rest == "bs":
		return unit{si: "B/s", scale: f, name: "B/s"}, true
	case rest == "bps":
		return unit{si: "bit/s", scale: f, name: "bit/s"}, true
	case rest == "W" || isWord(rest, "watt", "watts"):
		return unit{si: "W", scale: f, name: "W"}, true
	case rest == "J" || isWord(rest, "joule", "joules"):
		return unit{si: "J", scale: f, name: "J"}, true
	case isWord(rest, "Hz"):
		return unit{si: "Hz", scale: f, name: "Hz"}, true
	}
	if n, ok := rateWords[strings.ToLower(rest)]; ok && (!prefixed || isWord(rest, "lups", "ups", "teps", "iops")) {
		return unit{si: "1/s", scale: f, name: n}, true
	}
	return unit{}, false
}

// milliUnit reads milli-, micro- and nanowatts and -joules, where m is no mega.
func milliUnit(w string) (unit, bool) {
	if w == "" || w[len(w)-1] != 'W' && w[len(w)-1] != 'J' {
		return unit{}, false
	}
	si := w[len(w)-1:]
	switch w[:len(w)-1] {
	case "m":
		return unit{si: si, scale: 1e-3, name: si}, true
	case "u", "µ", "μ":
		return unit{si: si, scale: 1e-6, name: si}, true
	case "n":
		return unit{si: si, scale: 1e-9, name: si}, true
	}
	return unit{}, false
}
