package app

import (
	"context"
	"fmt"
	"slices"

	"perfbisect/internal/gitrepo"
)

// PathError says that a --path matches nothing: neither end has it, and no commit
// between them touches it.
type PathError struct{ Path string }

func (e *PathError) Error() string {
	return fmt.Sprintf("path %q matches nothing between good and bad", e.Path)
}

// unmatched returns the pathspecs that match nothing at either end and that no
// commit between them touches.
func unmatched(ctx context.Context, repo *gitrepo.Repo, good, bad string, o gitrepo.RangeOptions) (none []string, err error) {
	for _, path := range o.Paths {
		inBad, err := repo.Has(ctx, bad, path)
		if err != nil {
			return nil, err
		}
		inGood, err := repo.Has(ctx, good, path)
		if err != nil {
			return nil, err
		}
		if inBad || inGood {
			continue
		}
		entries, err := repo.Range(ctx, good, bad, gitrepo.RangeOptions{FirstParent: o.FirstParent, Paths: []string{path}})
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(entries, func(e gitrepo.RangeEntry) bool { return e.Touches }) {
			none = append(none, path)
		}
	}
	return none, nil
}

// checkPaths refuses a request none of whose paths matches, and warns of single
// ones. A hunt that works for another has the paths of that one, which need not
// be in its part of the history.
func (h *hunt) checkPaths(ctx context.Context, good, bad string, paths []string) error {
	if h.asked.Inside || len(paths) == 0 {
		return nil
	}
	none, err := unmatched(ctx, h.repo, good, bad, gitrepo.RangeOptions{FirstParent: h.spec.FirstParent, Paths: paths})
	if err != nil {
		return err
	}
	if len(none) == len(paths) {
		return noPath(none[0])
	}
	for _, path := range none {
		if err := h.warn("path", "", (&PathError{path}).Error()); err != nil {
			return err
		}
	}
	return nil
}

// checkPaths is the same before there is a run, as far as the ends are known.
func (q asked) checkPaths(ctx context.Context, repo *gitrepo.Repo) error {
	if len(q.Spec.Path) == 0 || q.Good == "" || q.Good == q.Bad {
		return nil
	}
	h := hunt{asked: q, spec: q.Spec, repo: repo}
	paths, err := h.relevantPaths(ctx, q.Good, q.Bad)
	if err != nil {
		return err
	}
	none, err := unmatched(ctx, repo, q.Good, q.Bad, gitrepo.RangeOptions{FirstParent: q.Spec.FirstParent, Paths: paths})
	if err == nil && len(none) == len(paths) {
		return noPath(none[0])
	}
	return err
}

func noPath(path string) error {
	return &HintError{Err: &PathError{path}, Hints: []string{
		"paths count from the root of the repository, and git's pathspecs mean what they mean to git: git ls-files -- PATH at the root shows what one matches",
	}}
}
