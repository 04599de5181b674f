package metric

import "strings"

// setting keeps track of the lines that say what the lines after them measure:
// "=== fp16 ===", "Running conv 3x3", "shape: [1024, 1024]". A label that comes
// back under another of them is a measurement of another thing.
type setting struct {
	params map[string]uint32
	// hash stands for all of it.
	hash uint32
}

// maxParams bounds the parameters that a setting remembers.
const maxParams = 64

var (
	// sectionVerbs begin a line that announces a measurement.
	sectionVerbs = wordSet("running testing benchmarking evaluating profiling measuring benchmark")
	// paramWords are the names of what a measurement is of.
	paramWords = wordSet(`shape shapes size sizes dim dims dtype datatype type precision model kernel config configuration test case op
		operation operator benchmark name layout mode backend provider dataset problem batch seqlen seq hidden heads head elements m n k b h s d`)
)

// line takes a line and its numbers.
func (c *setting) line(s string, toks []token) {
	t := strings.TrimSpace(s)
	if len(t) == 0 || len(t) > maxLabelLen {
		return
	}
	key, value, ok := sectionOf(t)
	if !ok {
		return
	}
	for i := range toks {
		if u := toks[i].unit.si; toks[i].bad || toks[i].hasUnit && u != "" && u != "B" || !toks[i].integer {
			return // a measurement
		}
	}
	if c.params == nil {
		c.params = map[string]uint32{}
	}
	if _, known := c.params[key]; !known && len(c.params) >= maxParams {
		return
	}
	h := wordHash(key + "=" + sectionText(value))
	c.hash += h - c.params[key]
	c.params[strings.Clone(key)] = h
}

// sectionOf splits a line into the name of the parameter, which is empty for a
// heading, and the rest.
func sectionOf(t string) (key, value string, ok bool) {
	if strings.IndexByte("=-#*", t[0]) >= 0 {
		in := strings.Trim(t, "=-#* ")
		return "", in, len(t) > 1 && (t[1] == t[0] || t[0] == '#') && hasLetter(in)
	}
	word, _, _ := strings.Cut(t, " ")
	if len(word) >= 7 && sectionVerbs[strings.ToLower(word)] {
		return "", t, true
	}
	i := strings.IndexAny(t, ":=")
	if i <= 0 || i > 24 {
		return "", "", false
	}
	key = strings.ToLower(strings.TrimSpace(t[:i]))
	word, _, _ = strings.Cut(key, " ")
	return key, t[i+1:], paramWords[word]
}

// sectionText is the text of a heading without what only counts: "run 3", "1 of
// 5", "[2/8]".
func sectionText(s string) string {
	f := strings.Fields(stableText(s))
	var out []string
	for i, w := range f {
		a, b, frac := strings.Cut(strings.Trim(w, "()[]:"), "/")
		switch {
		case frac && plainInt(a) && plainInt(b), w == "of":
		case plainInt(w) && (i > 0 && f[i-1] == "of" || i+1 < len(f) && f[i+1] == "of"):
		default:
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}
