package hints

import (
	"fmt"
	"strings"
)

// presence judges a setting that was added to, or removed from, something that
// exists: a keyword of a call, an attribute of a function.
func (fc *fileContext) presence(r *run, k *keyClass, s *setting, added bool) {
	if added && (fc.newEntry(r) || inSignature(s.line) && isNeutral(s.val)) {
		return // a new entry, or an option whose default changes nothing
	}
	if !added && (k.pattern == "launch_bounds" || k.pattern == "waves_per_eu") && s.line.toks[0].text == "#" {
		fc.emit(evidenceOf{pattern: k.pattern, level: 2, old: s.line, run: r, reason: fmt.Sprintf("%s: %s was removed", k.what, s.key)})
		return
	}
	if !s.kw || !fc.attached(r, s.line) && (!s.item || s.line.newFn != "") {
		return
	}
	judge := presences[k.pattern]
	if judge == nil {
		return
	}
	level, faster := judge(fc, s, added)
	if level == 0 {
		return
	}
	verb := "added"
	if !added {
		verb = "removed"
	}
	level, where := fc.relevance(k, s.line, level, s.key)
	e := r.hint(s.line, k.pattern, level, fmt.Sprintf("%s: %s was %s", k.what, s.key, verb))
	e.faster = faster
	if where != "" {
		e.reason += "; " + where
	}
	fc.emit(e)
}

// presences say, by the pattern of its class, how much the presence of a setting
// says (level 0: nothing), and whether it makes code faster.
var presences = map[string]func(fc *fileContext, s *setting, added bool) (level int, faster bool){
	"launch_bounds":    boundPresence,
	"waves_per_eu":     boundPresence,
	"num_stages":       numberPresence,
	"num_warps":        numberPresence,
	"mfma_shape":       numberPresence,
	"vector_width":     numberPresence,
	"tile_size":        itemPresence,
	"launch_config":    itemPresence,
	"prefetch":         itemPresence,
	"host_overhead":    switchPresence,
	"hot_path_checks":  switchPresence,
	"dtype":            typePresence,
	"cache_modifier":   modifierPresence,
	"volatile_atomics": orderPresence,
	"unroll":           func(_ *fileContext, s *setting, added bool) (int, bool) { return 3, added && s.isNumber() },
	"specialization":   func(_ *fileContext, _ *setting, added bool) (int, bool) { return 3, !added },
	"host_sync":        func(_ *fileContext, s *setting, added bool) (int, bool) { return 2, added == (boolOf(s.val) == yes) },
}

func (s *setting) isNumber() bool {
	_, ok := evaluate(s.val)
	return ok
}

// levelIf is 2 where a condition holds.
func levelIf(ok bool) (level int, faster bool) { return 2 * b2i(ok), false }

func boundPresence(fc *fileContext, s *setting, _ bool) (int, bool) {
	if fc.lang == langPython && !s.isNumber() && !justNumbers(s.val) && !(onlyNumbers(s.val) && shaped(s.val)) {
		return 0, false
	}
	return 3, false
}

func numberPresence(_ *fileContext, s *setting, _ bool) (int, bool) { return levelIf(s.isNumber()) }

func itemPresence(_ *fileContext, s *setting, added bool) (int, bool) {
	return levelIf(added && s.item && s.isNumber())
}

func switchPresence(_ *fileContext, s *setting, added bool) (int, bool) {
	return levelIf(added && boolOf(s.val) == yes)
}

// typePresence: a wide type that is now given, a narrow one for the output that no
// longer is.
func typePresence(_ *fileContext, s *setting, added bool) (int, bool) {
	if !added {
		narrow := typesIn(langC, s.val)
		return levelIf(len(narrow) == 1 && narrow[0].bits < 32 && strings.Contains(s.key, "out"))
	}
	text := strings.ToLower(textOf(s.val))
	return levelIf(boolOf(s.val) == no || text == `"ieee"` || strings.Contains(text, "32"))
}

func modifierPresence(_ *fileContext, s *setting, _ bool) (int, bool) {
	if len(s.val) == 1 && (s.val[0].kind == tokString || s.isNumber() || boolOf(s.val) != unknown) {
		return 3, false
	}
	return 0, false
}

func orderPresence(_ *fileContext, s *setting, added bool) (int, bool) {
	o := orderOf(s.val)
	level, _ := levelIf(o > 0)
	return level, added == (o%10 < 3)
}

// attached tells whether a line belongs to code that was there before: it has a
// partner, or it is one argument of a call whose start did not change.
func (fc *fileContext) attached(r *run, l *srcLine) bool {
	short := len(l.toks) <= 12
	switch {
	case l.newFn != "":
		return false
	case l.twin != nil, l.call != "" && short, fc.lang == langLLVM:
		return true
	case fc.lang == langC:
		return attributeLine(l.toks) && len(l.toks) <= 24 || short && len(r.old)+len(r.new) <= 2
	}
	return false
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
	return len(v) == 1 && hasText(v, "", "0", "None", "False", "false", "auto")
}

// attributeLine tells whether a line is nothing but an attribute of what follows.
func attributeLine(ts []token) bool {
	return hasText(ts[:1], "__attribute__", "__launch_bounds__", "[") && hasText(ts[len(ts)-1:], ")", "]")
}
