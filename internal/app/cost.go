package app

import (
	"fmt"
	"math"
	"time"
)

// costText says what builds and runs will cost, in the words
// "about 12 builds × 14 min + 30 runs × 40 s = 3 h 8 min". Times of 0 are not
// known yet and are left out.
func costText(builds, runs, buildS, runS float64, built bool) string {
	nb, nr := math.Ceil(builds), math.Ceil(runs)
	text := fmt.Sprintf("about %.0f runs", nr)
	if built {
		text = fmt.Sprintf("about %.0f builds and %.0f runs", nb, nr)
	}
	if runS <= 0 || built && buildS <= 0 {
		return text
	}
	total := span(nr * runS)
	if !built {
		return fmt.Sprintf("about %.0f runs × %s = %s", nr, span(runS), total)
	}
	total = span(nb*buildS + nr*runS)
	return fmt.Sprintf("about %.0f builds × %s + %.0f runs × %s = %s", nb, span(buildS), nr, span(runS), total)
}

// span writes seconds for people: 1.4 ms, 40 s, 14 min, 3 h 8 min.
func span(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case s < 10:
		return fmt.Sprintf("%.1f s", s)
	case s < 90:
		return fmt.Sprintf("%.0f s", s)
	case s < 5400:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	h := int(d.Hours())
	return fmt.Sprintf("%d h %d min", h, int(d.Minutes())-60*h)
}
