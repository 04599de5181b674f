package engine

import (
	"math"
	"slices"

	"perfbisect/engine/search"
	"perfbisect/engine/stats"
)

// NewResult turns a planner's finding into the answer of the hunt s: positions
// become full hashes, the log and the warnings of s are joined in, and no slice
// is nil, so that the JSON has [] and never null.
func NewResult(s *State, f *search.Finding) *Result {
	p := s.Plan
	r := &Result{
		Type: "result", Outcome: f.Outcome, Culprit: p.hash(f.Culprit), LastGood: p.hash(f.LastGood),
		Candidates: p.hashes(f.Candidates), Probability: f.Probability,
		Good: f.Good, Bad: f.Bad, EndGood: f.EndGood, EndBad: f.EndBad,
		Unit: p.Unit, Metric: p.Metric, Better: p.Options.Better, Strategy: p.Options.Strategy,
		ChangePct: f.ChangePct, GapPct: f.GapPct, ExplainedPct: f.ExplainedPct,
		Runs: s.Runs, Builds: s.Builds, ElapsedS: s.AtS,
		Reason: p.Spell(f.Reason), Advice: p.Spell(f.Advice),
		Warnings: s.warnings(f), Steps: s.steps(f), Found: p.found(f.Steps),
	}
	if len(f.Candidates) > 1 {
		r.Culprit = "" // one of a set is never named alone
	}
	if f.Outcome == search.Measured {
		r.Differ, r.Levels = &f.Differ, p.levels(f)
	}
	return r
}

// hash is the commit of a position, "" for none.
func (p *Plan) hash(position int) string {
	if position < 0 || position >= len(p.Positions) {
		return ""
	}
	return p.Positions[position].Commit
}

// hashes are the commits of positions. A set of several is reported with the
// commits that share a position, because whoever reads the set has to go
// through a stretch of history without gaps.
func (p *Plan) hashes(positions []int) []string {
	all := make([]string, 0, len(positions))
	for _, i := range positions {
		if i < 0 || i >= len(p.Positions) {
			continue
		}
		all = append(all, p.Positions[i].Commit)
		if len(positions) > 1 {
			all = append(all, p.Positions[i].Same...)
		}
	}
	return all
}

func (p *Plan) levels(f *search.Finding) []ResultLevel {
	var all []ResultLevel
	for i, q := range p.Positions {
		if level, ok := f.Levels[i]; ok {
			all = append(all, ResultLevel{Commit: q.Commit, Level: level})
		}
	}
	return all
}

func (p *Plan) found(steps []search.StepFound) []ResultFound {
	var all []ResultFound
	for _, f := range steps {
		culprit := p.hash(f.Culprit)
		if len(f.Candidates) > 1 {
			culprit = ""
		}
		all = append(all, ResultFound{
			Culprit: culprit, LastGood: p.hash(f.LastGood), Candidates: p.hashes(f.Candidates),
			Probability: f.Probability, ChangePct: f.ChangePct, Good: f.Good, Bad: f.Bad,
		})
	}
	return all
}

// warnings joins those of the journal and those of f, each once.
func (s *State) warnings(f *search.Finding) []search.Warning {
	all := make([]search.Warning, 0, len(s.Warnings)+len(f.Warnings))
	for _, w := range slices.Concat(s.Warnings, f.Warnings) {
		w.Text = s.Plan.Spell(w.Text)
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// steps is the log: one row for each visit.
func (s *State) steps(f *search.Finding) []ResultStep {
	rows := make([]ResultStep, 0, len(s.Visits))
	for _, v := range s.Visits {
		row := ResultStep{
			Commit: s.Plan.hash(v.Position), Position: v.Position, Phase: v.Phase, Median: stats.Median(v.Values),
			Values: append([]float64{}, v.Values...), Outcome: v.Outcome, Why: v.Why, Tail: v.Tail,
		}
		if len(v.Values) > 0 {
			row.Label = label(f, v.Position, row.Median)
		}
		rows = append(rows, row)
	}
	return rows
}

// The middle of the gap: a value that lies there belongs to neither end.
const (
	middleFrom = 0.35
	middleTo   = 0.65
)

// label says which end a median lies at: the strategy's own verdict where it
// gives one, else the nearer end, on a log scale where that exists. It is ""
// where there is no gap to lie in.
func label(f *search.Finding, position int, median float64) string {
	switch f.Outcome {
	case search.Found, search.FoundAmong, search.Undecided:
	default:
		return ""
	}
	if verdict, ok := f.Verdicts[position]; ok {
		return string(verdict)
	}
	g, b, m := f.EndGood.Value, f.EndBad.Value, median
	if f.EndGood.N == 0 || f.EndBad.N == 0 || g == b {
		return ""
	}
	if g > 0 && b > 0 && m > 0 {
		g, b, m = math.Log(g), math.Log(b), math.Log(m)
	}
	switch share := (m - g) / (b - g); {
	case share <= middleFrom:
		return "good"
	case share >= middleTo:
		return "bad"
	}
	return "between"
}
