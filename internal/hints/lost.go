package hints

import "strings"

// lostRules looks at removed lines and keywords that kept work small: an early end
// of a loop, a cache, an output buffer, a conversion.
func (fc *fileContext) lostRules(h *sourceHunk, r *run) {
	if fc.compiler {
		return
	}
	for i, l := range r.oldOnly {
		switch {
		case l.loop == yes && l.dev != no && startsIf(l.toks) && breakIn(r.oldOnly, i) && !hasBreak(r.new):
			fc.emit(evidenceOf{pattern: "loop_bounds", level: 2, old: l, run: r, reason: "an early end of the loop is gone"})
			return
		case startsIf(l.toks) && cacheTest(l.toks) && callsAgain(r.old, r.new):
			fc.emit(evidenceOf{pattern: "host_overhead", level: 2, old: l, run: r, reason: "a cache is no longer asked first"})
			return
		}
	}
	fc.conversionLost(r)
}

func breakIn(ls []*srcLine, i int) bool {
	return hasText(ls[i].toks, "break") || i+1 < len(ls) && ls[i+1].toks[0].text == "break"
}

func hasBreak(ls []*srcLine) bool {
	for _, l := range ls {
		if hasText(l.toks, "break") {
			return true
		}
	}
	return false
}

// cacheTest: "if key not in _CACHE", "if (it == cache.end())".
func cacheTest(ts []token) bool {
	for _, t := range ts {
		if t.kind == tokIdent && strings.Contains(strings.ToLower(t.text), "cache") {
			return hasText(ts, "in") && hasText(ts, "not") || hasText(ts, "None") || hasText(ts, "==") && (strings.Contains(t.text, "end") || strings.Contains(t.text, "find") || strings.Contains(t.text, "count"))
		}
	}
	return false
}

// callsAgain tells whether a function that the old lines call is called by the new
// ones too.
func callsAgain(olds, news []*srcLine) bool {
	names := map[string]bool{}
	each := func(ls []*srcLine, f func(string)) {
		for _, l := range ls {
			for i := 0; i+1 < len(l.toks); i++ {
				if l.toks[i].kind == tokIdent && l.toks[i+1].text == "(" && !startsWithKeyword(l.toks[i].text) {
					f(l.toks[i].text)
				}
			}
		}
	}
	each(olds, func(n string) { names[n] = true })
	hit := false
	each(news, func(n string) { hit = hit || names[n] })
	return hit
}

func startsWithKeyword(s string) bool { return cKeywords[s] || pyKeywords[s] }

// conversionLost finds a conversion of Triton to the type of something else that
// is gone: p = p.to(v.dtype).
func (fc *fileContext) conversionLost(r *run) {
	if fc.lang != langPython {
		return
	}
	n := 0
	var hit *srcLine
	count := func(ls []*srcLine, sign int) {
		for _, l := range ls {
			if !toDtype(l.toks) || l.dev == no {
				continue
			}
			n += sign
			if sign > 0 && hit == nil && (l.twin == nil || !toDtype(l.twin.toks)) {
				hit = l
			}
		}
	}
	count(r.old, 1)
	count(r.new, -1)
	if n <= 0 || hit == nil || len(r.old) > 12 || hit.dev != yes && !fc.gpu {
		return
	}
	o, nw := partners(hit)
	fc.emit(evidenceOf{pattern: "dtype", level: 2, old: o, new: nw, run: r, reason: "a conversion to the type of another value is gone: what follows may work on the wider type"})
}

func toDtype(ts []token) bool {
	for i := 0; i+2 < len(ts); i++ {
		if ts[i].kind == tokIdent && ts[i].last() == "to" && ts[i+1].text == "(" {
			switch ts[i+2].last() {
			case "dtype", "element_ty", "type", "dot_dtype":
				return true
			}
		}
	}
	return false
}

// outRule finds calls that wrote into a buffer and now return a new tensor.
func (fc *fileContext) outRule(r *run, p pair) {
	if fc.lang != langPython || p.new.dev == yes || !keyword(p.old.toks, "out") || keyword(p.new.toks, "out") || !hasText(p.new.toks, "(") {
		return
	}
	fc.emit(evidenceOf{pattern: "alloc", level: 2, old: p.old, new: p.new, run: r, reason: "the result is no longer written into a buffer that exists"})
}

// keyword tells whether name=value is an argument in the line.
func keyword(ts []token, name string) bool {
	for i := 1; i+1 < len(ts); i++ {
		if ts[i].text == name && ts[i+1].text == "=" && (ts[i-1].text == "," || ts[i-1].text == "(") {
			return true
		}
	}
	return false
}

// syncArgRule compares the arguments of barriers and scheduling hints.
func (fc *fileContext) syncArgRule(r *run, p pair, d tokenDiff) {
	if r.judged[p.new] || p.new.dev == no || len(d.old)+len(d.new) == 0 || len(d.old)+len(d.new) > 6 {
		return
	}
	both := func(kind string) bool { return fc.hasFeature(p.old, kind) && fc.hasFeature(p.new, kind) }
	switch {
	case both("sched") && (hasNumber(d.old) || hasNumber(d.new)):
		fc.emit(evidenceOf{pattern: "scheduling", level: 3, old: p.old, new: p.new, run: r, reason: "the arguments of a scheduling hint changed"})
	case both("barrier") && (hasText(d.old, "=") || hasText(d.new, "=")):
		narrow := strings.Contains(textOf(d.new), "lds") || strings.Contains(textOf(d.new), "local")
		fc.emit(evidenceOf{pattern: "synchronization", level: 2, old: p.old, new: p.new, run: r, faster: narrow, reason: "the barrier waits for other memory than before"})
	}
}
