package hints

import "slices"

// guardRules looks at conditions that a run takes away: what they held now always
// runs, and what they preferred never does.
func (fc *fileContext) guardRules(_ *sourceHunk, r *run) {
	if fc.compiler {
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
			if !fc.hasFeature(b, kind) || f.elsewhere(first.dev) {
				continue
			}
			e := r.hint(b, f.pattern, 2, f.what+" stood under a condition and now always runs")
			if e.deeper = true; e.new == nil {
				e.new = first
			}
			if kind == "log" {
				e.level = 1
			}
			fc.emit(e)
			return true
		}
	}
	if first.loop == yes && (first.dev == yes || first.dev == unknown && fc.gpu) {
		fc.emit(evidenceOf{pattern: "loop_bounds", level: 2, old: body[0], new: first, run: r, deeper: true, reason: "work that a condition left out now runs in every iteration"})
		return true
	}
	return false
}

// specialCaseLost reports that of two branches the first is gone.
func (fc *fileContext) specialCaseLost(r *run, body []*srcLine, l, n *srcLine) {
	bare, checks := false, false
	for _, b := range body {
		for _, s := range settingsOf(fc, b) {
			k := fc.memo.key(s.key)
			checks = checks || k != nil && k.pattern == "masking"
		}
		bare = bare || (fc.hasFeature(b, "load") || fc.hasFeature(b, "store")) && !fc.hasFeature(b, "mask")
	}
	e := evidenceOf{pattern: "dispatch", level: 2, old: l, new: n, run: r, deeper: true, reason: "the branch for a special case is gone: the general one always runs"}
	switch {
	case bare && fc.hasFeature(n, "mask"):
		e.pattern, e.level, e.reason = "masking", 3, "the branch without a mask is gone: the masked one always runs"
	case checks:
		e.pattern, e.reason = "masking", "the branch without checks is gone"
	}
	if !fc.gpu && n.dev != yes || hasText(l.toks, "None", "nullptr") {
		e.level--
	}
	fc.emit(e)
}

// fastPathLost reports a removed branch that returned early with the result of a
// call. What raises an error was a check.
func (fc *fileContext) fastPathLost(r *run, body []*srcLine, l *srcLine) {
	get := getter.MatchString(l.fn)
	for _, b := range append([]*srcLine{l}, body...) {
		i := slices.IndexFunc(b.toks, func(t token) bool { return leaves[t.text] })
		switch {
		case i < 0:
			continue
		case b.toks[i].text != "return":
		case !hasText(b.toks[i:], "(", "[") && !selector.MatchString(l.fn) && !get:
		case (fc.gpu || l.dev == yes) && (hasCompareOp(l.toks) || asksSelector(l.toks) || get):
			fc.emit(r.hint(l, "dispatch", 2, "a branch that returned early is gone: the general path runs instead"))
		}
		return
	}
}

// leaves are the words that end a branch: with a result, or because it was a check.
var leaves = wordSet("return raise throw abort exit None nullptr")

// staticRule finds variables of a function that kept their value between calls.
func (fc *fileContext) staticRule(c *change) {
	a, b := c.old.toks, c.new.toks
	if c.new.indent == 0 || len(a) < 4 || !keepsValue[a[0].text] || hasText(a, "constexpr") || hasAny(b, keepsValue) || isDefinition(a) {
		return
	}
	e := c.hint("host_overhead", 2, "a variable that kept its value between calls is made anew in each")
	if bufferWord.MatchString(c.new.text) || fc.hasFeature(c.new, "tensor") || fc.hasFeature(c.new, "malloc") || fc.hasFeature(c.new, "heap") {
		e.pattern = "alloc"
	}
	fc.emit(e)
}

var keepsValue = wordSet("static thread_local")

var bufferWord = rx(`(?i)buffer|workspace|tensor|memory|alloc|scratch|pool|\bvec|storage`)

// isDefinition tells whether a line starts a function rather than a variable.
func isDefinition(ts []token) bool {
	end := ts[len(ts)-1:]
	return hasText(end, "{") && hasText(ts, ")") || functionHeader(ts, true) != "" && !hasText(ts, "=") && hasText(end, ")", "{", ",")
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
