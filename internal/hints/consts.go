package hints

import "math"

// constants are the names that the hunks of a file give one number, on one side.
type constants map[string]float64

// collectConstants reads the settings of every line of a side that the diff shows.
// A name with two values has none.
func (fc *fileContext) collectConstants(after bool) constants {
	cs := constants{}
	for _, h := range fc.hunks {
		sd := &h.old
		if after {
			sd = &h.new
		}
		for i := range sd.lines {
			l := &sd.lines[i]
			if !hasText(l.toks, "=") && !hasText(l.toks, "define") && !hasText(l.toks, "{") {
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
	}
	return cs
}

// resolve replaces names by the numbers that the diff shows for them, so that a
// number that gets a name is no change.
func (fc *fileContext) resolve(ts []token, after bool) []token {
	if len(ts) > 16 {
		return ts
	}
	side := 0
	if after {
		side = 1
	}
	if fc.consts[side] == nil {
		fc.consts[side] = fc.collectConstants(after)
	}
	var out []token
	for i, t := range ts {
		v, ok := fc.consts[side][t.text]
		if t.kind != tokIdent || !ok || math.IsNaN(v) {
			continue
		}
		if out == nil {
			out = append(out, ts...)
		}
		out[i] = token{kind: tokNumber, text: formatNumber(v), line: t.line}
	}
	if out == nil {
		return ts
	}
	return out
}
