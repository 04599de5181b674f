package report

import (
	"fmt"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// bisectLog lists the visits: the ends in one line each, then every step.
func bisectLog(d *Document) part {
	r := d.Result
	t := &table{head: []string{"Step", "Commit", "Value", "Runs", "Verdict", "Why"}, code: []bool{false, true}}
	p := part{title: "Bisect log", table: t}
	if r.Outcome == search.Measured {
		p.title = "Measurements"
	}
	for _, e := range []struct {
		name, verdict string
		level         search.Level
	}{{"good end", "GOOD", r.EndGood}, {"bad end", "BAD", r.EndBad}} {
		if e.level.N == 0 || r.Outcome == search.Measured {
			continue
		}
		t.rows = append(t.rows, []string{"", e.name, value(r, e.level.Value), fmt.Sprint(e.level.N), e.verdict, "all runs of this end"})
		p.lines = append(p.lines, fmt.Sprintf("%s = %s (%s)", e.name, value(r, e.level.Value), count(e.level.N, "run")))
	}
	n := 0
	for _, s := range r.Steps {
		if s.Phase == search.PhaseEnds && s.Outcome == search.OK && r.Outcome != search.Measured {
			continue
		}
		n++
		t.rows = append(t.rows, []string{fmt.Sprint(n), line(engine.Short(s.Commit)), stepValue(r, s), fmt.Sprint(len(s.Values)), stepVerdict(s), line(s.Why)})
		p.lines = append(p.lines, stepLine(r, n, s))
	}
	return p
}

// stepLine is a row of the log as text: "Step 3: 5678abc = 145.8 µs -> GOOD".
func stepLine(r *engine.Result, n int, s engine.ResultStep) string {
	text := fmt.Sprintf("Step %d: %s = %s", n, line(engine.Short(s.Commit)), stepValue(r, s))
	if len(s.Values) > 1 {
		text += fmt.Sprintf(" (%d runs)", len(s.Values))
	}
	if v := stepVerdict(s); v != "" {
		text += " -> " + v
	}
	return text
}

func stepValue(r *engine.Result, s engine.ResultStep) string {
	if s.Outcome.Failed() {
		return s.Outcome.Words()
	}
	return value(r, s.Median)
}

func stepVerdict(s engine.ResultStep) string {
	if s.Outcome.Failed() {
		return "SKIP"
	}
	return strings.ToUpper(line(s.Label))
}
