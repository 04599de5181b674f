package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/proc"
	"perfbisect/internal/session"
)

// place is where commits are checked out, built and run.
type place struct {
	ws     *gitrepo.Workspace
	trees  *trees
	runner *bench.Runner
	at     string // commit that is checked out; "" when unknown
	built  string // commit that is built in the tree; "" when none

	slot   string        // path at which our own trees lie
	dumper *bench.Runner // of machine code; nil until needed
	dumps  string        // run whose command it runs
}

// takeSlot opens the repository and takes its slot: one hunt at a time has it.
func (h *hunt) takeSlot(ctx context.Context) error {
	if err := h.openRepo(ctx); err != nil || h.unlock != nil || h.child {
		return err
	}
	alive, err := h.app.ownLife()
	if err != nil {
		return err
	}
	path := filepath.Join(h.slotDir(), "lock")
	err = fs.ErrNotExist
	for try := 0; errors.Is(err, fs.ErrNotExist) && try < 10; try++ { // the last owner removes the folder
		if err := os.MkdirAll(h.slotDir(), 0o700); err != nil {
			return fmt.Errorf("making our folder: %w", err)
		}
		h.unlock, err = session.Acquire(path, "run "+h.run.ID, alive)
	}
	if err != nil {
		return h.app.taken(fmt.Errorf("taking the slot of %s: %w", h.spec.Repo, err))
	}
	return nil
}

// taken adds to an error what the run that has the slot does there, and how to
// have the slot. A run that only waits holds it where its tree is a part of the
// user's repository.
func (a *App) taken(err error) error {
	var locked *session.LockedError
	if !errors.As(err, &locked) {
		return err
	}
	id, ok := strings.CutPrefix(locked.Owner.What, "run ")
	if !ok {
		return err
	}
	run, oerr := a.store.Open(id)
	if oerr != nil {
		return &HintError{Err: err, Hints: []string{"run " + id + " is kept in another folder: perfbisect status " + id + " with the --state-dir that it was begun with tells what it does"}}
	}
	does := "it works there now: perfbisect wait " + id + " (tool bisect_status) returns when it is done"
	if _, s, _ := read(run); s.Question != nil {
		does = "it waits for an answer: perfbisect status " + id + " (tool bisect_status) shows the question, perfbisect answer " + id + " ANSWER (tool bisect_answer) goes on"
	}
	return &HintError{Err: err, Hints: []string{
		does,
		"to have the repository now: perfbisect stop --pause " + id + " (tool bisect_stop) interrupts it, perfbisect resume " + id + " goes on with it later",
	}}
}

// giveSlot lets the next hunt have the slot.
func (h *hunt) giveSlot() {
	if h.unlock == nil {
		return
	}
	h.unlock()
	h.unlock = nil
	_ = os.Remove(h.slotDir()) // stays unless empty
}

func (h *hunt) slotDir() string { return filepath.Join(h.app.cfg.CacheDir, h.repo.ID()) }

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
	ws, err := h.repo.Prepare(ctx, opts)
	if err != nil {
		return nil, err
	}
	p := &place{ws: ws, trees: &trees{run: h.run.ID, slot: slot, cp: supervisor, keep: map[string]bool{}}}
	if err := errors.Join(p.trees.clearOthers(), h.removeOtherCaches()); err != nil {
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

func (h *hunt) workspaceOptions(ctx context.Context, slot string) (gitrepo.WorkspaceOptions, error) {
	o := gitrepo.WorkspaceOptions{
		Mode: gitrepo.Mode(h.spec.Checkout), Dir: slot, Run: h.run.ID, Patches: h.spec.applied(), Clean: h.spec.Clean, Submodules: true,
		AllowForce: h.state.View.Answers["force"] == "yes",
		Record:     h.recordTree,
	}
	for _, overlay := range h.spec.Overlay {
		src, dest := splitOverlay(overlay)
		o.Overlays = append(o.Overlays, gitrepo.Overlay{Src: src, Dest: dest})
	}
	if h.spec.BenchFrom != "" {
		rev, paths, _ := strings.Cut(h.spec.BenchFrom, ":")
		hash, err := h.hash(ctx, rev)
		if err != nil {
			return o, fmt.Errorf("bench-from: %w", err)
		}
		o.BenchFrom = gitrepo.BenchFrom{Hash: hash, Paths: h.benchPaths(paths)}
		if len(o.BenchFrom.Paths) == 0 {
			return o, fmt.Errorf("bench-from is %q: name the paths of the benchmark as REV:PATH,PATH", h.spec.BenchFrom)
		}
	}
	return o, nil
}

// benchPaths splits the paths of --bench-from. Without any, the words of the
// benchmark command that are files of the repository are meant.
func (h *hunt) benchPaths(list string) []string {
	if list != "" {
		return strings.Split(list, ",")
	}
	words := h.spec.BenchArgv
	if len(words) == 0 {
		words = strings.Fields(h.spec.BenchCmd)
	}
	var paths []string
	for _, w := range words {
		w = strings.TrimPrefix(w, "./")
		if filepath.IsLocal(w) {
			if _, err := os.Stat(filepath.Join(h.spec.Repo, w)); err == nil && w != "." {
				paths = append(paths, w)
			}
		}
	}
	return paths
}

// benchConfig says what is built and run. With an isa: metric the command that
// dumps machine code takes the benchmark's place.
func (h *hunt) benchConfig(ctx context.Context, supervisor *proc.Supervisor, dir string) (bench.Config, error) {
	c := bench.Config{
		Dir: dir, Bench: h.spec.bench(), Timeout: seconds(h.spec.TimeoutS), BuildTimeout: seconds(h.spec.BuildTimeoutS),
		Env: h.spec.Env, CacheDir: h.caches(), ShareCaches: h.spec.ShareCaches, LogDir: h.run.LogDir(),
		Artifact: h.spec.Artifact, ExitMetric: h.spec.Metric == "exit",
		Guard: h.app.guard(supervisor, h.spec.MaxTempC), Versions: h.app.sharedVersions(supervisor),
	}
	if h.isa() {
		c.Bench = h.dumpCommand()
		c.Env = slices.Concat(dumpEnv(dumpDir(h.slot())), c.Env)
	}
	if h.spec.BuildCmd != "" {
		c.Build = shell(h.spec.BuildCmd)
	}
	var err error
	c.BuildFor, err = h.buildFor(ctx)
	return c, err
}

// buildFor reads RANGE=CMD: the commits that RANGE (A..B, or one commit) names
// are built by CMD.
func (h *hunt) buildFor(ctx context.Context) ([]bench.RangeCommand, error) {
	var list []bench.RangeCommand
	for _, text := range h.spec.BuildFor {
		span, cmd, ok := strings.Cut(text, "=")
		if !ok || span == "" || cmd == "" {
			return nil, fmt.Errorf("build-for is %q, must be RANGE=CMD, for example v1.0..v1.2='make old'", text)
		}
		commits, err := h.commitsOf(ctx, span)
		if err != nil {
			return nil, fmt.Errorf("build-for %q: %w", text, err)
		}
		list = append(list, bench.RangeCommand{Range: span, Commits: commits, Argv: shell(cmd)})
	}
	return list, nil
}

// commitsOf resolves A..B (A excluded), ..B (from good on, which is in it), A..
// (to bad) or a single revision.
func (h *hunt) commitsOf(ctx context.Context, span string) (map[string]bool, error) {
	from, to, isRange := strings.Cut(span, "..")
	if !isRange {
		hash, err := h.hash(ctx, span)
		return map[string]bool{hash: true}, err
	}
	commits := map[string]bool{}
	var err error
	a, b := h.asked.Good, h.asked.Bad
	if from == "" {
		commits[a] = true
	} else if a, err = h.hash(ctx, from); err != nil {
		return nil, err
	}
	if to != "" {
		if b, err = h.hash(ctx, to); err != nil {
			return nil, err
		}
	}
	entries, err := h.repo.Range(ctx, a, b, gitrepo.RangeOptions{})
	for _, e := range entries {
		commits[e.Hash] = true
	}
	return commits, err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

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
	warm := p.trees.on && p.trees.built() == commit // left by an earlier process
	if p.trees.on && !warm {
		fetched, err := p.trees.fetch(commit)
		if err != nil || fetched {
			p.at, p.built = commit, commit
			return err
		}
		if err := errors.Join(p.trees.park(ctx, h.state.View.BuildS), p.trees.setBuilt("")); err != nil {
			return err
		}
	}
	tree, err := h.outerAt(ctx, commit)
	if err != nil {
		return err
	}
	changed, err := p.ws.Checkout(ctx, tree)
	if err != nil {
		return h.clash(ctx, commit, err)
	}
	if p.at, p.built = commit, ""; warm {
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
	var failed *gitrepo.GitError
	_, asked := h.state.View.Answers["force"]
	if h.place.ws.Mode() != gitrepo.ModeInPlace || !errors.As(err, &failed) || ctx.Err() != nil || asked {
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
		err = errors.Join(h.place.trees.clear(), closeTree(ctx, h.place.ws), removeBeside(h.slot(), h.run.ID))
	}
	h.place = nil
	h.giveSlot()
	return err
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

// removeOtherCaches removes the caches that paused runs left, as their trees are.
func (h *hunt) removeOtherCaches() error {
	all := filepath.Dir(h.caches())
	entries, err := os.ReadDir(all)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if e.Name() != h.run.ID {
			err = errors.Join(err, bench.RemoveTree(filepath.Join(all, e.Name())))
		}
	}
	return err
}

func (h *hunt) caches() string { return cachesOf(h.slot(), h.run.ID) }

func (h *hunt) slot() string { return slotIn(h.slotDir()) }
