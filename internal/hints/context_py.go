package hints

import (
	"slices"
	"strings"
)

// python updates the open blocks after a line. Blocks are told by indentation;
// lines inside brackets have none of their own.
func (w *walker) python(l *srcLine) {
	if len(l.toks) == 0 {
		return
	}
	if len(w.open) > 0 {
		w.brackets(l.toks)
		return
	}
	w.dedent(l)
	switch t := statementStart(l.toks); t.text {
	case "for", "while":
		if h, ok := pythonHead(l.toks); ok {
			w.loopBounds(h.start)
			w.loopBounds(h.stop)
			w.loopBounds(h.step)
		}
		w.push(scope{kind: scopeLoop, indent: l.indent})
	case "def":
		w.def(l)
	case "class":
		c := scope{kind: scopeOther, indent: l.indent}
		if l.kind == '+' && len(l.toks) > 1 {
			c.added, c.name = true, l.toks[1].text
		}
		w.push(c)
	case "if", "elif", "else", "with", "try", "except", "finally":
		w.push(scope{kind: scopeOther, indent: l.indent})
	case "@":
		w.pendName += " " + decorator(l.toks)
	}
	w.brackets(l.toks)
}

// dedent closes the blocks that a line at its indentation cannot belong to and
// places the line again.
func (w *walker) dedent(l *srcLine) {
	n := len(w.stack)
	for len(w.stack) > 0 {
		top := &w.stack[len(w.stack)-1]
		if l.indent > top.indent || !top.seen && top.kind == scopeFn && l.indent > 0 {
			break
		}
		w.stack = w.stack[:len(w.stack)-1]
	}
	if len(w.stack) != n {
		l.fn, l.newFn = "", ""
		w.place(l)
	}
	if len(w.stack) == 0 && l.indent == 0 {
		l.loop = no
		if w.fn() == 0 && n > 0 {
			w.newFunction()
		}
	}
}

// newFunction starts to count evidence anew, for module level or a new function.
func (w *walker) newFunction() int {
	w.fns = append(w.fns, evidence{})
	return len(w.fns) - 1
}

func (w *walker) push(s scope) {
	s.seen = true
	if s.fn == 0 {
		s.fn = w.fn()
	}
	if len(w.stack) < 200 {
		w.stack = append(w.stack, s)
	}
}

func (w *walker) def(l *srcLine) {
	name := definedName(l.toks)
	id := w.newFunction()
	w.fns[id] = weighTokens(w.fc, l.toks)
	if isKernelName(name) || strings.Contains(w.pendName, "jit") || strings.Contains(w.pendName, "kernel") {
		w.fns[id].device += 3
	}
	w.pendName = ""
	added := w.fc.onlyHere(l, name)
	if added && l.newFn == "" {
		l.newFn = name
	}
	w.push(scope{kind: scopeFn, indent: l.indent, name: name, added: added, fn: id})
}

// definedName is the name behind "def" in a line, or "".
func definedName(ts []token) string {
	if i := slices.IndexFunc(ts, func(t token) bool { return t.text == "def" }); i >= 0 && i+1 < len(ts) {
		return ts[i+1].text
	}
	return ""
}

func decorator(ts []token) string {
	if len(ts) > 1 {
		return ts[1].text
	}
	return ""
}

// statementStart skips "async".
func statementStart(ts []token) token {
	if ts[0].text == "async" && len(ts) > 1 {
		return ts[1]
	}
	return ts[0]
}

// loopBounds notes the names that a loop header reads.
func (w *walker) loopBounds(ts []token) {
	for _, t := range ts {
		if t.kind == tokIdent && len(w.h.bounds) < 1000 {
			w.h.bounds[t.text] = true
		}
	}
}

// onlyHere tells whether a function is defined on one side of the diff only.
func (fc *fileContext) onlyHere(l *srcLine, name string) bool {
	return l.kind == '+' && !fc.oldDefs[name] || l.kind == '-' && !fc.newDefs[name]
}
