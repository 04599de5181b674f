package hints

import "strings"

// selector are names of functions that decide which kernel runs.
var selector = rx(`(?i)(^|_)(should|can|may|use|supports?|select|choose|prefer|dispatch|route|pick|enable|eligible|heuristic|applicable|best)(_|$)|supported|available|heuristic|^is_\w*(valid|ok|supported)|(^|[a-z_])(Is|Can|Should|Use|Select|Choose)[A-Z]`)

// choiceRule looks at conditions that decide which of several paths runs.
func (fc *fileContext) choiceRule(h *sourceHunk, r *run, p pair, d tokenDiff) {
	if fc.lang != langPython && fc.lang != langC || fc.compiler || r.judged[p.new] || hasText(p.new.toks, "argc") || len(d.old)+len(d.new) == 0 || p.new.dev == yes {
		return
	}
	if fc.archRule(r, p, d) {
		return
	}
	if sameBag(p.old.toks, p.new.toks) || mergesConditions(r, d) {
		return // the same terms in another order
	}
	inSelector := selector.MatchString(p.new.fn)
	start := statementStart(p.new.toks).text
	was := statementStart(p.old.toks).text
	e := evidenceOf{pattern: "dispatch", old: p.old, new: p.new, run: r, reason: "the condition of a choice changed"}
	switch {
	case start == "return" && was == "return" && inSelector && boolean(p.old.toks) && boolean(p.new.toks):
		e.level = 2
		e.faster = hasText(d.new, "true") || hasText(d.new, "True") || hasAlternative(d.new) && !hasAlternative(d.old) && !hasText(d.new, "&&") && !hasText(d.new, "and")
	case start == "return" && was == "return" && inSelector && len(d.old) == 1 && len(d.new) == 1 && d.old[0].kind == tokIdent && d.new[0].kind == tokIdent && len(p.new.toks) < 5:
		e.level, e.reason = 2, "another implementation is chosen"
		fc.emit(e)
		return
	case isConditionWord(start) && isConditionWord(was) && (fc.gpu || inSelector) && narrower(d):
		e.level = 1
		if inSelector || fc.leadsToCall(h, p.new) {
			e.level = 2
		}
	case inSelector && narrower(d):
		e.level = 2
	case conditional(p.old.toks) && len(d.new) == 0 && fc.gpu && namesImplementation(p.new.toks):
		e.level, e.reason = 2, "a choice between two became one of them"
	default:
		return
	}
	if allNames(d.old) && allNames(d.new) && len(d.old) == len(d.new) {
		e.level = 1 // names for names
	}
	if !fc.gpu && !inSelector {
		e.level--
	}
	fc.emit(e)
}

// mergesConditions tells whether the terms that a condition got stood in another
// one of the removed lines.
func mergesConditions(r *run, d tokenDiff) bool {
	if !hasText(d.new, "&&") && !hasText(d.new, "and") {
		return false
	}
	for _, l := range r.old {
		if startsIf(l.toks) && len(l.toks) > 3 && strings.Contains(textOf(d.new), strings.Trim(textOf(l.toks[1:len(l.toks)-1]), "()")) {
			return true
		}
	}
	return false
}

// boolean tells whether a line has a comparison, a logical operator or a truth value.
func boolean(ts []token) bool {
	if hasCompareOp(ts) {
		return true
	}
	for _, t := range ts {
		switch t.text {
		case "&&", "||", "and", "or", "not", "!", "true", "false", "True", "False":
			return true
		}
	}
	return false
}

func hasAlternative(ts []token) bool { return hasText(ts, "||") || hasText(ts, "or") }

// namesImplementation: "fn = ck_gemm", one name that is given the name of a function.
func namesImplementation(ts []token) bool {
	n := len(ts)
	return n >= 3 && n <= 5 && ts[1].text == "=" && ts[2].kind == tokIdent && (launchName.MatchString(ts[2].text) || strings.Contains(ts[2].text, "impl") || strings.Contains(ts[2].text, "ackend"))
}

// conditional tells whether a line chooses by "a if c else b" or "c ? a : b".
func conditional(ts []token) bool {
	return hasText(ts, "if") && hasText(ts, "else") || hasText(ts, "?") && hasText(ts, ":")
}

func isConditionWord(s string) bool { return s == "if" || s == "elif" || s == "else" || s == "}" }

func allNames(ts []token) bool {
	for _, t := range ts {
		if t.kind != tokIdent {
			return false
		}
	}
	return true
}

// narrower tells whether a condition got another term that compares something, or
// a threshold moved. A check for null is neither.
func narrower(d tokenDiff) bool {
	for _, t := range d.new {
		switch t.text {
		case "nullptr", "NULL", "None", "isinstance", "hasattr":
			return false
		}
	}
	if onlyNumbers(d.old) && onlyNumbers(d.new) && hasNumber(d.new) && hasNumber(d.old) {
		return true
	}
	return (hasText(d.new, "&&") || hasText(d.new, "and")) && !hasText(d.old, "&&") && !hasText(d.old, "and") && (hasCompareOp(d.new) || hasNumber(d.new))
}

func hasCompareOp(ts []token) bool {
	for _, t := range ts {
		switch t.text {
		case "<", ">", "<=", ">=", "==", "!=", "%", "in":
			return true
		}
	}
	return false
}

// leadsToCall tells whether the line under a condition returns or calls a kernel.
func (fc *fileContext) leadsToCall(h *sourceHunk, l *srcLine) bool {
	next := false
	for _, x := range h.all {
		if next && x.kind != '-' && len(x.toks) > 1 {
			for _, t := range x.toks {
				if n := strings.ToLower(t.text); t.kind == tokIdent && (n == "return" || strings.Contains(n, "kernel") || strings.Contains(n, "launch") || strings.Contains(n, "gemm") || strings.Contains(n, "run")) {
					return true
				}
			}
			return hasText(x.toks, "<<<")
		}
		next = next || x == l
	}
	return hasText(l.toks, "return")
}

var archName = rx(`(?i)^_*(gfx\d+\w*?)_*$|(^|_)(cdna|rdna|gfx)\d+(_\w+)?$`)

// archRule finds lists of architectures that became shorter: the code behind them
// no longer runs on what was dropped.
func (fc *fileContext) archRule(r *run, p pair, d tokenDiff) bool {
	lost := archs(d.old)
	if lost == 0 || archs(d.new) > 0 || archs(p.new.toks) == 0 {
		return false
	}
	level := 2
	if !fc.gpu && !hasPrefixToken(p.new.toks, "if") {
		level = 1
	}
	fc.emit(evidenceOf{pattern: "dispatch", level: level, old: p.old, new: p.new, run: r, reason: "fewer architectures take this path"})
	return true
}

func archs(ts []token) int {
	n := 0
	for _, t := range ts {
		if t.kind != tokOp && (archName.MatchString(t.text) || archName.MatchString(t.last())) {
			n++
		}
	}
	return n
}

// choiceLines looks at whole lines of choices: a term added to a result, a case
// that is gone.
func (fc *fileContext) choiceLines(r *run) {
	if fc.lang != langPython && fc.lang != langC || fc.compiler {
		return
	}
	for _, l := range r.newOnly {
		ts := l.toks
		if len(ts) > 3 && l.dev != yes && selector.MatchString(l.fn) && (ts[1].text == "&=" || ts[1].text == "=" && ts[2].text == ts[0].text && (ts[3].text == "and" || ts[3].text == "&&")) {
			fc.emit(evidenceOf{pattern: "dispatch", level: 2, new: l, run: r, reason: "a choice has another condition"})
			return
		}
	}
	for _, l := range r.oldOnly {
		if len(r.new) == 0 && len(l.toks) > 4 && l.toks[0].text == "case" && hasText(l.toks, "(") && (fc.gpu || hasText(l.toks, "<")) && l.dev != yes {
			fc.emit(evidenceOf{pattern: "dispatch", level: 2, old: l, run: r, reason: "a specialised case is gone"})
			return
		}
	}
}
