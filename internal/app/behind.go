package app

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
)

// A commit can be slow only because it moves a dependency: a submodule, or a
// hash in a text file. Then the commit that matters is in another repository.
// It is searched there with the build of the commit that moved it: only the
// dependency's commit changes from step to step.

// outer says where the tree of a hunt behind a dependency comes from.
type outer struct {
	Kind   string `json:"kind"`   // submodule or pin
	Path   string `json:"path"`   // of the submodule, or of the file with the pin
	Commit string `json:"commit"` // whose tree is built
	Pin    string `json:"pin,omitempty"`
}

// moved is a dependency that a commit moves.
type moved struct {
	outer
	old, new string // commits of the dependency, full hashes once Repo is known
	repo     string // a local repository that has both; "" when none is known
	alone    bool   // the commit changes nothing else
}

// outerAt is the commit to check out for a commit of the dependency.
func (h *hunt) outerAt(ctx context.Context, commit string) (string, error) {
	o := h.asked.Outer
	if o == nil || h.asked.Kind == "compare" {
		return commit, nil
	}
	return h.withDependency(ctx, o.Commit, *o, commit)
}

// withDependency is base with the dependency at another commit.
func (h *hunt) withDependency(ctx context.Context, base string, o outer, commit string) (string, error) {
	if o.Kind == "submodule" {
		return h.place.ws.Synthesize(ctx, base, gitrepo.Edit{Path: o.Path, Submodule: commit})
	}
	text, err := h.place.ws.Blob(ctx, base, o.Path, maxPinFile)
	if err != nil {
		return "", err
	}
	pin := o.Pin
	for _, old := range pinPattern.FindAllString(string(text), -1) {
		if strings.HasPrefix(o.Pin, old) || strings.HasPrefix(commit, old) {
			pin = old
		}
	}
	if !strings.Contains(string(text), pin) {
		return "", fmt.Errorf("moving the pin in %q: %q is not in it", o.Path, pin)
	}
	edited := strings.ReplaceAll(string(text), pin, commit[:min(len(commit), max(len(pin), 7))])
	return h.place.ws.Synthesize(ctx, base, gitrepo.Edit{Path: o.Path, Content: []byte(edited)})
}

// maxPinFile bounds the files in which pins are looked for, in bytes.
const maxPinFile = 1 << 20

// pinPattern finds hashes: 7 to 64 hexadecimal digits that stand alone.
var pinPattern = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)

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

// pinned is the dependency's place with the hash that is there.
func (m *moved) pinned(hash string) outer {
	o := m.outer
	if o.Pin != "" {
		o.Pin = hash
	}
	return o
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
