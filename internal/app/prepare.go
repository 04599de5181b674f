package app

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
)

// manyCommits is the size of a range above which the user is shown the cost
// before anything long begins.
const manyCommits = 100

// prepare brings the request one step nearer to a plan: it asks for what is
// missing, tries the benchmark once where the metric is not clear, and journals
// the plan when nothing is open any more.
func (h *hunt) prepare(ctx context.Context) error {
	if q := h.missing(); q != nil {
		return h.ask(*q)
	}
	if err := h.openRepo(ctx); err != nil {
		return err
	}
	if q, err := h.mayUseCheckout(ctx); err != nil || q != nil {
		return h.askOr(q, err)
	}
	if h.asked.Kind == "compare" {
		plan := h.comparePlan()
		if q, err := h.settleMetric(ctx, plan); err != nil || q != nil {
			return h.askOr(q, err)
		}
		return h.adopt(ctx, plan)
	}
	if h.spec.Reuse != "" {
		_, err := h.reuse()
		return err
	}
	good, bad, q, err := h.ends(ctx)
	if err != nil || q != nil {
		return h.askOr(q, err)
	}
	plan, err := h.planRange(ctx, good, bad)
	if err != nil {
		return err
	}
	if f, err := h.equalEnds(plan); f || err != nil {
		return err
	}
	if len(plan.Positions) < 2 {
		return h.ask(h.emptyRange(good, bad))
	}
	if q, err = h.settleMetric(ctx, plan); err != nil || q != nil {
		return h.askOr(q, err)
	}
	if q = h.costly(plan); q != nil {
		return h.ask(*q)
	}
	if h.declined("many_commits") {
		return fmt.Errorf("%w: the range was found too long", errFinish)
	}
	for _, refine := range []func(context.Context, *engine.Plan) (bool, error){h.ladder, h.weigh, h.resource} {
		if again, err := refine(ctx, plan); again || err != nil {
			return err
		}
	}
	return h.adopt(ctx, plan)
}

// planRange is the plan of the commits between the ends, those with equal trees
// as one position.
func (h *hunt) planRange(ctx context.Context, good, bad string) (*engine.Plan, error) {
	paths, err := h.relevantPaths(ctx, good, bad)
	if err != nil {
		return nil, err
	}
	if err := h.checkPaths(ctx, good, bad, paths); err != nil {
		return nil, err
	}
	entries, err := h.repo.Range(ctx, good, bad, gitrepo.RangeOptions{FirstParent: h.spec.FirstParent, Paths: paths})
	if err != nil {
		return nil, err
	}
	plan := h.plan(good, entries)
	return plan, h.mergeEqual(ctx, plan, paths)
}

func (h *hunt) askOr(q *search.Question, err error) error {
	if err != nil {
		return err
	}
	return h.ask(*q)
}

// missing asks for an argument without which nothing can begin.
func (h *hunt) missing() *search.Question {
	switch {
	case h.isa() && !h.seesCode() && h.spec.bench() == nil:
		return &search.Question{ID: "dump", Argument: "dump", Text: "Which command writes the machine code to {dump_dir}? (--artifact names code objects that the build makes instead.)"}
	case h.spec.bench() == nil && !h.isa():
		return &search.Question{ID: "bench_cmd", Argument: "bench_cmd", Text: "Which command runs the benchmark? It must print the number that got worse."}
	case h.spec.Good == "" && h.asked.Good == "":
		return &search.Question{ID: "good", Argument: "good", Text: fmt.Sprintf("Which commit was still fast? A tag, branch or hash; %s is the slow one.", h.spec.Bad)}
	}
	return nil
}

// mayUseCheckout asks before the user's own checkout is used, showing what is
// uncommitted there.
func (h *hunt) mayUseCheckout(ctx context.Context) (*search.Question, error) {
	answer, asked := h.state.View.Answers["in_place"]
	switch {
	case h.spec.Checkout != "in-place" || answer == "save":
		return nil, nil
	case asked:
		return nil, fmt.Errorf("%w: the checkout is not to be used", errFinish)
	}
	dirty, err := h.repo.Dirty(ctx)
	if err != nil || len(dirty) == 0 {
		return nil, err
	}
	shown := dirty[:min(len(dirty), 20)]
	changes := "changes"
	if len(dirty) == 1 {
		changes = "change"
	}
	text := fmt.Sprintf("%d uncommitted %s:\n  %s\n", len(dirty), changes, strings.Join(shown, "\n  "))
	if more := len(dirty) - len(shown); more > 0 {
		text += fmt.Sprintf("  … and %d more\n", more)
	}
	return &search.Question{
		ID: "in_place", Options: []string{"save", "stop"}, Default: "save",
		Text: text + "Save what is uncommitted, use your checkout meanwhile, and restore everything exactly at the end?",
	}, nil
}

func (h *hunt) openRepo(ctx context.Context) (err error) {
	if h.repo == nil {
		h.repo, err = gitrepo.Open(ctx, h.spec.Repo)
	}
	return err
}

// ends returns the commits at the ends of the range, or the question that must
// be answered before they are known.
func (h *hunt) ends(ctx context.Context) (good, bad string, q *search.Question, err error) {
	good, bad = h.asked.Good, h.asked.Bad
	if h.spec.Good != h.asked.Spec.Good || good == "" {
		if good, err = h.repo.Resolve(ctx, h.spec.Good); err != nil {
			return "", "", nil, fmt.Errorf("good: %w", err)
		}
	}
	if good == bad {
		q := h.emptyRange(good, bad)
		return "", "", &q, nil
	}
	ok, err := h.repo.IsAncestor(ctx, good, bad)
	if err != nil || ok {
		return good, bad, nil, err
	}
	return h.unrelated(ctx, good, bad)
}

// unrelated handles a good that is not an ancestor of bad: the user swaps the
// ends, or searches from the merge base, or gives another commit.
func (h *hunt) unrelated(ctx context.Context, good, bad string) (string, string, *search.Question, error) {
	reverse, err := h.repo.IsAncestor(ctx, bad, good)
	if err != nil {
		return "", "", nil, err
	}
	if reverse {
		switch h.state.View.Answers["order"] {
		case "swap":
			return bad, good, nil, nil
		case "stop":
			return "", "", nil, fmt.Errorf("%w: good is newer than bad", errFinish)
		}
		return "", "", &search.Question{
			ID: "order", Options: []string{"swap", "stop"}, Default: "stop",
			Text: fmt.Sprintf("good %s is newer than bad %s. Swap them, so that the search runs from the older to the newer one?", short(good), short(bad)),
		}, nil
	}
	base, err := h.repo.MergeBase(ctx, good, bad)
	if err != nil {
		return "", "", nil, fmt.Errorf("good %s is not an ancestor of bad %s, and they have no common history: %w", short(good), short(bad), err)
	}
	switch h.state.View.Answers["merge_base"] {
	case "use":
		return base, bad, nil, nil
	case "stop":
		return "", "", nil, fmt.Errorf("%w: good is not an ancestor of bad", errFinish)
	}
	return "", "", &search.Question{
		ID: "merge_base", Options: []string{"use", "stop"}, Default: "use",
		Text: fmt.Sprintf("good %s is not an ancestor of bad %s: their histories part at %s. Search from there? It is measured first, so a slow merge base is noticed.", short(good), short(bad), short(base)),
	}, nil
}

func (h *hunt) emptyRange(good, bad string) search.Question {
	return search.Question{
		ID: "empty_range:" + short(good), Argument: "good",
		Text: fmt.Sprintf("There is no commit to test between good %s and bad %s. Which older commit was still fast?", short(good), short(bad)),
	}
}

// plan groups the commits of the range into positions. A commit that leaves the
// relevant paths as they are shares the position before it.
func (h *hunt) plan(good string, entries []gitrepo.RangeEntry) *engine.Plan {
	p := &engine.Plan{
		Positions: []engine.Position{{Commit: good}}, FirstParent: h.spec.FirstParent,
		Metric: h.spec.Metric, Options: h.spec.searchOptions(), MaxRuns: h.spec.MaxRuns, MaxTimeS: h.spec.MaxTimeS,
	}
	index := map[string]int32{good: 0}
	for _, e := range entries {
		last := len(p.Positions) - 1
		if !e.Touches && (h.spec.FirstParent || len(e.Parents) == 1) {
			at := int32(last)
			if !h.spec.FirstParent {
				at = index[e.Parents[0]]
			}
			p.Positions[at].Same = append(p.Positions[at].Same, e.Hash)
			index[e.Hash] = at
			continue
		}
		pos := engine.Position{Commit: e.Hash, Merge: len(e.Parents) > 1}
		if !h.spec.FirstParent {
			pos.Parents = inside(e.Parents, index)
		}
		index[e.Hash] = int32(len(p.Positions))
		p.Positions = append(p.Positions, pos)
	}
	straighten(p)
	return p
}

// straighten drops the parents of a range without branches: a line needs none.
func straighten(p *engine.Plan) {
	for i, q := range p.Positions[1:] {
		if len(q.Parents) != 1 || int(q.Parents[0]) != i {
			return
		}
	}
	for i := range p.Positions {
		p.Positions[i].Parents = nil
	}
}

// inside returns the positions of the parents that are in the range. A parent
// outside it is an ancestor of good, or another root: good stands for both.
func inside(parents []string, index map[string]int32) []int32 {
	at := make([]int32, 0, len(parents))
	for _, parent := range parents {
		if i := index[parent]; !slices.Contains(at, i) {
			at = append(at, i)
		}
	}
	slices.Sort(at)
	return at
}

// costly asks before a long range, with the cost as far as it is known.
func (h *hunt) costly(p *engine.Plan) *search.Question {
	n := commits(p)
	if _, asked := h.state.View.Answers["many_commits"]; asked || n <= manyCommits {
		return nil
	}
	return &search.Question{
		ID: "many_commits", Options: []string{"continue", "stop"}, Default: "continue",
		Text: fmt.Sprintf("The range has %d commits, %d of them distinguishable: %s. Go on?", n, len(p.Positions)-1, h.firstEstimate(len(p.Positions)-1)),
	}
}

// firstEstimate is the cost before the ends are measured: every commit that is
// visited costs a build and, at a usual scatter, about three runs; both ends
// and the proof come on top.
func (h *hunt) firstEstimate(n int) string {
	steps := int(math.Ceil(math.Log2(float64(n + 1))))
	return costText(float64(steps+2), float64(3*steps+14), h.tried.buildS, h.tried.runS, h.spec.BuildCmd != "")
}

func (h *hunt) declined(id string) bool { return h.state.View.Answers[id] == "stop" }

// adopt journals the plan and the commits that the user wants skipped.
func (h *hunt) adopt(ctx context.Context, p *engine.Plan) error {
	if err := h.warnIneffective(p); err != nil {
		return err
	}
	p.Options.RevisitBuilds = h.spec.BuildCmd != "" && !h.place.trees.on
	if err := h.append(engine.Event{Kind: engine.EventPlanned, Plan: p}); err != nil {
		return err
	}
	if err := h.journalTried(p); err != nil {
		return err
	}
	h.trimLogs(h.tried.trial)
	for _, rev := range h.spec.Skip {
		hash, err := h.hash(ctx, rev)
		if err != nil {
			return fmt.Errorf("skip: %w", err)
		}
		if err := h.mark(ctx, hash, search.VerdictSkip); err != nil {
			return err
		}
	}
	return nil
}
