package hints

import (
	"slices"
	"sort"
	"strings"
)

var indexWord = rx(`(?i)stride|threadIdx|tid|lane|offs|get_(local|global)_id|row|col|ld[abc]$|pitch|_ptr`)

// indexRule finds address arithmetic whose terms were exchanged: row * ld + col
// becomes col * ld + row.
func (fc *fileContext) indexRule(c *change) {
	if len(c.gone) == 0 || len(c.gone) != len(c.came) || c.new.dev != yes && !fc.gpu && !fc.triton {
		return
	}
	mapping := isMapping(c.new.toks)
	switch {
	case mapping && isMapping(c.old.toks) && c.new.dev == yes && !hasNumber(c.gone) && !hasNumber(c.came) && len(c.gone) > 1:
		e := c.hint("layout", 2, "lanes are mapped to elements in another way")
		e.nameOnly, e.cause = true, "uncoalesced access"
		fc.emit(e)
	case (mapping || hasText(c.new.toks, "*", "None")) && sameBag(c.gone, c.came) && indexed(c.came) && !isCommuted(c.old.toks, c.new.toks):
		e := c.hint("layout", 2, "the terms of an address were exchanged: neighbouring lanes may no longer read neighbouring elements")
		e.cause = "uncoalesced access"
		fc.emit(e)
	}
}

// isMapping tells whether a line divides the index of a lane: tid / cols, tid % cols.
func isMapping(ts []token) bool { return hasText(ts, "/", "//") && hasText(ts, "%") && indexed(ts) }

func indexed(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool {
		return t.kind == tokIdent && indexWord.MatchString(t.text) || t.text == "None"
	})
}

// sameBag tells whether two lists hold the same tokens in any order.
func sameBag(a, b []token) bool {
	return len(a) == len(b) && slices.Equal(sortedTexts(a), sortedTexts(b))
}

func sortedTexts(ts []token) []string {
	out := make([]string, len(ts))
	for i := range ts {
		out[i] = ts[i].text
	}
	slices.Sort(out)
	return out
}

// isCommuted tells whether two lines are equal when the terms of sums and the
// factors of products are sorted.
func isCommuted(a, b []token) bool { return canonical(a) == canonical(b) }

// canonical writes a line with the terms of sums and the factors of products sorted.
func canonical(ts []token) string {
	var terms, factors []string
	var out strings.Builder
	word := ""
	flushFactor := func() { factors = append(factors, word); word = "" }
	flushTerm := func() {
		flushFactor()
		sort.Strings(factors)
		terms = append(terms, strings.Join(factors, "*"))
		factors = nil
	}
	flush := func() {
		flushTerm()
		sort.Strings(terms)
		out.WriteString(strings.Join(terms, "+"))
		terms = nil
	}
	for _, t := range ts {
		switch {
		case t.text == "*":
			flushFactor()
		case t.text == "+":
			flushTerm()
		case t.kind == tokOp && t.text != "." && t.text != "[" && t.text != "]":
			flush()
			out.WriteString(t.text)
		default:
			word += " " + t.text
		}
	}
	flush()
	return out.String()
}
