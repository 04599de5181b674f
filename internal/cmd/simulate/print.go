package main

import (
	"fmt"
	"sort"
	"strings"

	"perfbisect/engine/enginetest"
)

// printer writes the table as it grows.
type printer struct{ s settings }

func newPrinter(s settings) *printer { return &printer{s} }

func (p *printer) head() {
	if p.s.markdown {
		fmt.Println("| planner | noise | N | d' | build | broken | right when named % | no answer % | runs | p95 | builds | rounds | stated % | runs / bound |")
		fmt.Println("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
		return
	}
	fmt.Printf("%-9s %-8s %6s %5s %5s %6s %7s %7s %7s %6s %7s %6s %7s %6s  %s\n", "planner", "noise", "N", "d'", "build",
		"broken", "right%", "none%", "runs", "p95", "builds", "rounds", "stated%", "/bound", "outcomes")
}

func (p *printer) cell(c enginetest.Cell) {
	q := c.Problem
	format := "%-9s %-8s %6d %5.3g %5.3g %6.2g %7s %7.1f %7.1f %6.0f %7.1f %6.1f %7s %6.2f  %s\n"
	if p.s.markdown {
		format = "| %s | %s | %d | %.3g | %.3g | %.2g | %s | %.1f | %.1f | %.0f | %.1f | %.1f | %s | %.2f |%.0s\n"
	}
	right := "-"
	if c.Named > 0 {
		right = fmt.Sprintf("%.1f", 100*c.Achieved())
		if q.TwoStep {
			right += fmt.Sprintf("/%.1f", 100*float64(c.Both)/float64(c.Trials))
		}
	}
	fmt.Printf(format, c.Planner, q.Noise, q.N, q.D, q.Build, q.Broken, right, 100*c.Silent(), c.Runs, c.P95,
		c.Builds, c.Rounds, stated(c), c.Runs/c.Bound, outcomes(c))
	if p.s.wrong && len(c.Wrong) > 0 {
		fmt.Println("  wrong seeds:", c.Wrong)
	}
}

// stated is the mean probability; a planner that states none has a dash.
func stated(c enginetest.Cell) string {
	if c.Stated == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*c.Stated)
}

func outcomes(c enginetest.Cell) string {
	var names []string
	for o, n := range c.Outcomes {
		names = append(names, fmt.Sprintf("%s:%d", o, n))
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}
