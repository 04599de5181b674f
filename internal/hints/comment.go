package hints

import "strings"

// startState guesses what a hunk begins in: a hunk may start inside a comment or
// a docstring that opened above it. doubt says that the guess could be wrong.
func startState(l language, lines []srcLine) (st scanState, doubt bool) {
	switch l {
	case langC, langAsm, langJSON:
		return scanState{comment: closesComment(lines)}, false
	case langPython:
		return startPython(lines)
	}
	return scanState{}, false
}

// closesComment finds "*/" before any "/*".
func closesComment(lines []srcLine) bool {
	for i := range lines {
		s := lines[i].text
		c := strings.Index(s, "*/")
		o := strings.Index(s, "/*")
		if o >= 0 && (c < 0 || o < c) {
			return false
		}
		if c >= 0 {
			return !strings.Contains(s[:c], "//")
		}
	}
	return false
}

// startPython decides whether the first triple quote of the lines closes or
// opens: by which of the two leaves fewer lines that cannot be what they are
// taken for.
func startPython(lines []srcLine) (st scanState, doubt bool) {
	prose, code := 0, 0
	for i := range lines {
		s := lines[i].text
		before, quote := cutTriple(s)
		switch {
		case quote != "":
			return judgeQuote(strings.TrimSpace(before), quote, prose, code)
		case strings.TrimSpace(s) == "":
		case lines[i].isProse():
			prose++
		case looksCode(s):
			code++
		}
	}
	// No quote in sight: a docstring longer than the hunk, or no docstring.
	if prose >= 3 && prose > 2*code {
		return scanState{quote: `"""`}, true
	}
	return scanState{}, prose > 0 && code == 0
}

// cutTriple finds the first triple quote of a line, and what stands before it.
func cutTriple(s string) (before, quote string) {
	d, q := strings.Index(s, `"""`), strings.Index(s, "'''")
	switch {
	case d >= 0 && (q < 0 || d < q):
		return s[:d], `"""`
	case q >= 0:
		return s[:q], "'''"
	}
	return s, ""
}

// judgeQuote decides about the first triple quote by what stands before it on its
// line and on the lines above.
func judgeQuote(before, quote string, prose, code int) (st scanState, doubt bool) {
	opens := before != "" && strings.ContainsRune("=([{,rbfRBF", rune(before[len(before)-1]))
	switch {
	case !opens && before != "":
		return scanState{quote: quote}, false
	case !opens && prose > code:
		return scanState{quote: quote}, code > 0
	}
	return scanState{}, prose > 0 && code == 0
}

// looksCode is a weak test for statements, on lines that may be prose.
func looksCode(s string) bool {
	t := strings.TrimSpace(s)
	for _, p := range []string{"def ", "class ", "return", "import ", "from ", "for ", "if ", "with ", "@", "#"} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return strings.ContainsAny(t, "=()[]{}")
}

var pyKeywords = wordSet(`and or not in is if else elif for while return yield import from as def class lambda with assert raise del
	global nonlocal async await pass break continue except try finally print match case type None True False`)

var cKeywords = wordSet(`alignas alignof asm auto bool break case catch char class const consteval constexpr constinit continue
	decltype default delete do double else enum explicit export extern false final float for friend goto if inline int long
	mutable namespace new noexcept nullptr operator override private protected public register return short signed sizeof
	static struct switch template this thread_local throw true try typedef typename union unsigned using virtual void volatile
	while restrict kernel global local constant __global __local __constant __private __kernel __global__ __device__ __host__
	__shared__ __constant__ __forceinline__ __restrict__ __inline__ __noinline__ define pragma include ifdef ifndef endif elif undef
	CK_TILE_DEVICE CK_TILE_HOST CK_TILE_HOST_DEVICE half size_t index_t uint ushort uchar ulong`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// isProse tells whether the text cannot be code of the line's language: two names
// side by side in Python, four in C.
func (l *srcLine) isProse() bool { return proseTokens(l.lang, tokensOf(l.lang, l.text)) }

func proseTokens(l language, ts []token) bool {
	words, kw, limit := 0, pyKeywords, 2
	switch l {
	case langPython:
	case langC:
		kw, limit = cKeywords, 4
	default:
		return false
	}
	for i := range ts {
		switch {
		case ts[i].kind == tokIdent && !kw[ts[i].text]:
			words++
		case ts[i].kind == tokNumber && words > 0 && l == langPython:
			words++
		default:
			words = 0
		}
		if words >= limit {
			return true
		}
	}
	return false
}

// starComment tells whether a line is the inside of a /* comment whose start is
// above the hunk: " * text".
func starComment(l language, s string) bool {
	if l != langC {
		return false
	}
	t := strings.TrimLeft(s, " \t")
	if t == "*" {
		return true
	}
	return strings.HasPrefix(t, "* ") && !strings.HasSuffix(strings.TrimSpace(t), ";")
}
