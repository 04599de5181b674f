package app

import (
	"context"
	"errors"
	"fmt"

	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/gitrepo"
)

// place is where commits are checked out, built and run.
type place struct {
	ws     *gitrepo.Workspace
	trees  *trees
	runner *bench.Runner
	at     string // commit that is checked out; "" when unknown
	tree   string // where HEAD is then: at, or what stands for a commit of a dependency
	built  string // commit that is built in the tree; "" when none

	slot   string        // path at which our own trees lie
	dumper *bench.Runner // of machine code; nil until needed
	dumps  string        // run whose command it runs
}

// settle makes the place on first use.
func (h *hunt) settle(ctx context.Context) error {
	if h.place != nil {
		return nil
	}
	if err := h.takeSlot(ctx); err != nil {
		return err
	}
	p, err := h.returned(ctx)
	if err != nil {
		return err
	}
	if p != nil {
		h.place = p
		return nil
	}
	if p, err = h.newPlace(ctx, h.slot()); err != nil {
		return err
	}
	p.slot = h.slot()
	h.place = p
	if why := p.ws.Why(); why != "" {
		return h.warn("checkout_mode", "", why)
	}
	return nil
}

func (h *hunt) newPlace(ctx context.Context, slot string) (*place, error) {
	opts, err := h.workspaceOptions(ctx, slot)
	if err != nil {
		return nil, err
	}
	supervisor, err := h.app.procs()
	if err != nil {
		return nil, err
	}
	t := &trees{run: h.run.ID, slot: slot, cp: supervisor, keep: map[string]bool{}}
	if err := errors.Join(t.takeOver(h.app.comesBack), h.removeOtherCaches(t)); err != nil {
		return nil, err
	}
	ws, err := h.repo.Prepare(ctx, opts)
	if err != nil {
		return nil, err
	}
	p := &place{ws: ws, trees: t}
	if err := h.warnCheckout(ws.Notes()); err != nil {
		return nil, errors.Join(err, closeTree(ctx, ws))
	}
	if ws.Mode() == gitrepo.ModeClone && h.spec.BuildCmd != "" && h.spec.Clean == "none" {
		p.trees.on, p.trees.max = true, parkedTrees
		p.built = p.trees.built()
	}
	if p.runner, err = h.newRunner(ctx, supervisor, ws.Dir()); err != nil {
		return nil, errors.Join(err, closeTree(ctx, ws))
	}
	return p, nil
}

// visit puts a commit into the tree, without building it.
func (h *hunt) checkout(ctx context.Context, commit string) error {
	p := h.place
	if err := h.remake(ctx); err != nil || p.at == commit {
		return err
	}
	if err := h.effect("checkout", p.ws.Dir(), "checking out "+short(commit)); err != nil {
		return err
	}
	h.warm, p.at = "", ""
	tree, err := h.outerAt(ctx, commit)
	if err != nil {
		return err
	}
	warm := p.trees.on && p.trees.built() == commit // left by an earlier process
	if p.trees.on && !warm {
		fetched, err := p.trees.fetch(commit)
		if err != nil {
			return err
		}
		if fetched && p.ws.Head(ctx) == tree {
			p.at, p.tree, p.built = commit, tree, commit
			return nil
		}
		if !fetched {
			err = p.trees.park(ctx, h.state.View.BuildS)
		}
		if err := errors.Join(err, p.trees.setBuilt("")); err != nil {
			return err
		}
	}
	if warm && p.ws.Head(ctx) != tree { // a command that was killed had moved it
		if warm, err = false, p.trees.setBuilt(""); err != nil {
			return err
		}
	}
	changed, err := p.ws.Checkout(ctx, tree)
	if err != nil {
		return h.clash(ctx, commit, err)
	}
	if p.at, p.tree, p.built = commit, tree, ""; warm {
		p.built = commit
	}
	for _, w := range changed.Warnings {
		if err := h.warn("checkout", commit, w); err != nil {
			return err
		}
	}
	return nil
}

// errAsked ends a turn that asked a question in the middle of something.
var errAsked = errors.New("asked")

// clash asks whether files of the user's may be overwritten when an in-place
// checkout meets them. They are saved and come back at the end.
func (h *hunt) clash(ctx context.Context, commit string, err error) error {
	_, clashes := errors.AsType[*gitrepo.ClashError](err)
	_, asked := h.state.View.Answers["force"]
	if !clashes || ctx.Err() != nil || asked {
		return err
	}
	q := search.Question{
		ID: "force", Options: []string{"yes", "no"},
		Text: fmt.Sprintf("Checking %s out would overwrite files of yours that git does not track. They are saved first and put back at the end. Overwrite them meanwhile? git says: %v", short(commit), err),
	}
	if err := h.ask(q); err != nil {
		return err
	}
	return errAsked
}

// release gives the place back. keep leaves our clone and what is built in it
// for a resume; whatever touches the user's repository is undone in any case.
func (h *hunt) release(ctx context.Context, keep bool) error {
	if h.child {
		return nil // the parent's
	}
	ctx = context.WithoutCancel(ctx) // an interrupt must not leave the user's tree half restored
	var err error
	switch {
	case h.place == nil:
		err = h.recover(ctx, keep)
	case h.place != nil && keep:
		if err = h.place.ws.Leave(ctx); err != nil {
			h.place.ws.Abandon()
		}
	case h.place != nil:
		err = errors.Join(h.place.trees.clear(), closeTree(ctx, h.place.ws), h.warnCheckout(h.place.ws.Notes()), removeBeside(h.slot(), h.run.ID))
	}
	h.place = nil
	h.giveSlot()
	return err
}

// Checkout is the code of the warnings that the user's checkout is not wholly as
// it was, or where something that was in it is now.
const Checkout = "checkout"

func (h *hunt) warnCheckout(notes []string) error {
	if h.journal == nil || h.state.Status.Ended() {
		return nil
	}
	for _, note := range notes {
		if err := h.warn(Checkout, "", note); err != nil {
			return err
		}
	}
	return nil
}

// closeTree closes a tree, and lets go of one that cannot be closed: another try
// finds it by its marks.
func closeTree(ctx context.Context, ws *gitrepo.Workspace) error {
	err := ws.Close(ctx)
	if err != nil {
		ws.Abandon()
	}
	return err
}

// recordTree journals a step of the tree before it is made. What puts the user's
// tree back is done even when the journal cannot be written any more.
func (h *hunt) recordTree(step string) error {
	err := h.effect("tree", step, "")
	if h.leaving {
		return nil
	}
	return err
}
