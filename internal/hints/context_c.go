package hints

import "strings"

// braces updates the open blocks after a line of C or MLIR.
func (w *walker) braces(l *srcLine) {
	ts := l.toks
	if len(ts) == 0 || w.preprocessor(ts) {
		return
	}
	if w.paren == 0 && w.bare == 0 {
		w.functionStart(l)
	}
	for i := range ts {
		w.cToken(ts, i)
	}
	w.brackets(ts)
}

func (w *walker) preprocessor(ts []token) bool {
	return w.fc.lang == langC && ts[0].text == "#"
}

func (w *walker) cToken(ts []token, i int) {
	t := ts[i]
	if t.kind == tokIdent {
		w.keyword(ts, i)
		return
	}
	if t.kind != tokOp {
		return
	}
	switch t.text {
	case "(":
		w.paren++
	case ")":
		w.paren = max(w.paren-1, 0)
	case "{":
		w.enter()
	case "}":
		w.leave()
	case ";":
		if w.paren == 0 {
			w.pending, w.bare = scopeOther, 0
		}
	}
}

var loopWords = map[string]bool{
	"for": true, "while": true, "do": true, "static_for": true, "ck::static_for": true, "ck_tile::static_for": true,
	"scf.for": true, "scf.while": true, "affine.for": true, "scf.forall": true, "static_ford": true, "scf.parallel": true,
}

func (w *walker) keyword(ts []token, i int) {
	if !loopWords[ts[i].text] {
		return
	}
	w.pending = scopeLoop
	w.loopBounds(headerOf(ts[i:]))
	if w.fc.lang == langC && ts[i].text == "for" && !hasText(ts[i:], "{") {
		w.bare = 1 // its brace may come with the next line
	}
}

// headerOf is a loop's header without its body.
func headerOf(ts []token) []token {
	if len(ts) > 1 && ts[1].text == "(" {
		return ts[:closing(ts, 1)]
	}
	for i := range ts {
		if ts[i].text == "{" {
			return ts[:i]
		}
	}
	return ts
}

func (w *walker) enter() {
	s := scope{kind: w.pending, name: w.pendName, added: w.pendAdd, fn: w.fn(), seen: true, indent: 1 << 20}
	if w.pending == scopeFn {
		s.fn = len(w.fns) - 1
	}
	if len(w.stack) < 200 {
		w.stack = append(w.stack, s)
	}
	w.pending, w.pendName, w.pendAdd, w.bare = scopeOther, "", false, 0
}

func (w *walker) leave() {
	if n := len(w.stack); n > 0 && w.stack[n-1].seen {
		w.stack = w.stack[:n-1]
		return
	}
	w.left++
}

// functionStart recognises the header of a function definition.
func (w *walker) functionStart(l *srcLine) {
	if w.fc.lang == langMLIR {
		return
	}
	name := functionHeader(l.toks, l.indent == 0)
	if name == "" {
		w.structStart(l)
		return
	}
	if len(w.stack) > 0 && !w.stack[0].seen && l.indent == 0 {
		w.stack = w.stack[:0]
		w.left = 0
	}
	id := w.newFunction()
	if isKernelName(name) {
		w.fns[id].device++
	}
	w.pending, w.pendName = scopeFn, name
	w.pendAdd = w.fc.onlyHere(l, name)
	if w.pendAdd {
		l.newFn = name
	}
}

// structStart treats a struct that the diff adds like a function that it adds.
func (w *walker) structStart(l *srcLine) {
	ts := l.toks
	if l.kind != '+' || len(ts) < 2 || ts[0].text != "struct" && ts[0].text != "class" || ts[len(ts)-1].text == ";" {
		return
	}
	w.pending, w.pendName, w.pendAdd = scopeFn, ts[1].text, true
	w.newFunction()
	l.newFn = ts[1].text
}

var notFunctions = wordSet(`if for while switch return sizeof catch else do static_assert assert decltype alignas defined
	__launch_bounds__ __attribute__ amdgpu_waves_per_eu amdgpu_flat_work_group_size reqd_work_group_size static_for requires new delete throw`)

// functionHeader returns the name of the function that the line starts to define,
// or "". top: the line starts in column 0.
func functionHeader(ts []token, top bool) string {
	if len(ts) < 3 || ts[0].kind != tokIdent || notFunctions[ts[0].text] || ts[len(ts)-1].text == ";" {
		return ""
	}
	marked := false
	depth := 0
	for i, t := range ts {
		switch t.text {
		case "__global__", "__device__", "__kernel", "kernel", "CK_TILE_DEVICE", "CK_TILE_HOST_DEVICE", "__host__", "static", "inline", "void":
			marked = true
		case "<":
			depth++
		case ">":
			depth--
		case "=", "return", "<<", "<<<", "using", "define", "typedef", "?", ".":
			return ""
		case "(":
			p := token{}
			if i > 0 {
				p = ts[i-1]
			}
			if p.kind != tokIdent || notFunctions[p.text] || i < 2 || depth > 0 {
				continue
			}
			if (marked || top) && !strings.HasPrefix(p.text, ".") {
				return p.text
			}
			return ""
		}
	}
	return ""
}
