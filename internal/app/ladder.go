package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/metric"
)

// rung is a commit that the ladder measures.
type rung struct {
	position int
	name     string // its tag, else its abbreviated hash
}

const (
	ladderRuns = 3
	ladderMost = 64 // rungs
)

// ladder measures some commits of the plan in turn, notes the staircase, and
// cuts the plan to its largest step. again says that it is not complete yet.
func (h *hunt) ladder(ctx context.Context, p *engine.Plan) (again bool, err error) {
	if h.spec.Ladder == "" {
		return false, nil
	}
	if !h.spec.FirstParent {
		return false, h.warn("ladder", "", "the ladder needs a line of history, so that it is left out with --first-parent=false")
	}
	rungs, err := h.rungs(ctx, p)
	if err != nil {
		return false, err
	}
	if len(rungs) < 3 {
		return false, h.warn("ladder", "", "no commit between good and bad is a rung of the ladder, so that it is left out")
	}
	commits := make([]string, len(rungs))
	for i, r := range rungs {
		commits[i] = p.Positions[r.position].Commit
	}
	q := h.comparison(ladderRuns, commits)
	q.Spec.Metric, q.Spec.Better = p.Metric, string(p.Options.Better)
	r, err := h.delegate(ctx, "ladder", q)
	if err != nil || r == nil {
		return true, err
	}
	note, from, to := staircaseNote(p, rungs, r)
	if err := h.note(note); err != nil {
		return false, err
	}
	p.Positions = p.Positions[from : to+1]
	return false, nil
}

// rungs are the positions of the tags, or N of them evenly spaced; both ends
// belong to them.
func (h *hunt) rungs(ctx context.Context, p *engine.Plan) ([]rung, error) {
	last := len(p.Positions) - 1
	names := map[int]string{}
	if h.spec.Ladder == "tags" {
		tags, err := h.repo.Tags(ctx, p.Positions[0].Commit, p.Positions[last].Commit)
		if err != nil {
			return nil, err
		}
		for _, t := range tags {
			if i := p.IndexOf(t.Hash); i > 0 && i < last && names[i] == "" {
				names[i] = t.Name
			}
		}
	} else {
		n, err := strconv.Atoi(h.spec.Ladder)
		if err != nil {
			return nil, fmt.Errorf("ladder is %q, must be \"tags\" or a number", h.spec.Ladder)
		}
		for i := 1; i < n-1; i++ {
			if at := i * last / (n - 1); at > 0 {
				names[at] = short(p.Positions[at].Commit)
			}
		}
	}
	names[0], names[last] = h.spec.Good, h.spec.Bad
	rungs := make([]rung, 0, len(names))
	for at, name := range names {
		rungs = append(rungs, rung{at, name})
	}
	slices.SortFunc(rungs, func(a, b rung) int { return a.position - b.position })
	return thin(rungs, ladderMost), nil
}

// thin keeps at most n rungs, evenly, with both ends.
func thin(rungs []rung, n int) []rung {
	if len(rungs) <= n {
		return rungs
	}
	kept := make([]rung, n)
	for i := range kept {
		kept[i] = rungs[i*(len(rungs)-1)/(n-1)]
	}
	return kept
}

// staircaseNote words the ladder and returns the positions around its largest
// step to the worse (with --find improvement, to the better). Without such a
// step the whole range stays.
func staircaseNote(p *engine.Plan, rungs []rung, r *engine.Result) (n engine.Note, from, to int) {
	n = engine.Note{Kind: "ladder", Title: "Staircase", Head: []string{"Commit", "Value", "Runs", "Change"}}
	levels := levelsOf(r)
	from, to = 0, len(p.Positions)-1
	largest, before, faster := 0.0, -1, ""
	for i, g := range rungs {
		level, ok := levels[p.Positions[g.position].Commit]
		if !ok {
			n.Rows = append(n.Rows, []string{g.name, "could not be measured", "", ""})
			continue
		}
		change := ""
		if before >= 0 {
			old := levels[p.Positions[rungs[before].position].Commit]
			pct := search.ChangePct(p.Options.Better, old.Value, level.Value)
			change = search.Change(pct, old.Value, level.Value)
			if p.Options.Find == "improvement" {
				pct = -pct
			}
			noise := 100 * 3 * (old.CV + level.CV)
			if pct > max(largest, noise) {
				largest, from, to = pct, rungs[before].position, g.position
			}
			if -pct > max(p.Options.MinGapPct, noise) && faster == "" {
				faster = fmt.Sprintf("Between %s and %s it went the other way by %.1f %%.", rungs[before].name, g.name, -pct)
			}
		}
		n.Rows = append(n.Rows, []string{g.name, metric.Format(level.Value, r.Unit), strconv.Itoa(level.N), change})
		before = i
	}
	n.Prose = []string{fmt.Sprintf("%d commits were run in turn, %d times each.", len(rungs), ladderRuns)}
	if largest > 0 {
		n.Prose = append(n.Prose, fmt.Sprintf("The largest step, %.1f %%, lies between %s and %s: %d commits, which are searched.", largest, nameAt(rungs, from), nameAt(rungs, to), to-from))
	} else {
		n.Prose = append(n.Prose, "No step stands out of the scatter, so the whole range is searched.")
	}
	if faster != "" {
		n.Prose = append(n.Prose, faster)
	}
	return n, from, to
}

func nameAt(rungs []rung, position int) string {
	for _, r := range rungs {
		if r.position == position {
			return r.name
		}
	}
	return ""
}

// checkLadder reports a value that is no ladder.
func (s *Spec) checkLadder() error {
	if s.Ladder == "" || s.Ladder == "tags" {
		return nil
	}
	if n, err := strconv.Atoi(strings.TrimSpace(s.Ladder)); err != nil || n < 3 || n > ladderMost {
		return fmt.Errorf("ladder is %q, must be \"tags\" or a number from 3 to %d", s.Ladder, ladderMost)
	}
	return nil
}
