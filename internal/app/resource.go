package app

import (
	"context"
	"fmt"
	"math"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// Where machine code can be had, it is compared at both ends before anything is
// timed. A resource that got worse has no noise, so that the commit that changed
// it is found by one build a step, without a GPU. Timing then has to confirm one
// pair of commits: the prior of the search is moved there, so that a resource
// that was not the cause costs a few runs and no wrong answer.

// resourceShare is the prior probability that the commit which changed the
// resource is the culprit.
const resourceShare = 0.8

// resource compares the machine code of the ends, offers to search for what got
// worse, and moves the plan's prior to what that found. again says that it is
// not complete yet.
func (h *hunt) resource(ctx context.Context, p *engine.Plan) (again bool, err error) {
	if !h.seesCode() || h.isa() || h.spec.Strategy != "adaptive" || h.asked.Outer != nil || len(p.Positions) < 4 {
		return false, nil
	}
	if h.state.Note(noteEndsCode) == nil {
		note, err := h.codeNote(ctx, noteEndsCode, p.Positions[0].Commit, p.Positions[len(p.Positions)-1].Commit)
		if err != nil {
			return false, err
		}
		note.Title = "Machine code, good to bad"
		return true, h.note(note)
	}
	kernel, column, words := worstChange(h.state.Note(noteEndsCode).Kernels)
	if kernel == "" {
		return false, nil
	}
	switch h.state.View.Answers["resource"] {
	case "no":
		return false, nil
	case "yes":
		q := h.request()
		q.Spec.Metric, q.Spec.Better = "isa:"+kernel+":"+column, ""
		r, err := h.delegate(ctx, "resource", q)
		if err != nil || r == nil {
			return true, err
		}
		return false, h.lean(p, r, words)
	}
	return true, h.ask(search.Question{
		ID: "resource", Options: []string{"yes", "no"}, Default: "yes",
		Text: fmt.Sprintf("Between good and bad: %s. Find the commit that did that first (%d builds, no GPU needed), and then confirm it with the benchmark? \"no\" searches with the benchmark alone.",
			words, int(math.Ceil(math.Log2(float64(len(p.Positions)-1))))),
	})
}

// lean moves the prior to the commits that a resource hunt named.
func (h *hunt) lean(p *engine.Plan, r *engine.Result, words string) error {
	named := map[int]bool{}
	for _, commit := range r.Candidates {
		if i := p.IndexOf(commit); i > 0 {
			named[i] = true
		}
	}
	n := engine.Note{Kind: "resource", Title: "The search for the resource"}
	if r.Outcome != search.Found && r.Outcome != search.FoundAmong || len(named) == 0 {
		n.Prose = []string{fmt.Sprintf("The commit with %s was not found: %s", words, r.Reason)}
		return h.note(n)
	}
	others := 0.0
	for i := 1; i < len(p.Positions); i++ {
		if !named[i] {
			others += priorOf(p, i)
		}
	}
	each := max(1, others*resourceShare/(1-resourceShare)/float64(len(named)))
	for i := range named {
		p.Positions[i].Prior = each
	}
	n.Prose = []string{fmt.Sprintf("%s: that is the work of %s, found by %d builds in run %s. The benchmark was run to confirm or refute that this is what made it slow.",
		words, shortList(r.Candidates), r.Builds, r.Run)}
	return h.note(n)
}

func priorOf(p *engine.Plan, i int) float64 {
	if w := p.Positions[i].Prior; w > 0 {
		return w
	}
	return 1
}

func shortList(hashes []string) string {
	if len(hashes) == 1 {
		return short(hashes[0])
	}
	return fmt.Sprintf("one of %d commits up to %s", len(hashes), short(hashes[len(hashes)-1]))
}
