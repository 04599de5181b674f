package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// relevantPaths are the paths of --path. One inside a submodule stands for the
// whole submodule, as its commits are not in this history.
func (h *hunt) relevantPaths(ctx context.Context, good, bad string) ([]string, error) {
	if len(h.spec.Path) == 0 {
		return nil, nil
	}
	paths := slices.Clone(h.spec.Path)
	for _, end := range []string{good, bad} {
		modules, err := h.repo.Submodules(ctx, end)
		if err != nil {
			return nil, err
		}
		for i, p := range paths {
			for module := range modules {
				if strings.HasPrefix(p, module+"/") {
					paths[i] = module
				}
			}
		}
	}
	return paths, nil
}

// literal reports whether git reads a pathspec as a plain path.
func literal(path string) bool {
	return !strings.ContainsAny(path, "*?[\\\n") && !strings.HasPrefix(path, ":")
}

// mergeEqual makes positions with equal relevant trees one, with all between:
// what went away again is not why bad is slow. This needs a line of history.
func (h *hunt) mergeEqual(ctx context.Context, p *engine.Plan, paths []string) error {
	if !h.spec.FirstParent || slices.ContainsFunc(paths, func(s string) bool { return !literal(s) }) {
		return nil
	}
	commits := make([]string, len(p.Positions))
	for i, q := range p.Positions {
		commits[i] = q.Commit
	}
	contents, err := h.repo.Contents(ctx, commits, trimmed(paths))
	if err != nil {
		return err
	}
	last := map[string]int{}
	for i, c := range contents {
		last[c] = i
	}
	var kept []engine.Position
	for i := 0; i < len(p.Positions); i++ {
		q := p.Positions[i]
		for end := last[contents[i]]; i < end; i++ {
			next := p.Positions[i+1]
			q.Same = append(append(q.Same, next.Commit), next.Same...)
		}
		kept = append(kept, q)
	}
	p.Positions = kept
	return nil
}

func trimmed(paths []string) []string {
	list := make([]string, len(paths))
	for i, p := range paths {
		list[i] = strings.TrimSuffix(p, "/")
		if list[i] == "." {
			list[i] = ""
		}
	}
	return list
}

// equalEnds plans nothing but the ends when good and bad have equal relevant
// trees, so that the hunt ends at once and says so. It reports true when it did.
func (h *hunt) equalEnds(p *engine.Plan) (bool, error) {
	if len(p.Positions) != 1 || len(p.Positions[0].Same) == 0 {
		return false, nil
	}
	good, same := p.Positions[0].Commit, p.Positions[0].Same
	bad := same[len(same)-1]
	p.Positions = []engine.Position{{Commit: good, Same: same[:len(same)-1]}, {Commit: bad}}
	if p.Options.Better == "" {
		p.Options.Better = search.Lower // nothing is measured
	}
	return true, h.append(engine.Event{Kind: engine.EventPlanned, Plan: p})
}

// sameTrees is the finding of a hunt whose ends are equal without a build.
func (h *hunt) sameTrees(ctx context.Context) (*search.Finding, error) {
	p := h.state.Plan
	if len(p.Positions) != 2 || !p.FirstParent || p.Options.Strategy == "compare" || h.state.Runs+h.state.Builds > 0 || h.asked.Outer != nil {
		return nil, nil
	}
	good, bad := p.Positions[0].Commit, p.Positions[1].Commit
	paths, err := h.relevantPaths(ctx, good, bad)
	if err != nil || slices.ContainsFunc(paths, func(s string) bool { return !literal(s) }) {
		return nil, err
	}
	contents, err := h.repo.Contents(ctx, []string{good, bad}, trimmed(paths))
	if err != nil || contents[0] != contents[1] {
		return nil, err
	}
	what := "the same files"
	if len(paths) > 0 {
		what = fmt.Sprintf("the same files in %s", strings.Join(paths, ", "))
	}
	return &search.Finding{
		Outcome: search.SameCode, Culprit: -1, LastGood: -1,
		Reason: fmt.Sprintf("Good and bad have %s, so no commit between them can be the cause; nothing was built or run.", what),
		Advice: "Look for the difference outside the repository: driver, clocks, runtime, input data; or give other commits.",
	}, nil
}

// concludeOr ends the hunt with a finding that no planner made.
func (h *hunt) concludeOr(ctx context.Context, f *search.Finding, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	return h.conclude(ctx, f)
}

// journalTried makes what the first run of the hunt cost and showed part of the
// journal, as far as it need not be done again: the build, and the value of a
// metric without noise.
func (h *hunt) journalTried(p *engine.Plan) error {
	at := func(commit string) int {
		return slices.IndexFunc(p.Positions, func(q engine.Position) bool { return q.Commit == commit })
	}
	for _, b := range h.tried.builds {
		if i := at(b.commit); i >= 0 {
			if err := h.wasBuilt(i, b.result, b.code); err != nil {
				return err
			}
		}
	}
	h.tried.builds = nil
	t, i := h.tried.trial, at(h.tried.commit)
	if t == nil || i < 0 || !p.Options.Exact || t.outcome != search.OK || p.Options.Strategy == "compare" {
		return nil
	}
	return h.append(engine.Event{
		Kind: engine.EventRan, Position: i, Outcome: search.OK, ElapsedS: t.run.Elapsed.Seconds(),
		Run: &engine.RunFact{Value: t.value.Value, StartS: h.journal.AtS(), Visit: h.state.NextVisit(), Phase: search.PhaseEnds, Why: "end"},
	})
}
