package hints

import "fmt"

var ldsName = rx(`(?i)lds|smem|shared|shmem|^s_|_s$|^tile|^[ABKVQP]s$|^s[ABKVQP]$|^[abkvqp]_?s$|sh_|_sh$`)

// ldsIndexRule finds accesses to shared memory whose index lost its padding or its
// swizzle: As[r * (BK + 1) + c], As[r][c ^ (r & 7)].
func (fc *fileContext) ldsIndexRule(r *run, p pair, d tokenDiff) {
	if p.new.dev == no || r.judged[p.new] || !subscripted(p.new.toks) {
		return
	}
	if p.new.dev != yes && !fc.gpu && !fc.deviceOnly() {
		return
	}
	e := evidenceOf{pattern: "lds_padding", level: 2, old: p.old, new: p.new, run: r}
	switch {
	case onlyPad(d.old) && onlyBrackets(d.new):
		e.reason = "the rows of shared memory are no longer padded"
	case onlyPad(d.new) && onlyBrackets(d.old):
		e.reason, e.faster = "the rows of shared memory are padded", true
	case hasText(d.old, "^") && !hasText(d.new, "^"):
		e.reason = "the index of shared memory is no longer swizzled"
	default:
		return
	}
	fc.emit(e)
}

// swizzleLoss finds lines that computed a swizzled index and are gone.
func (fc *fileContext) swizzleLoss(r *run) {
	if fc.lang != langC && fc.lang != langPython {
		return
	}
	olds, news := 0, 0
	var hit *srcLine
	for _, l := range r.old {
		if l.dev != no && xorIndex(l.toks) {
			olds++
			if hit == nil {
				hit = l
			}
		}
	}
	for _, l := range r.new {
		if hasText(l.toks, "^") {
			news++
		}
	}
	if olds <= news || hit == nil || news > 0 || len(r.new) == 0 || hit.twin != nil && subscripted(hit.twin.toks) || hit.dev != yes && !fc.gpu {
		return
	}
	fc.emit(evidenceOf{pattern: "lds_padding", level: 2, old: hit, new: hit.twin, run: r, reason: "an index is no longer swizzled"})
}

func xorIndex(ts []token) bool {
	return hasText(ts, "^") && (indexed(ts) || hasText(ts, "&") || hasText(ts, ">>")) && !hasText(ts, "1")
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

var bufferCall = rx(`(?i)(raw_?)?(ptr_?)?buffer_?(load|store)|global_load_lds|load_to_lds`)

// cacheArgRule finds the last argument of a buffer access changed: its cache flags.
func (fc *fileContext) cacheArgRule(r *run, p pair, d tokenDiff) {
	x, y, ok := numbersOf(d.old, d.new)
	if !ok || r.judged[p.new] || p.new.dev == no {
		return
	}
	ts := p.new.toks
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind != tokIdent || ts[i+1].text != "(" || !bufferCall.MatchString(ts[i].text) {
			continue
		}
		args := splitArgs(ts[i+2 : closing(ts, i+1)])
		if n := len(args); n > 2 && len(args[n-1]) == 1 && args[n-1][0] == d.new[0] {
			fc.emit(evidenceOf{pattern: "cache_modifier", level: 2, old: p.old, new: p.new, run: r, reason: fmt.Sprintf("the cache flags of a buffer access changed from %v to %v", x, y)})
			r.judged[p.new] = true
			return
		}
	}
}
