package hints

import "fmt"

var configFunction = rx(`(?i)config|tun(e|ing)|space|candidates`)

// spaceRule compares the lists of values from which tuning configurations are
// built: [Config(..., num_stages=s) for s in [1, 2, 3]].
func (fc *fileContext) spaceRule(c *change) {
	name, ok := iterated(c.new.toks)
	if !ok || !listOnly(c.gone) || !listOnly(c.came) ||
		!configFunction.MatchString(c.new.fn) && !hasCall(c.new.toks, "Config") && !configFunction.MatchString(c.new.call+c.new.outer) {
		return
	}
	e := c.hint("autotune_config", 2, fmt.Sprintf("the values of %s that tuning tries changed", name))
	if len(numbersIn(c.new.toks)) < len(numbersIn(c.old.toks)) {
		e.level, e.reason = 3, fmt.Sprintf("tuning tries fewer values of %s", name)
	}
	fc.emit(e)
	c.explain()
	if k := fc.iteratedKey(c.h, name); k != nil {
		fc.emit(c.hint(k.pattern, 2, fmt.Sprintf("%s: the values that tuning tries changed", k.what)))
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
