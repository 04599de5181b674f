package metric

import (
	"strings"
	"unicode/utf8"
)

// cell is a cell of a table aligned by spaces: its text and the columns of the
// screen that it takes.
type cell struct {
	text       string
	start, end int
}

// openAligned reads a header and a first row of a table aligned by spaces.
// Headings are split at two spaces or, when then nothing fits, at one.
func openAligned(header, units, first string) (*table, []string) {
	if colon := func(s string) bool {
		return strings.HasSuffix(strings.TrimRight(s, " "), ":") || strings.Contains(s, ": ")
	}; colon(header) || colon(first) {
		return nil, nil // labels, not columns
	}
	if !strings.Contains(header, "  ") && strings.IndexByte(header, '\t') < 0 && countFields(first) < countFields(header) {
		return nil, nil
	}
	wide, words := screenCells(header, true), screenCells(header, false)
	for _, hdr := range [][]cell{wide, words} {
		if len(hdr) < 2 || len(hdr) > 200 {
			continue
		}
		t := &table{kind: 'a', places: hdr, header: header}
		for _, t.index = range []bool{false, true} {
			cells, ok := t.alignedRow(first)
			if !ok || len(wide) < 2 && !t.overlaps(first) {
				continue
			}
			t.nameColumns(units)
			return t, cells
		}
	}
	return nil, nil
}

// countFields counts the words of s.
func countFields(s string) int {
	n, space := 0, true
	for i := range len(s) {
		blank := s[i] == ' ' || s[i] == '\t'
		if space && !blank {
			n++
		}
		space = blank
	}
	return n
}

// nameColumns names the columns; a line of units adds to them what stands
// below each.
func (t *table) nameColumns(units string) {
	if t.index {
		t.cols = append(t.cols, "")
	}
	below := screenCells(units, false)
	for _, h := range t.places {
		name := strings.TrimLeft(h.text, "#")
		for _, u := range below {
			if u.start < h.end+1 && u.end > h.start-1 {
				name += " " + u.text
			}
		}
		t.cols = append(t.cols, name)
	}
}

// alignedRow splits a line by the header of the table.
func (t *table) alignedRow(s string) ([]string, bool) {
	if len(s) > 4096 {
		return nil, false
	}
	got := rowCells(s)
	want := len(t.places)
	if t.index {
		want++
		if len(got) != want || got[0].start >= t.places[0].start {
			return nil, false
		}
	}
	cells := make([]string, want)
	if len(got) == want {
		for i, c := range got {
			cells[i] = c.text
		}
		return cells, anyNumber(cells)
	}
	if t.index || t.cols == nil && len(got) < 2 {
		return nil, false
	}
	for _, c := range got {
		i := t.column(c)
		if i < 0 || cells[i] != "" {
			return nil, false
		}
		cells[i] = c.text
	}
	return cells, len(got) > 1 && anyNumber(cells)
}

// column returns the one heading that stands over c, or -1.
func (t *table) column(c cell) int {
	found := -1
	for i, h := range t.places {
		if c.start < h.end && c.end > h.start {
			if found >= 0 {
				if strings.Contains(c.text, "±") {
					return found // value and error in one
				}
				return -1
			}
			found = i
		}
	}
	return found
}

// overlaps reports whether each cell of the line stands under its heading.
func (t *table) overlaps(s string) bool {
	got := rowCells(s)
	if len(got) != len(t.places) || len(got) < 2 {
		return false
	}
	numeric := 0
	var buf [4]token
	for i, c := range got {
		if c.start >= t.places[i].end || c.end <= t.places[i].start {
			return false
		}
		if _, ok := cellNumber(c.text, buf[:0]); ok {
			numeric++
		}
	}
	return numeric*2 >= len(got)
}

// screenCells splits a line at runs of two spaces or a tab (wide), or at any
// space.
func screenCells(s string, wide bool) []cell {
	var out []cell
	ascii := isASCII(s)
	start, gap := -1, 0
	end := 0
	add := func() {
		if start >= 0 {
			out = append(out, newCell(s, start, end, ascii))
		}
		start = -1
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == ' ' || c == '\t' || c == '#' && len(out) == 0 && start < 0 {
			gap++
			if c == '\t' {
				gap++
			}
			continue
		}
		if gap >= 2 || !wide && gap >= 1 {
			add()
		}
		if start < 0 {
			start = i
		}
		gap, end = 0, i+1
	}
	add()
	return out
}

func newCell(s string, start, end int, ascii bool) cell {
	c := cell{strings.TrimSpace(s[start:end]), start, end}
	if !ascii {
		c.start = utf8.RuneCountInString(s[:start])
		c.end = c.start + utf8.RuneCountInString(s[start:end])
	}
	return c
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// rowCells splits a row: words one space apart are one text, a number takes
// its unit and its spread, and each further number is a cell of its own.
func rowCells(s string) []cell {
	words := screenCells(s, false)
	var out []cell
	for i, w := range words {
		if i > 0 && w.start-out[len(out)-1].end == 1 && joins(out[len(out)-1].text, w.text) {
			last := &out[len(out)-1]
			last.text += " " + w.text
			last.end = w.end
			continue
		}
		out = append(out, w)
	}
	return out
}

// joins reports whether the word w belongs to the cell before it.
func joins(cell, w string) bool {
	var buf [4]token
	_, num := cellNumber(cell, buf[:0])
	_, wNum := cellNumber(w, buf[:0])
	switch {
	case strings.HasSuffix(cell, "±") || strings.HasSuffix(cell, "+/-"):
		return true
	case num && !wNum:
		_, isUnit := parseUnit(w)
		return isUnit || w[0] == '(' || w == "±" || w == "+/-"
	case num:
		return false
	}
	return !wNum
}
