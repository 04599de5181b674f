package app

import (
	"context"
	"fmt"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
)

// A commit can be slow only because it moves a dependency: a submodule, or a
// hash in a text file. Then the commit that matters is in another repository.
// It is searched there with the build of the commit that moved it: only the
// dependency's commit changes from step to step.

// lookBehind hunts among the commits of a dependency that the culprit moves.
func (h *hunt) lookBehind(ctx context.Context, f *search.Finding) (bool, error) {
	from, to := h.change(f)
	if f.Outcome != search.Found || from == "" || h.asked.Outer != nil || h.mergeExplains() {
		return false, nil
	}
	m, err := h.moves(ctx, to)
	if err != nil || m == nil {
		return false, err
	}
	if m.repo == "" {
		return false, h.warn("pin", to, fmt.Sprintf("this commit moves the pin in %s from %s to %s; with --nested and a local clone of that repository the search goes on among its commits", m.Path, short(m.old), short(m.new)))
	}
	id := m.Kind + ":" + m.Path
	switch h.state.View.Answers[id] {
	case "no":
		return false, nil
	case "yes":
		return h.goBehind(ctx, m)
	}
	return true, h.ask(search.Question{ID: id, Options: []string{"yes", "no"}, Default: "yes", Text: m.offer(to)})
}

func (m *moved) offer(to string) string {
	what := "only moves"
	more := ""
	if !m.alone {
		what, more = "moves", " Four measurements first show whether the dependency or the rest of the commit matters."
	}
	return fmt.Sprintf("The culprit %s %s the %s %s from %s to %s. Search among its commits in %s, with the build of the culprit?%s",
		short(to), what, m.Kind, m.Path, short(m.old), short(m.new), m.repo, more)
}

// mergeExplains reports whether a hunt inside the merge has named a commit: that
// hunt looked behind it itself.
func (h *hunt) mergeExplains() bool {
	n := h.nested("merge")
	return n != nil && n.Result != nil && (n.Result.Outcome == search.Found || n.Result.Outcome == search.FoundAmong)
}

// goBehind tests the dependency against the rest where both changed, and then
// searches.
func (h *hunt) goBehind(ctx context.Context, m *moved) (bool, error) {
	if err := h.settle(ctx); err != nil {
		return false, err
	}
	if h.place.ws.Mode() != gitrepo.ModeClone {
		return false, h.warn("dependency", m.Commit, fmt.Sprintf("the search behind the %s needs --checkout clone", m.Kind))
	}
	if !m.alone {
		again, matters, err := h.matrix(ctx, m)
		if again || err != nil || !matters {
			return again, err
		}
	}
	q := h.request()
	q.Spec.Repo, q.Root, q.Spec.Path, q.Spec.BenchFrom, q.Spec.BuildFor = m.repo, m.repo, nil, "", nil
	q.Outer = &m.outer
	q.between(m.old, m.new)
	r, err := h.delegate(ctx, m.Kind, q)
	if err != nil || r == nil {
		return true, err
	}
	return false, h.noteInner(ctx, m, r)
}

// noteInner tells what was found behind the dependency.
func (h *hunt) noteInner(ctx context.Context, m *moved, r *engine.Result) error {
	n := engine.Note{Kind: "inner", Title: fmt.Sprintf("Behind the %s %s", m.Kind, m.Path)}
	if r.Outcome != search.Found {
		n.Prose = []string{fmt.Sprintf("A search among its commits from %s to %s ended as %s. %s", short(m.old), short(m.new), r.Outcome, r.Reason)}
		return h.note(n)
	}
	repo, err := gitrepo.Open(ctx, m.repo)
	if err != nil {
		return err
	}
	c, err := repo.Commit(ctx, r.Culprit)
	if err != nil {
		return err
	}
	n.Prose = []string{fmt.Sprintf("The commit that matters is %s %q by %s in %s. Its report is that of run %s.", r.Culprit, c.Subject, c.Author, m.repo, r.Run)}
	text, err := hintsText(ctx, repo, r.LastGood, r.Culprit, nil)
	if err != nil {
		return err
	}
	n.Pre = text
	return h.note(n)
}
