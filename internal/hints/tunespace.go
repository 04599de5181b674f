package hints

import "fmt"

var configFunction = rx(`(?i)config|tun(e|ing)|space|candidates`)

// spaceRule compares the lists of values from which tuning configurations are
// built: [Config(..., num_stages=s) for s in [1, 2, 3]].
func (fc *fileContext) spaceRule(h *sourceHunk, r *run, p pair, d tokenDiff) {
	if fc.lang != langPython || r.judged[p.new] || !listOnly(d.old) || !listOnly(d.new) || len(d.old)+len(d.new) == 0 {
		return
	}
	name, ok := iterated(p.new.toks)
	if !ok || !configFunction.MatchString(p.new.fn) && !hasCall(p.new.toks, "Config") && !configFunction.MatchString(p.new.call+p.new.outer) {
		return
	}
	olds, news := len(numbersIn(p.old.toks)), len(numbersIn(p.new.toks))
	e := evidenceOf{pattern: "autotune_config", level: 2, old: p.old, new: p.new, run: r, reason: fmt.Sprintf("the values of %s that tuning tries changed", name)}
	if news < olds {
		e.level, e.reason = 3, fmt.Sprintf("tuning tries fewer values of %s", name)
	}
	fc.emit(e)
	r.judged[p.new] = true
	if k := fc.iteratedKey(h, name); k != nil {
		fc.emit(evidenceOf{pattern: k.pattern, level: 2, old: p.old, new: p.new, run: r, reason: fmt.Sprintf("%s: the values that tuning tries changed", k.what)})
	}
}

// iterated is the variable of "for x in [1, 2]", in a loop or a comprehension.
func iterated(ts []token) (string, bool) {
	for i := 0; i+3 < len(ts); i++ {
		if ts[i].text == "for" && ts[i+2].text == "in" && (ts[i+3].text == "[" || ts[i+3].text == "(") {
			return ts[i+1].text, true
		}
	}
	return "", false
}

func hasCall(ts []token, name string) bool {
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind == tokIdent && ts[i].last() == name && ts[i+1].text == "(" {
			return true
		}
	}
	return false
}

// iteratedKey is the class of the parameter that gets the variable's value.
func (fc *fileContext) iteratedKey(h *sourceHunk, name string) *keyClass {
	for i := range h.new.lines {
		ts := h.new.lines[i].toks
		for j := 0; j+2 < len(ts); j++ {
			if (ts[j+1].text == "=" || ts[j+1].text == ":") && ts[j+2].text == name && ts[j].kind != tokOp {
				if k := fc.memo.key(ts[j].text); k != nil && !k.generic && k.pattern != "autotune_config" {
					return k
				}
			}
		}
	}
	if k := fc.memo.key(name); k != nil && !k.generic {
		return k
	}
	return nil
}
