package report

import (
	"fmt"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// verdict is what was found, or that nothing was.
func verdict(d *Document) part {
	r := d.Result
	switch r.Outcome {
	case search.Found:
		return part{title: kind(d) + " introduced by", pairs: culprit(d)}
	case search.FoundAmong:
		return part{
			title: fmt.Sprintf("%s introduced by one of %s", kind(d), count(len(r.Candidates), "commit")),
			prose: []string{"They could not be told apart; what stood in the way is under Why."},
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
		return fmt.Sprintf("The ends look swapped: %s is %s than %s.", end(d.Bad, "bad"), amount(r, r.GapPct, r.EndGood), end(d.Good, "good"))
	case search.GapTooSmall:
		return fmt.Sprintf("The gap between the ends is too small to search in: %s.", change(r, r.GapPct, r.EndGood, r.EndBad))
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
		return "The commits differ: the second is " + change(r, r.ChangePct, r.EndGood, r.EndBad) + "."
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
