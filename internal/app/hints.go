package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"perfbisect/internal/gitrepo"
	"perfbisect/internal/hints"
)

// maxPatch bounds the diff that is searched for patterns, in bytes.
const maxPatch = 64 << 20

// Hints points at changes between two commits that usually cost speed: those
// given, or the culprit of a run and the last good commit before it.
func (a *App) Hints(ctx context.Context, r HintsRequest) (*hints.Report, error) {
	if r.RunID != "" {
		if err := a.culpritOf(&r); err != nil {
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
	return hintsBetween(ctx, repo, from, to, hints.Options{})
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

// culpritOf sets the commits of a run's culprit.
func (a *App) culpritOf(r *HintsRequest) error {
	run, err := a.store.Open(r.RunID)
	if err != nil {
		return err
	}
	q, state, err := a.load(run)
	if err != nil {
		return err
	}
	if state.Result == nil || state.Result.Culprit == "" {
		return fmt.Errorf("run %s has no culprit", run.ID)
	}
	r.Repo, r.From, r.To = q.Spec.Repo, state.Result.LastGood, state.Result.Culprit
	return nil
}
