package hints

import (
	"slices"
	"strings"
)

// A tri is a fact that a hunk may leave open.
type tri int8

const (
	unknown tri = iota
	yes
	no
)

// A srcLine is a line of one side of a hunk with all that is known about it.
type srcLine struct {
	kind     byte // ' ', '-' or '+'
	lang     language
	text     string
	old, new int
	toks     []token // without comments; empty for a line that holds no code

	indent int
	loop   tri      // in the body of a loop
	dev    tri      // in device code
	fn     string   // name of the function around it, "" if not seen
	newFn  string   // name of the function around it if the diff adds that function
	call   string   // name before the innermost bracket that is open where the line starts
	outer  string   // name before the bracket around that one
	doubt  bool     // it may be a comment
	hash   uint64   // of its tokens; 0 for a line without code
	twin   *srcLine // the line on the other side that it is paired with
}

// A side is the old or the new text of a hunk.
type side struct{ lines []srcLine }

// A run is a block of removed lines followed by added lines.
type run struct {
	old, new []*srcLine // without lines that hold no code
	pairs    []pair     // in order of new
	oldOnly  []*srcLine // lines without a partner
	newOnly  []*srcLine
	judged   map[*srcLine]bool // added lines whose change a setting explains
	settings []settingChange   // see changes
	compared bool
}

// largeRun is the number of lines on one side from which a block counts as
// rewritten: what it holds more or less of than before says little then.
const largeRun = 50

func (r *run) large() bool { return len(r.old) > largeRun || len(r.old) > 0 && len(r.new) > largeRun }

// A pair is a removed line and the added line that replaces it.
type pair struct{ old, new *srcLine }

// A sourceHunk is a hunk cut into tokens.
type sourceHunk struct {
	section  string
	old, new side
	runs     []run
	all      []*srcLine      // in the order of the diff; context lines as on the new side
	bounds   map[string]bool // names in loop headers that the hunk shows
	masks    map[string]bool // names that the hunk gives as mask=
	derived  map[string]bool // names from which those of bounds are computed
}

// buildHunk scans both sides of a hunk and finds the context of every line.
func buildHunk(fc *fileContext, h *diffHunk) *sourceHunk {
	s := &sourceHunk{section: h.section, bounds: map[string]bool{}, masks: map[string]bool{}}
	for i := range h.lines {
		l := &h.lines[i]
		sl := srcLine{kind: l.kind, lang: fc.lang, text: l.text, old: l.old, new: l.new}
		if l.kind != '+' {
			s.old.lines = append(s.old.lines, sl)
		}
		if l.kind != '-' {
			s.new.lines = append(s.new.lines, sl)
		}
	}
	for _, sd := range []*side{&s.old, &s.new} {
		scanSide(fc.lang, sd)
		walk(fc, s, sd)
	}
	s.findMasks()
	s.findDerived(fc)
	s.findRuns(h)
	return s
}

// findDerived notes the names from which the bounds of loops are computed, two
// steps back at most.
func (s *sourceHunk) findDerived(fc *fileContext) {
	s.derived = map[string]bool{}
	if !fc.lang.code() || len(s.bounds) == 0 || len(s.new.lines) > 2000 {
		return
	}
	for range 2 {
		for i := range s.new.lines {
			l := &s.new.lines[i]
			if len(l.toks) < 3 || !hasText(l.toks[:min(4, len(l.toks))], "=") {
				continue
			}
			for _, st := range settingsOf(fc, l) {
				if st.kw || !s.bounds[st.key] && !s.derived[st.key] {
					continue
				}
				for j, t := range st.val {
					call := j+1 < len(st.val) && st.val[j+1].text == "("
					if t.kind == tokIdent && !call && !s.bounds[t.text] {
						s.derived[t.text] = true
					}
				}
			}
		}
	}
}

// findMasks notes the names that are given as a mask.
func (s *sourceHunk) findMasks() {
	for i := range s.new.lines {
		ts := s.new.lines[i].toks
		for j := 0; j+2 < len(ts); j++ {
			if ts[j].text == "mask" && ts[j+1].text == "=" && ts[j+2].kind == tokIdent {
				s.masks[ts[j+2].text] = true
			}
		}
	}
}

// scanSide fills in the tokens of each line.
func scanSide(l language, sd *side) {
	st, doubt := startState(l, sd.lines)
	sc := newScanner(l)
	sc.state = st
	at := make([]int, len(sd.lines)+1)
	for i := range sd.lines {
		ln := &sd.lines[i]
		ln.indent = indentOf(ln.text)
		ln.doubt = doubt
		at[i] = len(sc.out)
		if sc.state == (scanState{}) && starComment(l, ln.text) {
			continue
		}
		sc.scanLine(ln.text, i)
		if proseTokens(l, sc.out[at[i]:]) {
			sc.out = sc.out[:at[i]]
			continue
		}
		sc.expandAsm(at[i], strings.Contains(ln.text, "asm"))
	}
	at[len(sd.lines)] = len(sc.out)
	for i := range sd.lines {
		ln := &sd.lines[i]
		ln.toks = sc.out[at[i]:at[i+1]:at[i+1]]
		ln.hash = hashTokens(ln.toks)
	}
}

// expandAsm adds the tokens of inline assembly: a string that is an instruction.
// A bare mnemonic counts only where asm is spelled out: lists of names hold them too.
func (sc *scanner) expandAsm(from int, asm bool) {
	if sc.lang != langC && sc.lang != langPython && sc.lang != langLLVM && sc.lang != langMLIR {
		return
	}
	for i := from; i < len(sc.out); i++ {
		t := sc.out[i]
		if t.kind != tokString || !isInstruction(t.text) || !asm && !strings.ContainsAny(t.text, " \\;") {
			continue
		}
		a := newScanner(langAsm)
		a.scanLine(asmBlanks.Replace(t.text), t.line)
		sc.out = slices.Insert(sc.out, i+1, a.out...)
		i += len(a.out)
	}
}

var asmBlanks = strings.NewReplacer(`\n`, " ", `\t`, " ")

// isInstruction tells whether a string begins with a mnemonic of GCN or PTX and
// goes on like operands rather than like prose.
func isInstruction(s string) bool {
	s = strings.TrimLeft(s, " \t")
	if !hasAnyPrefix(s, "s_", "v_", "ds_", "global_", "buffer_", "flat_", "scratch_", "cp.async", "bar.sync", "ld.", "st.", "tensor_") {
		return false
	}
	name, rest := s, ""
	if i := strings.IndexAny(s, " \t\\;"); i >= 0 {
		name, rest = s[:i], strings.TrimSpace(s[i:])
	}
	if strings.HasSuffix(name, "_") || strings.ContainsAny(name, "=:/-") {
		return false
	}
	if rest == "" || rest[0] == '\\' || rest[0] == ';' {
		return true
	}
	first, _, _ := strings.Cut(rest, " ")
	return strings.ContainsAny(first, ",%$[](0123456789") || strings.HasPrefix(first, "v") && len(first) < 5
}

func indentOf(s string) int {
	n := 0
	for i := range len(s) {
		switch s[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// hashTokens is FNV-1a over the texts; commas before a closing bracket, line
// continuations and the kind of quotes do not count.
func hashTokens(ts []token) uint64 {
	if len(ts) == 0 {
		return 0
	}
	h := uint64(14695981039346656037)
	for i := range ts {
		if insignificant(ts, i) {
			continue
		}
		for j := range len(ts[i].text) {
			h = (h ^ uint64(ts[i].text[j])) * 1099511628211
		}
		h = (h ^ uint64(ts[i].kind) ^ 0xff) * 1099511628211
	}
	return h | 1
}

func insignificant(ts []token, i int) bool {
	if ts[i].kind != tokOp {
		return false
	}
	switch ts[i].text {
	case `\`:
		return true
	case ",":
		return i+1 == len(ts) || ts[i+1].kind == tokOp && strings.Contains(")]}", ts[i+1].text)
	}
	return false
}

// findRuns groups the changed lines and pairs them.
func (s *sourceHunk) findRuns(h *diffHunk) {
	var r run
	olds, news := s.old.lines, s.new.lines
	flush := func() {
		if r.align(); len(r.old)+len(r.new) > 0 {
			s.runs = append(s.runs, r)
		}
		r = run{}
	}
	for i := range h.lines {
		kind := h.lines[i].kind
		if kind == ' ' || kind == '-' && len(r.new) > 0 {
			flush()
		}
		var l *srcLine
		if kind != '+' {
			l, olds = &olds[0], olds[1:]
		}
		if kind != '-' {
			l, news = &news[0], news[1:]
		}
		s.all = append(s.all, l)
		switch {
		case len(l.toks) == 0:
		case kind == '-':
			r.old = append(r.old, l)
		case kind == '+':
			r.new = append(r.new, l)
		}
	}
	flush()
}
