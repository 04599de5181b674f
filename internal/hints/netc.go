package hints

// guards reports bounds checks added in C device code: if (i < n).
func (fc *fileContext) guards(r *run) {
	if fc.lang != langC {
		return
	}
	for _, l := range r.newOnly {
		if l.dev != yes || !isGuard(l.toks) {
			continue
		}
		e := r.hint(l, "masking", 2, "bounds check added, the hunk does not show a loop around it")
		if e.net = "guard"; l.loop == yes {
			e.level, e.reason = 3, "bounds check added, inside a loop"
		}
		fc.emit(e)
		fc.c.netSum[netKey{fc.number, "guard"}]++
	}
	for _, l := range r.oldOnly {
		if isGuard(l.toks) {
			fc.c.netSum[netKey{fc.number, "guard"}]--
		}
	}
}

// isGuard: "if (" and a comparison of sizes.
func isGuard(ts []token) bool {
	return len(ts) > 4 && ts[0].text == "if" && ts[1].text == "(" && hasText(ts[2:], "<", ">", "<=", ">=")
}

// newReads reports arrays that device code did not read before: C has no word for
// a load.
func (fc *fileContext) newReads(r *run, olds, news tally) {
	if fc.lang != langC || news.count("load") > olds.count("load") {
		return
	}
	before := map[string]bool{}
	more := 0
	for _, l := range r.old {
		for _, n := range subscripts(l.toks) {
			before[n] = true
			more--
		}
	}
	var hit *srcLine
	for _, l := range r.new {
		for _, n := range subscripts(l.toks) {
			more++
			if !before[n] && hit == nil && l.dev == yes && l.newFn == "" {
				hit = l
			}
		}
	}
	if hit == nil || more <= 0 {
		return
	}
	e := r.hint(hit, "memory_ops", 1, "device code reads or writes another array, outside any loop that the hunk shows")
	if e.net = "subscript"; hit.loop == yes {
		e.level, e.reason = 2, "device code reads or writes another array, inside a loop"
	}
	fc.c.netSum[netKey{fc.number, e.net}]++
	fc.emit(e)
}

// subscripts lists the names that are indexed, without declarations of arrays.
func subscripts(ts []token) []string {
	var out []string
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind != tokIdent || ts[i+1].text != "[" || cKeywords[ts[i].text] {
			continue
		}
		if i > 0 && ts[i-1].kind == tokIdent && ts[i-1].text != "return" {
			continue // a declaration
		}
		out = append(out, ts[i].text)
	}
	return out
}

// ternaryRule finds accesses that became conditional: i < n ? x[i] : 0.
func (fc *fileContext) ternaryRule(c *change) {
	inline := hasText(c.came, "?") && !hasText(c.old.toks, "?") && (hasCompareOp(c.came) || hasNumber(c.came))
	guarded := startsIf(c.new.toks) && !startsIf(c.old.toks) && hasCompareOp(c.came) && len(c.gone) == 0
	if !inline && !guarded {
		return
	}
	e := c.hint("masking", 2, "an expression became conditional")
	if c.new.loop == yes {
		e.level = 3
	}
	fc.emit(e)
}
