package app

import (
	"context"
	"fmt"

	"perfbisect/internal/bench"
)

// A build or benchmark may check another commit out in our tree and leave it
// there. What began at the right commit keeps its value, since what it measured
// cannot be told; what comes next begins at the right commit again.

// strayed reports, after a command at commit, whether HEAD is another commit than
// the one that we checked out, and warns of it. Then nothing counts as checked
// out or built any more.
func (h *hunt) strayed(ctx context.Context, commit string) (bool, error) {
	p := h.place
	if p.at == "" || p.gone() || p.ws.Head(ctx) == p.tree {
		return false, nil
	}
	h.forget()
	if p.trees.on {
		if err := p.trees.setBuilt(""); err != nil {
			return true, err
		}
	}
	return true, h.warnOnce("moved_checkout", fmt.Sprintf("the command moved the checkout to another commit (first at %s); it was put back; "+
		"the values of a command that measures another commit than it was started at are not those of the commit", short(commit)))
}

// strayedBuild puts the tree back after a build that left another commit there,
// and keeps what it built. A build may commit to the tree of its commit, a patch
// for example: that commit is then what is run.
func (h *hunt) strayedBuild(ctx context.Context, commit string, res bench.BuildResult) error {
	p := h.place
	if res.Outcome == bench.OK && p.at != "" && p.ws.CommittedOn(ctx, p.tree) {
		p.tree = p.ws.Head(ctx)
		return nil
	}
	tree := p.tree
	moved, err := h.strayed(ctx, commit)
	if err != nil || !moved || res.Outcome != bench.OK || ctx.Err() != nil {
		return err
	}
	if err := h.effect("checkout", p.ws.Dir(), "putting the tree back at "+short(commit)); err != nil {
		return err
	}
	if _, err := p.ws.PutBack(ctx, tree); err != nil {
		return h.clash(ctx, commit, err)
	}
	p.at, p.tree = commit, tree
	return nil
}

// again checks the commit of a visit out and builds it where the run before left
// the tree elsewhere. ok is false when that build failed.
func (h *hunt) again(ctx context.Context, position int, commit string) (ok, moved bool, err error) {
	if h.place.at == commit {
		return true, false, nil
	}
	if err := h.checkout(ctx, commit); err != nil {
		return false, true, err
	}
	ok, err = h.build(ctx, position, commit)
	return ok, true, err
}
