package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/metric"
)

// A build or benchmark may remove or rename the very checkout that it runs in.
// Then what it printed says nothing that can be said again. A tree of ours is
// made anew; the user's own is not ours to make.

// errGone is why a build or run counts as failed whose checkout is gone after it.
const errGone = "the command removed or renamed the checkout that it ran in"

// gone reports whether the tree is no checkout any more.
func (p *place) gone() bool {
	_, err := os.Lstat(filepath.Join(p.ws.Dir(), ".git"))
	return errors.Is(err, os.ErrNotExist)
}

// forget is what follows from that: nothing is checked out, nothing is built.
func (h *hunt) forget() { h.place.at, h.place.built, h.warm = "", "", "" }

// notGone fails a run after which the checkout is gone.
func (h *hunt) notGone(t *trial) {
	if t == nil || !h.place.gone() {
		return
	}
	t.outcome, t.why, t.numbers, t.value = search.RunFailed, errGone, nil, metric.Value{}
	t.run.NotFound, t.run.Versions = false, nil // there is no tree to ask for submodules
	h.forget()
}

// notGoneBuild fails a build after which the checkout is gone.
func (h *hunt) notGoneBuild(ctx context.Context, res *bench.BuildResult, err error) error {
	if ctx.Err() != nil || !h.place.gone() {
		return err
	}
	res.Outcome, res.Detail, res.Tail = bench.BuildFailed, errGone, strings.TrimSpace(res.Tail+"\n"+errGone)
	res.NotFound, res.StaleArtifact, res.MissingArtifact = false, false, nil
	h.forget()
	return nil
}

// remake makes our tree anew where it was removed.
func (h *hunt) remake(ctx context.Context) error {
	p := h.place
	if !p.gone() {
		return nil
	}
	h.forget()
	if p.ws.Mode() == gitrepo.ModeInPlace {
		return &HintError{
			Err: fmt.Errorf("going on in %q: %s, and it is your own", p.ws.Dir(), errGone),
			Hints: []string{
				fmt.Sprintf("if it was renamed, give it its name back, then perfbisect stop %s puts everything back as it was", h.run.ID),
				"let the command work in a folder of its own, or use --checkout clone",
			},
		}
	}
	if h.child {
		return &HintError{Err: errors.New("checking out: " + errGone), Hints: []string{"let it work in a folder of its own"}}
	}
	opts, err := h.workspaceOptions(ctx, h.slot())
	if err != nil {
		return err
	}
	if err := p.ws.Close(ctx); err != nil {
		return err
	}
	ws, err := h.repo.Prepare(ctx, opts)
	if err != nil {
		h.place = nil // what is left of it is found by its marks
		return err
	}
	p.ws = ws
	return nil
}
