package hints

import (
	"slices"
	"strings"
)

// selector are names of functions that decide which kernel runs.
var selector = rx(`(?i)(^|_)(should|can|may|use|supports?|select|choose|prefer|dispatch|route|pick|enable|eligible|heuristic|applicable|best)(_|$)|supported|available|heuristic|^is_\w*(valid|ok|supported)|(^|[a-z_])(Is|Can|Should|Use|Select|Choose)[A-Z]`)

// choiceRule looks at conditions that decide which of several paths runs.
func (fc *fileContext) choiceRule(c *change) {
	if fc.compiler || hasText(c.new.toks, "argc") {
		return
	}
	if lost := archs(c.gone); lost > 0 && archs(c.came) == 0 && archs(c.new.toks) > 0 {
		e := c.hint("dispatch", 2, "fewer architectures take this path")
		if !fc.gpu && !hasPrefixToken(c.new.toks, "if") {
			e.level = 1
		}
		fc.emit(e)
		return
	}
	if sameBag(c.old.toks, c.new.toks) || mergesConditions(c) {
		return // the same terms in another order
	}
	inSelector := selector.MatchString(c.new.fn)
	e := fc.compareChoices(c, inSelector)
	if !fc.gpu && !inSelector {
		e.level--
	}
	fc.emit(e)
}

// compareChoices says what became of a choice; level 0 says nothing.
func (fc *fileContext) compareChoices(c *change, inSelector bool) evidenceOf {
	e := c.hint("dispatch", 0, "the condition of a choice changed")
	start, was := statementStart(c.new.toks).text, statementStart(c.old.toks).text
	returns := inSelector && start == "return" && was == "return"
	switch {
	case returns && boolean(c.old.toks) && boolean(c.new.toks):
		e.level = 2
		e.faster = hasText(c.came, "true", "True") || hasText(c.came, "||", "or") && !hasText(c.gone, "||", "or") && !hasText(c.came, "&&", "and")
	case returns && len(c.gone) == 1 && allNames(c.gone) && len(c.came) == 1 && allNames(c.came) && len(c.new.toks) < 5:
		return c.hint("dispatch", 2, "another implementation is chosen")
	case conditionWord[start] && conditionWord[was] && (fc.gpu || inSelector) && narrower(c.tokenDiff):
		e.level = 1
		if inSelector || fc.leadsToCall(c.h, c.new) {
			e.level = 2
		}
	case inSelector && narrower(c.tokenDiff):
		e.level = 2
	case conditional(c.old.toks) && len(c.came) == 0 && fc.gpu && namesImplementation(c.new.toks):
		e.level, e.reason = 2, "a choice between two became one of them"
	}
	if e.level > 0 && allNames(c.gone) && allNames(c.came) && len(c.gone) == len(c.came) {
		e.level = 1 // names for names
	}
	return e
}

var conditionWord = wordSet("if elif else }")

// mergesConditions tells whether the terms that a condition got stood in another
// one of the removed lines.
func mergesConditions(c *change) bool {
	return hasText(c.came, "&&", "and") && slices.ContainsFunc(c.r.old, func(l *srcLine) bool {
		return startsIf(l.toks) && len(l.toks) > 3 && strings.Contains(textOf(c.came), strings.Trim(textOf(l.toks[1:len(l.toks)-1]), "()"))
	})
}

// boolean tells whether a line has a comparison, a logical operator or a truth value.
func boolean(ts []token) bool {
	return hasCompareOp(ts) || hasText(ts, "&&", "||", "and", "or", "not", "!", "true", "false", "True", "False")
}

// namesImplementation: "fn = ck_gemm", one name that is given the name of a function.
func namesImplementation(ts []token) bool {
	n := len(ts)
	return n >= 3 && n <= 5 && ts[1].text == "=" && ts[2].kind == tokIdent && (launchName.MatchString(ts[2].text) || strings.Contains(ts[2].text, "impl") || strings.Contains(ts[2].text, "ackend"))
}

// conditional tells whether a line chooses by "a if c else b" or "c ? a : b".
func conditional(ts []token) bool {
	return hasText(ts, "if") && hasText(ts, "else") || hasText(ts, "?") && hasText(ts, ":")
}

// narrower tells whether a condition got another term that compares something, or
// a threshold moved. A check for null is neither.
func narrower(d tokenDiff) bool {
	if hasText(d.came, "nullptr", "NULL", "None", "isinstance", "hasattr") {
		return false
	}
	if justNumbers(d.gone) && justNumbers(d.came) {
		return true
	}
	return hasText(d.came, "&&", "and") && !hasText(d.gone, "&&", "and") && (hasCompareOp(d.came) || hasNumber(d.came))
}

func hasCompareOp(ts []token) bool { return hasText(ts, "<", ">", "<=", ">=", "==", "!=", "%", "in") }

var kernelCall = rx(`(?i)^return$|kernel|launch|gemm|run`)

// leadsToCall tells whether the line under a condition returns or calls a kernel.
func (fc *fileContext) leadsToCall(h *sourceHunk, l *srcLine) bool {
	next := lineBelow(h, l, 2)
	if next == nil {
		return hasText(l.toks, "return")
	}
	return hasText(next.toks, "<<<") || slices.ContainsFunc(next.toks, func(t token) bool { return t.kind == tokIdent && kernelCall.MatchString(t.text) })
}

var archName = rx(`(?i)^_*(gfx\d+\w*?)_*$|(^|_)(cdna|rdna|gfx)\d+(_\w+)?$`)

// archs counts the names of architectures.
func archs(ts []token) int {
	return len(only(ts, func(t token) bool { return t.kind != tokOp && archName.MatchString(t.last()) }))
}

// choiceLines looks at whole lines of choices: a term added to a result, a case
// that is gone.
func (fc *fileContext) choiceLines(_ *sourceHunk, r *run) {
	if fc.compiler {
		return
	}
	for _, l := range r.newOnly {
		ts := l.toks
		if len(ts) > 3 && l.dev != yes && selector.MatchString(l.fn) && (ts[1].text == "&=" || ts[1].text == "=" && ts[2].text == ts[0].text && hasText(ts[3:4], "and", "&&")) {
			fc.emit(r.hint(l, "dispatch", 2, "a choice has another condition"))
			return
		}
	}
	for _, l := range r.oldOnly {
		if len(r.new) == 0 && len(l.toks) > 4 && l.toks[0].text == "case" && hasText(l.toks, "(") && (fc.gpu || hasText(l.toks, "<")) && l.dev != yes {
			fc.emit(r.hint(l, "dispatch", 2, "a specialised case is gone"))
			return
		}
	}
}
