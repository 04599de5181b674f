package hints

import "strings"

// wideIndexRule finds Python index arithmetic that became 64 bits wide.
func (fc *fileContext) wideIndexRule(r *run, p pair, d tokenDiff) {
	if fc.lang != langPython || p.new.dev != yes || r.judged[p.new] || !hasLast(d.new, "int64") || hasLast(p.old.toks, "int64") {
		return
	}
	fc.emit(evidenceOf{
		pattern: "dtype", level: 2, old: p.old, new: p.new, run: r, reason: "index arithmetic became 64 bits wide",
		cause: "64-bit address arithmetic takes two instructions and two registers",
	})
}

func hasLast(ts []token, name string) bool {
	for _, t := range ts {
		if t.kind == tokIdent && t.last() == name {
			return true
		}
	}
	return false
}

// ternaryRule finds accesses that became conditional: i < n ? x[i] : 0.
func (fc *fileContext) ternaryRule(r *run, p pair, d tokenDiff) {
	if fc.lang != langC || p.new.dev != yes {
		return
	}
	inline := hasText(d.new, "?") && !hasText(p.old.toks, "?") && (hasCompareOp(d.new) || hasNumber(d.new))
	guarded := startsIf(p.new.toks) && !startsIf(p.old.toks) && hasCompareOp(d.new) && len(d.old) == 0
	if !inline && !guarded {
		return
	}
	level := 2
	if p.new.loop == yes {
		level = 3
	}
	fc.emit(evidenceOf{pattern: "masking", level: level, old: p.old, new: p.new, run: r, reason: "an expression became conditional"})
}

// constLoss finds what the compiler knew and no longer knows: if constexpr, a
// template's number, a constant at the top of a file.
func (fc *fileContext) constLoss(r *run, p pair, d tokenDiff) {
	if fc.lang != langC || p.new.dev == no && !fc.gpu {
		return
	}
	e := evidenceOf{pattern: "specialization", level: 2, old: p.old, new: p.new, run: r}
	a, b := p.old.toks, p.new.toks
	switch {
	case hasText(d.old, "constexpr") && a[0].text == "if" && b[0].text == "if":
		e.level, e.reason = 3, "a branch that the compiler chose is now chosen at run time"
	case hasText(d.old, "constexpr") && !hasText(b, "constexpr") && !hasText(b, "const") && hasText(a, "=") && hasText(b, "=") && p.new.dev == unknown && fc.gpu:
		e.reason = "a compile-time constant became a variable"
	case a[0].text == "template" && b[0].text == "template" && len(d.new) == 0 && (hasText(d.old, "bool") || hasText(d.old, "int")) && fc.gpu:
		e.reason = "a template argument is gone"
	case a[0].text == "template" && b[0].text != "template" && hasText(a, "int") && hasText(b, "int") && hasText(a, "__global__"):
		e.level, e.reason = 3, "a template argument became a run-time argument"
	default:
		return
	}
	fc.emit(e)
}

// streamIndexRule finds work that was spread over streams and is no longer.
func (fc *fileContext) streamIndexRule(r *run, p pair, d tokenDiff) {
	if p.new.dev == yes || len(d.new) != 1 || len(d.old) == 0 {
		return
	}
	if isStream(d.new[0]) && len(d.old) == 1 && isStream(d.old[0]) && strings.Contains(p.new.text, "Async") {
		fc.emit(evidenceOf{pattern: "stream", level: 2, old: p.old, new: p.new, run: r, reason: "the work goes to another stream"})
		return
	}
	if len(d.old) == 1 && isStream(d.old[0]) && (d.new[0].text == "0" || d.new[0].text == "nullptr" || d.new[0].text == "NULL") && isArgument(p.new.toks, d.new[0]) {
		fc.emit(evidenceOf{pattern: "stream", level: 3, old: p.old, new: p.new, run: r, reason: "the work goes to the default stream"})
		return
	}
	if d.new[0].kind != tokNumber {
		return
	}
	for i, t := range p.new.toks {
		if t == d.new[0] && i > 1 && p.new.toks[i-1].text == "[" && strings.Contains(strings.ToLower(p.new.toks[i-2].text), "stream") {
			fc.emit(evidenceOf{pattern: "stream", level: 3, old: p.old, new: p.new, run: r, reason: "all work goes to one of several streams"})
		}
	}
}

// exitRule compares the condition under which a loop is left, and the bound that
// LLVM's loops compare with.
func (fc *fileContext) exitRule(h *sourceHunk, r *run, p pair, d tokenDiff) {
	e := evidenceOf{pattern: "loop_bounds", level: 2, old: p.old, new: p.new, run: r, reason: "the condition that leaves the loop changed"}
	switch {
	case len(d.old)+len(d.new) == 0:
		return
	case fc.lang == langLLVM && hasText(p.new.toks, "icmp") && hasText(p.old.toks, "icmp"):
		if !onlyNumbers(d.old) || !onlyNumbers(d.new) || !inductionName(p.new.toks) && p.new.loop != yes {
			return
		}
		e.reason = "the number that a loop's counter is compared with changed"
	case p.new.loop == yes && p.new.dev != no && startsIf(p.new.toks) && startsIf(p.old.toks) && breaksNext(h, p.new):
		if allNames(d.old) && allNames(d.new) {
			e.level = 1 // names for names
		}
	default:
		return
	}
	if !fc.sameValue(p.old.toks, p.new.toks) {
		fc.emit(e)
	}
}

func inductionName(ts []token) bool {
	for _, t := range ts {
		n := strings.ToLower(t.text)
		if strings.HasPrefix(n, "%") && (strings.Contains(n, "next") || strings.Contains(n, "iv") || strings.Contains(n, "inc") || strings.Contains(n, "loop") || strings.HasPrefix(n, "%i")) {
			return true
		}
	}
	return false
}

func breaksNext(h *sourceHunk, l *srcLine) bool {
	if hasText(l.toks, "break") {
		return true
	}
	next := false
	for _, x := range h.all {
		if next && x.kind != '-' && len(x.toks) > 0 {
			return x.toks[0].text == "break"
		}
		next = next || x == l
	}
	return false
}

// orderOfCalls finds layout-making calls in another order: w.t().contiguous().
func (fc *fileContext) orderOfCalls(r *run, p pair, d tokenDiff) {
	if fc.lang != langPython || len(d.old) == 0 || !hasLast(p.new.toks, "contiguous") || !sameNames(p.old.toks, p.new.toks) {
		return
	}
	fc.emit(evidenceOf{pattern: "layout", level: 2, old: p.old, new: p.new, run: r, reason: "the tensor is made contiguous in another order"})
}

// sameNames tells whether two lines hold the same names, however they are chained.
func sameNames(a, b []token) bool {
	var x, y []token
	for _, t := range a {
		for _, n := range strings.Split(t.text, ".") {
			x = append(x, token{text: n})
		}
	}
	for _, t := range b {
		for _, n := range strings.Split(t.text, ".") {
			y = append(y, token{text: n})
		}
	}
	return sameBag(x, y)
}

// registerLoss finds values that a private array kept and that are now read again:
// the declaration of the array is among the removed lines.
func (fc *fileContext) registerLoss(h *sourceHunk, r *run, p pair, d tokenDiff) {
	if fc.lang != langC || p.new.dev != yes || p.new.loop != yes {
		return
	}
	var was []string
	for _, n := range subscripts(p.old.toks) {
		if hasText(d.old, n) {
			was = append(was, n)
		}
	}
	if len(was) == 0 || len(subscripts(p.new.toks)) == 0 {
		return
	}
	for _, l := range h.all {
		if l.kind != '-' || !isArrayDeclaration(l.toks) || isShared(l) {
			continue
		}
		for _, n := range was {
			if hasText(l.toks, n) && !hasText(p.new.toks, n) {
				fc.emit(evidenceOf{pattern: "memory_ops", level: 2, old: p.old, new: p.new, run: r, reason: "what the array " + n + " kept is read from memory again"})
				return
			}
		}
	}
}

// sharedLoss finds reads of shared memory that became reads of global memory, by
// the names: s_weight[c] became weight[c].
func (fc *fileContext) sharedLoss(r *run, p pair, d tokenDiff) {
	if p.new.dev == no || len(d.old) != 1 || len(d.new) != 1 || d.old[0].kind != tokIdent || !hasText(p.new.toks, "[") {
		return
	}
	for _, pre := range []string{"s_", "sh_", "smem_", "lds_", "shared_"} {
		if d.old[0].text == pre+d.new[0].text {
			fc.emit(evidenceOf{pattern: "memory_ops", level: 2, old: p.old, new: p.new, run: r, reason: "the value comes from global instead of shared memory"})
		}
	}
	if n := d.old[0].text; n == d.new[0].text+"_nt" || n == "nt_"+d.new[0].text {
		fc.emit(evidenceOf{pattern: "cache_modifier", level: 2, old: p.old, new: p.new, run: r, reason: "the access is no longer a streaming one"})
	}
}

func isStream(t token) bool {
	return t.kind == tokIdent && strings.Contains(strings.ToLower(t.text), "stream")
}
