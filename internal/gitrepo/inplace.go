package gitrepo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// In-place mode: the user's own checkout is saved, stepped, and restored.
//
// Never with git stash: it loses what was staged, leaves untracked files behind
// or refuses, shares one list with all worktrees, and its pop is a merge that
// can conflict. Instead a snapshot of the whole tree is committed under
// refs/perfbisect/ beside a copy of the index file, and the restore writes that
// very tree; there is no merge, so there can be no conflict.
//
// The journal folder .git/perfbisect is there exactly while the checkout is not
// the user's. Until its state is "saved" nothing of the user's was written.

// States of an in-place journal.
const (
	stateSaving    = "saving"    // the user's tree is untouched
	stateSaved     = "saved"     // the tree is ours to step
	stateRestoring = "restoring" // the tree is on its way back
)

// savedVersion is the newest version of the journal that this program reads.
const savedVersion = 1

// saved is the journal: all that a restore needs. Paths and names are bytes
// (base64 in JSON), because git's paths need not be UTF-8.
type saved struct {
	Version int       `json:"version"`
	State   string    `json:"state"`
	Run     string    `json:"run"`
	At      time.Time `json:"at"`
	Head    string    `json:"head"`             // hash
	Branch  []byte    `json:"branch,omitempty"` // full reference name; none: detached
	Work    string    `json:"work,omitempty"`   // tree of the files, untracked ones included
	Commit  string    `json:"commit,omitempty"` // of Work; its parents keep head, index and raw bytes
	Ref     string    `json:"ref,omitempty"`
	Sparse  bool      `json:"sparse,omitempty"`
	NoIndex bool      `json:"no_index,omitempty"` // there was no index file
	Shared  string    `json:"shared,omitempty"`   // name of a split index's shared part
	// Touched are the paths that overlays write, NUL-separated.
	Touched []byte `json:"touched,omitempty"`
	// Ignored are the files and folders that were ignored, NUL-separated: they
	// are the user's and never removed.
	Ignored []byte `json:"ignored,omitempty"`
	// Raw are files whose bytes the filters would not give back, as
	// NUL-separated "HASH PATH".
	Raw []byte `json:"raw,omitempty"`
	// Usual are the rights that most plain files, executable ones and folders
	// have, Modes those that have others, as NUL-separated "FILEMODE PATH".
	Usual [kinds]fs.FileMode `json:"usual_modes"`
	Modes []byte             `json:"modes,omitempty"`
	// Folders are those that held no file of the snapshot, NUL-separated.
	Folders []byte     `json:"folders,omitempty"`
	Subs    []savedSub `json:"submodules,omitempty"`
}

// savedSub is where a submodule's HEAD was.
type savedSub struct {
	Path   []byte `json:"path"`
	Head   string `json:"head"`
	Branch []byte `json:"branch,omitempty"`
}

// inPlace is an open journal.
type inPlace struct {
	repo  *Repo
	dir   string // the journal folder
	lock  *ownerLock
	s     saved
	notes []string
	kept  string // reference that keepCurrent made last
	moved bool   // a branch was moved meanwhile
	// unflagged: assume-unchanged and skip-worktree flags were taken off the
	// live index, so that steps really check files out.
	unflagged bool
}

const ownerFile = "owner.lock"

func journalFolder(gitDir string) string { return filepath.Join(gitDir, "perfbisect") }

func (p *inPlace) path(name string) string { return filepath.Join(p.dir, name) }

// git runs in the user's checkout and holds our lock. No reflog is made for
// our references, and reflog lines of ours do not look like a user's checkout,
// so that "git checkout -" still goes where it went.
func (p *inPlace) git() command {
	c := command{dir: p.repo.root, limit: moveLimit, flags: p.flags(), env: []string{"GIT_REFLOG_ACTION=perfbisect"}}
	if p.lock != nil {
		c.hold = p.lock.file
	}
	return c
}

func (p *inPlace) flags() []string {
	durable := "core.fsync=all"
	if p.repo.version.less(gitVersion{2, 36}) {
		durable = "core.fsyncObjectFiles=true"
	}
	return []string{"-c", durable, "-c", "core.logAllRefUpdates=false", "-c", "core.safecrlf=false", "-c", "submodule.recurse=false"}
}

// with runs git on an index file of ours.
func (p *inPlace) with(index string) command {
	c := p.git()
	c.flags = append(c.flags, "-c", "core.splitIndex=false", "-c", "core.untrackedCache=false", "-c", "index.sparse=false")
	c.env = append(c.env, "GIT_INDEX_FILE="+p.path(index))
	return c
}

// The journal is written twice, because nothing else knows what the user's
// checkout was. The copy comes first, so that it is never older than the journal:
// where that cannot be read, the copy may take its place.
const (
	journalFile = "journal.json"
	journalCopy = "journal.copy.json"
)

func (p *inPlace) store(state string) error {
	p.s.State = state
	data, err := json.Marshal(p.s)
	if err != nil {
		return err
	}
	for _, name := range []string{journalCopy, journalFile} {
		if err := renameio.WriteFile(p.path(name), data, 0o600); err != nil {
			return err
		}
	}
	return syncFolder(p.dir)
}

func (p *inPlace) load() error {
	s, err := p.read(journalFile)
	if err != nil {
		if copied, cerr := p.read(journalCopy); cerr == nil {
			s, err = copied, nil
		} else if errors.Is(err, fs.ErrNotExist) && errors.Is(cerr, fs.ErrNotExist) {
			s, err = saved{State: stateSaving}, nil // killed before the first write
		}
	}
	if err != nil {
		return p.lost(err)
	}
	p.s = s
	return nil
}

// read reads one of the two journals.
func (p *inPlace) read(name string) (s saved, err error) {
	data, err := os.ReadFile(p.path(name))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	switch {
	case err != nil:
		return s, err
	case s.Version > savedVersion:
		return s, fmt.Errorf("it is of version %d, and this perfbisect reads up to %d: a newer one wrote it", s.Version, savedVersion)
	case s.State != stateSaving && s.State != stateSaved && s.State != stateRestoring:
		return s, fmt.Errorf("its state is %q", s.State)
	case s.State != stateSaving && (!isHash(s.Head) || !isHash(s.Work)):
		return s, errors.New("head or work is missing")
	}
	return s, nil
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// PendingError says that a killed hunt left the checkout saved but not
// restored.
type PendingError struct{ Pending Pending }

func (e *PendingError) Error() string {
	return fmt.Sprintf("the checkout is still in the hands of in-place run %q, which was saved at %s and has not been restored", e.Pending.Run, e.Pending.At.Format(time.RFC3339))
}

// enterInPlace saves the user's tree, or takes over what a killed process of
// the same run saved.
func (w *Workspace) enterInPlace(ctx context.Context) error {
	if !w.repo.checkout {
		return &RefusedError{Reason: "the repository has no checkout"}
	}
	w.dir, w.gitDir = w.repo.root, w.repo.gitDir
	if err := w.record("prepare", ""); err != nil {
		return err
	}
	p, err := openJournal(ctx, w.repo, w.opts.Run)
	if err != nil {
		return err
	}
	w.lock, w.saved = p.lock, p
	if p.s.State != stateSaving {
		return w.takeOver(ctx)
	}
	return w.save(ctx)
}

// openJournal takes the lock in the journal folder, waiting for the git
// commands of a dead owner, and reads what is there.
func openJournal(ctx context.Context, r *Repo, run string) (*inPlace, error) {
	dir := journalFolder(r.gitDir)
	lock, err := takeLock(filepath.Join(dir, ownerFile), r.common, run)
	if err != nil {
		return nil, err
	}
	p := &inPlace{repo: r, dir: dir, lock: lock}
	if err := p.load(); err != nil {
		lock.abandon() // it says whose the journal is
		return nil, err
	}
	if err := p.removeSharedLocks(ctx); err != nil {
		lock.abandon()
		return nil, err
	}
	return p, nil
}

func (w *Workspace) takeOver(ctx context.Context) error {
	p := w.saved
	if p.s.Run != w.opts.Run || p.s.State != stateSaved {
		return &PendingError{p.pending(false)}
	}
	p.removeTreeLocks(ctx)
	// The user may have edited since the other process died.
	if err := p.keepCurrent(ctx, "resume"); err != nil {
		return err
	}
	p.noteKilled(ctx)
	return w.loadHarness(ctx, p.path("harness"))
}

func (w *Workspace) save(ctx context.Context) error {
	err := w.trySave(ctx)
	if err == nil {
		return nil
	}
	// Nothing of the user's was written yet.
	if w.saved.s.State == stateSaving {
		err = errors.Join(err, w.saved.discard(context.WithoutCancel(ctx)))
	}
	return err
}

func (w *Workspace) trySave(ctx context.Context) error {
	p := w.saved
	state, err := w.repo.State(ctx)
	if err != nil {
		return err
	}
	if err := refuse(state); err != nil {
		return err
	}
	branch, err := p.git().line(ctx, "symbolic-ref", "--quiet", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return err
	}
	p.s = saved{Version: savedVersion, Run: w.opts.Run, At: time.Now().UTC(), Head: state.Head, Branch: []byte(branch), Sparse: state.Sparse}
	if err := p.store(stateSaving); err != nil {
		return err
	}
	if err := removeAll(p.path("harness")); err != nil {
		return err
	}
	if err := w.loadHarness(ctx, p.path("harness")); err != nil {
		return err
	}
	p.s.Touched = []byte(strings.Join(w.harness.touched, "\x00"))
	if err := p.weigh(ctx); err != nil {
		return err
	}
	if err := p.snapshot(ctx, w.opts.Submodules); err != nil {
		return err
	}
	return p.store(stateSaved)
}

// muchUntracked is from where on a copy of untracked files is worth a note.
const muchUntracked = 1 << 30

// weigh notes it when untracked files are large: the snapshot copies them into
// the object database, where they stay until git gc after keepRefs.
func (p *inPlace) weigh(ctx context.Context) error {
	files, err := untracked(ctx, p.git())
	if err != nil {
		return err
	}
	var size int64
	for _, file := range files {
		if info, err := os.Lstat(filepath.Join(p.repo.root, file)); err == nil {
			size += info.Size()
		}
	}
	if size >= muchUntracked {
		p.notes = append(p.notes, fmt.Sprintf("%d untracked files of %d MiB were copied into the repository for the snapshot", len(files), size>>20))
	}
	return nil
}

// refuse names the states in which a checkout is not ours to move.
func refuse(s State) error {
	no := func(hint, format string, args ...any) error {
		return &RefusedError{Reason: fmt.Sprintf(format, args...), Hint: hint}
	}
	switch {
	case s.Unborn:
		return no("", "the branch has no commit yet")
	case len(s.InProgress) > 0:
		return no("finish or abort it first, or use clone mode", "a %s is in progress", strings.Join(s.InProgress, " and a "))
	case len(s.Unmerged) > 0:
		return no("resolve them first, or use clone mode", "%d unmerged paths, first %q", len(s.Unmerged), s.Unmerged[0])
	case len(s.DirtySubmodules) > 0:
		return no("commit or discard the changes there, or use clone mode", "submodule %q has changes of its own, which a snapshot does not hold", s.DirtySubmodules[0])
	case s.IndexLocked:
		return no("wait for the other git command, or remove .git/index.lock if there is none", "index.lock exists: another git command is running or was killed")
	}
	return nil
}

// stepInPlace moves the user's checkout to a commit. Tracked files are reset
// first (what that drops is in the snapshot, or was made by the benchmark);
// then the checkout is not forced: it stops at any untracked or ignored file of
// the user that the commit would overwrite.
func (w *Workspace) stepInPlace(ctx context.Context, hash string, ch *Changed) error {
	p := w.saved
	if !p.unflagged {
		if err := p.unflag(ctx, p.git()); err != nil {
			return err
		}
		p.unflagged = true
	}
	// What overlays left, else it would be an untracked file in the way of a
	// commit that tracks it. The user's own is in the snapshot.
	if err := removeFiles(p.repo.root, splitNUL(p.s.Touched)); err != nil {
		return err
	}
	err := stepTo(ctx, p.git(), hash)
	if err != nil && ctx.Err() == nil {
		err = w.stepOver(ctx, hash, err)
	}
	if err != nil || !w.opts.Submodules {
		return err
	}
	return w.stepSubmodules(ctx, hash, ch)
}

// lockPatience is how long a step waits for a lock of another git, such as one that
// an editor runs now and then.
const lockPatience = 5 * time.Second

// stepTo resets tracked files and checks a commit out.
func stepTo(ctx context.Context, c command, hash string) error {
	for begin := time.Now(); ; {
		err := tryStep(ctx, c, hash)
		if !isLocked(err) || time.Since(begin) > lockPatience {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func tryStep(ctx context.Context, c command, hash string) error {
	// Not reset --hard, which writes ORIG_HEAD.
	if _, err := c.run(ctx, "read-tree", "--reset", "-u", "HEAD"); err != nil {
		return err
	}
	_, err := c.run(ctx, "checkout", "--quiet", "--detach", "--no-overwrite-ignore", "--no-recurse-submodules", hash)
	return err
}

// stepOver goes on after a checkout that git refused, if that was because of files
// in the way and they may be overwritten.
func (w *Workspace) stepOver(ctx context.Context, hash string, refusal error) error {
	clash, err := w.saved.clash(ctx, hash)
	switch {
	case err != nil:
		return errors.Join(refusal, err)
	case w.opts.AllowForce:
		return w.stepForced(ctx, hash, clash)
	case len(clash) > 0 || wouldOverwrite(refusal):
		return &ClashError{refusal}
	}
	return refusal
}

// clash lists the files in the way of what hash has and HEAD has not.
func (p *inPlace) clash(ctx context.Context, hash string) (files []string, err error) {
	out, err := p.git().run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", "HEAD", hash)
	for _, path := range splitNUL(out) {
		files = append(files, inTheWay(p.repo.root, path)...)
	}
	return files, err
}

// stepForced adds what is in the way to the snapshot and then overwrites it.
func (w *Workspace) stepForced(ctx context.Context, hash string, clash []string) error {
	if err := w.saved.saveMore(ctx, clash); err != nil {
		return err
	}
	_, err := w.saved.git().run(ctx, "checkout", "--quiet", "--force", "--detach", "--no-recurse-submodules", hash)
	return err
}

// inTheWay lists the files that writing path would destroy: itself, a file
// where it needs a folder, all files below a folder where it needs a file.
func inTheWay(root, path string) (files []string) {
	parts := strings.Split(path, "/")
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		info, err := os.Lstat(filepath.Join(root, at))
		if err != nil {
			return nil
		}
		if !info.IsDir() {
			return []string{at}
		}
	}
	_ = filepath.WalkDir(filepath.Join(root, path), func(full string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, full)
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return files
}

// stepSubmodules moves the user's submodules to the pinned commits, as far as
// they have them: nothing is fetched into the user's repository.
func (w *Workspace) stepSubmodules(ctx context.Context, hash string, ch *Changed) error {
	links, err := gitlinks(ctx, w.saved.git(), hash)
	if err != nil {
		return err
	}
	for path, pinned := range links {
		c := w.saved.git()
		c.dir = filepath.Join(w.dir, path)
		if _, err := os.Lstat(filepath.Join(c.dir, ".git")); err != nil {
			continue // not initialised: not wanted
		}
		if _, err := c.run(ctx, "cat-file", "-e", pinned+"^{commit}"); err != nil {
			ch.Warnings = append(ch.Warnings, fmt.Sprintf("submodule %q stays where it is: it lacks commit %.12s, fetch it with: git submodule update %s", path, pinned, path))
			continue
		}
		if err := stepTo(ctx, c, pinned); err != nil {
			return fmt.Errorf("submodule %q: %w", path, err)
		}
	}
	return nil
}

func (w *Workspace) leaveInPlace(ctx context.Context) error {
	err := w.saved.restore(ctx, false)
	w.notes = append(w.notes, w.saved.notes...)
	return err
}

func splitNUL(b []byte) []string {
	s := strings.TrimSuffix(string(b), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}
