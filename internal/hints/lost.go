package hints

import "slices"

// lostRules looks at removed lines and keywords that kept work small: an early end
// of a loop, a cache, an output buffer, a conversion.
func (fc *fileContext) lostRules(_ *sourceHunk, r *run) {
	if fc.compiler {
		return
	}
	for i, l := range r.oldOnly {
		switch {
		case l.loop == yes && l.dev != no && startsIf(l.toks) && breakIn(r.oldOnly[i:]) && !slices.ContainsFunc(r.new, hasBreak):
			fc.emit(r.hint(l, "loop_bounds", 2, "an early end of the loop is gone"))
			return
		case startsIf(l.toks) && cacheTest(l.toks) && callsAgain(r.old, r.new):
			fc.emit(r.hint(l, "host_overhead", 2, "a cache is no longer asked first"))
			return
		}
	}
	fc.conversionLost(r)
}

// breakIn tells whether the first line, or the one below it, leaves the loop.
func breakIn(ls []*srcLine) bool {
	return hasBreak(ls[0]) || len(ls) > 1 && ls[1].toks[0].text == "break"
}

func hasBreak(l *srcLine) bool { return hasText(l.toks, "break") }

// cacheTest: "if key not in _CACHE", "if (it == cache.end())".
func cacheTest(ts []token) bool {
	i := slices.IndexFunc(ts, func(t token) bool { return t.kind == tokIdent && hasAnyOf(t.text, "cache") })
	return i >= 0 && (hasText(ts, "in") && hasText(ts, "not") || hasText(ts, "None") || hasText(ts, "==") && cacheCall.MatchString(ts[i].text))
}

var cacheCall = rx(`end|find|count`)

// callsAgain tells whether a function that the old lines call is called by the new
// ones too.
func callsAgain(olds, news []*srcLine) bool {
	names := calledIn(olds)
	for n := range calledIn(news) {
		if names[n] {
			return true
		}
	}
	return false
}

// calledIn is the set of the names that some lines call.
func calledIn(ls []*srcLine) map[string]bool {
	names := map[string]bool{}
	for _, l := range ls {
		for i := 0; i+1 < len(l.toks); i++ {
			if n := l.toks[i].text; l.toks[i].kind == tokIdent && l.toks[i+1].text == "(" && !cKeywords[n] && !pyKeywords[n] {
				names[n] = true
			}
		}
	}
	return names
}

// conversionLost finds a conversion of Triton to the type of something else that
// is gone: p = p.to(v.dtype).
func (fc *fileContext) conversionLost(r *run) {
	if fc.lang != langPython || len(r.old) > 12 {
		return
	}
	converts := func(l *srcLine) bool { return l.dev != no && toDtype(l.toks) }
	olds := linesWith(r.old, converts)
	hit := firstLine(olds, func(l *srcLine) bool { return l.twin == nil || !toDtype(l.twin.toks) })
	if hit == nil || len(linesWith(r.new, converts)) >= len(olds) || hit.dev != yes && !fc.gpu {
		return
	}
	fc.emit(r.hint(hit, "dtype", 2, "a conversion to the type of another value is gone: what follows may work on the wider type"))
}

var typeMember = wordSet("dtype element_ty type dot_dtype")

// toDtype tells whether a line converts to the type of another value.
func toDtype(ts []token) bool {
	for i := 0; i+2 < len(ts); i++ {
		if ts[i].kind == tokIdent && ts[i].last() == "to" && ts[i+1].text == "(" && typeMember[ts[i+2].last()] {
			return true
		}
	}
	return false
}

// outRule finds calls that wrote into a buffer and now return a new tensor.
func (fc *fileContext) outRule(c *change) {
	if keyword(c.old.toks, "out") && !keyword(c.new.toks, "out") && hasText(c.new.toks, "(") {
		fc.emit(c.hint("alloc", 2, "the result is no longer written into a buffer that exists"))
	}
}

// keyword tells whether name=value is an argument in the line.
func keyword(ts []token, name string) bool {
	for i := 1; i+1 < len(ts); i++ {
		if ts[i].text == name && ts[i+1].text == "=" && hasText(ts[i-1:i], ",", "(") {
			return true
		}
	}
	return false
}
