package gitrepo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestInPlaceRestoresEverything(t *testing.T) {
	r, hashes := messy(t)
	before := fingerprint(t, r.dir)
	repo := r.open()
	w, err := repo.Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "run 1"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "after the save", noJournal(before), noJournal(fingerprint(t, r.dir)))
	for i, h := range []string{hashes[2], hashes[0], hashes[4], hashes[5]} {
		if _, err := w.Checkout(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		if got, want := r.git("rev-parse", "HEAD"), h; got != want {
			t.Fatalf("HEAD %s, want %s", got, want)
		}
		if d := r.git("diff", "HEAD", "--stat"); d != "" {
			t.Errorf("step %d is not the commit's tree: %s", i, d)
		}
		// What a benchmark may do.
		r.write("a", "scribbled\n")
		r.write("made/by/benchmark", "m\n")
		r.git("add", "a")
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "after the restore", before, fingerprint(t, r.dir))
	if err := w.Close(t.Context()); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// noJournal leaves out what in-place mode may have while it runs.
func noJournal(f map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range f {
		if k != "left perfbisect" {
			out[k] = v
		}
	}
	return out
}

func TestInPlaceRefuses(t *testing.T) {
	tests := []struct {
		name, want string
		make       func(*testRepo)
	}{
		{"merge", "merge is in progress", func(r *testRepo) {
			r.git("checkout", "-q", "-b", "side", "HEAD~1")
			r.commit("side", "other", "x")
			r.git("merge", "-q", "--no-commit", "--no-ff", "main")
		}},
		{"bisect", "bisect is in progress", func(r *testRepo) { r.git("bisect", "start") }},
		{"rebase", "rebase is in progress", func(r *testRepo) {
			cmd := exec.Command("git", "rebase", "-q", "--force-rebase", "-x", "false", "HEAD~1") // stops at "false"
			cmd.Dir = r.dir
			_ = cmd.Run()
		}},
		{"index.lock", "index.lock exists", func(r *testRepo) { r.write(".git/index.lock", "") }},
		{"unborn", "no commit yet", func(r *testRepo) { r.git("checkout", "-q", "--orphan", "fresh") }},
		{"dirty submodule", "submodule \"sub\" has changes", func(r *testRepo) {
			addSubmodule(r, "sub")
			r.write("sub/f", "changed")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepo(t)
			r.commit("one", "f", "1")
			r.commit("two", "f", "2")
			tt.make(r)
			before := fingerprint(t, r.dir)
			_, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "x"})
			if _, ok := errors.AsType[*RefusedError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want a refusal with %q", err, tt.want)
			}
			same(t, "after the refusal", before, fingerprint(t, r.dir))
		})
	}
}

// addSubmodule adds a repository with two commits as a submodule, pinned to the
// second, and commits. It returns the submodule's hashes.
func addSubmodule(r *testRepo, path string) (first, second string) {
	r.t.Helper()
	origin := newRepo(r.t)
	first = origin.commit("s1", "f", "1\n")
	second = origin.commit("s2", "f", "2\n")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin.dir, path)
	r.git("commit", "-q", "-m", "add "+path)
	return first, second
}

func TestInPlaceStopsAtIgnoredFile(t *testing.T) {
	r := newRepo(t)
	r.git("config", "core.autocrlf", "true")
	a := r.commit("one", "local.env", "tracked\n")
	r.commit("two", "local.env", "-", ".gitignore", "local.env\n")
	r.write("local.env", "SECRET\nunix line ends\n")
	r.write(".gitignore", "local.env\n# unix line ends\n")
	before := fingerprint(t, r.dir)
	for _, force := range []bool{false, true} {
		w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "x", AllowForce: force})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Checkout(t.Context(), a)
		_, clashes := errors.AsType[*ClashError](err)
		if force && err != nil || !force && (!clashes || !strings.Contains(err.Error(), "local.env")) {
			t.Errorf("force %v: checkout over an ignored file: %v", force, err)
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, "after the restore", before, fingerprint(t, r.dir))
	}
}

func TestInPlaceKeepsEditsMadeMeanwhile(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n")
	r.commit("two", "f", "2\n")
	w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Checkout(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	r.write("notes.txt", "an hour's work\n")
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "notes.txt")); err == nil {
		t.Error("notes.txt is still there: the tree is not exactly what it was")
	}
	ref := r.git("for-each-ref", "--format=%(refname)", "refs/perfbisect/before-restore/")
	if got := r.git("show", ref+":notes.txt"); got != "an hour's work" {
		t.Errorf("kept notes.txt = %q", got)
	}
}

// Locks that are not of the checkout alone may be those of a git of the user's.
func TestInPlaceLeavesForeignLocks(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n")
	r.commit("two", "f", "2\n")
	w := prepare(t, r, WorkspaceOptions{Mode: ModeInPlace})
	checkout(t, w, a)
	r.write(".git/config.lock", "theirs")
	r.write(".git/packed-refs.lock", "theirs")
	r.write(".git/index.lock", "of a git of ours that was killed")
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".git/config.lock", ".git/packed-refs.lock"} {
		if got := readFile(t, filepath.Join(r.dir, name)); got != "theirs" {
			t.Errorf("%s = %q", name, got)
		}
	}
	if got := r.git("status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

func TestInPlaceBranchMovedMeanwhile(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n")
	b := r.commit("two", "f", "2\n")
	w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Checkout(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	r.git("update-ref", "refs/heads/main", a)
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.Notes()) != 1 || r.git("rev-parse", "HEAD") != b {
		t.Errorf("notes %q, HEAD %s, want one note and a detached %s", w.Notes(), r.git("rev-parse", "HEAD"), b)
	}
}

func TestInPlaceHarnessAndLineEnds(t *testing.T) {
	r := newRepo(t)
	r.git("config", "core.autocrlf", "true")
	a := r.commit("one", "f", "1\r\n", "bench.sh", "old\n")
	r.git("config", "filter.strip.clean", "grep -v output || true") // as nbstripout
	b := r.commit("two", "f", "2\r\n", ".gitignore", "ign\n", ".gitattributes", "*.ipynb filter=strip\n", "later/x", "tracked\n",
		"clean.ipynb", "code\noutput 1\n", "changed.ipynb", "code\noutput 1\n")
	r.write("changed.ipynb", "new code\noutput 2\n")
	r.git("checkout", "-q", "--detach")
	r.git("rm", "-q", "--cached", "later/x")
	r.git("commit", "-q", "-m", "three")
	os.RemoveAll(filepath.Join(r.dir, "later"))
	r.write("mixed", "dos\r\nunix\n") // no checkout gives these bytes back
	r.write("f", "2\nunix in a dos tree\n")
	r.write("ign", "mine\n")
	r.write("sub/ign", "a file where an overlay wants a folder\n")
	r.write("folder/ign", "a folder where an overlay wants a file\n")
	bench := filepath.Join(t.TempDir(), "bench.sh")
	writeFile(t, bench, "new\n")
	before := fingerprint(t, r.dir)
	w, err := r.open().Prepare(t.Context(), WorkspaceOptions{
		Mode: ModeInPlace, Run: "x",
		Overlays: []Overlay{{bench, ""}, {bench, "ign"}, {bench, "fresh/x"}, {bench, "later/x"}, {bench, "sub/ign/x"}, {bench, "folder"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Checkout(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	checkout(t, w, b) // tracks a file that was untracked, and the overlay's, until now
	for _, name := range []string{"bench.sh", "ign", "fresh/x", "later/x"} {
		if got := readFile(t, filepath.Join(r.dir, name)); got != "new\n" {
			t.Errorf("%s = %q, want the overlay", name, got)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "after the restore", before, fingerprint(t, r.dir))
}

func TestInPlaceSubmodulesKeepTheirBranch(t *testing.T) {
	r := newRepo(t)
	r.commit("one", "f", "1\n")
	first, _ := addSubmodule(r, "sub")
	run(t, filepath.Join(r.dir, "sub"), "git", "checkout", "-q", first)
	old := r.commit("pin the first")
	run(t, filepath.Join(r.dir, "sub"), "git", "checkout", "-q", "main")
	r.commit("pin the second")
	before := fingerprint(t, r.dir)
	w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "x", Submodules: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Checkout(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, filepath.Join(r.dir, "sub", "f")); got != "1\n" {
		t.Errorf("submodule at the old commit has f = %q", got)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "after the restore", before, fingerprint(t, r.dir))
	if got := run(t, filepath.Join(r.dir, "sub"), "git", "symbolic-ref", "--short", "HEAD"); got != "main" {
		t.Errorf("submodule is on %q, was on main", got)
	}
}

// A git that was killed in a submodule blocks neither the next step nor the
// restore, and a lock in the way of a step is no file of the user's in its way.
func TestInPlaceLockInSubmodule(t *testing.T) {
	r := newRepo(t)
	r.commit("one", "f", "1\n")
	first, _ := addSubmodule(r, "sub")
	run(t, filepath.Join(r.dir, "sub"), "git", "checkout", "-q", first)
	old := r.commit("pin the first")
	run(t, filepath.Join(r.dir, "sub"), "git", "checkout", "-q", "main")
	r.commit("pin the second")
	before := fingerprint(t, r.dir)
	o := WorkspaceOptions{Mode: ModeInPlace, Run: "x", Submodules: true}
	w := prepare(t, r, o)
	lock := ".git/modules/sub/HEAD.lock"
	r.write(lock, "")
	var clash *ClashError
	if _, err := w.Checkout(t.Context(), old); err == nil || errors.As(err, &clash) {
		t.Errorf("a step over a lock: %v", err)
	}
	time.AfterFunc(lockPatience/10, func() { os.Remove(filepath.Join(r.dir, lock)) })
	checkout(t, w, old) // another git's lock goes away
	r.write(lock, "")
	w.lock.abandon()
	forgetOwner(t, filepath.Join(r.dir, ".git/perfbisect/owner.lock"))
	w = prepare(t, r, o)
	checkout(t, w, old)
	if got := readFile(t, filepath.Join(r.dir, "sub", "f")); got != "1\n" {
		t.Errorf("submodule at the old commit has f = %q", got)
	}
	r.write(lock, "")
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "after the restore", before, fingerprint(t, r.dir))
}

// The process dies; the same run goes on, another one may not.
func TestInPlaceIsTakenOver(t *testing.T) {
	r, hashes := messy(t)
	before := fingerprint(t, r.dir)
	if p, err := InPlacePending(t.Context(), r.dir); err != nil || p != nil {
		t.Fatalf("pending before: %+v, %v", p, err)
	}
	w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Checkout(t.Context(), hashes[0]); err != nil {
		t.Fatal(err)
	}
	p, err := InPlacePending(t.Context(), filepath.Join(r.dir, "dir"))
	if err != nil || p == nil || p.Run != "r1" || p.State != stateSaved || !p.Alive || p.Branch != "refs/heads/main" || p.Head != hashes[5] {
		t.Fatalf("pending: %+v, %v", p, err)
	}
	w.lock.abandon()
	forgetOwner(t, filepath.Join(r.dir, ".git/perfbisect/owner.lock"))
	if p, err := InPlacePending(t.Context(), r.dir); err != nil || p.Alive {
		t.Errorf("pending of the dead: %+v, %v", p, err)
	}
	_, err = r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "r2"})
	if pe, ok := errors.AsType[*PendingError](err); !ok || pe.Pending.Run != "r1" {
		t.Errorf("another run: %v", err)
	}
	r.write("a", "edited after the death\n")
	w, err = r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	ref := r.git("for-each-ref", "--format=%(refname)", "refs/perfbisect/before-restore/")
	if got := r.git("show", ref+":a"); got != "edited after the death" {
		t.Errorf("the edit was not kept: %q", got)
	}
	if _, err := w.Checkout(t.Context(), hashes[3]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "after the restore", before, fingerprint(t, r.dir))
}

// inPlaceKind makes a checkout of the repository and returns its folder.
type inPlaceKind struct {
	name string
	make func(r *testRepo) string
}

// inPlaceKinds are the kinds of checkouts where an index is special.
var inPlaceKinds = []inPlaceKind{
	{"detached", func(r *testRepo) string { r.git("checkout", "-q", "--detach"); return r.dir }},
	{"sparse", func(r *testRepo) string {
		r.git("sparse-checkout", "set", "dir")
		return r.dir
	}},
	{"sparse index", func(r *testRepo) string {
		r.git("sparse-checkout", "set", "--cone", "--sparse-index", "dir")
		return r.dir
	}},
	{"split index", func(r *testRepo) string {
		r.git("update-index", "--split-index")
		r.write("renamed", "staged into the split index\n")
		r.git("add", "renamed")
		return r.dir
	}},
	{"index version 4, untracked cache", func(r *testRepo) string {
		r.git("update-index", "--index-version=4", "--untracked-cache")
		return r.dir
	}},
	{"linked worktree", func(r *testRepo) string {
		r.git("worktree", "add", "-q", "-b", "second", "../linked")
		return filepath.Join(filepath.Dir(r.dir), "linked")
	}},
	{"no index", func(r *testRepo) string {
		os.Remove(filepath.Join(r.dir, ".git/index"))
		return r.dir
	}},
}

func TestInPlaceKinds(t *testing.T) {
	for _, tt := range inPlaceKinds {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := history(t)
			at := &testRepo{t, tt.make(r)}
			at.write("dir/sub/deep", "changed\n")
			at.write("dir/new", "n\n")
			before := fingerprint(t, at.dir)
			w := prepare(t, at, WorkspaceOptions{Mode: ModeInPlace})
			for _, rev := range []string{"v1", "v2", "v1"} {
				checkout(t, w, r.git("rev-parse", rev+"^0"))
				if d := run(t, at.dir, "git", "diff", "--stat", "HEAD"); d != "" {
					t.Errorf("not the tree of %s: %s", rev, d)
				}
			}
			if err := w.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			same(t, "after the restore", before, fingerprint(t, at.dir))
		})
	}
}
