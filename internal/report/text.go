package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// ruler closes the text report on both sides.
const ruler = "============================================================"

// Text writes the report for a terminal: no colour, no control character.
func Text(w io.Writer, d *Document) error {
	var b bytes.Buffer
	p := compose(d)
	fmt.Fprintf(&b, "%s\n%s\n%s\n", ruler, p.title, ruler)
	for _, one := range p.parts {
		textPart(&b, one)
	}
	fmt.Fprintf(&b, "\n%s\n", ruler)
	return write(w, &b, "text")
}

func textPart(b *bytes.Buffer, p part) {
	fmt.Fprintf(b, "\n%s:\n", p.title)
	for _, sentence := range p.prose {
		indent(b, sentence)
	}
	width := 0
	for _, one := range p.pairs {
		width = max(width, len([]rune(one.name)))
	}
	for _, one := range p.pairs {
		name := fmt.Sprintf("%-*s ", width+1, one.name+":")
		value := strings.ReplaceAll(one.value, "\n", "\n"+strings.Repeat(" ", width+2))
		indent(b, name+value)
	}
	for _, l := range p.lines {
		indent(b, l)
	}
	for _, l := range p.list {
		indent(b, "- "+l)
	}
	if p.pre != "" {
		indent(b, p.pre)
	}
}

func indent(b *bytes.Buffer, text string) {
	for l := range strings.SplitSeq(text, "\n") {
		b.WriteString(strings.TrimRight("  "+l, " ") + "\n")
	}
}

// write writes a report at once, so that a full disk leaves an error and not
// half a report that reads as a whole one.
func write(w io.Writer, b *bytes.Buffer, form string) error {
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the %s report: %w", form, err)
	}
	return nil
}
