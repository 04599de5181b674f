package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"perfbisect/internal/gitrepo"
)

// asideMark lies in the .git of a tree whose hunt waits. Another run makes the
// tree anew, without the mark.
const asideMark = "perfbisect-aside"

// stepAside lets another hunt have the repository while this one only waits: for
// an answer, or in step mode for a word. Our clone stays as it is. A tree that
// touches the user's repository is kept, and the slot with it.
func (h *hunt) stepAside(ctx context.Context) error {
	if h.child {
		return nil // the parent's
	}
	if p := h.place; p != nil {
		if p.ws.Mode() != gitrepo.ModeClone || os.WriteFile(p.asideMark(), []byte(h.run.ID+"\n"), 0o600) != nil {
			return nil // a benchmark may have removed the tree: work goes on in this place
		}
		if err := p.ws.Leave(ctx); err != nil {
			return fmt.Errorf("leaving our clone while the hunt waits: %w", err)
		}
		h.aside, h.place = p, nil
	}
	h.giveSlot()
	return nil
}

// stepBack takes the slot again, and the tree that was left, as warm as it was
// unless another run had it meanwhile.
func (h *hunt) stepBack(ctx context.Context) error {
	if h.aside == nil {
		return nil
	}
	return h.settle(ctx)
}

// returned is the place that was left, with its tree, or nil when another run
// had the slot meanwhile. The slot must be ours.
func (h *hunt) returned(ctx context.Context) (*place, error) {
	p := h.aside
	h.aside = nil
	if p == nil {
		return nil, nil
	}
	if _, err := os.Lstat(p.asideMark()); err != nil {
		h.warm = ""
		return nil, nil
	}
	opts, err := h.workspaceOptions(ctx, h.slot())
	if err != nil {
		return nil, err
	}
	if p.ws, err = h.repo.Prepare(ctx, opts); err != nil {
		return nil, err
	}
	if os.Remove(p.asideMark()) != nil { // it could not be read and was made anew
		p.at, p.built, h.warm = "", "", ""
	}
	return p, nil
}

func (p *place) asideMark() string { return filepath.Join(p.ws.Dir(), ".git", asideMark) }
