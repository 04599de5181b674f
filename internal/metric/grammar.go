package metric

import (
	"strings"
	"unicode"
)

// reading is one labelled number of the output.
type reading struct {
	tok token
	// label is the raw label; see labels.of.
	label string
	// ctx are the parameters before it in the line ("M=64 N=64"), or empty.
	ctx string
	// raw is the number as printed, rawUnit its unit as printed.
	raw, rawUnit string
	// def is the unit if neither number nor label has one.
	def    unit
	hasDef bool
	line   int
	text   string
	// tail stands for the words behind the last number of the line, and for the
	// section or the JSON document that the number is in. Numbers of one label
	// with different tails measure different things.
	tail uint32
	// group is equal for numbers of the same line or row.
	group int
}

// grammar reads lines that are neither table nor JSON:
//
//	line   = [heading ":"] { label [":" | "="] number [unit] [spread] }
//	       | number [unit] label
//	spread = "±" number [unit] | "(" number ")" | "[" number { "," number } "]"
//
// A number without a label of its own takes the label of the one before it and
// its unit: "Perf: 0.1 ms, 4 TFlops" gives "Perf" and "Perf / FLOP/s".
type grammar struct {
	toks  []token
	items []item
	// heading is a line such as "Latency (ms):" over more indented lines.
	heading       string
	headingIndent int
	setting       setting
}

// item is a token and its own label, empty if it has none.
type item struct {
	tok token
	own string
}

// read emits the numbers of one line and returns how many there are in it.
func (g *grammar) read(s string, line int, emit func(reading)) int {
	if len(s) > maxGrammar {
		s = s[:maxGrammar]
	}
	g.toks = lex(s, g.toks)
	n := len(g.toks)
	prefix := g.under(s)
	g.setting.line(s, g.toks)
	at := commentAt(s, g.toks)
	if at < 0 {
		g.numbers(s, s, line, prefix, emit)
		return n
	}
	g.toks = lex(s[:at], g.toks)
	name := g.numbers(s[:at], s, line, prefix, emit)
	g.toks = lex(s[at:], g.toks)
	g.numbers(s[at:], s, line, joinParts(prefix, name), emit)
	return n
}

// commentAt is the offset of the "#" after which a line that begins with a
// number and its name goes on to what was worked out from it, as in perf stat:
// "49 page-faults # 40.260 K/sec"; -1 when there is none.
func commentAt(s string, toks []token) int {
	if len(toks) < 2 || strings.TrimSpace(s[:toks[0].start]) != "" {
		return -1
	}
	from := toks[0].end
	if toks[0].count { // "987,654 cycles"
		from = toks[0].number.end
	}
	i := strings.Index(s[from:], " # ")
	if i < 0 || !hasLetter(s[from:from+i]) {
		return -1
	}
	return from + i + 1
}

// numbers emits the numbers of s, whose tokens are in g.toks and which is the
// whole line or a part of it. It returns the label of the first one.
func (g *grammar) numbers(s, whole string, line int, prefix string, emit func(reading)) string {
	toks := settle(s, g.toks)
	if len(toks) == 0 {
		return ""
	}
	head, own := splitHead(s[toks[0].from:toks[0].head])
	g.items = ownLabels(s, toks, own, g.items[:0])
	if head2, own2 := splitSentence(head, own, g.items); head2 != head {
		head, g.items[0].own = head2, trimMarks(own2)
	}
	prefix = joinParts(prefix, head)
	tail := tailHash(s[toks[len(toks)-1].end:]) ^ g.setting.hash
	ctx := context(s, g.items)
	out := func(it item, label string) {
		r := reading{
			tok: it.tok, label: joinKey(prefix, label), line: line, text: whole, group: line, tail: tail,
			raw: s[it.tok.start:it.tok.end], rawUnit: unitText(s, it.tok),
		}
		if it.tok.start >= len(ctx) {
			r.ctx = ctx
		}
		emit(r)
	}
	for i := 0; i < len(g.items); {
		j := i + 1
		for j < len(g.items) && g.items[j].own == "" {
			j++
		}
		emitGroup(g.items[i:j], out)
		i = j
	}
	return loneLabel(g.items[0].own, g.items[0].tok)
}

func unitText(s string, t token) string {
	if t.number.end >= t.end || t.bad {
		return ""
	}
	return strings.TrimSpace(s[t.number.end:t.end])
}

func joinParts(a, b string) string {
	a, b = trimMarks(a), trimMarks(b)
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + partSep + b
}

// under keeps track of headings and returns the one that the line is under.
func (g *grammar) under(s string) string {
	text := strings.TrimLeft(s, " \t")
	if text == "" {
		return ""
	}
	indent := len(s) - len(text)
	if g.heading != "" && indent <= g.headingIndent {
		g.heading = ""
	}
	if len(g.toks) > 0 {
		return g.heading
	}
	body, colon := strings.CutSuffix(strings.TrimRight(text, " \t"), ":")
	if len(body) < 80 && (colon && hasLetter(body) || namesUnit(body)) {
		g.heading, g.headingIndent = body, indent
		return ""
	}
	return g.heading
}

// namesUnit reports whether a heading without a colon ends in a unit in brackets:
// "Transfer bandwidth (GB/s)". Several columns are the header of a table.
func namesUnit(s string) bool {
	if !strings.HasSuffix(s, ")") && !strings.HasSuffix(s, "]") || strings.Contains(s, "  ") || strings.IndexByte(s, '\t') >= 0 {
		return false
	}
	_, stem, ok := bracketUnit(s)
	return ok && hasLetter(stem) && !strings.ContainsAny(stem, "()[]")
}

func hasLetter(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) >= 0
}

// splitSentence splits "Prefill. latency" where the line goes on with another
// label, for which "Prefill" is the heading too.
func splitSentence(head, own string, items []item) (string, string) {
	i := strings.LastIndex(own, ". ")
	if i <= 0 || head != "" || !hasLetter(own[i:]) {
		return head, own
	}
	for _, it := range items[1:] {
		if it.own != "" {
			return own[:i], own[i+2:]
		}
	}
	return head, own
}

// splitHead splits the text before the first number at its last colon that is
// not the separator of the number itself.
func splitHead(lead string) (head, own string) {
	t := strings.TrimRight(lead, " \t:=([{")
	if i := strings.LastIndexAny(t, ",{"); i >= 0 && strings.IndexByte(t, '{') >= 0 {
		return "", t[i+1:] // a dictionary
	}
	if i := strings.LastIndex(t, " | "); i >= 0 && strings.Contains(t[:i], ": ") && hasLetter(t[i:]) {
		return t[:i], t[i+3:]
	}
	if i := strings.LastIndex(t, ": "); i >= 0 && hasLetter(t[i:]) {
		return t[:i], t[i+2:]
	}
	return "", t
}

// ownLabels gives every token the label that stands next to it.
func ownLabels(s string, toks []token, own string, items []item) []item {
	tail := s[toks[len(toks)-1].end:]
	valueFirst := !hasLetter(own) && hasLetter(tail) && strings.IndexAny(strings.TrimLeft(tail, " "), ",;|:=") != 0 && !pairs(s, toks)
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if i > 0 {
			lead, mine := splitGap(s[t.from:t.head])
			own = mine
			if prev := &items[i-1]; prev.own == "" && hasLetter(lead) && (valueFirst || i == 1) {
				prev.own = trimMarks(lead)
			}
			if valueFirst && hasLetter(mine) {
				if prev := &items[i-1]; prev.own == "" {
					prev.own = trimMarks(mine)
				}
				own = ""
			}
		}
		if !hasLetter(own) || strings.ContainsAny(own, "0123456789") && stableText(own) == "" {
			own = ""
		}
		if n := listLen(s, toks[i:]); n > 1 {
			if rest, names := listNames(own, n); names != nil {
				for k, name := range names {
					items = append(items, item{toks[i+k], trimMarks(rest + " " + name)})
				}
				i += n - 1
				continue
			}
		}
		items = append(items, item{t, trimMarks(own)})
	}
	last := &items[len(items)-1]
	switch {
	case last.own != "" || !hasLetter(tail):
	case valueFirst && unlabelled(s, items):
		items[0].own = tailLabel(tail) // "0.012 ms  262 GB/s  copy_kernel"
	case valueFirst:
		last.own = tailLabel(tail)
	}
	if first := &items[0]; first.own == "" && len(items) > 1 && !first.tok.hasUnit && !first.tok.count {
		first.own = firstWord(s[toks[1].from:toks[1].start])
	}
	return items
}

// pairs reports whether two or more numbers of a line have a label with a mark
// before them: "50%  done: 16 (13 GFLOPS)  errors: 0".
func pairs(s string, toks []token) bool {
	n := 0
	for i := 1; i < len(toks); i++ {
		gap := strings.TrimRight(s[toks[i].from:toks[i].head], " ")
		if gap != "" && (gap[len(gap)-1] == ':' || gap[len(gap)-1] == '=') && hasLetter(gap) {
			n++
		}
	}
	return n > 1
}

// unlabelled reports whether all that stands before the label of a line are
// numbers with units.
func unlabelled(s string, items []item) bool {
	for i, it := range items {
		if it.own != "" || !it.tok.hasUnit || it.tok.count || i > 0 && strings.TrimSpace(s[items[i-1].tok.end:it.tok.start]) != "" {
			return false
		}
	}
	return true
}

// splitGap splits the text between two numbers into what belongs to the first
// and what labels the second.
func splitGap(gap string) (lead, own string) {
	cut := strings.LastIndexAny(gap, ",;|")
	for _, sep := range []string{" - ", " / ", " x ", " -- "} {
		if i := strings.LastIndex(gap, sep); i >= 0 {
			cut = max(cut, i+len(sep)-1)
		}
	}
	if cut < 0 {
		return "", gap
	}
	return gap[:cut], gap[cut+1:]
}

// tailLabel is the label after a number: the rest of the line up to a mark.
func tailLabel(tail string) string {
	if i := strings.IndexAny(tail, ",;|"); i > 0 && hasLetter(tail[:i]) {
		tail = tail[:i]
	}
	if len(tail) > 80 {
		tail = tail[:80]
	}
	return trimMarks(tail)
}

func firstWord(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 || !hasLetter(f[0]) {
		return ""
	}
	return trimMarks(f[0])
}

// context returns the part of the line that holds its leading parameters:
// whole numbers without a unit that have labels of their own.
func context(s string, items []item) string {
	n := 0
	for _, it := range items {
		if it.own == "" || it.tok.hasUnit || it.tok.count || !it.tok.integer || it.tok.bad {
			break
		}
		n++
	}
	if n == 0 || n == len(items) {
		return ""
	}
	return s[:items[n-1].tok.end]
}
