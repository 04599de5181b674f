package report

import (
	"fmt"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

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
			name, value(d.Result, f.Good.Value), value(d.Result, f.Bad.Value), change(d.Result, f.ChangePct), sure(f.Probability), cut(subject, 72),
		})
	}
	return part{title: "All steps, largest first", table: t, lines: lines(t)}
}

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

// foreign is a section that another package wrote.
func foreign(s Section) part {
	p := part{title: line(s.Title), pre: strings.TrimRight(clean(s.Pre), "\n")}
	for _, sentence := range s.Prose {
		p.prose = append(p.prose, line(sentence))
	}
	if len(s.Rows) > 0 {
		t := &table{}
		for _, name := range s.Head {
			t.head, t.code = append(t.head, line(name)), append(t.code, true)
		}
		for _, row := range s.Rows {
			cells := make([]string, len(s.Head))
			for i := range cells {
				if i < len(row) {
					cells[i] = line(row[i])
				}
			}
			t.rows = append(t.rows, cells)
		}
		p.table, p.lines = t, lines(t)
	}
	return p
}

func warnings(d *Document) part {
	p := part{title: "Warnings"}
	for _, w := range d.Result.Warnings {
		text := line(w.Text)
		if w.Commit != "" {
			text = line(engine.Short(w.Commit)) + ": " + text
		}
		p.list = append(p.list, text)
	}
	return p
}

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

// facts say how the answer was come by.
func facts(d *Document) part {
	r := d.Result
	p := part{title: "Hunt"}
	add := func(name, text string, code bool) {
		if text != "" {
			p.pairs = append(p.pairs, pair{name, text, code})
		}
	}
	add("Run", line(d.RunID), true)
	add("Repository", line(d.Repo), true)
	if d.Good != "" || d.Bad != "" {
		add("Range", line(d.Good+".."+d.Bad), true)
	}
	if d.Plan != nil {
		add("Commits", fmt.Sprint(commitsAfterGood(d.Plan)), false)
	}
	add("Benchmark", line(d.Command), true)
	add("Metric", strings.Join(nonEmpty(line(r.Metric), better(r)), ", "), true)
	add("Strategy", line(r.Strategy), false)
	add("Cost", fmt.Sprintf("%s, %s, %s", count(r.Runs, "run"), count(r.Builds, "build"), elapsed(r.ElapsedS)), false)
	for _, n := range d.Nested {
		outcome := "not ended"
		if n.Result != nil {
			outcome = string(n.Result.Outcome)
		}
		add("Hunt inside", line(fmt.Sprintf("%s: run %s, %s", n.Kind, n.Run, outcome)), true)
	}
	add("Output of all commands", line(d.Log), true)
	return p
}

func commitsAfterGood(p *engine.Plan) int {
	n := len(p.Positions) - 1
	for _, q := range p.Positions {
		n += len(q.Same)
	}
	return n
}

// lines shows a table as text in columns.
func lines(t *table) []string {
	if t == nil || len(t.rows) == 0 {
		return nil
	}
	rows := append([][]string{t.head}, t.rows...)
	widths := make([]int, len(t.head))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	out := make([]string, 0, len(rows))
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&b, "%-*s  ", widths[i], cell)
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

func nonEmpty(texts ...string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

func lower(s string) string { return strings.ToLower(s) }
