package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
)

// MinGit is the oldest git that is used: 2.31 brought rev-parse --path-format.
const MinGit = "2.31"

// Repo is one repository of the user. Its methods may be called from many
// goroutines.
type Repo struct {
	root    string // top of the checkout; the common folder if there is none
	gitDir  string // of this checkout: .git, or .git/worktrees/NAME
	common  string // shared by all worktrees, symbolic links resolved
	format  string // sha1 or sha256
	version gitVersion
	odb     *objects // nil: git reads

	checkout  bool // there is one
	shallow   bool // history ends early
	rewritten bool // replace references or grafts make history another one than in the objects
}

// Root is the top folder of the user's checkout, or CommonDir in a repository
// without one.
func (r *Repo) Root() string { return r.root }

// CommonDir is the folder with objects and references, shared by all linked
// worktrees, with symbolic links resolved.
func (r *Repo) CommonDir() string { return r.common }

// GitDir is the folder with this checkout's HEAD and index.
func (r *Repo) GitDir() string { return r.gitDir }

// ID names the repository in paths of ours: 16 hexadecimal digits, the same for
// all its worktrees, stable as long as the repository stays where it is.
func (r *Repo) ID() string {
	sum := sha256.Sum256([]byte(r.common))
	return hex.EncodeToString(sum[:8])
}

// Open finds the repository that dir lies in. Errors: ErrNotRepository,
// ErrGitMissing, ErrGitTooOld, ErrDubiousOwnership, or a GitError.
func Open(ctx context.Context, dir string) (*Repo, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("opening repository: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("opening repository %q: %w: it is a file", dir, ErrNotRepository)
	}
	r := &Repo{}
	if err := r.locate(ctx, dir); err != nil {
		return nil, openError(dir, err)
	}
	// Where replace references, grafts or a shallow boundary change history,
	// or where go-git knows no such objects, git reads everything.
	if !r.rewritten && !r.shallow && r.format == "sha1" {
		r.odb = newObjects(r.common)
	}
	return r, nil
}

func (r *Repo) git() command { return command{dir: r.root} }

// locate asks git all questions at once: they do not depend on each other, and
// starting git is what takes the time.
func (r *Repo) locate(ctx context.Context, dir string) error {
	at := command{dir: dir}
	var paths [3]string
	var versionErr, topErr error
	var ask errgroup.Group
	ask.Go(func() error { r.version, versionErr = readVersion(ctx); return nil })
	ask.Go(func() error { return r.readFacts(ctx, at) })
	ask.Go(func() error {
		replaced, err := at.run(ctx, "for-each-ref", "--count=1", "--format=x", "refs/replace/")
		r.rewritten = len(replaced) > 0
		return err
	})
	for i, question := range []string{"--git-common-dir", "--git-dir", "--show-toplevel"} {
		ask.Go(func() (err error) { // one call each: a path may hold a newline
			paths[i], err = at.line(ctx, "rev-parse", "--path-format=absolute", question)
			if i == 2 { // there may be no checkout
				topErr, err = err, nil
			}
			return err
		})
	}
	err := ask.Wait()
	if versionErr != nil { // explains all others
		return versionErr
	}
	if err != nil {
		return err
	}
	if r.checkout && topErr != nil {
		return topErr
	}
	return r.setPaths(paths)
}

func (r *Repo) setPaths(paths [3]string) (err error) {
	if r.common, err = filepath.EvalSymlinks(paths[0]); err != nil {
		return err
	}
	if r.gitDir, err = filepath.EvalSymlinks(paths[1]); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.common, "info", "grafts")); err == nil {
		r.rewritten = true
	}
	r.root = r.common
	if r.checkout {
		r.root = paths[2]
	}
	return nil
}

func (r *Repo) readFacts(ctx context.Context, at command) error {
	facts, err := at.line(ctx, "rev-parse", "--show-object-format", "--is-shallow-repository", "--is-inside-work-tree")
	if err != nil {
		return err
	}
	f := strings.Split(facts, "\n")
	if len(f) != 3 {
		return fmt.Errorf("git rev-parse in %q: unexpected answer %q", at.dir, facts)
	}
	r.format, r.shallow, r.checkout = f[0], f[1] == "true", f[2] == "true"
	return nil
}

func openError(dir string, err error) error {
	ge, ok := errors.AsType[*GitError](err)
	if !ok {
		return err
	}
	switch {
	case strings.Contains(ge.Stderr, "dubious ownership"):
		return fmt.Errorf("opening repository %q: %w: %s", dir, ErrDubiousOwnership, ge.Stderr)
	case strings.Contains(ge.Stderr, "not a git repository"):
		return fmt.Errorf("opening repository %q: %w", dir, ErrNotRepository)
	}
	return fmt.Errorf("opening repository: %w", err)
}

type gitVersion struct{ major, minor int }

func (v gitVersion) less(w gitVersion) bool {
	return v.major < w.major || v.major == w.major && v.minor < w.minor
}

var versionRE = regexp.MustCompile(`\b(\d+)\.(\d+)`)

func parseVersion(s string) (gitVersion, error) {
	m := versionRE.FindStringSubmatch(s)
	if m == nil {
		return gitVersion{}, fmt.Errorf("reading git's version: %q holds none", s)
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return gitVersion{major, minor}, nil
}

func readVersion(ctx context.Context) (gitVersion, error) {
	out, err := command{}.line(ctx, "version")
	if err != nil {
		return gitVersion{}, err
	}
	v, err := parseVersion(out)
	if err != nil {
		return gitVersion{}, err
	}
	if oldest, _ := parseVersion(MinGit); v.less(oldest) {
		return v, fmt.Errorf("%w: %q, at least %s is needed", ErrGitTooOld, out, MinGit)
	}
	return v, nil
}

var hashRE = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// isHash says whether s is a full hash. Everything that git is told to read or
// check out passes through here, so nothing can be taken for an option.
func isHash(s string) bool { return hashRE.MatchString(s) }

func checkHashes(hashes ...string) error {
	for _, h := range hashes {
		if !isHash(h) {
			return fmt.Errorf("%q is not a full commit hash", h)
		}
	}
	return nil
}
