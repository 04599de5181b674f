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

	"github.com/google/renameio/v2"
)

// markName is the file in a clone's .git folder that says that it is complete,
// and whose.
const markName = "perfbisect.json"

// mark is the content of that file.
type mark struct {
	Version int    `json:"version"`
	Common  string `json:"common"`
	Run     string `json:"run"`
}

func (w *Workspace) wantMark() mark { return mark{1, w.repo.common, w.opts.Run} }

// makeClone makes or repairs the shared clone at Dir.
func (w *Workspace) makeClone(ctx context.Context) error {
	w.gitDir = filepath.Join(w.dir, ".git")
	if err := w.claim(w.dir); err != nil {
		return err
	}
	if !w.reusable(ctx) {
		if err := w.clone(ctx); err != nil {
			return err
		}
	}
	return w.loadHarness(ctx, w.dir+".harness")
}

// claim takes the owner lock of a folder, and refuses a folder that was never
// ours: everything in it is deleted sooner or later.
func (w *Workspace) claim(dir string) error {
	if !ours(dir, w.gitDir) {
		return fmt.Errorf("folder %q exists and is not ours: refusing to replace it", dir)
	}
	if err := w.record("prepare", ""); err != nil {
		return err
	}
	lock, err := takeLock(dir+".lock", w.repo.common, w.opts.Run)
	if err != nil {
		return errors.Join(err, w.record("closed", ""))
	}
	w.lock = lock
	return nil
}

// ours says whether a folder may be deleted: it is not there, it is empty, our
// mark says that it is ours, or our lock file is beside it. That is only ever
// made where one of the other three was true.
func ours(dir, gitDir string) bool {
	if _, err := os.Lstat(dir + ".lock"); err == nil {
		return true
	}
	if _, err := readMark(gitDir); err == nil {
		return true
	}
	entries, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0
}

func readMark(gitDir string) (m mark, err error) {
	data, err := os.ReadFile(filepath.Join(gitDir, markName))
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	return m, err
}

func (w *Workspace) writeMark(gitDir string) error {
	data, err := json.Marshal(w.wantMark())
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(gitDir, markName), data, 0o600)
}

// reusable says whether a killed process of the same run left a whole tree,
// and repairs it: removes lock files, checks that the index can be read.
func (w *Workspace) reusable(ctx context.Context) bool {
	if m, err := readMark(w.gitDir); err != nil || m != w.wantMark() {
		return false
	}
	removeLocks(w.gitDir, w.locks())
	_, err := w.git().run(ctx, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
	return err == nil
}

// clone makes a new one. The clone's own configuration is the user's, by
// inclusion, and on top of it what keeps it ours.
func (w *Workspace) clone(ctx context.Context) error {
	if err := removeHarness(w.dir); err != nil {
		return err
	}
	if err := cloneInto(ctx, w.git(), w.repo.common, w.dir); err != nil {
		return err
	}
	for _, f := range []func(context.Context) error{w.inheritConfig, w.inheritInfo, w.inheritReplacements} {
		if err := f(ctx); err != nil {
			return err
		}
	}
	return w.writeMark(w.gitDir)
}

// cloneInto replaces dir by a clone of source that has its objects by reference
// if source is a local path, and no files yet.
func cloneInto(ctx context.Context, c command, source, dir string) error {
	if err := removeAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	c.dir = filepath.Dir(dir)
	_, err := c.run(ctx, "clone", "--quiet", "--shared", "--no-checkout", "--no-recurse-submodules", "--template=", "--origin=origin",
		"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "advice.detachedHead=false", "--", source, dir)
	return err
}

// inheritConfig makes filters, line ends, submodule and LFS settings those of
// the user's repository, without copying secrets, and sets the URL against
// which relative submodule URLs are resolved.
func (w *Workspace) inheritConfig(ctx context.Context) error {
	url, err := w.repo.defaultURL(ctx)
	if err != nil {
		return err
	}
	settings := map[string]string{"remote.origin.url": url}
	if _, err := w.repo.git().run(ctx, "config", "--local", "--get", "core.worktree"); err == nil {
		settings["core.worktree"] = w.dir
	}
	if storage, err := w.repo.git().line(ctx, "config", "--type=path", "--get", "lfs.storage"); err == nil && !filepath.IsAbs(storage) {
		settings["lfs.storage"] = filepath.Join(w.repo.common, storage)
	}
	for key, value := range settings {
		if _, err := w.git().run(ctx, "config", "--local", key, value); err != nil {
			return err
		}
	}
	path := filepath.Join(w.gitDir, "config")
	own, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	// Before our own settings: the last one wins.
	included := include(filepath.Join(w.repo.common, "config")) + include(filepath.Join(w.repo.gitDir, "config.worktree"))
	return renameio.WriteFile(path, append([]byte(included), own...), 0o600)
}

func include(path string) string {
	return "[include]\n\tpath = \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(path) + "\"\n"
}

// defaultURL is the URL of the remote that git takes for the checkout's own
// (that of its branch, else origin); without one, the checkout itself, as git
// does for relative submodule URLs.
func (r *Repo) defaultURL(ctx context.Context) (string, error) {
	remote := "origin"
	if branch, err := r.git().line(ctx, "symbolic-ref", "--quiet", "--short", "HEAD"); err == nil {
		if name, err := r.git().line(ctx, "config", "--get", "branch."+branch+".remote"); err == nil && name != "" && name != "." {
			remote = name
		}
	}
	url, err := r.git().line(ctx, "config", "--get", "remote."+remote+".url")
	switch {
	case exitCode(err) == 1 || err == nil && url == "":
		return r.root, nil
	case err != nil:
		return "", err
	case strings.HasPrefix(url, "./"), strings.HasPrefix(url, "../"):
		return filepath.Join(r.root, url), nil
	}
	return url, nil
}

// inheritInfo copies what is no configuration: attributes, excludes, and which
// files a sparse checkout holds.
func (w *Workspace) inheritInfo(ctx context.Context) error {
	info := filepath.Join(w.gitDir, "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"attributes", "exclude", "sparse-checkout"} {
		src, err := w.repo.git().line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "info/"+name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(src)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(info, name), data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inheritReplacements copies replace references: a clone takes branches and tags
// only, and a checkout must give the tree that the user's git would give.
func (w *Workspace) inheritReplacements(ctx context.Context) error {
	refs, err := w.repo.git().run(ctx, "for-each-ref", "--format=create %(refname) %(objectname)", "refs/replace/")
	if err != nil || len(refs) == 0 {
		return err
	}
	c := w.git()
	c.stdin = strings.NewReader(string(refs))
	_, err = c.run(ctx, "update-ref", "--stdin")
	return err
}

func (w *Workspace) removeClone(context.Context) error {
	return errors.Join(removeHarness(w.dir), removeAll(w.dir))
}
