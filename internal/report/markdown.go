package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the report for an issue or a pull request (CommonMark with
// tables). Whatever came from outside stands in code, where it is not read as
// markup, mentions nobody and links nowhere.
func Markdown(w io.Writer, d *Document) error {
	var b bytes.Buffer
	p := compose(d)
	fmt.Fprintf(&b, "# %s\n", sentenceCase(p.title))
	for _, one := range p.parts {
		markdownPart(&b, one)
	}
	return write(w, &b, "Markdown")
}

func sentenceCase(title string) string { return title[:1] + strings.ToLower(title[1:]) }

func markdownPart(b *bytes.Buffer, p part) {
	fmt.Fprintf(b, "\n## %s\n\n", prose(p.title))
	for _, sentence := range p.prose {
		fmt.Fprintf(b, "%s\n\n", prose(sentence))
	}
	for _, one := range p.pairs {
		markdownPair(b, one)
	}
	if len(p.pairs) > 0 {
		b.WriteByte('\n')
	}
	if p.table != nil && len(p.table.rows) > 0 {
		markdownTable(b, p.table)
	}
	for _, l := range p.list {
		fmt.Fprintf(b, "- %s\n", prose(l))
	}
	if p.pre != "" {
		b.WriteString(fenced(p.pre))
	}
	trimBlank(b)
}

// trimBlank leaves exactly one line end behind a part.
func trimBlank(b *bytes.Buffer) {
	b.Truncate(len(bytes.TrimRight(b.Bytes(), "\n")))
	b.WriteByte('\n')
}

func markdownPair(b *bytes.Buffer, one pair) {
	switch {
	case strings.Contains(one.value, "\n"):
		text := strings.TrimRight(fenced(one.value), "\n")
		fmt.Fprintf(b, "- **%s**\n\n  %s\n\n", prose(one.name), strings.ReplaceAll(text, "\n", "\n  "))
	case one.code:
		fmt.Fprintf(b, "- **%s** %s\n", prose(one.name), code(one.value))
	default:
		fmt.Fprintf(b, "- **%s** %s\n", prose(one.name), prose(one.value))
	}
}

func markdownTable(b *bytes.Buffer, t *table) {
	row := func(cells []string, code func(i int) bool) {
		for i, cell := range cells {
			if code(i) {
				cell = codeCell(cell)
			} else {
				cell = prose(cell)
			}
			fmt.Fprintf(b, "| %s ", cell)
		}
		b.WriteString("|\n")
	}
	row(t.head, func(int) bool { return false })
	b.WriteString(strings.Repeat("|---", len(t.head)) + "|\n")
	for _, cells := range t.rows {
		row(cells, t.isCode)
	}
	b.WriteByte('\n')
}

// markup are the characters that Markdown or HTML in it could read as more than
// themselves.
var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`,
	"#", `\#`, "|", `\|`, "~", `\~`, "&", `\&`, "!", `\!`, "@", "@\u200b", "://", "\\://",
)

// prose is text without markup, mentions and links.
func prose(s string) string { return markup.Replace(line(s)) }

// code is a code span of s. A span opens with one backtick more than any run of
// them inside (CommonMark 6.1).
func code(s string) string {
	s = line(s)
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// codeCell is code in a table, where a bar ends a cell even in a code span
// (GitHub Flavored Markdown 4.10).
func codeCell(s string) string { return strings.ReplaceAll(code(s), "|", `\|`) }

// fenced is a code block of s.
func fenced(s string) string {
	fence := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return fence + "text\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}

func longestRun(s string, of rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
