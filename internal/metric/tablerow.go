package metric

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// emitRows emits the numbers of the buffered rows of a table. A number's label
// is the key of its row and the heading of its column.
func emitRows(t *table, in labels, group *int, emit func(reading)) {
	if len(t.rows) == 0 {
		return
	}
	if !t.named {
		t.decide(in)
	}
	names := uniqueNames(t.cols)
	var buf [8]token
	for _, r := range t.rows {
		*group++
		key := t.keyOf(r)
		for c, text := range r.cells {
			tok, ok := cellNumber(text, buf[:0])
			if !ok && strings.IndexByte(text, '=') > 0 && t.kind == 'a' {
				new(grammar).read(text, r.line, func(rd reading) {
					rd.label, rd.ctx, rd.text, rd.group = joinKey(key, rd.label), "", r.text, -*group
					emit(rd)
				})
			}
			if !ok || t.skip[c] {
				continue
			}
			rd := reading{
				tok: tok, label: joinKey(key, names[c]), line: r.line, text: r.text, group: -*group,
				raw: text[tok.start:tok.end], rawUnit: unitText(text, tok),
			}
			if t.steps {
				rd.tail = wordHash(r.cells[0])
			}
			rd.def, rd.hasDef = t.cellUnit(c, r, in)
			emit(rd)
		}
	}
}

func joinKey(key, col string) string {
	if key == "" {
		return col
	}
	return verbatim + key + partSep + col
}

// uniqueNames numbers headings that occur more than once.
func uniqueNames(cols []string) []string {
	seen := map[string]int{}
	out := slices.Clone(cols)
	for i, c := range out {
		c = strings.Trim(c, `"'`)
		seen[c]++
		if c == "" {
			c = "column " + strconv.Itoa(i+1)
		} else if n := seen[c]; n > 1 {
			c += " #" + strconv.Itoa(n)
		}
		out[i] = c
	}
	return out
}

// tableUnit reads "Name (time in us)", the unit of all columns without one.
func tableUnit(first string) (unit, bool) {
	_, in, ok := strings.Cut(first, " in ")
	if !ok {
		return unit{}, false
	}
	u, ok := parseUnit(strings.TrimRight(in, ")] "))
	return u, ok
}

// cellUnit returns the unit of a cell if neither it nor its heading has one:
// that in the row's column of units, that of the table, or that of the
// statistic to its left.
func (t *table) cellUnit(c int, r row, in labels) (unit, bool) {
	if c == t.valueCol {
		if u, ok := parseUnit(r.cells[t.unitCol]); ok {
			return u, true
		}
	}
	if t.siblings {
		if u, ok := siblingUnit(t.cols[c], func(k string) gjson.Result { return t.sibling(k, r) }); ok {
			return u, true
		}
	}
	if countColumn(t.cols[c]) || strings.HasPrefix(t.cols[c], "OPS") {
		return unit{}, false
	}
	if u, ok := tableUnit(t.cols[0]); ok {
		return u, true
	}
	return t.statUnit(c, in)
}

// statUnit returns the unit of a statistic without one: that of the statistic
// to its left, as in "Min (sec)  Max  Average".
func (t *table) statUnit(c int, in labels) (unit, bool) {
	info := in.of(t.cols[c])
	for c > 0 && !info.hasUnit && len(info.words) > 0 && onlyStatistic(info.words) {
		c--
		info = in.of(t.cols[c])
	}
	return info.unit, info.hasUnit && statWords[firstOf(info.words)]
}

func firstOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// findUnits finds out where the units of the values stand.
func (t *table) findUnits() {
	t.unitCol, t.valueCol = -1, -1
	for i, c := range t.cols {
		words := splitWords(c)
		if len(words) == 0 {
			continue
		}
		switch words[len(words)-1] {
		case "unit", "units":
			t.unitCol = i
		case "value", "avg", "average", "score":
			if t.valueCol < 0 {
				t.valueCol = i
			}
		}
	}
	if t.unitCol < 0 || t.valueCol < 0 {
		t.unitCol, t.valueCol = -1, -1
	}
	t.siblings = slices.ContainsFunc(t.cols, func(c string) bool { return isWord(c, "time_unit", "command", "rounds", "avg_ns") })
}

// sibling returns the cell of a row under a heading as if the row were a JSON
// object. A column "unit" is that of findUnits.
func (t *table) sibling(heading string, r row) gjson.Result {
	i := slices.Index(t.cols, heading)
	if i < 0 || isWord(heading, "unit", "units") {
		return gjson.Result{}
	}
	return gjson.Result{Type: gjson.String, Str: r.cells[i], Raw: r.cells[i]}
}

// keyOf returns the text that names a row.
func (t *table) keyOf(r row) string {
	var parts []string
	for _, c := range t.key {
		if r.cells[c] == "" {
			continue
		}
		text := r.cells[c]
		if isDigit(text[0]) && t.cols[c] != "" && t.param[c] {
			name, _, _ := strings.Cut(t.cols[c], " (")
			text = strings.TrimSpace(name) + "=" + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// column facts, worked out from the buffered rows.
type columnFacts struct {
	numbers, texts, ints int
	unstable             int // dates, hashes, hexadecimal numbers: these name nothing
	units                bool
	varies               bool
}

// hexNumber reports whether a cell is a hexadecimal number: an address, or the
// sum that size prints under "hex" beside the decimal one.
func hexNumber(text, heading string) bool {
	digits, ok := strings.CutPrefix(text, "0x")
	return (ok || isWord(heading, "hex")) && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

func (t *table) facts() []columnFacts {
	f := make([]columnFacts, len(t.cols))
	var buf [4]token
	for _, r := range t.rows {
		for c, text := range r.cells {
			if text == "" {
				continue
			}
			tok, ok := cellNumber(text, buf[:0])
			switch {
			case hexNumber(text, t.cols[c]) || !ok && stableText(text) == "":
				f[c].unstable++
			case !ok:
				f[c].texts++
			default:
				f[c].numbers++
				f[c].units = f[c].units || tok.hasUnit
				if tok.value == math.Trunc(tok.value) && !tok.bad {
					f[c].ints++
				}
			}
			f[c].varies = f[c].varies || text != t.rows[0].cells[c]
		}
	}
	return f
}

// decide finds the columns that name a row: first those of text that vary,
// then whole numbers that are parameters, until all rows differ. Columns that
// name rows are no measurements.
func (t *table) decide(in labels) {
	t.named = true
	t.skip = make([]bool, len(t.cols))
	facts := t.facts()
	var text, params []int
	same := -1 // a column of text that is the same in all rows
	for c, f := range facts {
		info := in.of(t.cols[c])
		switch {
		case f.unstable > f.texts+f.numbers:
			t.skip[c] = true
		case f.texts > f.numbers:
			if f.varies {
				text = append(text, c)
			} else if same < 0 || isWord(t.cols[c], nameKeys...) {
				same = c
			}
		case f.ints == f.numbers && f.varies && !f.units && !countColumn(t.cols[c]) && t.cols[c] != "" &&
			(!info.hasUnit || info.unit.si == "B") && polarityOf(info.words, unit{}) == Unknown:
			params = append(params, c)
		}
	}
	t.steps = countColumn(t.cols[0]) && facts[0].ints == len(t.rows) && t.uneven()
	t.param = make([]bool, len(t.cols))
	for _, c := range params {
		t.param[c] = true
	}
	if len(text) == 0 && same >= 0 && (len(params) == 0 || isWord(t.cols[same], nameKeys...)) {
		text = append(text, same)
	}
	if t.index && facts[0].varies {
		params = append(params, 0)
	}
	for _, c := range append(text, params...) {
		if len(t.key) > 0 && t.distinct() {
			break
		}
		t.key = append(t.key, c)
	}
	for _, c := range t.key {
		t.skip[c] = true
	}
	for c, f := range facts {
		if t.cols[c] == "" && f.ints == f.numbers || c == t.begin-1 || c == t.finish-1 {
			t.skip[c] = true
		}
	}
}

// uneven reports whether the numbers of the first column rise in steps that differ.
func (t *table) uneven() bool {
	var buf [4]token
	last, step, differ := 0.0, 0.0, false
	for i, r := range t.rows {
		tok, _ := cellNumber(r.cells[0], buf[:0])
		d := tok.value - last
		if i > 0 && d <= 0 {
			return false
		}
		differ = differ || i > 1 && d != step
		last, step = tok.value, d
	}
	return differ
}

// distinct reports whether the key columns tell all rows apart.
func (t *table) distinct() bool {
	seen := make(map[string]bool, len(t.rows))
	for _, r := range t.rows {
		k := t.keyOf(r)
		if seen[k] {
			return false
		}
		seen[k] = true
	}
	return true
}

// countColumn reports whether a heading is that of counts and identifiers,
// which name no row and have no unit.
func countColumn(name string) bool {
	for _, w := range splitWords(name) {
		switch w {
		case "calls", "iterations", "iters", "iter", "count", "counts", "samples", "reps", "runs", "rounds", "cnt",
			"id", "pid", "tid", "process", "thread", "index", "wrong", "correlation", "timestamp", "dispatch", "start", "end",
			"agent", "queue", "outliers", "repeats", "instances", "seed":
			return true
		}
	}
	return false
}
