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
	p.add(part{title: "Why", prose: nonEmpty(line(d.Result.Reason), line(d.Result.Advice))})
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

// verdict is what was found, or that nothing was.
func verdict(d *Document) part {
	r := d.Result
	switch r.Outcome {
	case search.Found:
		return part{title: kind(d) + " introduced by", pairs: culprit(d)}
	case search.FoundAmong:
		return part{
			title: fmt.Sprintf("%s introduced by one of %s", kind(d), count(len(r.Candidates), "commit")),
			prose: []string{"They could not be told apart, because all but the last of them could not be measured."},
			table: candidates(d), lines: lines(candidates(d)),
		}
	case search.Undecided:
		return undecided(d)
	}
	return part{title: "Result", prose: []string{outcomeSentence(d)}}
}

// outcomeSentence says how a hunt ended that names no commit.
func outcomeSentence(d *Document) string {
	r := d.Result
	switch r.Outcome {
	case search.NoRegression:
		return fmt.Sprintf("No %s between %s and %s.", lower(kind(d)), end(d.Good, "good"), end(d.Bad, "bad"))
	case search.Swapped:
		return fmt.Sprintf("The ends look swapped: %s is %s than %s.", end(d.Bad, "bad"), change(r, r.GapPct), end(d.Good, "good"))
	case search.GapTooSmall:
		return fmt.Sprintf("The gap between the ends is too small to search in: %s.", change(r, r.GapPct))
	case search.Unstable:
		return "The benchmark is too unstable to search with."
	case search.SameCode:
		return "Both ends compile to the same device code: no commit between them can be the cause."
	case search.EnvironmentChanged:
		return "The environment changed during the hunt: the ends do not measure what they did."
	case search.Measured:
		return comparison(r)
	}
	return fmt.Sprintf("The hunt ended as %q.", line(string(r.Outcome)))
}

func comparison(r *engine.Result) string {
	switch {
	case r.EndGood.N > 0 && len(r.Levels) <= 1:
		return "One commit was measured: " + level(r, r.EndGood) + "."
	case r.Differ != nil && *r.Differ:
		return "The commits differ: the second is " + change(r, r.ChangePct) + "."
	}
	return "The commits cannot be told apart: the difference lies within what scatter explains."
}

func end(name, fallback string) string {
	if name = line(name); name != "" {
		return name
	}
	return fallback
}

func undecided(d *Document) part {
	r := d.Result
	if len(r.Candidates) == 0 {
		return part{title: "Result", prose: []string{"Not decided."}}
	}
	where := count(len(r.Candidates), "commit") + " can still be the one"
	if r.LastGood != "" {
		where += ", those after " + engine.Short(r.LastGood)
	}
	if s := sure(r.Probability); s != "" {
		where += " (" + s + ")"
	}
	return part{title: "Not decided", prose: []string{where + "."}, table: candidates(d), lines: lines(candidates(d))}
}

// culprit is the block that names the commit.
func culprit(d *Document) []pair {
	c := d.commit(d.Result.Culprit)
	pairs := []pair{{"Commit", line(c.Hash), true}}
	if author := person(c); author != "" {
		pairs = append(pairs, pair{"Author", author, true})
	}
	if !c.Date.IsZero() {
		pairs = append(pairs, pair{"Date", c.Date.Format("2006-01-02 15:04:05 -0700"), false})
	}
	if message := message(c); message != "" {
		pairs = append(pairs, pair{"Message", message, true})
	}
	for _, merge := range d.Result.Via {
		pairs = append(pairs, pair{"Came in by", describe(d.commit(merge)), true})
	}
	if s := sure(d.Result.Probability); s != "" {
		pairs = append(pairs, pair{"Certainty", s, false})
	}
	return pairs
}

func person(c Commit) string {
	switch name, email := line(c.Author), line(c.Email); {
	case email == "":
		return name
	case name == "":
		return email
	default:
		return name + " <" + email + ">"
	}
}

func message(c Commit) string {
	body := firstLines(clean(c.Body), mostBodyLines)
	if body == "" {
		return line(c.Subject)
	}
	return line(c.Subject) + "\n\n" + body
}

// describe is a commit in one line.
func describe(c Commit) string {
	return fmt.Sprintf("%s %s", line(engine.Short(c.Hash)), cut(line(c.Subject), 72))
}

// candidates lists the commits that can be the one.
func candidates(d *Document) *table {
	t := &table{head: []string{"Commit", "Date", "Author", "Subject"}, code: []bool{true, false, true, true}}
	for i, hash := range d.Result.Candidates {
		if i == mostCommits {
			t.rows = append(t.rows, []string{"…", "", "", fmt.Sprintf("and %d more, listed in the JSON", len(d.Result.Candidates)-i)})
			break
		}
		c := d.commit(hash)
		date := ""
		if !c.Date.IsZero() {
			date = c.Date.Format("2006-01-02")
		}
		t.rows = append(t.rows, []string{line(engine.Short(hash)), date, cut(line(c.Author), 30), cut(line(c.Subject), 72)})
	}
	return t
}

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
		{kind(d), change(r, r.ChangePct), false},
	}}
	if r.EndGood.N > 0 && r.EndBad.N > 0 {
		p.pairs = append(p.pairs, pair{"Between the ends", fmt.Sprintf("%s to %s, %s", value(r, r.EndGood.Value), value(r, r.EndBad.Value), change(r, r.GapPct)), false})
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
		p.pairs = append(p.pairs, pair{"Change", change(r, r.GapPct), false})
	}
	return p
}

// levels are the commits of a comparison.
func levels(d *Document) part {
	t := &table{head: []string{"Commit", "Value", "Runs", "Scatter", "Subject"}, code: []bool{true, false, false, false, true}}
	for _, l := range d.Result.Levels {
		t.rows = append(t.rows, []string{
			line(engine.Short(l.Commit)), value(d.Result, l.Value), fmt.Sprint(l.N), percent(100 * l.CV), cut(line(d.commit(l.Commit).Subject), 72),
		})
	}
	return part{title: "Measured", chart: true, table: t, lines: lines(t)}
}
