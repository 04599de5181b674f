package hints

import (
	"regexp"
	"strings"
)

// A scope is a block that is open at some line.
type scope struct {
	kind   scopeKind
	indent int    // Python: of its header
	name   string // of a function
	added  bool   // a function that the diff adds
	seen   bool   // its header is in the hunk
	fn     int    // index of the function it belongs to
}

type scopeKind int8

const (
	scopeOther scopeKind = iota
	scopeLoop
	scopeFn
)

// evidence counts what speaks for device and for host code in one function.
type evidence struct{ device, host int }

func (e evidence) dev(fc *fileContext) tri {
	switch {
	case fc.compiler:
		return no
	case e.device > 0 && 2*e.device >= e.host:
		return yes
	case e.host > 0:
		return no
	case fc.deviceOnly():
		return yes
	case fc.hostOnly:
		return no
	}
	return unknown
}

// A walker goes through one side of a hunk and keeps the open blocks and brackets.
type walker struct {
	fc    *fileContext
	h     *sourceHunk
	stack []scope
	fns   []evidence
	open  []string // names before the open brackets
	lines []int    // function of each line

	// C family only.
	pending  scopeKind
	pendName string
	pendAdd  bool
	paren    int
	bare     int // loops without braces that wait for their statement
	left     int // blocks closed that were opened above the hunk
}

func walk(fc *fileContext, h *sourceHunk, sd *side) {
	w := &walker{fc: fc, h: h, fns: make([]evidence, 1), lines: make([]int, len(sd.lines))}
	w.section()
	for i := range sd.lines {
		l := &sd.lines[i]
		w.before(l)
		switch fc.lang {
		case langPython:
			w.python(l)
		case langC, langMLIR:
			w.braces(l)
		case langLLVM, langAsm:
			w.labels(l)
		default:
			w.brackets(l.toks)
		}
		w.lines[i] = w.fn()
		if w.pending == scopeFn {
			w.lines[i] = len(w.fns) - 1
		}
		w.weigh(l, w.lines[i])
	}
	for i := range sd.lines {
		sd.lines[i].dev = w.fns[w.lines[i]].dev(fc)
	}
}

func (w *walker) fn() int {
	if n := len(w.stack); n > 0 {
		return w.stack[n-1].fn
	}
	return 0
}

// section reads the line that git prints behind @@.
func (w *walker) section() {
	ts, name := tokensOf(w.fc.lang, w.h.section), ""
	w.fns[0] = weighTokens(w.fc, ts)
	switch {
	case w.fc.lang == langPython && len(ts) > 1 && ts[0].text == "def":
		name = ts[1].text
	case w.fc.lang == langC:
		name = functionHeader(ts, true)
	}
	if name != "" {
		w.stack = append(w.stack, scope{kind: scopeFn, name: name})
		w.fns[0].device += b2i(isKernelName(name))
	}
}

// isKernelName tells whether a function is called as kernels are. What selects or
// launches one is none.
func isKernelName(name string) bool {
	return kernelName.MatchString(name) && !notKernel.MatchString(name)
}

var notKernel = rx(`(?i)(^|_)(get|select|choose|launch|dispatch|best|run|should|use|supports?|config|build|make|compile|load|generate)(_|$)`)

var kernelName = regexp.MustCompile(`(?i)(^|_)(kernel|fwd_inner|bwd_inner)(_|$)`)

// before writes what holds at the start of the line.
func (w *walker) before(l *srcLine) {
	for i := len(w.open) - 1; i >= 0 && l.outer == ""; i-- {
		switch {
		case w.open[i] == "":
		case l.call == "":
			l.call = w.open[i]
		default:
			l.outer = w.open[i]
		}
	}
	w.place(l)
}

// place sets the function and the loop state of a line.
func (w *walker) place(l *srcLine) {
	l.loop = unknown
	certain := false
	for i := len(w.stack) - 1; i >= 0; i-- {
		s := &w.stack[i]
		if s.kind == scopeLoop && l.fn == "" {
			l.loop = yes
		}
		if s.kind == scopeFn && l.fn == "" {
			l.fn = s.name
			certain = s.seen
		}
		if s.added {
			l.newFn = s.name
		}
	}
	if w.bare > 0 {
		l.loop = yes
	}
	if l.loop == unknown && (certain || w.shallow(l)) {
		l.loop = no
	}
}

// shallow tells whether a line stands directly in its function, so that no loop
// above the hunk can hold it. It trusts the indentation.
func (w *walker) shallow(l *srcLine) bool {
	if l.fn == "" {
		return false
	}
	base := 4
	if w.fc.lang != langPython && w.left > 0 {
		return false
	}
	if strings.HasPrefix(l.text, "  ") && !strings.HasPrefix(l.text, "    ") {
		base = 2
	}
	if l.indent <= base {
		return true
	}
	for i := range w.stack {
		if s := &w.stack[i]; s.kind != scopeFn {
			return s.indent <= base
		}
	}
	return false
}

func (w *walker) weigh(l *srcLine, fn int) {
	e := weighTokens(w.fc, l.toks)
	f := &w.fns[fn]
	f.device += e.device
	f.host += e.host
}

func weighTokens(fc *fileContext, ts []token) evidence {
	var e evidence
	for i := range ts {
		switch {
		case ts[i].kind == tokOp && ts[i].text == "<<<":
			e.host += 2
		case ts[i].kind == tokIdent:
			switch fc.memo.side(ts[i].text) {
			case yes:
				e.device++
			case no:
				e.host++
			}
		}
	}
	return e
}

// brackets keeps the names before open brackets.
func (w *walker) brackets(ts []token) {
	for i := range ts {
		if ts[i].kind != tokOp {
			continue
		}
		switch ts[i].text {
		case "(", "[", "{":
			w.open = append(w.open, nameBefore(ts, i))
		case ")", "]", "}":
			if n := len(w.open); n > 0 {
				w.open = w.open[:n-1]
			}
		}
	}
	if n := len(w.open); n > 64 {
		w.open = w.open[n-64:]
	}
}

// nameBefore names a bracket: "f" of f(, "configs" of configs=[, "tile" of tile<>{.
func nameBefore(ts []token, i int) string {
	if i == 0 {
		return ""
	}
	p := ts[i-1]
	switch {
	case p.kind == tokIdent:
		return p.text
	case p.kind == tokString && i > 1:
		return ""
	case (p.text == "=" || p.text == ":") && i > 1 && ts[i-2].kind != tokOp:
		return ts[i-2].text
	case p.text == ">":
		depth := 0
		for j := i - 1; j > 0; j-- {
			switch ts[j].text {
			case ">":
				depth++
			case "<":
				if depth--; depth == 0 {
					return ts[j-1].text
				}
			}
		}
	}
	return ""
}

// labels finds loops of LLVM and assembly by the names of labels.
func (w *walker) labels(l *srcLine) {
	t := strings.TrimSpace(l.text)
	if !strings.Contains(t, ":") || len(l.toks) == 0 || len(l.toks) > 3 {
		return
	}
	name, _, _ := strings.Cut(t, ":")
	if strings.ContainsAny(name, " \t=(") {
		return
	}
	low := strings.ToLower(t)
	w.stack = w.stack[:0]
	if strings.Contains(low, "loop") || strings.Contains(low, "for.body") || strings.Contains(low, "while.body") {
		w.stack = append(w.stack, scope{kind: scopeLoop, seen: true})
	}
}
