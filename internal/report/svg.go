package report

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/engine/stats"
	"perfbisect/internal/metric"
)

// The canvas, in pixels of the picture.
const (
	svgWidth   = 900
	svgHeight  = 430
	plotLeft   = 92
	plotRight  = 128
	plotTop    = 52
	plotBottom = 104
	labelEvery = 18 // least distance of two labels on the x axis
	dotRadius  = 3.6
)

// chartStyle names colours that tell good from bad for the colour-blind too,
// and the same on a dark page. Shape tells them apart once more.
const chartStyle = `
.pb-bg{fill:#fff}.pb-text{fill:#1f2328;font:12px system-ui,-apple-system,"Segoe UI",sans-serif}
.pb-title{font-size:14px;font-weight:600}.pb-small{font-size:11px}.pb-mono{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:11px}
.pb-axis{stroke:#656d76}.pb-grid{stroke:#d8dee4}.pb-level{stroke-width:1.4;stroke-dasharray:6 4}
.pb-good{fill:#0969da;stroke:#0969da}.pb-bad{fill:#bc4c00;stroke:#bc4c00}.pb-between,.pb-none{fill:#656d76;stroke:#656d76}
.pb-hollow{fill:none;stroke-width:1.5}.pb-median{stroke:#1f2328;stroke-width:2}.pb-suspect{fill:#bc4c00;fill-opacity:.13}
.pb-name{fill:#bc4c00;font-weight:600}
@media(prefers-color-scheme:dark){.pb-bg{fill:#0d1117}.pb-text{fill:#e6edf3}.pb-axis{stroke:#8d96a0}.pb-grid{stroke:#30363d}
.pb-good{fill:#58a6ff;stroke:#58a6ff}.pb-bad{fill:#f0883e;stroke:#f0883e}.pb-between,.pb-none{fill:#8d96a0;stroke:#8d96a0}
.pb-hollow{fill:none}.pb-median{stroke:#e6edf3}.pb-suspect{fill:#f0883e;fill-opacity:.2}.pb-name{fill:#f0883e}}
`

// SVG draws the hunt: the commits that were visited on x, oldest left, every
// run as a mark, the median of each commit, the levels of both ends, and the
// culprit or the candidates on a band. It needs no script and no network.
func SVG(w io.Writer, d *Document) error {
	b := drawing(d)
	return write(w, b, "SVG")
}

func drawing(d *Document) *bytes.Buffer {
	p := &picture{c: newChart(d.Result), r: d.Result}
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="pb-title pb-desc">`+"\n", svgWidth, svgHeight)
	p.printf("<title id=\"pb-title\">%s</title>\n<desc id=\"pb-desc\">%s</desc>\n", esc(sentenceCase(title(d))), esc(Summary(d)))
	p.printf("<style>%s</style>\n<rect class=\"pb-bg\" width=\"%d\" height=\"%d\"/>\n", chartStyle, svgWidth, svgHeight)
	p.text(plotLeft, 24, "pb-text pb-title", "", heading(d))
	if len(p.c.slots) == 0 {
		p.text(plotLeft, svgHeight/2, "pb-text", "", "Nothing was measured.")
	} else {
		p.axes()
		p.references()
		for i, s := range p.c.slots {
			p.slot(i, s)
		}
		p.legend()
	}
	p.printf("</svg>\n")
	return &p.b
}

func heading(d *Document) string {
	name := line(d.Result.Metric)
	if name == "" {
		name = "metric"
	}
	if s := better(d.Result); s != "" {
		name += ", " + s
	}
	return cut(name, 100)
}

// picture is a drawing in progress.
type picture struct {
	b bytes.Buffer
	c *chart
	r *engine.Result
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *picture) text(x, y float64, class, attributes, s string) {
	p.printf("<text class=%q x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", class, x, y, attributes, esc(s))
}

// esc makes s fit for XML and HTML, in text and in attributes.
func esc(s string) string { return html.EscapeString(clean(s)) }

func (p *picture) x(i int) float64 {
	return plotLeft + (float64(i)+0.5)*p.slotWidth()
}

func (p *picture) slotWidth() float64 {
	return float64(svgWidth-plotLeft-plotRight) / float64(len(p.c.slots))
}

func (p *picture) y(v float64) float64 {
	const height = svgHeight - plotTop - plotBottom
	return plotTop + height*(1-p.c.scale.at(v))
}

func (p *picture) axes() {
	const right, bottom = svgWidth - plotRight, svgHeight - plotBottom
	if p.measured() {
		for _, v := range p.c.scale.ticks() {
			p.printf("<line class=\"pb-grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", plotLeft, right, p.y(v), p.y(v))
			p.text(plotLeft-8, p.y(v)+4, "pb-text pb-small", ` text-anchor="end"`, metric.Format(v, p.r.Unit))
		}
	}
	p.printf("<line class=\"pb-axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", plotLeft, right, bottom, bottom)
	p.text(plotLeft, svgHeight-10, "pb-text pb-small", "", "visited commits, oldest left: position in the range, abbreviated hash")
}

func (p *picture) measured() bool {
	for _, s := range p.c.slots {
		if len(s.values) > 0 {
			return true
		}
	}
	return len(p.c.levels) > 0
}

// references draws the level of each end, and keeps the two names apart.
func (p *picture) references() {
	const right = svgWidth - plotRight
	last := -1e9
	for _, ref := range p.c.levels {
		y := p.y(ref.value)
		p.printf("<line class=\"pb-%s pb-level\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n", ref.name, plotLeft, right, y, y)
		label := y + 4
		if d := label - last; d > -14 && d < 14 {
			label = last - 14
			if d >= 0 {
				label = last + 14
			}
		}
		last = label
		p.text(right+8, label, "pb-text pb-small", "", ref.name+" "+metric.Format(ref.value, p.r.Unit))
	}
}

// slot draws one commit.
func (p *picture) slot(i int, s slot) {
	const bottom = svgHeight - plotBottom
	x, half := p.x(i), p.slotWidth()/2
	p.printf("<g><title>%s</title>\n", esc(p.describe(s)))
	if s.suspect {
		p.printf("<rect class=\"pb-suspect\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", x-half, plotTop, 2*half, bottom-plotTop)
	}
	spread := min(half*0.6, 14)
	for k, v := range s.values {
		p.mark(x+offset(k, len(s.values))*spread, p.y(v), s.label)
	}
	if len(s.values) > 1 {
		y := p.y(stats.Median(s.values))
		width := min(half*0.8, 18)
		p.printf("<line class=\"pb-median\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x-width, x+width, y, y)
	}
	if s.failure != "" {
		p.printf("<path class=\"pb-none pb-hollow\" d=\"M%.1f %dl8 8m0 -8l-8 8\"/>\n", x-4, bottom-14)
	}
	p.slotLabel(i, s)
	p.printf("</g>\n")
}

// offset spreads n marks over [-1,1] so that equal values are seen to be many.
func offset(k, n int) float64 {
	if n < 2 {
		return 0
	}
	return 2*float64(k)/float64(n-1) - 1
}

// mark is a disc for good, a square for bad, a ring for anything else.
func (p *picture) mark(x, y float64, label string) {
	switch label {
	case "good":
		p.printf("<circle class=\"pb-good\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", x, y, dotRadius)
	case "bad":
		p.printf("<rect class=\"pb-bad\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x-dotRadius+.3, y-dotRadius+.3, 2*dotRadius-.6, 2*dotRadius-.6)
	default:
		p.printf("<circle class=\"pb-between pb-hollow\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", x, y, dotRadius)
	}
}

// slotLabel names a commit below the axis; where they stand too close, only
// some, but the culprit always.
func (p *picture) slotLabel(i int, s slot) {
	const bottom = svgHeight - plotBottom
	every := 1 + int(labelEvery/p.slotWidth())
	culprit := p.culprit(s)
	if !culprit && (i%every != 0 || p.crowded(i, every)) {
		return
	}
	x, y, class := p.x(i)+4, float64(bottom+16), "pb-text pb-mono"
	if s.suspect {
		class += " pb-name"
	}
	hash := []rune(line(s.commit))
	p.text(x, y, class, fmt.Sprintf(` text-anchor="end" transform="rotate(-40 %.1f %.1f)"`, x, y), fmt.Sprintf("%d %s", s.position, string(hash[:min(len(hash), 7)])))
	if culprit {
		p.text(p.x(i), plotTop-8, "pb-text pb-name", ` text-anchor="middle"`, "culprit")
	}
}

// culprit reports whether s is the one commit that was named.
func (p *picture) culprit(s slot) bool {
	return s.suspect && p.r.Outcome == search.Found
}

// crowded reports whether the culprit's label stands closer than every slots.
func (p *picture) crowded(i, every int) bool {
	for k := max(0, i-every+1); k < min(len(p.c.slots), i+every); k++ {
		if k != i && p.culprit(p.c.slots[k]) {
			return true
		}
	}
	return false
}

func (p *picture) describe(s slot) string {
	var values []string
	for _, v := range s.values {
		values = append(values, metric.Format(v, p.r.Unit))
	}
	text := fmt.Sprintf("commit %d, %s: %s", s.position, engine.Short(s.commit), strings.Join(values, ", "))
	if s.failure != "" {
		text += s.failure.Words()
	}
	return text
}

// legend says what the marks are.
func (p *picture) legend() {
	x, y := float64(svgWidth-plotRight+8), float64(svgHeight-plotBottom+8)
	for _, entry := range []struct{ label, text string }{{"good", "run near good"}, {"bad", "run near bad"}, {"", "neither"}} {
		p.mark(x+4, y-4, entry.label)
		p.text(x+14, y, "pb-text pb-small", "", entry.text)
		y += 17
	}
	p.printf("<path class=\"pb-none pb-hollow\" d=\"M%.1f %.1fl8 8m0 -8l-8 8\"/>\n", x, y-9)
	p.text(x+14, y, "pb-text pb-small", "", "not measurable")
}
