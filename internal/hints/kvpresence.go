package hints

import (
	"fmt"
	"strings"
)

// presence judges a setting that was added to, or removed from, something that
// exists: a keyword of a call, an attribute of a function.
func (fc *fileContext) presence(r *run, k *keyClass, s *setting, added bool) {
	if added && fc.newEntry(r) {
		return
	}
	if added && inSignature(s.line) && isNeutral(s.val) {
		return // a new option whose default changes nothing
	}
	if !added && (k.pattern == "launch_bounds" || k.pattern == "waves_per_eu") && s.line.toks[0].text == "#" {
		fc.emit(evidenceOf{pattern: k.pattern, level: 2, old: s.line, run: r, reason: fmt.Sprintf("%s: %s was removed", k.what, s.key)})
		return
	}
	if !s.kw || !fc.attached(r, s.line) && (!s.item || s.line.newFn != "") {
		return
	}
	level, faster, ok := fc.presenceLevel(k, s, added)
	if !ok {
		return
	}
	verb := "added"
	if !added {
		verb = "removed"
	}
	e := evidenceOf{pattern: k.pattern, reason: fmt.Sprintf("%s: %s was %s", k.what, s.key, verb), faster: faster, run: r}
	var where string
	e.level, where = fc.relevance(k, s.line, level, s.key)
	if where != "" {
		e.reason += "; " + where
	}
	e.old, e.new = partners(s.line)
	fc.emit(e)
}

// presenceLevel is how much the presence of a setting of some kind says, and
// whether it makes code faster; ok is false where it says nothing.
func (fc *fileContext) presenceLevel(k *keyClass, s *setting, added bool) (level int, faster, ok bool) {
	_, num := evaluate(s.val)
	sw := boolOf(s.val)
	level = 2
	switch k.pattern {
	case "launch_bounds", "waves_per_eu":
		if !num && !(onlyNumbers(s.val) && (hasNumber(s.val) || shaped(s.val))) && fc.lang == langPython {
			return 0, false, false
		}
		level = 3
	case "unroll":
		faster = added && num
		level = 3
	case "cache_modifier":
		if len(s.val) != 1 || s.val[0].kind != tokString && !num && sw == unknown {
			return 0, false, false
		}
		level = 3
	case "num_stages", "num_warps", "mfma_shape", "vector_width":
		if !num {
			return 0, false, false
		}
	case "tile_size", "launch_config", "prefetch":
		if !num || !s.item || !added {
			return 0, false, false
		}
	case "volatile_atomics":
		o := orderOf(s.val)
		if o == 0 {
			return 0, false, false
		}
		faster = added == (o%10 < 3)
	case "specialization":
		level, faster = 3, !added
	case "dtype":
		if narrow := typesIn(langC, s.val); !added && len(narrow) == 1 && narrow[0].bits < 32 && strings.Contains(s.key, "out") {
			break
		}
		if tl := strings.ToLower(textOf(s.val)); !added || sw != no && tl != `"ieee"` && !strings.Contains(tl, "32") {
			return 0, false, false
		}
	case "host_sync":
		faster = added == (sw == yes)
	case "host_overhead", "hot_path_checks":
		if sw != yes || !added {
			return 0, false, false
		}
	default:
		return 0, false, false
	}
	return level, faster, true
}

// attached tells whether a line belongs to code that was there before: it has a
// partner, or it is one argument of a call whose start did not change.
func (fc *fileContext) attached(r *run, l *srcLine) bool {
	if l.newFn != "" {
		return false
	}
	o, n := partners(l)
	if o != nil && n != nil {
		return true
	}
	if fc.lang == langC && attributeLine(l.toks) && len(l.toks) <= 24 {
		return true
	}
	return l.call != "" && len(l.toks) <= 12 || len(l.toks) <= 12 && fc.lang == langC && len(r.old)+len(r.new) <= 2 || fc.lang == langLLVM
}

// partners returns the pair of a line, with nil for a side that has none.
func partners(l *srcLine) (o, n *srcLine) {
	if l.kind == '-' {
		return l, l.twin
	}
	return l.twin, l
}

func inSignature(l *srcLine) bool {
	return l.lang == langPython && statementStart(l.toks).text == "def"
}

// isNeutral tells whether a value switches nothing on.
func isNeutral(v []token) bool {
	if len(v) != 1 {
		return false
	}
	switch v[0].text {
	case "", "0", "None", "False", "false", "auto":
		return true
	}
	return false
}

// attributeLine tells whether a line is nothing but an attribute of what follows.
func attributeLine(ts []token) bool {
	switch ts[0].text {
	case "__attribute__", "__launch_bounds__", "[":
		return ts[len(ts)-1].text == ")" || ts[len(ts)-1].text == "]"
	}
	return false
}
