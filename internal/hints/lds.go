package hints

var ldsName = rx(`(?i)lds|smem|shared|shmem|^s_|_s$|^tile|^[ABKVQP]s$|^s[ABKVQP]$|^[abkvqp]_?s$|sh_|_sh$`)

// ldsIndexRule finds accesses to shared memory whose index lost its padding or its
// swizzle: As[r * (BK + 1) + c], As[r][c ^ (r & 7)].
func (fc *fileContext) ldsIndexRule(c *change) {
	if !subscripted(c.new.toks) || c.new.dev != yes && !fc.gpu && !fc.deviceOnly() {
		return
	}
	e := c.hint("lds_padding", 2, "")
	switch {
	case onlyPad(c.gone) && onlyBrackets(c.came):
		e.reason = "the rows of shared memory are no longer padded"
	case onlyPad(c.came) && onlyBrackets(c.gone):
		e.reason, e.faster = "the rows of shared memory are padded", true
	case hasText(c.gone, "^") && !hasText(c.came, "^"):
		e.reason = "the index of shared memory is no longer swizzled"
	default:
		return
	}
	fc.emit(e)
}

// swizzleLoss finds lines that computed a swizzled index and are gone.
func (fc *fileContext) swizzleLoss(_ *sourceHunk, r *run) {
	hit := firstLine(r.old, func(l *srcLine) bool { return l.dev != no && xorIndex(l.toks) })
	if hit == nil || len(r.new) == 0 || hit.dev != yes && !fc.gpu || hit.twin != nil && subscripted(hit.twin.toks) {
		return
	}
	if firstLine(r.new, func(l *srcLine) bool { return hasText(l.toks, "^") }) == nil {
		fc.emit(r.hint(hit, "lds_padding", 2, "an index is no longer swizzled"))
	}
}

// xorIndex tells whether a line computes an index by exclusive or.
func xorIndex(ts []token) bool {
	return hasText(ts, "^") && !hasText(ts, "1") && (indexed(ts) || hasText(ts, "&", ">>"))
}

// subscripted tells whether something that is named like shared memory is indexed.
func subscripted(ts []token) bool {
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind == tokIdent && ts[i+1].text == "[" && ldsName.MatchString(ts[i].last()) {
			return true
		}
	}
	return false
}

// onlyPad: "+ 1", "+ PAD" and brackets.
func onlyPad(ts []token) bool {
	plus := false
	for _, t := range ts {
		switch {
		case t.text == "+":
			plus = true
		case t.text == "(", t.text == ")", t.kind == tokNumber:
		case t.kind == tokIdent && rxPad.MatchString(t.text):
		default:
			return false
		}
	}
	return plus && len(ts) < 8
}

var rxPad = rx(`(?i)pad|skew|extra`)
