package app

import (
	"context"
	"fmt"

	"perfbisect/engine"
)

// matrixRuns is how often each of the four trees runs.
const matrixRuns = 5

// matrix measures code × dependency: old and new of each. again says that it is
// not complete yet, matters that the dependency explains half of the step.
func (h *hunt) matrix(ctx context.Context, m *moved) (again, matters bool, err error) {
	c, err := h.repo.Commit(ctx, m.Commit)
	if err != nil {
		return false, false, err
	}
	parent := c.Parents[0]
	onlyDependency, err := h.withDependency(ctx, parent, m.pinned(m.old), m.new)
	if err != nil {
		return false, false, h.warn("dependency", m.Commit, "code and dependency could not be taken apart: "+err.Error())
	}
	onlyCode, err := h.withDependency(ctx, m.Commit, m.pinned(m.new), m.old)
	if err != nil {
		return false, false, h.warn("dependency", m.Commit, "code and dependency could not be taken apart: "+err.Error())
	}
	commits := []string{parent, onlyDependency, onlyCode, m.Commit}
	r, err := h.delegate(ctx, "matrix", h.comparison(matrixRuns, commits))
	if err != nil || r == nil {
		return true, false, err
	}
	note, share := matrixNote(m, commits, r)
	return false, share >= 50, h.note(note)
}

// matrixNote words the four measurements. The share is that of the dependency in
// percent of the whole step, the mean of both ways to change it; it is 100 when
// it could not be measured, so that the search goes on.
func matrixNote(m *moved, commits []string, r *engine.Result) (engine.Note, float64) {
	n := engine.Note{Kind: "matrix", Title: "Code and dependency apart", Head: []string{"Code", m.Kind + " " + m.Path, "Value"}}
	levels := levelsOf(r)
	var at [4]float64
	missing := false
	for i, commit := range commits {
		level, ok := levels[commit]
		text := "could not be measured"
		if ok {
			at[i], text = level.Value, levelText(r, level)
		}
		missing = missing || !ok
		n.Rows = append(n.Rows, []string{[]string{"before", "before", "after", "after"}[i], []string{"before", "after", "before", "after"}[i], text})
	}
	step := at[3] - at[0]
	if missing || step == 0 {
		n.Prose = []string{"The four trees could not all be measured, so the shares of code and dependency are not known."}
		return n, 100
	}
	dependency := 100 * ((at[1] - at[0]) + (at[3] - at[2])) / 2 / step
	code := 100 * ((at[2] - at[0]) + (at[3] - at[1])) / 2 / step
	n.Prose = []string{fmt.Sprintf("The %s explains %.0f %% of the step, the rest of the commit %.0f %%.", m.Kind, dependency, code)}
	return n, dependency
}
