package app

import (
	"context"
	"errors"
	"slices"

	"perfbisect/internal/gitrepo"
)

// moves finds the dependency that a commit moves against its first parent.
func (h *hunt) moves(ctx context.Context, commit string) (*moved, error) {
	c, err := h.repo.Commit(ctx, commit)
	if err != nil || len(c.Parents) == 0 {
		return nil, err
	}
	files, err := h.repo.DiffStat(ctx, c.Parents[0], commit)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.SubmoduleFrom != "" && f.SubmoduleTo != "" {
			m := &moved{outer: outer{Kind: "submodule", Path: f.Path, Commit: commit}, old: f.SubmoduleFrom, new: f.SubmoduleTo, alone: len(files) == 1}
			m.repo, err = h.repoWith(ctx, m, append(slices.Clone(h.spec.Nested), h.repo.Root()+"/"+f.Path))
			if m.repo != "" || err != nil {
				return m, err
			}
		}
	}
	return h.movesPin(ctx, c.Parents[0], commit, files)
}

// movesPin finds a text file in which one hash was replaced by another, best one
// whose hashes a clone has.
func (h *hunt) movesPin(ctx context.Context, parent, commit string, files []gitrepo.FileStat) (*moved, error) {
	var unknown *moved
	for _, f := range files {
		if f.Status != "M" || f.Binary || f.SubmoduleTo != "" {
			continue
		}
		before, after, err := h.pins(ctx, parent, commit, f.Path)
		if err != nil {
			return nil, err
		}
		if len(before) != 1 || len(after) != 1 {
			continue
		}
		m := &moved{outer: outer{Kind: "pin", Path: f.Path, Commit: commit, Pin: after[0]}, old: before[0], new: after[0], alone: len(files) == 1 && f.Added == 1 && f.Deleted == 1}
		if m.repo, err = h.repoWith(ctx, m, h.spec.Nested); err != nil || m.repo != "" {
			return m, err
		}
		if len(m.old) >= 40 && unknown == nil {
			unknown = m
		}
	}
	return unknown, nil
}

// pins are the hashes of a file that only one side has.
func (h *hunt) pins(ctx context.Context, parent, commit, path string) (before, after []string, err error) {
	var sides [2][]string
	for i, hash := range []string{parent, commit} {
		data, err := h.repo.Blob(ctx, hash, path, maxPinFile)
		if errors.Is(err, gitrepo.ErrTooLarge) || errors.Is(err, gitrepo.ErrNotFound) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		list := pinPattern.FindAllString(string(data), -1)
		slices.Sort(list)
		sides[i] = slices.Compact(list)
	}
	only := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	}
	return only(sides[0], sides[1]), only(sides[1], sides[0]), nil
}

// repoWith is the first of the local repositories that has both commits of a
// dependency, whose hashes it completes.
func (h *hunt) repoWith(ctx context.Context, m *moved, paths []string) (string, error) {
	for _, path := range paths {
		if err := h.app.allowed(path); err != nil {
			continue // not there, or not to be used
		}
		repo, err := gitrepo.Open(ctx, path)
		if err != nil || repo.CommonDir() == h.repo.CommonDir() {
			continue // a submodule that was never checked out is a folder of ours
		}
		older, err1 := repo.Resolve(ctx, m.old)
		newer, err2 := repo.Resolve(ctx, m.new)
		if err1 == nil && err2 == nil {
			m.old, m.new = older, newer
			return repo.Root(), nil
		}
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
	}
	return "", nil
}
