package report

import (
	"fmt"
	"strings"
)

// table has a row of names and rows of as many cells.
type table struct {
	head []string
	code []bool // columns that came from outside, verbatim; may be shorter
	rows [][]string
}

func (t *table) isCode(column int) bool { return column < len(t.code) && t.code[column] }

// lines shows a table as text in columns.
func lines(t *table) []string {
	if t == nil || len(t.rows) == 0 {
		return nil
	}
	rows := append([][]string{t.head}, t.rows...)
	widths := make([]int, len(t.head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	out := make([]string, 0, len(rows))
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&b, "%-*s  ", widths[i], cell)
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}
