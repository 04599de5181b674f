package gitrepo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Mode is the kind of tree that is stepped from commit to commit.
type Mode string

// The three kinds of trees.
const (
	// ModeClone: our own shared clone. Nothing is written into the user's
	// repository, so nothing that kills us can harm it.
	ModeClone Mode = "clone"
	// ModeWorktree: a linked worktree. Needed where objects must come through
	// the user's repository (shallow and partial clones).
	ModeWorktree Mode = "worktree"
	// ModeInPlace: the user's own checkout, saved before and restored after.
	ModeInPlace Mode = "in-place"
)

// What is removed from the tree after each checkout.
const (
	CleanNone    = "none"    // nothing: incremental builds stay warm
	CleanIgnored = "ignored" // ignored files: build products
	CleanAll     = "all"     // ignored and untracked files
)

// Overlay is a file or folder that is laid over every checkout.
type Overlay struct {
	Src  string // absolute or relative to the current folder
	Dest string // relative to the tree; "": where Src is in the user's checkout, else its base name
}

// BenchFrom freezes paths at one commit: after every checkout they are as they
// were there, files that it lacks are removed.
type BenchFrom struct {
	Hash  string
	Paths []string // literal paths from the root, no pathspecs
}

// WorkspaceOptions says what tree is wanted. Overlays and patches are copied
// when the workspace is prepared, so editing them later changes nothing.
type WorkspaceOptions struct {
	Mode Mode // "": ModeClone
	// Dir is where our tree goes; what is put next to it begins with the same
	// name. In-place mode ignores it.
	Dir string
	// Run names the hunt. A tree left by a killed process is used again by the
	// same run, warm build and all, and thrown away by any other.
	Run        string
	Overlays   []Overlay
	Patches    []string // files that git apply reads
	Clean      string   // CleanNone ("" too), CleanIgnored or CleanAll
	Submodules bool
	BenchFrom  BenchFrom
	// AllowForce lets an in-place step overwrite untracked and ignored files
	// of the user (they are saved first and come back at the end).
	AllowForce bool
	// Record is called before each effect with one line of text that Recover
	// understands. If it fails the effect does not happen.
	Record func(step string) error
}

// Workspace is one tree that is stepped from commit to commit. It is for one
// goroutine at a time.
type Workspace struct {
	repo    *Repo
	opts    WorkspaceOptions
	mode    Mode
	why     string
	dir     string
	gitDir  string // with the tree's HEAD and index
	lock    *ownerLock
	harness harness
	saved   *inPlace // in-place mode only
	notes   []string
	subs    []string        // folders of the submodules checked out last
	absent  map[string]bool // URLs of submodules that neither the user nor their server has
	closed  bool
}

// Dir is the top folder of the tree: a constant path for all commits.
func (w *Workspace) Dir() string { return w.dir }

// Mode is the kind of tree that was made, which may not be the one asked for.
func (w *Workspace) Mode() Mode { return w.mode }

// Why says in one sentence why the mode is another than the one asked for; ""
// if it is not.
func (w *Workspace) Why() string { return w.why }

// Notes are things that the user should know, after Prepare and after Close.
func (w *Workspace) Notes() []string { return w.notes }

// step is what Record gets, as one line of JSON.
type step struct {
	Op     string `json:"op"` // prepare, checkout, close, closed
	Mode   Mode   `json:"mode"`
	Dir    string `json:"dir"`
	Common string `json:"common"`
	Run    string `json:"run,omitempty"`
	Hash   string `json:"hash,omitempty"`
}

func (w *Workspace) record(op, hash string) error {
	if w.opts.Record == nil {
		return nil
	}
	line, err := json.Marshal(step{Op: op, Mode: w.mode, Dir: w.dir, Common: w.repo.common, Run: w.opts.Run, Hash: hash})
	if err != nil {
		return err
	}
	if err := w.opts.Record(string(line)); err != nil {
		return fmt.Errorf("recording step %q: %w", op, err)
	}
	return nil
}

// Prepare makes the tree, without any commit checked out yet (in-place: saves
// the user's). A *BusyError says that a live process has it, a *RefusedError
// that the user's checkout is in no state to be used in place.
func (r *Repo) Prepare(ctx context.Context, o WorkspaceOptions) (*Workspace, error) {
	if o.Mode == "" {
		o.Mode = ModeClone
	}
	if o.Clean == "" {
		o.Clean = CleanNone
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	w := &Workspace{repo: r, opts: o, mode: o.Mode, dir: o.Dir}
	if err := w.chooseMode(ctx); err != nil {
		return nil, err
	}
	make := map[Mode]func(context.Context) error{ModeClone: w.makeClone, ModeWorktree: w.makeLinked, ModeInPlace: w.enterInPlace}
	if err := make[w.mode](ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("preparing %s of %q: %w", w.mode, r.root, err), w.giveUp(ctx))
	}
	return w, nil
}

// giveUp ends a Prepare that did not come to its end. A half-made tree is
// removed; a whole one, with its warm build, and the lock file that says whose
// it is, wait for the next try or for Recover.
func (w *Workspace) giveUp(ctx context.Context) error {
	if w.lock == nil {
		return nil
	}
	if w.mode == ModeInPlace {
		w.lock.release()
		return nil
	}
	if _, err := readMark(w.gitDir); err == nil {
		w.lock.abandon()
		return nil
	}
	if err := w.end()(ctx); err != nil {
		w.lock.abandon()
		return err
	}
	w.lock.release()
	return w.record("closed", "")
}

func (w *Workspace) end() func(context.Context) error {
	return map[Mode]func(context.Context) error{ModeClone: w.removeClone, ModeWorktree: w.removeLinked, ModeInPlace: w.leaveInPlace}[w.mode]
}

func (o WorkspaceOptions) check() error {
	switch {
	case o.Mode != ModeClone && o.Mode != ModeWorktree && o.Mode != ModeInPlace:
		return fmt.Errorf("checkout mode %q: want %s, %s or %s", o.Mode, ModeClone, ModeWorktree, ModeInPlace)
	case o.Clean != CleanNone && o.Clean != CleanIgnored && o.Clean != CleanAll:
		return fmt.Errorf("clean policy %q: want %s, %s or %s", o.Clean, CleanNone, CleanIgnored, CleanAll)
	case o.Mode == ModeInPlace && o.Clean != CleanNone:
		return &RefusedError{Reason: fmt.Sprintf("clean policy %q would delete your own untracked files", o.Clean), Hint: "use clone mode, or clean policy none"}
	case o.Mode != ModeInPlace && !filepath.IsAbs(o.Dir):
		return fmt.Errorf("workspace folder %q is not an absolute path", o.Dir)
	case len(o.BenchFrom.Paths) > 0:
		return checkHashes(o.BenchFrom.Hash)
	}
	return nil
}

// chooseMode takes a worktree where a shared clone cannot work: it borrows
// objects by path, and neither a shallow boundary nor a promise to fetch
// missing objects is part of what is borrowed.
func (w *Workspace) chooseMode(ctx context.Context) error {
	if w.mode != ModeClone {
		return nil
	}
	partial, err := w.repo.partial(ctx)
	if err != nil {
		return err
	}
	switch {
	case partial:
		w.mode, w.why = ModeWorktree, "a linked worktree is used because the repository is a partial clone, whose missing files only it can fetch"
	case strings.ContainsRune(w.repo.common, '\n'):
		w.mode, w.why = ModeWorktree, "a linked worktree is used because the repository's path holds a newline, which git's list of shared object folders cannot"
	case w.repo.shallow:
		w.mode, w.why = ModeWorktree, "a linked worktree is used because the repository is a shallow clone, which cannot be shared"
	}
	return nil
}

// git is a command in the tree that may take long and holds our lock.
func (w *Workspace) git() command {
	c := command{dir: w.dir, limit: moveLimit}
	if w.lock != nil {
		c.hold = w.lock.file
	}
	return c
}

// Changed says what a checkout did.
type Changed struct {
	FromTo   string // "<from>..<to>", full hashes; from is empty at first
	Files    int    // paths that differ between the two commits; all files at first
	Warnings []string
}

// Checkout puts the tree at a commit, HEAD detached. Files that do not differ
// keep their modification times, also those that overlays and patches touch, so
// that incremental builds stay warm. Changes to tracked files that a build or
// benchmark made are dropped. The order is: checkout, submodules, clean,
// BenchFrom, overlays, patches. What can be lived with (a patch that does not
// apply) is a warning.
func (w *Workspace) Checkout(ctx context.Context, hash string) (Changed, error) {
	return w.checkout(ctx, hash, w.opts.Clean)
}

// PutBack is Checkout without the clean policy: what a build made at that commit
// before something moved HEAD stays.
func (w *Workspace) PutBack(ctx context.Context, hash string) (Changed, error) {
	return w.checkout(ctx, hash, CleanNone)
}

func (w *Workspace) checkout(ctx context.Context, hash, clean string) (Changed, error) {
	var ch Changed
	if err := checkHashes(hash); err != nil {
		return ch, fmt.Errorf("checking out: %w", err)
	}
	if w.closed {
		return ch, errors.New("checking out: the workspace is closed")
	}
	if err := w.record("checkout", hash); err != nil {
		return ch, err
	}
	from := w.current(ctx)
	before := w.harness.stamps(w.dir)
	var counting errgroup.Group
	var files int
	counting.Go(func() (err error) { // beside the checkout, as it only reads objects
		files, err = w.countChanged(ctx, from, hash)
		return err
	})
	defer func() { _ = counting.Wait() }()
	if err := w.move(ctx, from, hash, &ch); err != nil {
		return ch, fmt.Errorf("checking out %.12s: %w", hash, err)
	}
	if err := w.dress(ctx, hash, clean, &ch); err != nil {
		return ch, fmt.Errorf("preparing the tree of %.12s: %w", hash, err)
	}
	before.keep(w.dir)
	ch.FromTo = from + ".." + hash
	err := counting.Wait()
	ch.Files = files
	return ch, err
}

// Head is the full hash of the commit that HEAD of the tree names now, whoever
// put it there, or "" when there is none. As Checkout leaves HEAD this runs no git.
func (w *Workspace) Head(ctx context.Context) string { return w.current(ctx) }

// CommittedOn reports whether HEAD is a commit that was made on top of hash in
// this tree: a descendant that no ref has.
func (w *Workspace) CommittedOn(ctx context.Context, hash string) bool {
	head := w.current(ctx)
	if head == "" || head == hash {
		return false
	}
	if _, err := w.git().run(ctx, "merge-base", "--is-ancestor", hash, head); err != nil {
		return false
	}
	ref, err := w.git().run(ctx, "for-each-ref", "--count=1", "--contains", head)
	return err == nil && len(ref) == 0
}

// current is the commit that the tree is at, "" before the first checkout: a
// new clone has a HEAD and no index.
func (w *Workspace) current(ctx context.Context) string {
	if _, err := os.Stat(filepath.Join(w.gitDir, "index")); err != nil {
		return ""
	}
	if head, err := os.ReadFile(filepath.Join(w.gitDir, "HEAD")); err == nil && isHash(strings.TrimSpace(string(head))) {
		return strings.TrimSpace(string(head)) // as we leave it
	}
	hash, _ := w.git().line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return hash
}

func (w *Workspace) move(ctx context.Context, from, hash string, ch *Changed) error {
	if w.mode == ModeInPlace {
		return w.stepInPlace(ctx, hash, ch)
	}
	if w.opts.Submodules {
		if err := w.dropSubmodules(ctx, from, hash); err != nil {
			return err
		}
	}
	return w.forceTo(ctx, hash)
}

// forceTo checks out in a tree of ours. A lock of a git that was killed there
// is ours to remove: nobody else works in it, and the owner lock says that no
// git of ours is left.
func (w *Workspace) forceTo(ctx context.Context, hash string) error {
	args := []string{"checkout", "--force", "--quiet", "--detach", "--no-recurse-submodules", hash}
	_, err := w.git().run(ctx, args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if !removeLocks(w.gitDir, w.locks()) {
		return err
	}
	_, err = w.git().run(ctx, args...)
	return err
}

// treeLocks block one checkout. The further ones block a whole repository: in
// the user's they may be those of a git that runs.
var (
	treeLocks  = []string{"index.lock", "HEAD.lock"}
	cloneLocks = append([]string{"config.lock", "packed-refs.lock", "shallow.lock"}, treeLocks...)
)

func removeLocks(gitDir string, names []string) (removed bool) {
	for _, name := range names {
		if os.Remove(filepath.Join(gitDir, name)) == nil {
			removed = true
		}
	}
	return removed
}

// locks are those that may be removed in our tree.
func (w *Workspace) locks() []string {
	if w.mode == ModeClone {
		return cloneLocks
	}
	return treeLocks
}

// dress does to the tree of one commit what the caller asked for.
func (w *Workspace) dress(ctx context.Context, hash, clean string, ch *Changed) error {
	if w.opts.Submodules && w.mode != ModeInPlace {
		warnings, err := w.updateSubmodules(ctx, hash)
		ch.Warnings = append(ch.Warnings, warnings...)
		if err != nil {
			return err
		}
	}
	if err := w.clean(ctx, clean); err != nil {
		return err
	}
	if w.lfsMissing() {
		ch.Warnings = append(ch.Warnings, "files kept in Git LFS are pointers only: git-lfs is not installed")
	}
	warnings, err := w.harness.lay(ctx, w.git())
	ch.Warnings = append(ch.Warnings, warnings...)
	return err
}

func (w *Workspace) clean(ctx context.Context, policy string) error {
	flag, ok := map[string]string{CleanIgnored: "-ffdXq", CleanAll: "-ffdxq"}[policy]
	if !ok {
		return nil
	}
	if _, err := w.git().run(ctx, "clean", flag); err != nil {
		return err
	}
	for _, sub := range w.subs {
		c := w.git()
		c.dir = sub
		if _, err := c.run(ctx, "clean", flag); err != nil {
			return err
		}
	}
	return nil
}

// lfsMissing looks at the top-level attributes only: enough for a warning.
func (w *Workspace) lfsMissing() bool {
	attributes, err := os.ReadFile(filepath.Join(w.dir, ".gitattributes"))
	if err != nil || !strings.Contains(string(attributes), "filter=lfs") {
		return false
	}
	_, err = exec.LookPath("git-lfs")
	return err != nil
}

func (w *Workspace) countChanged(ctx context.Context, from, to string) (n int, err error) {
	if from == to {
		return 0, nil
	}
	args := []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to}
	if from == "" {
		args = []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", to}
	}
	out, err := w.git().run(ctx, args...)
	return strings.Count(string(out), "\x00"), err
}

// Close removes our tree, or puts the user's back exactly as it was. It may be
// called again, also after an error.
func (w *Workspace) Close(ctx context.Context) error {
	if w.closed {
		return nil
	}
	if err := w.record("close", ""); err != nil {
		return err
	}
	if err := w.end()(ctx); err != nil {
		return fmt.Errorf("closing %s of %q: %w", w.mode, w.repo.root, err)
	}
	w.closed = true
	w.lock.release()
	return w.record("closed", "")
}

// Abandon lets go of a tree that could not be closed, as if this process had been
// killed, so that Recover can have it.
func (w *Workspace) Abandon() {
	if w.lock == nil || w.lock.file == nil {
		return
	}
	w.lock.owner.PID, w.lock.owner.Start = 0, ""
	_ = w.lock.write() // else it names this process, which holds it no more
	w.lock.abandon()
}

// removeAll is os.RemoveAll for trees that builds left read-only, or that a
// dying process still writes to.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	for try := 0; err != nil && try < 3; try++ {
		_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(p, 0o700)
			}
			return nil
		})
		err = os.RemoveAll(path)
	}
	return err
}

// Leave gives a clone back without removing it: a later Prepare of the same
// run finds it with its warm build. Trees of the other modes touch the user's
// repository and are closed, and so is a clone that lost its mark to a benchmark:
// once the lock is gone nothing would tell that it is ours.
func (w *Workspace) Leave(ctx context.Context) error {
	if _, err := readMark(w.gitDir); w.closed || w.mode != ModeClone || err != nil {
		return w.Close(ctx)
	}
	w.closed = true
	w.lock.release()
	return nil
}
