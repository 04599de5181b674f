package main

import (
	"fmt"
	"math"
	"strings"

	"perfbisect/engine/enginetest"
)

// The bins of stated probability: narrow where most answers are.
var bins = []float64{0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 1.0001}

type bin struct {
	stated       float64 // sum
	right, named int
}

// calibrationSVG draws achieved against stated confidence, with 95 % intervals.
func calibrationSVG(cells []enginetest.Cell) string {
	byPlanner := map[string][]bin{}
	var order []string
	for _, c := range cells {
		if byPlanner[c.Planner] == nil {
			byPlanner[c.Planner] = make([]bin, len(bins)-1)
			order = append(order, c.Planner)
		}
		for _, p := range c.Points {
			for i := range len(bins) - 1 {
				if p.Stated >= bins[i] && p.Stated < bins[i+1] {
					b := &byPlanner[c.Planner][i]
					b.stated += p.Stated
					b.named++
					if p.Right {
						b.right++
					}
				}
			}
		}
	}
	return draw(byPlanner, order)
}

// The picture is a square; both axes run from a lower end to 100 %.
const side, margin = 400.0, 56.0

// axis is the lower end of both axes.
type axis float64

func (a axis) at(p float64) float64 {
	return (min(max(p, float64(a)), 1) - float64(a)) / (1 - float64(a)) * side
}

// fit is the largest axis, in steps of 5 %, that shows every bin and its interval.
func fit(byPlanner map[string][]bin) axis {
	least := 0.95
	for _, bins := range byPlanner {
		for _, b := range bins {
			if b.named > 0 {
				low, _ := b.wilson()
				least = min(least, low, b.stated/float64(b.named))
			}
		}
	}
	return axis(math.Floor(least*20) / 20)
}

// wilson is the 95 % interval of the share that was right.
func (b bin) wilson() (low, high float64) {
	const z = 1.96
	n := float64(b.named)
	p := float64(b.right) / n
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return mid - half, mid + half
}

func draw(byPlanner map[string][]bin, order []string) string {
	var s strings.Builder
	a := fit(byPlanner)
	w, h := side+2*margin+120, side+2*margin
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="12">`+"\n", w, h)
	s.WriteString("<title>Stated against achieved confidence</title>\n")
	fmt.Fprintf(&s, `<rect width="%.0f" height="%.0f" fill="#ffffff"/>`+"\n", w, h)
	for i := range 6 {
		p := float64(a) + (1-float64(a))*float64(i)/5
		x, y := margin+a.at(p), margin+side-a.at(p)
		fmt.Fprintf(&s, `<path d="M%.1f %.1fV%.1fM%.1f %.1fH%.1f" stroke="#dddddd"/>`+"\n", x, margin, margin+side, margin, y, margin+side)
		fmt.Fprintf(&s, `<text x="%.1f" y="%.1f" text-anchor="middle">%.3g %%</text>`+"\n", x, margin+side+18, 100*p)
		fmt.Fprintf(&s, `<text x="%.1f" y="%.1f" text-anchor="end">%.3g %%</text>`+"\n", margin-8, y+4, 100*p)
	}
	fmt.Fprintf(&s, `<path d="M%.1f %.1fL%.1f %.1f" stroke="#888888" stroke-dasharray="4 4"/>`+"\n", margin, margin+side, margin+side, margin)
	fmt.Fprintf(&s, `<text x="%.1f" y="%.1f" text-anchor="middle">stated probability</text>`+"\n", margin+side/2, margin+side+40)
	fmt.Fprintf(&s, `<text transform="translate(14 %.1f) rotate(-90)" text-anchor="middle">share that was right</text>`+"\n", margin+side/2)
	colours := []string{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e"}
	for i, name := range order {
		c := colours[i%len(colours)]
		fmt.Fprintf(&s, `<text x="%.1f" y="%.1f" fill="%s">%s</text>`+"\n", margin+side+16, margin+16+18*float64(i), c, name)
		for _, b := range byPlanner[name] {
			if b.named > 0 {
				s.WriteString(a.mark(b, c))
			}
		}
	}
	s.WriteString("</svg>\n")
	return s.String()
}

// mark is a dot of a bin with its interval.
func (a axis) mark(b bin, colour string) string {
	n := float64(b.named)
	low, high := b.wilson()
	p := float64(b.right) / n
	x := margin + a.at(b.stated/n)
	r := 2 + math.Min(math.Log10(n), 4)
	return fmt.Sprintf(`<path d="M%.1f %.1fV%.1f" stroke="%s"/><circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"><title>stated %.2f %%, right %.2f %% of %d</title></circle>`+"\n",
		x, margin+side-a.at(low), margin+side-a.at(high), colour, x, margin+side-a.at(p), r, colour, 100*b.stated/n, 100*p, b.named)
}
