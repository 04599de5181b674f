package metric

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// gather collects the matches of a regex, json or csv spec.
type gather struct {
	series
	info   labelInfo
	unit   unit
	labels labels
	seen   string // a match that is no number
}

func newGather() *gather {
	g := &gather{labels: labels{}}
	g.keep = maxValues
	return g
}

// take adds a reading.
func (g *gather) take(r reading) {
	info := g.labels.of(r.label)
	if r.tok.bad {
		g.addBad(r.line)
		return
	}
	u := r.unitOf(info)
	if g.count == 0 {
		g.info, g.unit = info, u
	}
	scale := u.scale
	if scale == 0 {
		scale = 1
	}
	g.add(sample{v: r.tok.value * scale, res: r.tok.res * scale, raw: r.raw, rawUnit: r.rawUnit, line: r.line})
}

// value reduces the matches. none says what is missing if there are none.
func (g *gather) value(p Pick, stream, none string) (Value, error) {
	switch {
	case g.count+g.bad > 0:
	case g.seen != "":
		return Value{}, fmt.Errorf("what it finds is no number: %q", clip(g.seen))
	default:
		return Value{}, &absentError{why: none + " in " + stream}
	}
	s, err := g.pick(p)
	if err != nil {
		return Value{}, err
	}
	return Value{
		Value: s.v, Unit: g.unit.si, Raw: s.raw, RawUnit: s.rawUnit, Resolution: s.res, Matches: g.count,
		Better: polarityOf(g.info.words, g.unit), Stream: stream, Line: s.line, Label: g.info.label,
	}, nil
}

// fromRegex matches each line. The number is the first group, or the group K
// that stands for Perl's \K, or the first number of the whole match. Its label
// and unit are those that the line gives it.
func (s Spec) fromRegex(st stream) (Value, error) {
	re := s.re
	if re == nil {
		var err error
		if re, err = compile(s.Arg); err != nil {
			return Value{}, err
		}
	}
	group := min(1, re.NumSubexp())
	if k := re.SubexpIndex("K"); k > 0 {
		group = k
	}
	g := newGather()
	var gram grammar
	lr := newLineReader(st.reader())
	for b, ok := lr.next(); ok; b, ok = lr.next() {
		for _, m := range re.FindAllSubmatchIndex(b, -1) {
			if m[2*group] >= 0 {
				from, to := m[2*group], m[2*group+1]
				lo, hi := window(len(b), from, to)
				g.match(&gram, string(b[lo:hi]), from-lo, to-lo, lr.n)
			}
		}
	}
	if lr.err != nil {
		return Value{}, lr.err
	}
	return g.value(s.Pick, st.name, "no match")
}

// window returns the part of a line of n bytes around a match that is read for
// its label and unit: all of it, but little of a very long line.
func window(n, from, to int) (lo, hi int) {
	if n <= 2048 {
		return 0, n
	}
	return max(0, from-256), min(n, to+64)
}

// match adds the number in line[from:to].
func (g *gather) match(gram *grammar, line string, from, to, n int) {
	text := line[from:to]
	toks := lex(text, nil)
	if len(toks) == 0 {
		if num, ok := lexNumber(text, 0, true); ok && num.end == len(text) {
			toks = []token{{number: num, end: len(text)}}
		} else {
			g.seen = text
			return
		}
	}
	tok := toks[0]
	if cutsNumber(line, from+tok.number.end, to) && !tok.bad {
		g.seen = line[from:min(len(line), to+8)]
		return
	}
	r := reading{tok: tok, raw: text[tok.start:tok.end], rawUnit: unitText(text, tok), line: n, text: line}
	gram.read(line, n, func(o reading) {
		if o.tok.start == from+tok.start && (o.tok.number.end == from+tok.number.end || tok.bad) {
			r.label, r.rawUnit = o.label, o.rawUnit
			r.tok.unit, r.tok.hasUnit, r.tok.count = o.tok.unit, o.tok.hasUnit, o.tok.count
		}
	})
	g.take(r)
}

// cutsNumber reports whether a match that ends at to cuts a number in two, as
// [0-9.]+ does with "1,234".
func cutsNumber(line string, numEnd, to int) bool {
	if numEnd != to || to >= len(line) {
		return false
	}
	c := line[to]
	return isDigit(c) || (c == ',' || c == '.') && to+1 < len(line) && isDigit(line[to+1]) && to > 0 && isDigit(line[to-1]) &&
		(c == '.' || digits(line, to+1) == to+4)
}

// fromJSON applies the path to each JSON document of the stream. Arrays of
// numbers give one match for each. "..#.PATH", which is gjson's way to go
// through JSON lines, is PATH.
func (s Spec) fromJSON(st stream) (Value, error) {
	path := strings.TrimPrefix(s.Arg, "..#.")
	g := newGather()
	docs := 0
	f := jsonFinder{arrays: true, text: func(string, int) {}}
	f.doc = func(doc string, line int) {
		docs++
		g.path(doc, path, line)
	}
	lr := newLineReader(st.reader())
	for b, ok := lr.next(); ok; b, ok = lr.next() {
		f.line(string(b), lr.n)
	}
	f.close()
	if lr.err != nil {
		return Value{}, lr.err
	}
	none := "no JSON document"
	if docs > 0 {
		none = fmt.Sprintf("nothing at that path of %d JSON documents", docs)
	}
	return g.value(s.Pick, st.name, none)
}

// path adds what a path finds in a document.
func (g *gather) path(doc, path string, line int) {
	res := gjson.Get(doc, path)
	if !res.Exists() || res.Type == gjson.Null {
		return
	}
	parent, key := splitPath(path)
	def, hasDef := pathUnit(doc, parent, key)
	label := key
	switch {
	case parent != "" && onlyStatistic(splitWords(key)) && key != "value" && strings.HasSuffix(path, key):
		_, of := splitPath(parent)
		label = of + " " + key // "latency p50"
	case !strings.HasSuffix(path, key) || key == "value":
		label = strings.NewReplacer(".", " ", "#", "").Replace(path)
	}
	all := []gjson.Result{res}
	if res.IsArray() {
		all = res.Array()
	}
	for _, v := range all {
		tok, raw, ok := jsonNumber(v)
		if !ok {
			g.seen = v.Raw
			continue
		}
		r := reading{tok: tok, label: label, raw: raw[tok.start:tok.end], rawUnit: unitText(raw, tok), line: line}
		r.def, r.hasDef = def, hasDef
		g.take(r)
	}
}

// pathUnit returns the unit that a document tells for the key of the object at
// parent: beside it or, for a statistic, beside one of the objects it is in.
func pathUnit(doc, parent, key string) (unit, bool) {
	u, ok := siblingUnit(key, func(k string) gjson.Result {
		if parent == "" {
			return gjson.Get(doc, escapeKey(k))
		}
		return gjson.Get(doc, parent+"."+escapeKey(k))
	})
	if ok || parent == "" || !isStatistic(key) {
		return u, ok
	}
	outer, _ := splitPath(parent)
	return pathUnit(doc, outer, key)
}

// splitPath returns the key that a path ends in and the path of the object that
// has it. The indexes of an array do not count: an element has the unit of its
// array.
func splitPath(path string) (parent, key string) {
	for {
		i := strings.LastIndexByte(path, '.')
		parent, key = path[:max(i, 0)], path[i+1:]
		if i < 0 || !plainInt(key) && key != "#" {
			return parent, key
		}
		path = parent
	}
}

// fromTable reads a column of every table that has it: separated values, drawn
// tables and aligned ones.
func (s Spec) fromTable(st stream) (Value, error) {
	g := newGather()
	var cols []string
	err := scanRows(st, func(t *table, r row) {
		cols = t.cols
		c := findColumn(t.cols, s.Arg)
		if c < 0 || !s.rowFits(t, r) {
			return
		}
		tok, ok := cellNumber(r.cells[c], nil)
		if !ok {
			g.seen = r.cells[c]
			return
		}
		text := r.cells[c]
		rd := reading{tok: tok, label: t.cols[c], raw: text[tok.start:tok.end], rawUnit: unitText(text, tok), line: r.line}
		rd.def, rd.hasDef = t.cellUnit(c, r, g.labels)
		g.take(rd)
	})
	if err != nil {
		return Value{}, err
	}
	none := "no table"
	if cols != nil {
		none = fmt.Sprintf("no row that fits; the last table has the columns %q;", cols[:min(len(cols), 40)])
	}
	return g.value(s.Pick, st.name, none)
}

// rowFits reports whether a row meets all conditions.
func (s Spec) rowFits(t *table, r row) bool {
	for _, w := range s.Where {
		c := findColumn(t.cols, w.Column)
		if c < 0 || !w.holds(r.cells[c]) {
			return false
		}
	}
	return true
}

func (w Where) holds(text string) bool {
	if w.Op == "~" {
		return strings.Contains(text, w.Value)
	}
	if text == strings.TrimSpace(w.Value) {
		return true
	}
	a, okA := cellNumber(text, nil)
	b, okB := cellNumber(strings.TrimSpace(w.Value), nil)
	return okA && okB && !a.bad && a.si() == b.si() && a.hasUnit == b.hasUnit
}

// findColumn returns the column with a heading: as it is, in any case, or but
// for its unit; -1 if there is none.
func findColumn(cols []string, name string) int {
	name = strings.TrimSpace(name)
	key := readLabel(name).key
	for _, same := range []func(string) bool{
		func(c string) bool { return c == name },
		func(c string) bool { return strings.EqualFold(c, name) },
		func(c string) bool { return key != "" && readLabel(c).key == key },
	} {
		for i, c := range uniqueNames(cols) {
			if same(c) {
				return i
			}
		}
	}
	return -1
}
