package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/hints"
)

// maxPatch bounds the diff that is searched for patterns, in bytes.
const maxPatch = 64 << 20

// Hints points at changes between two commits that usually cost speed: those
// given, or the culprit of a run and the last good commit before it; or in a diff.
func (a *App) Hints(ctx context.Context, r HintsRequest) (*hints.Report, error) {
	if r.Diff != nil {
		return hintsIn(r.Diff)
	}
	var o hints.Options
	if r.RunID != "" {
		var err error
		if o.ISA, err = a.culpritOf(&r); err != nil {
			return nil, err
		}
	}
	if r.From == "" || r.To == "" {
		return nil, errors.New("looking for hints: two commits, or a run with a culprit, are needed")
	}
	if err := a.allowed(r.Repo); err != nil {
		return nil, err
	}
	repo, err := gitrepo.Open(ctx, r.Repo)
	if err != nil {
		return nil, err
	}
	from, err := repo.Resolve(ctx, r.From)
	if err != nil {
		return nil, err
	}
	to, err := repo.Resolve(ctx, r.To)
	if err != nil {
		return nil, err
	}
	return hintsBetween(ctx, repo, from, to, o)
}

// hintsIn reads a diff. What has no file of a diff is an error: no hint of it
// would say anything.
func hintsIn(diff io.Reader) (*hints.Report, error) {
	report, err := hints.FromDiff(diff, hints.Options{})
	if err != nil {
		return nil, fmt.Errorf("looking for hints: %w", err)
	}
	if report.FilesRead+report.SkippedCount == 0 {
		return nil, errors.New("looking for hints: there is no diff in the input")
	}
	return report, nil
}

// hintsText is the hints between two commits for people.
func hintsText(ctx context.Context, repo *gitrepo.Repo, from, to string, isa []hints.ISAChange) (string, error) {
	found, err := hintsBetween(ctx, repo, from, to, hints.Options{ISA: isa})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = hints.WriteText(&text, found)
	return strings.TrimSpace(text.String()), err
}

func hintsBetween(ctx context.Context, repo *gitrepo.Repo, from, to string, o hints.Options) (*hints.Report, error) {
	var patch bytes.Buffer
	truncated, err := repo.Patch(ctx, from, to, &patch, maxPatch)
	if err != nil {
		return nil, err
	}
	report, err := hints.FromDiff(&patch, o)
	if err != nil {
		return nil, fmt.Errorf("looking for hints in %s..%s: %w", short(from), short(to), err)
	}
	report.Truncated = report.Truncated || truncated
	return report, nil
}

// culpritOf sets the commits of a run's culprit, those behind a dependency where
// it named them, and returns what changed in the machine code.
func (a *App) culpritOf(r *HintsRequest) ([]hints.ISAChange, error) {
	run, err := a.store.Open(r.RunID)
	if err != nil {
		return nil, err
	}
	q, state, err := a.load(run)
	if err != nil {
		return nil, err
	}
	from, to := changeOf(state.Result, state.Plan)
	if from == "" {
		return nil, fmt.Errorf("run %s has no culprit", run.ID)
	}
	r.Repo, r.From, r.To = q.Spec.Repo, from, to
	if in := state.Result.Inner; in != nil && in.Culprit != "" {
		r.Repo, r.From, r.To = in.Repo, in.LastGood, in.Culprit
	}
	return isaChanges(state), nil
}

// changeOf is the commits before and after what a result of plan p names, "" when
// it names none. Of a set that is the whole set.
func changeOf(r *engine.Result, p *engine.Plan) (from, to string) {
	if r == nil || r.LastGood == "" || r.Outcome != search.Found && r.Outcome != search.FoundAmong {
		return "", ""
	}
	from = lastLike(p, r.LastGood)
	if r.Culprit != "" {
		return from, r.Culprit
	}
	if n := len(r.Candidates); n > 0 {
		return from, r.Candidates[n-1]
	}
	return "", ""
}

// lastLike is the last commit of a line that shares commit's measurement. What
// those between them change is no part of what the next one does.
func lastLike(p *engine.Plan, commit string) string {
	if p == nil || branches(p) {
		return commit
	}
	for _, q := range p.Positions {
		if n := len(q.Same); q.Commit == commit && n > 0 {
			return q.Same[n-1]
		}
	}
	return commit
}
