package hints

import "strings"

// ldsAlloc are calls and keywords that reserve shared memory.
var ldsAlloc = rx(`(^|[._:])(allocate_shared_memory|local_alloc|allocate_array|alloc_lds|alloc_smem|allocate_tensor|SmemPtr)$|^(__shared__|__local)$`)

// bufferLoss finds runs that reserve fewer buffers in shared memory than before,
// where two took turns.
func (fc *fileContext) bufferLoss(r *run) {
	if fc.lang != langPython && fc.lang != langC || len(r.new) == 0 || r.large() {
		return
	}
	olds, first := ldsBuffers(r.old)
	news, _ := ldsBuffers(r.new)
	if news == 0 || olds < 2 || news >= olds || first.dev == no && !fc.gpu {
		return
	}
	o, n := partners(first)
	fc.emit(evidenceOf{pattern: "prefetch", level: 2, old: o, new: n, run: r, reason: "fewer buffers in shared memory: loading and computing may no longer take turns"})
}

func ldsBuffers(ls []*srcLine) (n int, first *srcLine) {
	for _, l := range ls {
		if !strings.Contains(l.text, "lloc") && !strings.Contains(l.text, "__") && !strings.Contains(l.text, "Smem") {
			continue
		}
		for _, t := range l.toks {
			if t.kind == tokIdent && ldsAlloc.MatchString(t.text) {
				n++
				if first == nil {
					first = l
				}
				break
			}
		}
	}
	return n, first
}

// staticLoopLoss finds compile-time loops that a run replaces by run-time ones
// without a partner line.
func (fc *fileContext) staticLoopLoss(r *run) {
	if fc.lang != langC && fc.lang != langPython {
		return
	}
	so, do, first := loopKinds(fc.lang, r.oldOnly)
	sn, dn, _ := loopKinds(fc.lang, r.newOnly)
	if so <= sn || dn <= do || first.dev == no {
		return
	}
	fc.emit(evidenceOf{pattern: "unroll", level: fc.level3(first), old: first, run: r, reason: "a loop is no longer unrolled at compile time"})
}

func loopKinds(l language, ls []*srcLine) (static, dynamic int, first *srcLine) {
	for _, x := range ls {
		h, ok := headOf(l, x.toks)
		switch {
		case ok && h.kind == "static":
			static++
			if first == nil {
				first = x
			}
		case ok:
			dynamic++
		}
	}
	return static, dynamic, first
}

// elementsRule finds "16 / sizeof(T)", the elements of a vector access, replaced by
// a number.
func (fc *fileContext) elementsRule(r *run, p pair, d tokenDiff) {
	if fc.lang != langC || r.judged[p.new] {
		return
	}
	a, b := elementCount(d.old), elementCount(d.new)
	if a == b || !(a && onlyNumbers(d.new) && hasNumber(d.new)) && !(b && onlyNumbers(d.old) && hasNumber(d.old)) {
		return
	}
	fc.emit(evidenceOf{pattern: "vector_width", level: fc.level3(p.new), old: p.old, new: p.new, run: r, faster: b, reason: "the elements of a vector access are no longer computed from its bytes"})
	r.judged[p.new] = true
}

func elementCount(ts []token) bool {
	return hasText(ts, "sizeof") && hasText(ts, "/") && hasNumber(ts)
}
