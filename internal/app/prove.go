package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/metric"
)

// A proof measures what the answer predicts: bad without the culprit is as fast
// as good (revert), bad with a patch is (fix-on). Three trees are run in turn:
// good, the one to prove, bad.

// prove makes the proofs that the user wants, one after another.
func (h *hunt) prove(ctx context.Context, f *search.Finding) (bool, error) {
	if from, _ := h.change(f); from == "" {
		return false, nil
	}
	for _, kind := range h.spec.Prove {
		id := proofKind(kind)
		if h.state.Note(id) != nil {
			continue
		}
		if n := h.nested(id); n != nil && n.Result != nil {
			continue
		}
		if err := h.settle(ctx); err != nil {
			return false, err
		}
		commit, err := h.proofTree(ctx, kind, f)
		if why := notProvable(err); why != "" {
			return true, h.note(engine.Note{Kind: id, Title: "Proof", Prose: []string{why}})
		}
		if err != nil {
			return false, err
		}
		p := h.state.Plan.Positions
		_, err = h.delegate(ctx, id, h.comparison(h.proofRuns(f), []string{p[0].Commit, commit, p[len(p)-1].Commit}))
		return true, err
	}
	return false, nil
}

func proofKind(kind string) string { return "proof_" + strings.ReplaceAll(kind, "-", "_") }

// errNoProof begins the reasons why there is no proof.
var errNoProof = errors.New("no proof")

// notProvable says why a tree to prove with cannot be made, "" when err is
// something else.
func notProvable(err error) string {
	var refused *gitrepo.RefusedError
	switch {
	case errors.Is(err, errNoProof):
		return reason(err, errNoProof)
	case errors.Is(err, gitrepo.ErrNotApplied):
		return "it does not apply to the bad end: later commits changed the same lines"
	case errors.As(err, &refused):
		return refused.Reason
	}
	return ""
}

// proofTree makes the commit that is measured against good and bad.
func (h *hunt) proofTree(ctx context.Context, kind string, f *search.Finding) (string, error) {
	bad := h.state.Plan.Positions[h.state.View.N].Commit
	var edits []gitrepo.Edit
	if kind == "fix-on" {
		for _, path := range h.spec.Patch {
			data, err := os.ReadFile(path)
			if err != nil {
				return "", fmt.Errorf("%w: %w", errNoProof, err)
			}
			edits = append(edits, gitrepo.Edit{Patch: data})
		}
		return h.place.ws.Synthesize(ctx, bad, edits...)
	}
	culprit, err := h.toRevert(f)
	if err != nil {
		return "", err
	}
	c, err := h.repo.Commit(ctx, culprit)
	if err != nil {
		return "", err
	}
	if len(c.Parents) == 0 {
		return "", fmt.Errorf("%w: the culprit has no parent to go back to", errNoProof)
	}
	var patch strings.Builder
	if cut, err := h.repo.Patch(ctx, c.Parents[0], culprit, &patch, maxPatch); err != nil || cut {
		return "", errors.Join(err, fmt.Errorf("%w: the culprit's difference is too large", errNoProof))
	}
	if patch.Len() == 0 {
		return "", fmt.Errorf("%w: the culprit changes no file", errNoProof)
	}
	return h.place.ws.Synthesize(ctx, bad, gitrepo.Edit{Patch: []byte(patch.String()), Reverse: true})
}

// toRevert is the one commit that is named in the end.
func (h *hunt) toRevert(f *search.Finding) (string, error) {
	if h.mergeExplains() {
		if c := h.nested("merge").Result.Culprit; c != "" {
			return c, nil
		}
		return "", fmt.Errorf("%w: it is one of several commits inside the merge", errNoProof)
	}
	if f.Outcome != search.Found || len(f.Candidates) != 1 {
		return "", fmt.Errorf("%w: it is one of several commits", errNoProof)
	}
	return h.state.Plan.Positions[f.Culprit].Commit, nil
}

// How many runs a proof makes of each tree: enough for a share that is known to
// ten percent, within reason.
const (
	proofRunsLeast = 5
	proofRunsMost  = 25
	medianFactor   = 1.2533 // sd of a median in units of that of a mean
)

func (h *hunt) proofRuns(f *search.Finding) int {
	gap := math.Abs(f.EndBad.Value - f.EndGood.Value)
	if h.state.Plan.Options.Exact || gap == 0 {
		return 1
	}
	sigma := max(f.EndGood.CV*math.Abs(f.EndGood.Value), f.EndBad.CV*math.Abs(f.EndBad.Value))
	n := 2 * math.Pow(medianFactor*sigma/gap/0.1, 2)
	return int(min(max(math.Ceil(n), proofRunsLeast), proofRunsMost))
}

// proofs are the results of the proofs made so far.
func (h *hunt) proofs() []engine.Proof {
	var list []engine.Proof
	for _, kind := range h.spec.Prove {
		id := proofKind(kind)
		if n := h.state.Note(id); n != nil {
			list = append(list, engine.Proof{Kind: kind, Reason: "Not proved: " + strings.Join(n.Prose, " ")})
		} else if n := h.nested(id); n != nil && n.Result != nil {
			list = append(list, proofOf(kind, n.Result))
		}
	}
	return list
}

// proofOf reads a proof out of the comparison good, tree to prove, bad.
func proofOf(kind string, r *engine.Result) engine.Proof {
	p := engine.Proof{Kind: kind}
	what := map[string]string{"revert": "bad without the culprit", "fix-on": "bad with the patch"}[kind]
	if len(r.Levels) != 3 {
		p.Reason = fmt.Sprintf("Not proved: %s could not be measured. %s", what, r.Reason)
		return p
	}
	good, tree, bad := r.Levels[0].Level, r.Levels[1].Level, r.Levels[2].Level
	gap := bad.Value - good.Value
	if gap == 0 {
		p.Reason = "Not proved: good and bad measured the same this time."
		return p
	}
	share := 100 * (bad.Value - tree.Value) / gap
	p.RecoveredPct = &share
	p.Reason = fmt.Sprintf("%s measured %s, good %s, bad %s: %.0f %% of the gap is recovered (± %.0f). %s",
		strings.ToUpper(what[:1])+what[1:], levelText(r, tree), levelText(r, good), levelText(r, bad), share, shareError(good, tree, bad), verdictOn(kind, share))
	return p
}

// shareError is the standard error of the recovered share in percent, from the
// scatter of the three medians.
func shareError(good, tree, bad search.Level) float64 {
	gap := math.Abs(bad.Value - good.Value)
	sum := 0.0
	for _, l := range []search.Level{good, tree, bad} {
		if l.N > 0 {
			sum += math.Pow(medianFactor*l.CV*l.Value, 2) / float64(l.N)
		}
	}
	return 100 * math.Sqrt(sum) / gap
}

func verdictOn(kind string, share float64) string {
	thing := map[string]string{"revert": "The culprit explains", "fix-on": "The patch repairs"}[kind]
	switch {
	case share >= 80:
		return thing + " the gap."
	case share >= 20:
		return thing + " a part of the gap."
	}
	return thing + " next to nothing of it: do not believe it before you know why."
}

func levelsOf(r *engine.Result) map[string]search.Level {
	levels := map[string]search.Level{}
	for _, l := range r.Levels {
		levels[l.Commit] = l.Level
	}
	return levels
}

func levelText(r *engine.Result, l search.Level) string {
	return fmt.Sprintf("%s (%d runs)", metric.Format(l.Value, r.Unit), l.N)
}

// applied are the patches that every commit gets: none when they are what is to
// be proved.
func (s *Spec) applied() []string {
	if slices.Contains(s.Prove, "fix-on") {
		return nil
	}
	return s.Patch
}
