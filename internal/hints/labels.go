package hints

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	trailing = regexp.MustCompile(`//+[<!]?\s*(.*)$`)
	inside   = regexp.MustCompile(`/\*\s*(\w+)\s*=?\s*\*/`)
	wordRe   = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// labelRule reads what a comment calls a number, as lists of template arguments
// have it: "256, // BlockSize" or "/*kM=*/128". The code must have changed; the
// comment only says what the number is.
func (fc *fileContext) labelRule(c *change) {
	if !listOnly(c.gone) || !listOnly(c.came) || len(c.gone) == 0 || len(c.came) == 0 {
		return
	}
	x, y := only(c.old.toks, isConstant), only(c.new.toks, isConstant)
	names := commentNames(c.new.text)
	if len(names) == 0 || len(x) != len(y) || len(names) != len(x) || !slices.Equal(names, commentNames(c.old.text)) {
		return
	}
	for i, name := range names {
		k := fc.memo.key(name)
		if x[i].text == y[i].text || k == nil || k.generic {
			continue
		}
		a, _ := parseNumber(x[i].text)
		b, _ := parseNumber(y[i].text)
		e := c.hint(k.pattern, 3, fmt.Sprintf("%s: %s, as the comment calls it, changed from %s to %s", k.what, name, x[i].text, y[i].text))
		e.multiple, e.faster = ratioOf(b/max(a, 1e-9)), k.better(a, b)
		if q := boolOf(y[i : i+1]); q != unknown {
			v := compareSwitch(k, name, q)
			e.level, e.faster = v.level, v.faster
		}
		if !fc.gpu && c.new.dev != yes {
			e.level--
		}
		fc.emit(e)
		c.explain()
	}
}

func isConstant(t token) bool { return t.kind == tokNumber || boolOf([]token{t}) != unknown }

// commentNames are the words of the comments of a line, if those are names and
// nothing else.
func commentNames(s string) []string {
	var out []string
	for _, m := range inside.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	if m := trailing.FindStringSubmatch(s); len(out) == 0 && m != nil {
		for _, f := range strings.FieldsFunc(m[1], func(c rune) bool { return c == ',' || c == ' ' || c == '|' || c == '/' }) {
			if !wordRe.MatchString(f) {
				return nil
			}
			out = append(out, strings.Trim(f, ".:;()"))
		}
	}
	return out
}
