package hints

// casts reports added and removed conversions: x.to(tl.float32), static_cast<float>.
func (fc *fileContext) casts(_ *sourceHunk, r *run) {
	oldUp, oldDown := fc.countCasts(r.old)
	newUp, newDown := fc.countCasts(r.new)
	if len(newUp) > len(oldUp) {
		fc.reportCast(r, newUp, "conversion to a wider type added", true)
	}
	if len(newDown) < len(oldDown) && len(newUp) >= len(oldUp) && len(r.new) > 0 {
		fc.reportCast(r, oldDown, "conversion to a narrower type removed", false)
	}
}

// countCasts lists the line of each conversion to a wide and to a narrow type of
// floats.
func (fc *fileContext) countCasts(ls []*srcLine) (up, down []*srcLine) {
	for _, l := range ls {
		for _, ti := range castsIn(fc.lang, l.toks) {
			if ti.bits >= 32 && ti.base == 'f' {
				up = append(up, l)
			} else if ti.bits < 32 && ti.base != 'i' {
				down = append(down, l)
			}
		}
	}
	return up, down
}

func (fc *fileContext) reportCast(r *run, ls []*srcLine, what string, up bool) {
	for _, l := range ls {
		if l.dev == no && !fc.gpu && !hotName.MatchString(l.fn) {
			continue
		}
		e := r.hint(l, "dtype", 2, what)
		paired := l.twin != nil
		if up && paired && (fc.hasFeature(e.old, "upcast") || hasLast(e.old.toks, "extf") || hasLast(e.old.toks, "extsi") ||
			len(castsIn(fc.lang, e.old.toks)) >= len(castsIn(fc.lang, e.new.toks))) {
			continue // it was written in another way
		}
		if l.dev == yes && (paired || up && l.loop == yes) && !r.large() {
			e.level = 3
		}
		fc.emit(e)
		return
	}
}

// castsIn lists the target types of conversions.
func castsIn(l language, ts []token) []typeInfo {
	var out []typeInfo
	calls, open := castCalls[l], castOpen[l]
	for i := 0; i+2 < len(ts); i++ {
		if l == langC {
			out = append(out, typesIn(l, cCast(ts, i))...)
		}
		if ts[i+1].text != open || !calls[ts[i].last()] {
			continue
		}
		if ty := typesIn(l, ts[i+2:min(i+6, len(ts))]); len(ty) > 0 {
			out = append(out, ty[0])
		}
	}
	return out
}

// castCalls are the functions that convert, castOpen what their type stands behind.
var (
	castCalls = map[language]map[string]bool{
		langPython: wordSet("to cast astype type_as"),
		langC:      wordSet("static_cast type_convert bit_convert convert"),
	}
	castOpen = map[language]string{langPython: "(", langC: "<"}
)

// cCast is the name that may be the type of a conversion at i: (float)x, float(x).
func cCast(ts []token, i int) []token {
	switch {
	case ts[i].text == "(" && ts[i+2].text == ")" && ts[i+1].kind == tokIdent && (i == 0 || ts[i-1].kind == tokOp || cKeywords[ts[i-1].text] && ts[i-1].text != "sizeof"):
		return ts[i+1 : i+2]
	case ts[i].kind == tokIdent && ts[i+1].text == "(" && i > 0 && ts[i-1].kind == tokOp:
		return ts[i : i+1]
	}
	return nil
}
