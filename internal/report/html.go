package report

import (
	"bytes"
	"fmt"
	"io"
)

// pageStyle follows the reader's choice of light or dark.
const pageStyle = `
:root{color-scheme:light dark;--fg:#1f2328;--bg:#fff;--line:#d8dee4;--soft:#f6f8fa;--dim:#656d76}
@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--line:#30363d;--soft:#161b22;--dim:#8d96a0}}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:960px;margin:0 auto;padding:24px 16px 64px}
h1{font-size:22px}h2{font-size:17px;margin:28px 0 8px;border-bottom:1px solid var(--line);padding-bottom:4px}
code,pre{font:13px/1.45 ui-monospace,Menlo,Consolas,monospace}code{overflow-wrap:anywhere}
pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:10px;overflow:auto;margin:4px 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:0}dt{color:var(--dim)}dd{margin:0;min-width:0}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:14px}th,td{text-align:left;padding:4px 12px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
svg{width:100%;height:auto;display:block;margin:12px 0}
`

// HTML writes the report as one file that shows itself everywhere: no script,
// no font and no picture from elsewhere, which its own policy forbids as well.
func HTML(w io.Writer, d *Document) error {
	var b bytes.Buffer
	p := compose(d)
	title := esc(sentenceCase(p.title))
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"+
		"<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n<p>%s</p>\n", title, pageStyle, title, esc(Summary(d)))
	for _, one := range p.parts {
		htmlPart(&b, one)
		if one.chart {
			b.Write(drawing(d).Bytes())
		}
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	return write(w, &b, "HTML")
}

func htmlPart(b *bytes.Buffer, p part) {
	fmt.Fprintf(b, "<section>\n<h2>%s</h2>\n", esc(p.title))
	for _, sentence := range p.prose {
		fmt.Fprintf(b, "<p>%s</p>\n", esc(sentence))
	}
	if len(p.pairs) > 0 {
		b.WriteString("<dl>\n")
		for _, one := range p.pairs {
			fmt.Fprintf(b, "<dt>%s</dt><dd>%s</dd>\n", esc(one.name), htmlValue(one))
		}
		b.WriteString("</dl>\n")
	}
	if p.table != nil && len(p.table.rows) > 0 {
		htmlTable(b, p.table)
	}
	if len(p.list) > 0 {
		b.WriteString("<ul>\n")
		for _, l := range p.list {
			fmt.Fprintf(b, "<li>%s</li>\n", esc(l))
		}
		b.WriteString("</ul>\n")
	}
	if p.pre != "" {
		fmt.Fprintf(b, "<pre>%s</pre>\n", esc(p.pre))
	}
	b.WriteString("</section>\n")
}

func htmlValue(one pair) string {
	switch {
	case bytes.ContainsRune([]byte(one.value), '\n'):
		return "<pre>" + esc(one.value) + "</pre>"
	case one.code:
		return "<code>" + esc(one.value) + "</code>"
	}
	return esc(one.value)
}

func htmlTable(b *bytes.Buffer, t *table) {
	b.WriteString("<div class=\"wide\"><table>\n<tr>")
	for _, name := range t.head {
		fmt.Fprintf(b, "<th>%s</th>", esc(name))
	}
	b.WriteString("</tr>\n")
	for _, row := range t.rows {
		b.WriteString("<tr>")
		for i, cell := range row {
			if t.isCode(i) && cell != "" {
				fmt.Fprintf(b, "<td><code>%s</code></td>", esc(cell))
				continue
			}
			fmt.Fprintf(b, "<td>%s</td>", esc(cell))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></div>\n")
}
