package app

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
)

// Equal device code runs equally fast only if the host calls it in the same way
// with the same data. Where commits that were not run change host files, the
// commit before the culprit is run after all, against the culprit: without a step
// between them the code does not explain the time, and the search goes on without
// looking at code.

// identityRefuted is the code of the warning that ends the use of equal code in a
// hunt; the fold of the engine obeys it.
const identityRefuted = engine.WarnedIdentityRefuted

// deviceExt are the files that hold device code only.
var deviceExt = []string{".cl", ".s", ".asm", ".ll", ".mlir", ".hsaco", ".co", ".ptx", ".comp", ".metal"}

// checkRuns is how often both commits of the check run.
const checkRuns = 5

// checkIdentity tests what equal code was taken for. It reports true when the
// journal grew.
func (h *hunt) checkIdentity(ctx context.Context, f *search.Finding) (bool, error) {
	if from, _ := h.change(f); from == "" || !h.identical() {
		return false, nil
	}
	first, last := f.Candidates[0], f.Candidates[len(f.Candidates)-1]
	unrun := first-1 > f.LastGood || !h.wasRun(last)
	if !unrun || !strings.HasPrefix(h.state.View.Places[f.LastGood].Code, deviceCode) {
		return false, nil
	}
	p := h.state.Plan.Positions
	if host, err := h.hostChanged(ctx, p[f.LastGood].Commit, p[h.state.View.N].Commit); err != nil || !host {
		return false, err
	}
	before, after := p[first-1].Commit, p[last].Commit
	r, err := h.delegate(ctx, "identity_check", h.comparison(checkRuns, []string{before, after}))
	if err != nil || r == nil {
		return true, err
	}
	levels := levelsOf(r)
	a, ok1 := levels[before]
	b, ok2 := levels[after]
	step := f.Bad.Value - f.Good.Value
	if !ok1 || !ok2 || step == 0 || (b.Value-a.Value)/step < 0.5 {
		return true, h.warn(identityRefuted, after, fmt.Sprintf("device code changes in this commit and the time does not (%s before, %s after): it depends on more than the code, so every commit is run",
			levelText(r, a), levelText(r, b)))
	}
	return false, h.note(engine.Note{Kind: "identity_check", Title: "Code identity, checked", Prose: []string{
		fmt.Sprintf("Commits that were not run because of their equal device code change host files, so %s and %s were run in turn: %s and %s.", short(before), short(after), levelText(r, a), levelText(r, b)),
	}})
}

func (h *hunt) wasRun(position int) bool {
	return slices.ContainsFunc(h.state.View.Runs, func(r search.Run) bool { return r.Position == position && r.Outcome == search.OK })
}

// hostChanged reports whether files differ that the host may run or read.
func (h *hunt) hostChanged(ctx context.Context, from, to string) (bool, error) {
	files, err := h.repo.DiffStat(ctx, from, to)
	return slices.ContainsFunc(files, func(f gitrepo.FileStat) bool {
		return pathWeight(f.Path) > weightDocs && !slices.Contains(deviceExt, strings.ToLower(path.Ext(f.Path)))
	}), err
}
