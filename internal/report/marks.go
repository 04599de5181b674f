package report

import (
	"fmt"
	"time"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// Mark is a verdict of the user that the result stands on.
type Mark struct {
	Commit  string         `json:"commit"` // the one that was measured for it, where several share a measurement
	Verdict search.Verdict `json:"verdict"`
	At      time.Time      `json:"at"` // wall clock
	By      string         `json:"by"` // the option or command that gave it
}

// mostMarks bounds the marks that people are shown; JSON has everything.
const mostMarks = 50

// marks lists what was not measured but said.
func marks(d *Document) part {
	if len(d.Marks) == 0 {
		return part{}
	}
	said := "This verdict was given by hand, not measured; the answer rests on it as well."
	if len(d.Marks) > 1 {
		said = "These verdicts were given by hand, not measured; the answer rests on them as well."
	}
	t := &table{head: []string{"Commit", "Verdict", "By", "At", "Runs", "Subject"}, code: []bool{true, false, true, false, false, true}}
	for i, m := range d.Marks {
		if i == mostMarks {
			t.rows = append(t.rows, []string{"…", "", "", "", "", fmt.Sprintf("and %d more, listed in the JSON", len(d.Marks)-i)})
			break
		}
		t.rows = append(t.rows, []string{
			line(engine.Short(m.Commit)), line(string(m.Verdict)), line(m.By), m.At.Format("2006-01-02 15:04:05 -0700"),
			fmt.Sprint(runsOf(d.Result, m.Commit)), cut(line(d.commit(m.Commit).Subject), 60),
		})
	}
	return part{
		title: "Marks", table: t, lines: lines(t),
		prose: []string{said},
	}
}

// runsOf is how many runs a commit had.
func runsOf(r *engine.Result, commit string) int {
	n := 0
	for _, s := range r.Steps {
		if s.Commit == commit {
			n += len(s.Values)
		}
	}
	return n
}
