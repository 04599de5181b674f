package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/metric"
)

// A benchmark may remove the very checkout that it runs in. Then what it printed
// says nothing that can be said again, and the tree is made anew.

// errGone is why a run counts as failed whose checkout is gone after it.
const errGone = "the command removed the checkout that it ran in"

// gone reports whether the tree is no checkout any more.
func (p *place) gone() bool {
	_, err := os.Lstat(filepath.Join(p.ws.Dir(), ".git"))
	return errors.Is(err, os.ErrNotExist)
}

// notGone fails a run after which the checkout is gone.
func (h *hunt) notGone(t *trial) {
	if t == nil || !h.place.gone() {
		return
	}
	t.outcome, t.why, t.numbers, t.value = search.RunFailed, errGone, nil, metric.Value{}
	t.run.NotFound, t.run.Versions = false, nil // there is no tree to ask for submodules
	h.place.at, h.place.built, h.warm = "", "", ""
}

// remake makes our clone anew where it was removed.
func (h *hunt) remake(ctx context.Context) error {
	p := h.place
	if p.at != "" || !p.gone() {
		return nil
	}
	if h.child || p.ws.Mode() != gitrepo.ModeClone {
		return &HintError{Err: errors.New("checking out: " + errGone), Hints: []string{"let it work in a folder of its own"}}
	}
	opts, err := h.workspaceOptions(ctx, h.slot())
	if err != nil {
		return err
	}
	if err := p.ws.Leave(ctx); err != nil {
		return err
	}
	p.ws, err = h.repo.Prepare(ctx, opts)
	return err
}
