package hints

import "strings"

// holds checks what the name at i alone does not tell.
func (fc *fileContext) holds(f *feature, l *srcLine, i int) bool {
	u := use{fc: fc, l: l, i: i}
	if i > 0 {
		u.prev = l.toks[i-1]
	}
	if i+1 < len(l.toks) {
		u.next = l.toks[i+1]
	}
	switch {
	case u.prev.text == "def", u.prev.text == "define", u.prev.text == "declare":
		return false
	case f.call && inBoth.has(fc.lang) && u.next.text != "(" && u.next.text != "<" && u.prev.kind != tokString && !asmCall[l.call]:
		return false
	}
	return f.when == nil || f.when(u)
}

// asmCall are statements whose operands are assembly.
var asmCall = wordSet("asm __asm__ volatile inline_asm _llvm.inline_asm llvm.inline_asm")

// A use is a name in its line, with the tokens around it.
type use struct {
	fc         *fileContext
	l          *srcLine
	i          int
	prev, next token
}

func (u use) text() string { return u.l.toks[u.i].text }

// isLaunch: kernel[grid] in Python, kernel<<<grid>>> or a launching function in C.
func isLaunch(u use) bool {
	switch u.fc.lang {
	case langPython:
		return u.next.text == "["
	case langC:
		return u.next.text == "<<<" || u.next.text == "(" && !kernelName.MatchString(u.text()) || u.next.text == "<" && hasText(u.l.toks, "<<<")
	}
	return false
}

// isPrintf: in Python an assert of constants is none, as the compiler evaluates it.
func isPrintf(u use) bool {
	return u.text() != "assert" || u.fc.lang != langPython && !constantArgs(u.l.toks, u.i+1)
}

func notAsm(u use) bool {
	return u.prev.text != "asm" && u.prev.text != "__asm__" && u.prev.text != "__asm"
}

// isMask: mask=..., in a call or behind another argument; other= goes with one.
func isMask(u use) bool {
	return u.next.text == "=" && u.text() != "other" && (u.l.call != "" || u.i > 0)
}

// notDeclared: "barrier_t barrier(" of C++ declares a name.
func notDeclared(u use) bool {
	return u.fc.lang != langC || u.next.text != "(" || u.prev.kind != tokIdent || cKeywords[u.prev.text] || u.i == 0
}

func isGraph(u use) bool {
	return inBoth.has(u.fc.lang) && (u.text() != ".replay" || hasAnyOf(u.l.text, "graph"))
}

// isConstexpr: a parameter of Triton, or a constant in device code of C++.
func isConstexpr(u use) bool {
	switch u.fc.lang {
	case langPython:
		return u.prev.text == ":"
	case langC:
		return u.l.dev == yes && u.prev.text != "if" && u.fc.ext != ".cpp" && u.fc.ext != ".cc"
	}
	return false
}

func isPrefetch(u use) bool { return u.fc.lang != langPython || u.l.dev == yes }

// notBare: a function called just "load" is one of memory in assembly and IR only.
func notBare(u use) bool { return u.text() != "load" && u.text() != "store" || !inBoth.has(u.fc.lang) }

// constantArgs tells whether the arguments of a call are constants by their names:
// capitals, kNames and numbers.
func constantArgs(ts []token, open int) bool {
	for _, t := range ts[open:min(closing(ts, open), len(ts))] {
		if t.kind == tokIdent && t.text != strings.ToUpper(t.text) && !kName.MatchString(t.last()) {
			return false
		}
	}
	return true
}

var kName = rx(`^k[A-Z]`)
