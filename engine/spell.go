package engine

import (
	"regexp"
	"strconv"

	"perfbisect/engine/search"
)

// shortHash is the length of abbreviated hashes in texts.
const shortHash = 10

// named is how search.Name writes a position.
var named = regexp.MustCompile(`commit #(\d+)`)

// Spell replaces the positions that a planner names in text ("commit #17") by
// abbreviated hashes ("commit 3f9c2ab41d"). Positions that p lacks stay.
func (p *Plan) Spell(text string) string {
	return named.ReplaceAllStringFunc(text, func(match string) string {
		i, err := strconv.Atoi(named.FindStringSubmatch(match)[1])
		if err != nil || i >= len(p.Positions) {
			return match
		}
		return "commit " + Short(p.Positions[i].Commit)
	})
}

// Short abbreviates a full hash for people.
func Short(hash string) string { return hash[:min(len(hash), shortHash)] }

// spellDecision spells what a decision says to people, in copies.
func (p *Plan) spellDecision(d search.Decision) search.Decision {
	d.Progress.Explanation = p.Spell(d.Progress.Explanation)
	if d.Question != nil {
		q := *d.Question
		q.Text = p.Spell(q.Text)
		d.Question = &q
	}
	batches := make([][]search.Step, len(d.Batches))
	for w, batch := range d.Batches {
		batches[w] = append(batches[w], batch...)
		for i := range batches[w] {
			batches[w][i].Why = p.Spell(batches[w][i].Why)
		}
	}
	if len(batches) > 0 {
		d.Batches = batches
	}
	return d
}
