package hints

import "slices"

// tensorScalar are methods whose result, used as a Python number or truth, makes
// the host wait for the device.
var tensorScalar = rx(`\.(max|min|sum|any|all|amax|amin|mean|argmax|argmin|numel_nonzero|count_nonzero|norm)$`)

// tensorName are names that say that a value lies on the device.
var tensorName = rx(`(?i)tensor|_(gpu|cuda|dev|device)$|^(gpu|cuda|d)_`)

var notTensor = rx(`^(np|numpy|math|os|random|df|pd)\.`)

// scalarReads counts places where Python asks a tensor for a number: int(x.max()),
// if (ids < 0).any(), float(x_gpu), x.to("cpu").
func scalarReads(ts []token) int {
	n := 0
	truth := len(ts) > 1 && hasText(ts[:1], "if", "while", "assert", "elif")
	for i := 0; i+1 < len(ts); i++ {
		if ts[i+1].text != "(" {
			continue
		}
		end := closing(ts, i+1)
		switch t := ts[i]; {
		case t.kind == tokIdent && tensorScalar.MatchString(t.text) && !notTensor.MatchString(t.text):
			if inNumber(ts, i) || truth && (end >= len(ts)-1 || ts[end+1].kind == tokOp && ts[end+1].text != "[") {
				n++
			}
		case pyNumber[t.text] && end == i+3 && tensorName.MatchString(ts[i+2].text), t.last() == "to" && i+2 < len(ts) && ts[i+2].text == "cpu":
			n++
		}
	}
	return n
}

var pyNumber = wordSet("int float bool")

// inNumber tells whether a token stands inside int(...), float(...) or bool(...)
// that opens at most 24 tokens before it.
func inNumber(ts []token, i int) bool {
	for j := max(1, i-23); j < i; j++ {
		if ts[j].text == "(" && pyNumber[ts[j-1].text] && closing(ts, j) > i {
			return true
		}
	}
	return false
}

// scalarRule reports such reads that a run adds to host code.
func (fc *fileContext) scalarRule(_ *sourceHunk, r *run) {
	more := 0
	for _, l := range r.new {
		more += scalarReads(l.toks)
	}
	for _, l := range r.old {
		more -= scalarReads(l.toks)
	}
	hit := firstLine(r.new, func(l *srcLine) bool {
		return l.dev != yes && scalarReads(l.toks) > 0 && (l.twin == nil || scalarReads(l.twin.toks) == 0)
	})
	if more <= 0 || hit == nil {
		return
	}
	level := 2
	if !fc.gpu && !hotName.MatchString(hit.fn) && !fc.mentions("torch", ".cuda") {
		level = 1
	}
	fc.emit(r.hint(hit, "host_sync", level, "the host reads a value of a tensor: it waits for the device"))
}

// launchLoops reports loops of host code that are new around kernel launches.
func (fc *fileContext) launchLoops(_ *sourceHunk, r *run) {
	for i, l := range r.newOnly {
		if _, ok := headOf(fc.lang, l.toks); !ok || l.dev == yes || l.newFn != "" || l.call != "" || !fc.launchesIn(r, l) {
			continue
		}
		level := 2
		if i > 0 && r.large() {
			level = 1
		}
		fc.emit(r.hint(l, "host_overhead", level, "kernels are launched from a new loop on the host"))
		return
	}
}

// launchesIn tells whether a kernel is launched in the body of the loop at l.
func (fc *fileContext) launchesIn(r *run, l *srcLine) bool {
	body, _ := bodyOf(r.new, slices.Index(r.new, l))
	return slices.ContainsFunc(body, func(x *srcLine) bool { return fc.launches(x.toks) })
}

var launchName = rx(`(?i)(^|[_.])(kernel|launch|gemm|matmul|mm|attn|attention|experts?|moe|norm|conv)(_|$)|^torch\.(ops|mm|bmm|matmul)|^F\.|_kernel`)

// launches tells whether a line launches a kernel or calls a function named like one.
func (fc *fileContext) launches(ts []token) bool {
	for i, t := range ts {
		if t.text == "<<<" {
			return true
		}
		if t.kind == tokIdent && i+1 < len(ts) && (ts[i+1].text == "(" && launchName.MatchString(t.text) || fc.lang == langPython && ts[i+1].text == "[" && closing(ts, i+1)+1 < len(ts) && ts[closing(ts, i+1)+1].text == "(") {
			return true
		}
	}
	return false
}
