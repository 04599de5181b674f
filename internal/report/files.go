package report

import (
	"fmt"
)

// files lists what the commit changed.
func files(d *Document) part {
	p := part{title: "Files changed"}
	t := &table{head: []string{"File", "Lines added", "Lines removed"}, code: []bool{true}}
	width := 0
	for i, f := range d.Files {
		if i < mostFiles {
			width = max(width, len([]rune(line(f.Path))))
		}
	}
	added, deleted := 0, 0
	for i, f := range d.Files {
		added, deleted = added+f.Added, deleted+f.Deleted
		if i >= mostFiles {
			continue
		}
		plus, minus := fmt.Sprint(f.Added), fmt.Sprint(f.Deleted)
		text := fmt.Sprintf("%4d (+%d -%d)", f.Added+f.Deleted, f.Added, f.Deleted)
		if f.Binary {
			plus, minus, text = "binary", "binary", "binary"
		}
		t.rows = append(t.rows, []string{line(f.Path), plus, minus})
		p.lines = append(p.lines, fmt.Sprintf("%-*s | %s", width, line(f.Path), text))
	}
	if len(d.Files) > 0 {
		p.table = t
		p.lines = append(p.lines, total(d, added, deleted))
		t.rows = append(t.rows, []string{"", fmt.Sprint(added), fmt.Sprint(deleted)})
		if n := len(d.Files) - mostFiles; n > 0 {
			p.list = []string{"and " + count(n, "more file")}
		}
	}
	if d.PatchPath != "" {
		p.pairs = []pair{{"Whole difference", line(d.PatchPath), true}}
	}
	return p
}

func total(d *Document, added, deleted int) string {
	return fmt.Sprintf("%s, +%d -%d lines", count(len(d.Files), "file"), added, deleted)
}
