package hints

import (
	"strings"
)

type tokenKind byte

const (
	tokIdent tokenKind = iota
	tokNumber
	tokString // text is the content, without prefix and quotes
	tokOp
)

// A token is a piece of code. An identifier holds its whole chain: "tl.load",
// "ck_tile::sequence", or ".item" after a bracket.
type token struct {
	kind tokenKind
	text string
	line int // index of its line in the sequence that was scanned
}

// A scanState is what a line inherits from the lines above it.
type scanState struct {
	comment bool   // in /* */ or #[[ ]]
	quote   string // in a string that ends with this: """ or ''' or )delim"
}

// A scanner cuts lines of one language into tokens.
type scanner struct {
	lang  language
	style commentStyle
	state scanState
	out   []token
}

func newScanner(l language) *scanner { return &scanner{lang: l, style: styleOf(l)} }

// tokensOf cuts a line on its own into tokens.
func tokensOf(l language, s string) []token {
	sc := newScanner(l)
	sc.scanLine(s, 0)
	return sc.out
}

// scanLine appends the tokens of s, the line with index n.
func (sc *scanner) scanLine(s string, n int) {
	i := 0
	for i < len(s) {
		if sc.state.comment || sc.state.quote != "" {
			i = sc.skipOpen(s, i)
			continue
		}
		c := s[i]
		if c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' {
			i++
			continue
		}
		if j, ok := sc.comment(s, i); ok {
			i = j
			continue
		}
		i = sc.token(s, i, n)
	}
}

// skipOpen goes to the end of an open comment or multi-line string.
func (sc *scanner) skipOpen(s string, i int) int {
	end := sc.state.quote
	if sc.state.comment {
		end = "*/"
		if sc.lang == langCMake {
			end = "]]"
		}
	}
	j := strings.Index(s[i:], end)
	if j < 0 {
		return len(s)
	}
	sc.state = scanState{}
	return i + j + len(end)
}

// A commentStyle is how a language writes comments: line ends at the end of the line,
// open at the end that skipOpen knows.
type commentStyle struct {
	line, open string
	apart      bool // only at the start of a line or behind a blank
}

var (
	hashComment   = commentStyle{line: "#", apart: true}
	commentStyles = map[language]commentStyle{
		langC: {line: "//", open: "/*"}, langJSON: {line: "//", open: "/*"}, langAsm: {line: "//", open: "/*"},
		langMLIR: {line: "//"}, langLLVM: {line: ";"}, langPython: {line: "#"}, langCMake: {line: "#", open: "#[["},
	}
)

func styleOf(l language) commentStyle {
	if c, ok := commentStyles[l]; ok {
		return c
	}
	return hashComment
}

// comment skips a comment that starts at i.
func (sc *scanner) comment(s string, i int) (int, bool) {
	c := &sc.style
	switch rest := s[i:]; {
	case c.open != "" && strings.HasPrefix(rest, c.open):
		sc.state.comment = true
		return i + len(c.open), true
	case strings.HasPrefix(rest, c.line) && (!c.apart || i == 0 || s[i-1] == ' ' || s[i-1] == '\t'), sc.lang == langAsm && rest[0] == ';':
		return len(s), true
	}
	return i, false
}

// token reads one token at i and returns the index after it.
func (sc *scanner) token(s string, i, n int) int {
	c := s[i]
	switch {
	case c == '"' || c == '\'' && sc.singleQuoted(s, i):
		return sc.str(s, i, n)
	case sc.lang.config() && isWord(c):
		return sc.word(s, i, n)
	case isDigit(c), c == '.' && i+1 < len(s) && isDigit(s[i+1]) && (i == 0 || !isAlnum(s[i-1])):
		return sc.number(s, i, n)
	case sc.identStart(s, i):
		return sc.ident(s, i, n)
	}
	j := i + opLen(s[i:])
	sc.out = append(sc.out, token{tokOp, s[i:j], n})
	return j
}

// singleQuoted tells whether ' opens a string: not in LLVM, and not as the digit
// separator of C++.
func (sc *scanner) singleQuoted(s string, i int) bool {
	return sc.lang != langLLVM && sc.lang != langMLIR && sc.lang != langAsm && (i == 0 || !isDigit(s[i-1]) || sc.lang != langC)
}

func (sc *scanner) str(s string, i, n int) int {
	q := s[i : i+1]
	if sc.lang == langPython || sc.lang == langTOML {
		if t := strings.Repeat(q, 3); strings.HasPrefix(s[i:], t) {
			return sc.triple(s, i, n, t)
		}
	}
	j := i + 1
	for j < len(s) && s[j] != q[0] {
		if s[j] == '\\' {
			j++
		}
		j++
	}
	end := min(j, len(s))
	sc.out = append(sc.out, token{tokString, s[i+1 : end], n})
	return min(j+1, len(s))
}

func (sc *scanner) triple(s string, i, n int, q string) int {
	sc.out = append(sc.out, token{tokString, "", n})
	j := strings.Index(s[i+3:], q)
	if j < 0 {
		sc.state.quote = q
		return len(s)
	}
	return i + 3 + j + 3
}

func (sc *scanner) identStart(s string, i int) bool {
	c := s[i]
	if isAlpha(c) || c >= 0x80 {
		return true
	}
	next := i+1 < len(s) && isAlnum(s[i+1])
	switch c {
	case '%', '@', '!':
		return next && (sc.lang == langLLVM || sc.lang == langMLIR)
	case '.':
		return next && !isDigit(s[i+1])
	case '#', '^':
		return next && sc.lang == langMLIR
	}
	return false
}

// ident reads a chain of names joined by '.' or '::', or the string that a short one
// is the prefix of.
func (sc *scanner) ident(s string, i, n int) int {
	j := i + 1
	for j < len(s) {
		c := s[j]
		switch {
		case isAlnum(c) || c >= 0x80:
			j++
		case c == '.' && j+1 < len(s) && (isAlpha(s[j+1]) || sc.lang == langLLVM && isDigit(s[j+1])):
			j++
		case c == ':' && j+2 < len(s) && s[j+1] == ':' && isAlpha(s[j+2]):
			j += 2
		case sc.prefixes(s, i, j):
			return sc.raw(s, i, j, n)
		default:
			sc.out = append(sc.out, token{tokIdent, s[i:j], n})
			return j
		}
	}
	sc.out = append(sc.out, token{tokIdent, s[i:j], n})
	return j
}

// prefixes tells whether s[i:j] is the prefix of a string: rb"..", f'..', R"(..)".
func (sc *scanner) prefixes(s string, i, j int) bool {
	p := s[i:j]
	switch {
	case len(p) > 3:
		return false
	case sc.lang == langPython:
		return (s[j] == '"' || s[j] == '\'') && strings.Trim(strings.ToLower(p), "rbfut") == ""
	case sc.lang == langC:
		return s[j] == '"' && (p == "R" || p == "LR" || p == "u8R" || p == "L" || p == "u8")
	}
	return false
}

func (sc *scanner) raw(s string, i, j, n int) int {
	if sc.lang != langC || s[j-1] != 'R' {
		return sc.str(s, j, n)
	}
	open := strings.IndexByte(s[j:], '(')
	if open < 0 || open > 17 {
		return sc.str(s, j, n)
	}
	sc.out = append(sc.out, token{tokString, "", n})
	sc.state.quote = ")" + s[j+1:j+open] + `"`
	return j + open + 1
}

func (sc *scanner) number(s string, i, n int) int {
	j := i + 1
	for j < len(s) && (isAlnum(s[j]) || s[j] == '.' || s[j] == '\'' && sc.lang == langC && j+1 < len(s) && isAlnum(s[j+1])) {
		if (s[j] == 'e' || s[j] == 'E') && !strings.HasPrefix(s[i:], "0x") && j+1 < len(s) && (s[j+1] == '-' || s[j+1] == '+') {
			j++
		}
		j++
	}
	j = min(j, len(s))
	sc.out = append(sc.out, token{tokNumber, s[i:j], n})
	return j
}

// word reads a word of a configuration language.
func (sc *scanner) word(s string, i, n int) int {
	j := i + 1
	for j < len(s) && isWord(s[j]) {
		j++
	}
	w := s[i:j]
	kind := tokIdent
	if _, ok := parseNumber(w); ok {
		kind = tokNumber
	}
	sc.out = append(sc.out, token{kind, w, n})
	return j
}

var longOps = []string{"<<<", ">>>", "<<=", ">>=", "...", "**=", "//=", "==", "!=", "<=", ">=", "->", "+=", "-=", "*=", "/=", "%=", "&&", "||", "<<", ">>", "++", "--", "::", "**", "//", ":=", "|=", "&=", "^="}

func opLen(s string) int {
	if len(s) < 2 || strings.IndexByte("=<>.-+&|*/:", s[1]) < 0 {
		return 1
	}
	for _, o := range longOps {
		if strings.HasPrefix(s, o) {
			return len(o)
		}
	}
	return 1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }
func isWord(c byte) bool {
	return isAlnum(c) || c == '-' || c == '.' || c == '/' || c == '+' || c == '~' || c == '@' || c == '$' || c == '*' || c >= 0x80
}

// last returns the last name of a chain: "load" of "tl.load".
func (t token) last() string {
	s := t.text
	if i := strings.LastIndexAny(s, ".:"); i >= 0 {
		s = s[i+1:]
	}
	return s
}
