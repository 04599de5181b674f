package report

import (
	"fmt"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// impact compares before and after.
func impact(d *Document) part {
	r := d.Result
	if r.Outcome == search.Measured && len(r.Levels) > 0 {
		return levels(d)
	}
	if r.Outcome != search.Found && r.Outcome != search.FoundAmong {
		return endsPart(d)
	}
	after := r.Culprit
	if after == "" && len(r.Candidates) > 0 {
		after = r.Candidates[len(r.Candidates)-1]
	}
	p := part{title: "Performance impact", chart: true, pairs: []pair{
		{"Before (" + line(engine.Short(r.LastGood)) + ")", level(r, r.Good), false},
		{"After  (" + line(engine.Short(after)) + ")", level(r, r.Bad), false},
		{kind(d), change(r, r.ChangePct, r.Good, r.Bad), false},
	}}
	if r.EndGood.N > 0 && r.EndBad.N > 0 {
		p.pairs = append(p.pairs, pair{"Between the ends", fmt.Sprintf("%s to %s, %s", value(r, r.EndGood.Value), value(r, r.EndBad.Value), amount(r, r.GapPct, r.EndGood)), false})
	}
	if text := explained(r.ExplainedPct); text != "" {
		p.pairs = append(p.pairs, pair{"Explained", text, false})
	}
	return p
}

// beyondWhole is the share from which a step is larger than the gap by more
// than scatter makes it.
const beyondWhole = 125

func explained(pct float64) string {
	switch {
	case pct <= 0:
		return ""
	case pct >= beyondWhole:
		return fmt.Sprintf("%.0f %% of the gap between the ends: other commits went the other way", pct)
	}
	return fmt.Sprintf("%.0f %% of the gap between the ends", pct)
}

func endsPart(d *Document) part {
	r := d.Result
	if r.EndGood.N == 0 && r.EndBad.N == 0 {
		return part{}
	}
	p := part{title: "Measured at the ends", chart: true, pairs: []pair{
		{"Good (" + end(d.Good, "good end") + ")", level(r, r.EndGood), false},
		{"Bad  (" + end(d.Bad, "bad end") + ")", level(r, r.EndBad), false},
	}}
	if r.EndGood.N > 0 && r.EndBad.N > 0 {
		p.pairs = append(p.pairs, pair{"Change", change(r, r.GapPct, r.EndGood, r.EndBad), false})
	}
	return p
}

// levels are the commits of a comparison.
func levels(d *Document) part {
	t := &table{head: []string{"Commit", "Value", "Runs", "Scatter", "Subject"}, code: []bool{true, false, false, false, true}}
	for _, l := range d.Result.Levels {
		t.rows = append(t.rows, []string{
			line(engine.Short(l.Commit)), value(d.Result, l.Value), fmt.Sprint(l.N), scatter(l.Level), cut(line(d.commit(l.Commit).Subject), 72),
		})
	}
	return part{title: "Measured", chart: true, table: t, lines: lines(t)}
}

// staircase lists the steps when there are several.
func staircase(d *Document) part {
	if len(d.Result.Found) < 2 {
		return part{}
	}
	t := &table{head: []string{"Commit", "Before", "After", "Change", "Certainty", "Subject"}, code: []bool{true, false, false, false, false, true}}
	for _, f := range d.Result.Found {
		name, subject := line(engine.Short(f.Culprit)), line(d.commit(f.Culprit).Subject)
		if f.Culprit == "" {
			name, subject = "", "one of "+count(len(f.Candidates), "commit")
		}
		t.rows = append(t.rows, []string{
			name, value(d.Result, f.Good.Value), value(d.Result, f.Bad.Value), amount(d.Result, f.ChangePct, f.Good), sure(f.Probability), cut(subject, 72),
		})
	}
	return part{title: "All steps, largest first", table: t, lines: lines(t)}
}
