package metric

import (
	"strings"
	"unicode/utf8"
)

// maxRows is how many rows of a table are looked at before it is decided which
// columns name a row.
const maxRows = 512

// row is one line of a table, one cell for each column.
type row struct {
	cells []string
	line  int
	text  string
}

// table is a header and how its rows are split.
type table struct {
	// kind is '|' for drawn tables, ',' ';' or tab for separated values, 'a'
	// for columns aligned by spaces.
	kind   byte
	cols   []string
	places []cell // of the header cells, in an aligned table
	header string
	rows   []row
	named  bool // the key columns are decided
	key    []int
	skip   []bool
	param  []bool // columns of parameters
	index  bool   // rows have one more cell than the header, before the others
	// begin and finish are the columns of two times in nanoseconds; their
	// difference is added as the last column.
	begin, finish int
	// unitCol is the column of units and valueCol that of the values they are
	// of; -1 if there is none. siblings is true when other cells of a row tell
	// the unit of a cell, as in JSON.
	unitCol, valueCol int
	siblings          bool
	// steps is true when the first column counts in uneven steps (0 1 2 4 8):
	// its rows are of different work.
	steps bool
}

// tabler finds tables among the lines. A table begins with a line without
// numbers that splits like the line after it.
type tabler struct {
	pending string // a line that may be a header
	units   string // the line of units below it
	cur     *table
	// row is called for each row as it is read, flush when a batch of rows of
	// a table is complete.
	row   func(*table, row)
	flush func(*table)
}

// line takes a line and reports whether it belongs to a table.
func (t *tabler) line(s string, n int) bool {
	if t.pending == "" && t.cur == nil {
		return false
	}
	if isRule(s) {
		return true
	}
	if t.cur != nil {
		if s == t.cur.header || strings.TrimSpace(s) == strings.TrimSpace(t.cur.header) {
			return true
		}
		if cells, ok := t.cur.split(s); ok && t.pending == "" {
			t.take(cells, s, n)
			return true
		}
		if t.cur.kind == '|' && t.pending == "" && t.cur.goesOn(s) {
			return true
		}
		if t.cur.kind != ',' || len(t.cur.cols) < 3 {
			t.close()
		}
	}
	if t.pending == "" {
		return false
	}
	if isDrawn(t.pending) && strings.HasSuffix(strings.TrimRight(s, " "), "----------") {
		return true // "1 threads: ----------"
	}
	if t.units == "" && isUnitsLine(s) {
		t.units = s
		return true
	}
	tab, cells := openTable(t.pending, t.units, s)
	if tab == nil {
		return false
	}
	t.close()
	t.cur = tab
	tab.derive()
	tab.findUnits()
	t.take(cells, s, n)
	return true
}

// other tells the tabler about a line that belongs to no table; numbers is how
// many numbers it holds.
func (t *tabler) other(s string, numbers int) {
	t.pending, t.units = "", ""
	if rest := csvHeader(s); numbers > 0 && len(rest) < len(s) {
		numbers = len(lex(rest, nil))
	}
	if numbers == 0 && len(s) < 4096 && strings.ContainsAny(strings.TrimSpace(s), " \t,;"+bars) && hasLetter(s) {
		t.pending = s
	}
}

// idle reports whether the next line goes on with no table.
func (t *tabler) idle() bool { return t.pending == "" && t.cur == nil }

func (t *tabler) take(cells []string, s string, n int) {
	t.pending, t.units = "", ""
	r := row{t.cur.withDuration(cells), n, s}
	if t.row != nil {
		t.row(t.cur, r)
	}
	if t.flush == nil {
		return
	}
	t.cur.rows = append(t.cur.rows, r)
	if len(t.cur.rows) >= maxRows || t.cur.named {
		t.flush(t.cur)
		t.cur.rows = t.cur.rows[:0]
	}
}

// close ends the current table.
func (t *tabler) close() {
	if t.cur != nil && t.flush != nil {
		t.flush(t.cur)
	}
	t.cur = nil
}

// openTable tries to read header and first as the first two lines of a table.
func openTable(header, units, first string) (*table, []string) {
	if isDrawn(header) {
		if tab := (&table{kind: '|', cols: drawnCells(header), header: header}); len(tab.cols) > 1 {
			for range 2 {
				if cells, ok := tab.split(first); ok {
					return tab, cells
				}
				tab.cols = append([]string{""}, tab.cols...) // an empty first heading
			}
		}
		return nil, nil
	}
	for _, d := range []byte{',', ';', '\t'} {
		if strings.IndexByte(header, d) < 0 {
			continue
		}
		tab := &table{kind: d, cols: separated(csvHeader(header), d), header: header}
		if len(tab.cols) < 2 || !nameLike(tab.cols) || prose(header, first, d, len(tab.cols)) {
			continue
		}
		if cells, ok := tab.split(first); ok {
			return tab, cells
		}
	}
	return openAligned(header, units, first)
}

// nameLike reports whether the cells can be column names: none long, few empty.
func nameLike(cols []string) bool {
	empty := 0
	for _, c := range cols {
		if len(c) > 80 {
			return false
		}
		if c == "" {
			empty++
		}
	}
	return empty*2 <= len(cols)
}

// prose reports whether the commas of a header are those of a sentence.
func prose(header, first string, d byte, n int) bool {
	sep := string(d) + " "
	return strings.Contains(header, sep) && (n == 2 || !strings.Contains(first, sep))
}

// csvHeader drops the "[0]:" that some programs print before a header.
func csvHeader(s string) string {
	if strings.HasPrefix(s, "[") {
		if _, rest, ok := strings.Cut(s, "]:"); ok {
			return rest
		}
	}
	return strings.TrimPrefix(strings.TrimPrefix(s, "# "), "#")
}

// split returns the cells of a line, if it is a row of the table: as many
// cells as columns, at least one of them a number.
func (t *table) split(s string) ([]string, bool) {
	var cells []string
	switch t.kind {
	case '|':
		if !isDrawn(s) {
			return nil, false
		}
		cells = drawnCells(s)
	case 'a':
		return t.alignedRow(s)
	default:
		if strings.Count(s, string(t.kind)) < t.printed()-1 {
			return nil, false
		}
		cells = separated(s, t.kind)
		if n := t.printed(); len(cells) == n+1 && cells[n] == "" {
			cells = cells[:n]
		}
	}
	if len(cells) != t.printed() {
		return nil, false
	}
	return cells, anyNumber(cells)
}

// goesOn reports whether a drawn line without numbers belongs to the table. A
// line with text in one cell only continues that cell of the row before.
func (t *table) goesOn(s string) bool {
	if !isDrawn(s) {
		return false
	}
	cells := drawnCells(s)
	if len(cells) != len(t.cols) {
		return false
	}
	only := -1
	for i, c := range cells {
		if c == "" {
			continue
		}
		if only >= 0 {
			return true
		}
		only = i
	}
	if only >= 0 && len(t.rows) > 0 {
		last := &t.rows[len(t.rows)-1].cells[only]
		if len(*last) < maxLabelLen {
			*last += " " + cells[only]
		}
	}
	return true
}

// printed is the number of columns that the program printed.
func (t *table) printed() int {
	if t.begin > 0 {
		return len(t.cols) - 1
	}
	return len(t.cols)
}

func anyNumber(cells []string) bool {
	var buf [4]token
	for _, c := range cells {
		if _, ok := cellNumber(c, buf[:0]); ok {
			return true
		}
	}
	return false
}

// cellNumber reads a cell that is a number with or without unit and spread.
func cellNumber(c string, buf []token) (token, bool) {
	if c == "" || len(c) > 100 {
		return token{}, false
	}
	toks := lex(c, buf)
	if len(toks) == 0 || toks[0].start != 0 {
		return token{}, false
	}
	rest := strings.TrimLeft(c[toks[0].end:], " ")
	if rest == "" || rest[0] == '(' || rest[0] == '[' || strings.HasPrefix(rest, "±") || strings.HasPrefix(rest, "+/-") {
		return toks[0], true
	}
	return token{}, false
}

// bars are the verticals that separate the cells of drawn tables.
const bars = "|│┃║"

// isDrawn reports whether s has two or more bars, or is a row of two cells
// with spaces around its bar.
func isDrawn(s string) bool {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '|' {
			n++
		} else if s[i] == 0xe2 && strings.ContainsRune(bars, runeAt(s, i)) {
			n++
		}
	}
	return n >= 2 || n == 1 && strings.Contains(s, " | ")
}

func runeAt(s string, i int) rune {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r
}

// drawnCells splits a drawn row; bars at its ends bound no cell.
func drawnCells(s string) []string {
	s = strings.TrimSpace(s)
	cells := strings.FieldsFunc(strings.ReplaceAll(s, "||", "| |"), func(r rune) bool { return strings.ContainsRune(bars, r) })
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// isRule reports whether s only draws a line.
func isRule(s string) bool {
	t := strings.Trim(s, " \t\r#")
	if t == "" || isWordByte(t[0]) && t[0] < utf8.RuneSelf {
		return false
	}
	for _, r := range t {
		if !(r >= 0x2500 && r <= 0x257f) && !strings.ContainsRune("-=+:|*_~ ", r) {
			return false
		}
	}
	return len(t) >= 2
}

// isUnitsLine reports whether all that s holds are units in brackets.
func isUnitsLine(s string) bool {
	f := strings.Fields(strings.TrimLeft(s, "# "))
	for _, w := range f {
		if !(w[0] == '(' && w[len(w)-1] == ')') && !(w[0] == '[' && w[len(w)-1] == ']') {
			return false
		}
	}
	return len(f) > 0
}

// separated splits separated values: quoted fields may hold the separator and
// doubled quotes. Cells are trimmed.
func separated(s string, d byte) []string {
	var out []string
	for {
		t := strings.TrimLeft(s, " ")
		if strings.HasPrefix(t, `"`) {
			if field, rest, ok := quoted(t); ok {
				out = append(out, field)
				rest = strings.TrimLeft(rest, " ")
				if rest == "" || rest[0] != d {
					return out
				}
				s = rest[1:]
				continue
			}
		}
		i := strings.IndexByte(s, d)
		if i < 0 {
			return append(out, strings.TrimSpace(s))
		}
		out = append(out, strings.TrimSpace(s[:i]))
		s = s[i+1:]
	}
}

// quoted reads the quoted field at the start of s.
func quoted(s string) (field, rest string, ok bool) {
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '"' {
			i++
			continue
		}
		return strings.ReplaceAll(s[1:i], `""`, `"`), s[i+1:], true
	}
	return "", s, false
}
