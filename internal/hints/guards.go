package hints

// guardRules looks at conditions that a run takes away: what they held now always
// runs, and what they preferred never does.
func (fc *fileContext) guardRules(r *run) {
	if fc.lang != langPython && fc.lang != langC || fc.compiler {
		return
	}
	byHash := map[uint64]*srcLine{}
	for _, l := range r.new {
		byHash[l.hash] = l
	}
	for i, l := range r.old {
		if !startsIf(l.toks) || l.twin != nil && startsIf(l.twin.toks) {
			continue
		}
		body, rest := bodyOf(r.old, i)
		if n := kept(body, byHash); n != nil && fc.unguarded(r, body, n) {
			return
		}
		other := elseBody(rest)
		if n := kept(other, byHash); n != nil {
			fc.specialCaseLost(r, body, l, n)
			return
		}
		if len(r.new) == 0 {
			fc.fastPathLost(r, body, l)
			return
		}
	}
}

func startsIf(ts []token) bool {
	return len(ts) > 1 && (ts[0].text == "if" || ts[0].text == "elif")
}

// bodyOf cuts the lines behind an if into those that are indented deeper, brackets
// of blocks left out, and the rest.
func bodyOf(ls []*srcLine, at int) (body, rest []*srcLine) {
	for j := at + 1; j < len(ls); j++ {
		if ls[j].indent <= ls[at].indent {
			return body, ls[j:]
		}
		body = append(body, ls[j])
	}
	return body, nil
}

// elseBody is what an else at the start of the lines holds.
func elseBody(ls []*srcLine) []*srcLine {
	for i, l := range ls {
		if hasText(l.toks, "else") && len(l.toks) <= 3 {
			b, _ := bodyOf(ls, i)
			return b
		}
		if l.toks[0].text != "}" {
			return nil
		}
	}
	return nil
}

// kept returns the added line that a line of a body became, if all that changed is
// that it stands less deep.
func kept(body []*srcLine, byHash map[uint64]*srcLine) *srcLine {
	for _, b := range body {
		if n := byHash[b.hash]; n != nil && n.indent < b.indent && len(b.toks) > 3 {
			return n
		}
	}
	return nil
}

// costly are the features that matter when a condition around them is gone.
var costly = []string{"hostsync", "malloc", "tensor", "gridsync", "barrier", "wait", "fence", "atomic", "check", "devprint", "log", "select", "store", "python"}

// unguarded reports something costly that a condition held back.
func (fc *fileContext) unguarded(r *run, body []*srcLine, first *srcLine) bool {
	for _, b := range body {
		for _, kind := range costly {
			f := featureByKind[kind]
			if f == nil || !fc.hasFeature(b, kind) || f.where == yes && first.dev == no || f.where == no && first.dev == yes {
				continue
			}
			o, n := partners(b)
			if n == nil {
				n = first
			}
			level := 2
			if kind == "log" {
				level = 1
			}
			fc.emit(evidenceOf{pattern: f.pattern, level: level, old: o, new: n, run: r, deeper: true, reason: f.what + " stood under a condition and now always runs"})
			return true
		}
	}
	if first.loop == yes && first.dev != no && (first.dev == yes || fc.gpu) {
		fc.emit(evidenceOf{pattern: "loop_bounds", level: 2, old: body[0], new: first, run: r, deeper: true, reason: "work that a condition left out now runs in every iteration"})
		return true
	}
	return false
}

// specialCaseLost reports that of two branches the first is gone.
func (fc *fileContext) specialCaseLost(r *run, body []*srcLine, l, n *srcLine) {
	bare, masked := 0, 0
	checks := false
	for _, b := range body {
		for _, s := range settingsOf(fc, b) {
			k := fc.memo.key(s.key)
			checks = checks || k != nil && k.pattern == "masking"
		}
		if fc.hasFeature(b, "load") || fc.hasFeature(b, "store") {
			if fc.hasFeature(b, "mask") {
				masked++
			} else {
				bare++
			}
		}
	}
	e := evidenceOf{pattern: "dispatch", level: 2, old: l, new: n, run: r, deeper: true, reason: "the branch for a special case is gone: the general one always runs"}
	if checks {
		e.pattern, e.reason = "masking", "the branch without checks is gone"
	}
	if bare > 0 && fc.hasFeature(n, "mask") {
		e.pattern, e.level, e.reason = "masking", 3, "the branch without a mask is gone: the masked one always runs"
	}
	if !fc.gpu && n.dev != yes || hasText(l.toks, "None") || hasText(l.toks, "nullptr") {
		e.level--
	}
	fc.emit(e)
}

// fastPathLost reports a removed branch that returned early with the result of a
// call. What raises an error was a check.
func (fc *fileContext) fastPathLost(r *run, body []*srcLine, l *srcLine) {
	ls := append([]*srcLine{l}, body...)
	for _, b := range ls {
		for i, t := range b.toks {
			switch t.text {
			case "raise", "throw", "abort", "exit", "None", "nullptr":
				return
			case "return":
				if !hasText(b.toks[i:], "(") && !hasText(b.toks[i:], "[") && !selector.MatchString(l.fn) && !getter.MatchString(l.fn) {
					return
				}
				if (fc.gpu || l.dev == yes) && (hasCompareOp(l.toks) || asksSelector(l.toks) || getter.MatchString(l.fn)) {
					fc.emit(evidenceOf{pattern: "dispatch", level: 2, old: l, run: r, reason: "a branch that returned early is gone: the general path runs instead"})
				}
				return
			}
		}
	}
}

// staticRule finds variables of a function that kept their value between calls.
func (fc *fileContext) staticRule(r *run, p pair) {
	a, b := p.old.toks, p.new.toks
	if fc.lang != langC || p.new.indent == 0 || p.new.dev == yes || len(a) < 4 || a[0].text != "static" && a[0].text != "thread_local" || hasText(a, "constexpr") {
		return
	}
	if hasText(b, "static") || hasText(b, "thread_local") || hasText(a, ")") && a[len(a)-1].text == "{" || isDefinition(a) {
		return
	}
	e := evidenceOf{pattern: "host_overhead", level: 2, old: p.old, new: p.new, run: r, reason: "a variable that kept its value between calls is made anew in each"}
	for _, kind := range []string{"tensor", "malloc", "heap"} {
		if fc.hasFeature(p.new, kind) {
			e.pattern = "alloc"
		}
	}
	if bufferWord.MatchString(p.new.text) {
		e.pattern = "alloc"
	}
	fc.emit(e)
}

var bufferWord = rx(`(?i)buffer|workspace|tensor|memory|alloc|scratch|pool|\bvec|storage`)

// isDefinition tells whether a line starts a function rather than a variable.
func isDefinition(ts []token) bool {
	return functionHeader(ts, true) != "" && !hasText(ts, "=") && (ts[len(ts)-1].text == ")" || ts[len(ts)-1].text == "{" || ts[len(ts)-1].text == ",")
}

// asksSelector tells whether a condition calls a function that decides what runs.
func asksSelector(ts []token) bool {
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind == tokIdent && ts[i+1].text == "(" && selector.MatchString(ts[i].last()) {
			return true
		}
	}
	return false
}

var getter = rx(`(?i)^get_\w*(backend|kernel|impl|fn|func|op)`)
