package hints

import (
	"math"
	"slices"
)

// constants are the names that the hunks of a file give one number, on one side.
type constants map[string]float64

// collectConstants reads the settings of every line of a side that the diff shows.
// A name with two values has none.
func (fc *fileContext) collectConstants(after bool) constants {
	cs := constants{}
	for _, l := range fc.sideLines(after) {
		if !hasText(l.toks, "=", "define", "{") {
			continue
		}
		for _, s := range settingsOf(fc, l) {
			v, ok := evaluate(s.val)
			if old, seen := cs[s.key]; !ok || seen && old != v {
				v = math.NaN()
			}
			cs[s.key] = v
		}
	}
	return cs
}

// sideLines are the lines that the hunks of the file show of one side.
func (fc *fileContext) sideLines(after bool) []*srcLine {
	var out []*srcLine
	for _, h := range fc.hunks {
		sd := &h.old
		if after {
			sd = &h.new
		}
		for i := range sd.lines {
			out = append(out, &sd.lines[i])
		}
	}
	return out
}

// resolve replaces names by the numbers that the diff shows for them, so that a
// number that gets a name is no change.
func (fc *fileContext) resolve(ts []token, after bool) []token {
	if len(ts) > 16 {
		return ts
	}
	cs := &fc.consts[b2i(after)]
	if *cs == nil {
		*cs = fc.collectConstants(after)
	}
	ts = fc.unwrap(ts)
	var out []token
	for i, t := range ts {
		v, ok := (*cs)[t.text]
		if t.kind != tokIdent || !ok || math.IsNaN(v) {
			continue
		}
		if out == nil {
			out = slices.Clone(ts)
		}
		out[i] = token{kind: tokNumber, text: formatNumber(v), line: t.line}
	}
	if out == nil {
		return ts
	}
	return out
}

// constantWrapper are calls of Python's kernel languages that make a constant.
var constantWrapper = rx(`^((arith|fx|T|tl|gl|ir)\.)?(index|constant|const_index|Index|Int32|Int64|constexpr|arith_const|i32|idx)$`)

// numberName are names of MLIR constants: %c64, c0_i32.
var numberName = rx(`^%?c(\d+)(_(i32|i64|index))?$`)

// unwrap replaces arith.index(64), fx.Index(64), %c64 and c64 by 64.
func (fc *fileContext) unwrap(ts []token) []token {
	if fc.lang != langPython && fc.lang != langMLIR {
		return ts
	}
	var out []token
	for i := 0; i < len(ts); i++ {
		t := ts[i]
		if t.kind == tokIdent {
			if m := numberName.FindStringSubmatch(t.text); m != nil {
				t = token{kind: tokNumber, text: m[1], line: t.line}
			} else if i+3 < len(ts) && constantWrapper.MatchString(t.text) && ts[i+1].text == "(" && ts[i+2].kind == tokNumber && ts[i+3].text == ")" {
				t = ts[i+2]
				i += 3
			}
		}
		out = append(out, t)
	}
	return out
}
