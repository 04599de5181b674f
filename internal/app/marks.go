package app

import (
	"fmt"
	"maps"
	"slices"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/engine/stats"
	"perfbisect/internal/report"
)

// checkMark refuses a verdict that says the opposite of what the run is asked:
// good is before the step, bad is behind it.
func checkMark(p *engine.Plan, commit string, v search.Verdict) error {
	end := ""
	switch i := p.IndexOf(commit); {
	case i == 0 && v == search.VerdictBad:
		end = "good"
	case i > 0 && i == len(p.Positions)-1 && v == search.VerdictGood:
		end = "bad"
	default:
		return nil
	}
	return fmt.Errorf("commit %s is the %s end of the run, so it cannot be marked %s: begin another run with another %s", short(commit), end, v, end)
}

// contradictions says what speaks against a verdict: other marks, and what was
// measured. The verdict is taken all the same.
func contradictions(s *engine.State, commit string, v search.Verdict) []search.Warning {
	if v != search.VerdictGood && v != search.VerdictBad {
		return nil
	}
	at := s.Plan.IndexOf(commit)
	var found []search.Warning
	warn := func(text string) {
		found = append(found, search.Warning{Code: "mark_contradicts", Text: text, Commit: commit})
	}
	for i := range s.Plan.Positions {
		m, ok := s.View.Marks[i]
		if !ok || i == at || m.Verdict == v || m.Verdict != search.VerdictGood && m.Verdict != search.VerdictBad {
			continue
		}
		good, bad := at, i
		if v == search.VerdictBad {
			good, bad = i, at
		}
		if before(s.Plan, bad, good) {
			other := s.Plan.Positions[i].Commit
			warn(fmt.Sprintf("%s is marked %s, and %s is marked %s: one cannot be good behind one that is bad; clear one of them", short(commit), v, short(other), m.Verdict))
		}
	}
	if nearer := nearerTo(s, at); nearer != "" && nearer != v {
		warn(fmt.Sprintf("%s is marked %s, but its runs are nearer to those of the %s end", short(commit), v, nearer))
	}
	return found
}

// before reports whether position a is an ancestor of position b.
func before(p *engine.Plan, a, b int) bool {
	seen := make([]bool, len(p.Positions))
	todo := []int{b}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if i == a {
			return true
		}
		if i < a || seen[i] { // parents come first
			continue
		}
		seen[i] = true
		if p.Positions[i].Parents == nil {
			todo = append(todo, i-1)
		}
		for _, parent := range p.Positions[i].Parents {
			todo = append(todo, int(parent))
		}
	}
	return false
}

// nearerTo is the end whose median is nearer to that of a position, or "" where
// one of the three has no runs, or the ends overlap.
func nearerTo(s *engine.State, at int) search.Verdict {
	last := len(s.Plan.Positions) - 1
	values := map[int][]float64{}
	for _, r := range s.View.Runs {
		if r.Outcome == search.OK {
			values[r.Position] = append(values[r.Position], r.Value)
		}
	}
	good, bad, here := values[0], values[last], values[at]
	if at == 0 || at == last || len(good) == 0 || len(bad) == 0 || len(here) == 0 {
		return ""
	}
	if slices.Min(good) <= slices.Max(bad) && slices.Min(bad) <= slices.Max(good) {
		return ""
	}
	g, b, x := stats.Median(good), stats.Median(bad), stats.Median(here)
	if (x-(g+b)/2)*(b-g) > 0 {
		return search.VerdictBad
	}
	return search.VerdictGood
}

// marksOf lists the verdicts that count, as they were given: the newest of each
// position, and none that was cleared or undone.
func marksOf(q asked, s *engine.State) []report.Mark {
	newest := map[int]engine.Event{}
	for _, e := range s.Events() {
		if e.Kind == engine.EventMarked {
			newest[e.Position] = e
		}
	}
	var list []report.Mark
	events := slices.SortedFunc(maps.Values(newest), func(a, b engine.Event) int { return a.Seq - b.Seq })
	for _, e := range events {
		if e.Mark.Verdict != search.VerdictClear {
			list = append(list, report.Mark{Commit: s.Plan.Positions[e.Position].Commit, Verdict: e.Mark.Verdict, At: e.T, By: markedBy(q, s.Plan, e)})
		}
	}
	return list
}

// markedBy is what gave a verdict: --skip, or the user's mark.
func markedBy(q asked, p *engine.Plan, e engine.Event) string {
	for _, rev := range q.Spec.Skip {
		if e.Mark.Verdict == search.VerdictSkip && p.IndexOf(q.Revs[rev]) == e.Position {
			return "--skip"
		}
	}
	return "mark"
}
