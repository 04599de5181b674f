package hints

import (
	"fmt"
	"regexp"
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
func (fc *fileContext) labelRule(r *run, p pair, d tokenDiff) {
	if fc.lang != langC || r.judged[p.new] || !listOnly(d.old) || !listOnly(d.new) || len(d.old) == 0 || len(d.new) == 0 {
		return
	}
	names := commentNames(p.new.text)
	if len(names) == 0 || strings.Join(names, " ") != strings.Join(commentNames(p.old.text), " ") {
		return
	}
	x, y := constantsIn(p.old.toks), constantsIn(p.new.toks)
	if len(x) != len(y) || len(names) != len(x) {
		return
	}
	for i := range x {
		if x[i].text == y[i].text {
			continue
		}
		k := fc.memo.key(names[i])
		if k == nil || k.generic {
			continue
		}
		a, _ := parseNumber(x[i].text)
		b, _ := parseNumber(y[i].text)
		e := evidenceOf{pattern: k.pattern, level: 3, old: p.old, new: p.new, run: r, multiple: ratioOf(b / max(a, 1e-9))}
		e.faster = k.worse > 0 && b < a || k.worse < 0 && b > a || k.pattern == "prefetch" && b > a
		if q := boolOf(y[i : i+1]); q != unknown {
			v := compareSwitch(k, names[i], q)
			e.level, e.faster = v.level, v.faster
		}
		e.reason = fmt.Sprintf("%s: %s, as the comment calls it, changed from %s to %s", k.what, names[i], x[i].text, y[i].text)
		if !fc.gpu && p.new.dev != yes {
			e.level--
		}
		fc.emit(e)
		r.judged[p.new] = true
	}
}

func withoutCommas(ts []token) []token {
	var out []token
	for _, t := range ts {
		if t.text != "," {
			out = append(out, t)
		}
	}
	return out
}

// constantsIn lists numbers and switches.
func constantsIn(ts []token) []token {
	var out []token
	for _, t := range ts {
		if t.kind == tokNumber || boolOf([]token{t}) != unknown {
			out = append(out, t)
		}
	}
	return out
}

func numbersIn(ts []token) []token {
	var out []token
	for _, t := range ts {
		if t.kind == tokNumber {
			out = append(out, t)
		}
	}
	return out
}

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
