package report

import (
	"fmt"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// Limits of what people are shown; JSON has everything.
const (
	mostCommits   = 50
	mostFiles     = 50
	mostBodyLines = 30
)

// compose says what there is to say.
func compose(d *Document) *page {
	p := &page{title: title(d)}
	p.add(verdict(d))
	p.add(impact(d))
	p.add(part{title: "Why", prose: nonEmpty(sentence(line(d.Result.Reason)), line(d.Result.Advice))})
	p.add(marks(d))
	p.add(staircase(d))
	p.add(files(d))
	for _, s := range d.Sections {
		p.add(foreign(s))
	}
	p.add(warnings(d))
	if !d.Brief {
		p.add(bisectLog(d))
	}
	p.add(facts(d))
	p.add(saved(d))
	p.add(part{title: "Difference", pre: strings.TrimRight(clean(d.Patch), "\n")})
	return p
}

func title(d *Document) string {
	switch {
	case d.Result.Outcome == search.Measured:
		return "PERFORMANCE COMPARISON RESULT"
	case d.improvement():
		return "PERFORMANCE IMPROVEMENT BISECT RESULT"
	}
	return "PERFORMANCE REGRESSION BISECT RESULT"
}

func kind(d *Document) string {
	if d.improvement() {
		return "Improvement"
	}
	return "Regression"
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
	switch {
	case r.Outcome == search.Measured && d.Good == d.Bad:
		add("Commit", line(d.Good), true)
	case r.Outcome == search.Measured:
		add("Commits", line(d.Good+", "+d.Bad), true)
	case d.Good != "" || d.Bad != "":
		add("Range", line(d.Good+".."+d.Bad), true)
	}
	if d.Plan != nil && r.Outcome != search.Measured {
		add("Commits", fmt.Sprint(commitsAfterGood(d.Plan)), false)
	}
	add("Benchmark", line(d.Command), true)
	add("Metric", strings.Join(nonEmpty(line(r.Metric), better(r)), ", "), true)
	add("Strategy", line(r.Strategy), false)
	add("Cost", fmt.Sprintf("%s, %s, %s", count(r.Runs, "run"), count(r.Builds, "build"), elapsed(r.ElapsedS)), false)
	for _, n := range d.Nested {
		outcome := "not ended"
		if n.Result != nil {
			outcome = fmt.Sprintf("%s, %s and %s of its own", n.Result.Outcome, count(n.Result.Runs, "run"), count(n.Result.Builds, "build"))
		}
		add("Hunt inside", line(fmt.Sprintf("%s: run %s, %s", n.Kind, n.Run, outcome)), true)
	}
	add("Output of all commands", line(d.Log), true)
	add("Report to read or share", line(r.ReportPath), true)
	return p
}

// saved says what a hunt in place left in the user's repository.
func saved(d *Document) part {
	if d.Forget == "" {
		return part{}
	}
	return part{
		title: "Saved checkout", pre: line(d.Forget),
		prose: []string{"What in-place mode saved of your checkout stays under refs/perfbisect until an in-place run at least 30 days later. This deletes it now:"},
	}
}

func commitsAfterGood(p *engine.Plan) int {
	n := len(p.Positions) - 1
	for _, q := range p.Positions {
		n += len(q.Same)
	}
	return n
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
