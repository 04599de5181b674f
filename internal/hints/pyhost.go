package hints

// tensorScalar are methods whose result, used as a Python number or truth, makes
// the host wait for the device.
var tensorScalar = rx(`\.(max|min|sum|any|all|amax|amin|mean|argmax|argmin|numel_nonzero|count_nonzero|norm)$`)

// tensorName are names that say that a value lies on the device.
var tensorName = rx(`(?i)tensor|_(gpu|cuda|dev|device)$|^(gpu|cuda|d)_`)

var notTensor = rx(`^(np|numpy|math|os|random|df|pd)\.`)

// scalarReads counts places where Python asks a tensor for a number: int(x.max()),
// if (ids < 0).any().
func scalarReads(ts []token) int {
	n := 0
	truth := len(ts) > 1 && (ts[0].text == "if" || ts[0].text == "while" || ts[0].text == "assert" || ts[0].text == "elif")
	for i, t := range ts {
		if t.kind != tokIdent || !tensorScalar.MatchString(t.text) || notTensor.MatchString(t.text) || i+1 >= len(ts) || ts[i+1].text != "(" {
			continue
		}
		inside := false
		for j := i - 1; j > 0 && j > i-24; j-- {
			if ts[j].text == "(" && (ts[j-1].text == "int" || ts[j-1].text == "float" || ts[j-1].text == "bool") && closing(ts, j) > i {
				inside = true
			}
		}
		end := closing(ts, i+1)
		if inside || truth && (end >= len(ts)-1 || ts[end+1].kind == tokOp && ts[end+1].text != "[") {
			n++
		}
	}
	for i := 0; i+3 < len(ts); i++ {
		if (ts[i].text == "int" || ts[i].text == "float" || ts[i].text == "bool") && ts[i+1].text == "(" && ts[i+3].text == ")" && tensorName.MatchString(ts[i+2].text) {
			n++
		}
	}
	for i := 0; i+2 < len(ts); i++ {
		if ts[i].last() == "to" && ts[i+1].text == "(" && ts[i+2].text == "cpu" {
			n++
		}
	}
	return n
}

// scalarRule reports such reads that a run adds to host code.
func (fc *fileContext) scalarRule(r *run) {
	if fc.lang != langPython {
		return
	}
	olds, news := 0, 0
	for _, l := range r.old {
		olds += scalarReads(l.toks)
	}
	var hit *srcLine
	for _, l := range r.new {
		if n := scalarReads(l.toks); n > 0 {
			news += n
			if hit == nil && l.dev != yes && (l.twin == nil || scalarReads(l.twin.toks) == 0) {
				hit = l
			}
		}
	}
	if news <= olds || hit == nil {
		return
	}
	level := 2
	if !fc.gpu && !hotName.MatchString(hit.fn) && !fc.mentions("torch", ".cuda") {
		level = 1
	}
	e := evidenceOf{pattern: "host_sync", level: level, run: r, reason: "the host reads a value of a tensor: it waits for the device"}
	e.old, e.new = partners(hit)
	fc.emit(e)
}

// launchLoops reports loops of host code that are new around kernel launches.
func (fc *fileContext) launchLoops(r *run) {
	if fc.lang != langPython && fc.lang != langC {
		return
	}
	for i, l := range r.newOnly {
		if _, ok := headOf(fc.lang, l.toks); !ok || l.dev == yes || l.newFn != "" || l.call != "" {
			continue
		}
		if !fc.launchesIn(r, l) {
			continue
		}
		level := 2
		if i > 0 && r.large() {
			level = 1
		}
		fc.emit(evidenceOf{pattern: "host_overhead", level: level, new: l, run: r, reason: "kernels are launched from a new loop on the host"})
		return
	}
}

// launchesIn tells whether a kernel is launched in the body of the loop at l, and
// was launched before.
func (fc *fileContext) launchesIn(r *run, l *srcLine) bool {
	in := false
	for _, x := range r.new {
		if x == l {
			in = true
			continue
		}
		if in && x.indent <= l.indent {
			return false
		}
		if in && fc.launches(x.toks) {
			return true
		}
	}
	return false
}

var launchName = rx(`(?i)(^|[_.])(kernel|launch|gemm|matmul|mm|attn|attention|experts?|moe|norm|conv)(_|$)|^torch\.(ops|mm|bmm|matmul)|^F\.|_kernel`)

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
