package gitrepo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func prepare(t *testing.T, r *testRepo, o WorkspaceOptions) *Workspace {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "slot-0")
	}
	if o.Run == "" {
		o.Run = "r1"
	}
	w, err := r.open().Prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
		w.lock.release()
	})
	return w
}

func checkout(t *testing.T, w *Workspace, hash string) Changed {
	t.Helper()
	ch, err := w.Checkout(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

func wantFile(t *testing.T, w *Workspace, name, want string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.Dir(), name))
	if err != nil && want != "" || string(data) != want {
		t.Errorf("%s = %q, %v, want %q", name, data, err, want)
	}
}

func TestCloneSteps(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n", "g", "same\n")
	b := r.commit("two", "f", "2\n", "h", "new\n")
	before := gitFiles(t, r.dir)
	var steps []string
	o := WorkspaceOptions{Dir: filepath.Join(t.TempDir(), "slot-0"), Run: "r1", Record: func(s string) error {
		steps = append(steps, s)
		return nil
	}}
	w := prepare(t, r, o)
	if ch := checkout(t, w, a); ch.Files != 2 || ch.FromTo != ".."+a {
		t.Errorf("first checkout: %+v, want 2 files", ch)
	}
	if ch := checkout(t, w, b); ch.Files != 2 || ch.FromTo != a+".."+b {
		t.Errorf("step: %+v, want 2 files", ch)
	}
	wantFile(t, w, "f", "2\n")
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(o.Dir)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if got := len(steps); got != 5 || !strings.Contains(steps[0], `"prepare"`) || !strings.Contains(steps[4], `"closed"`) {
		t.Errorf("recorded %d steps: %q", got, steps)
	}
	if _, err := w.Checkout(t.Context(), a); err == nil {
		t.Error("a closed workspace checks out")
	}
	same(t, "after a clone", before, gitFiles(t, r.dir))
}

// A build or benchmark changes files; the next commit is whole again, and what
// did not differ keeps its time.
func TestCheckoutDropsChangesAndKeepsTimes(t *testing.T) {
	for _, mode := range []Mode{ModeClone, ModeWorktree} {
		r := newRepo(t)
		a := r.commit("one", "f", "1\n", "same", "s\n", "d/x", "file")
		b := r.commit("two", "f", "2\n", "d", "-")
		w := prepare(t, r, WorkspaceOptions{Mode: mode})
		checkout(t, w, a)
		untouched, err := os.Stat(filepath.Join(w.Dir(), "same"))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(w.Dir(), "f"), "generated\n")
		writeFile(t, filepath.Join(w.Dir(), "f.o"), "object\n")
		checkout(t, w, b)
		wantFile(t, w, "f", "2\n")
		wantFile(t, w, "f.o", "object\n")
		if info, err := os.Stat(filepath.Join(w.Dir(), "same")); err != nil || !info.ModTime().Equal(untouched.ModTime()) {
			t.Errorf("%s: unchanged file has a new time: %v %v", mode, info, err)
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestHarness(t *testing.T) {
	r := newRepo(t)
	src := t.TempDir()
	a := r.commit("one", "bench/run.py", "old\n", "code", "1\nx\n2\n3\n4\n5\n6\n7\n8\n", "link/x", "x\n")
	b := r.commit("two", "bench/run.py", "new\n", "bench/data", "d\n", "code", "1\nx\n2\n3\n4\n5\n6\n7\nfixed\n")
	os.RemoveAll(filepath.Join(r.dir, "link"))
	os.Symlink(src, filepath.Join(r.dir, "link"))
	c := r.commit("three", "bench/run.py", "newest\n", "bench/extra", "e\n", "code", "other\n")
	writeFile(t, filepath.Join(src, "tool"), "tool\n")
	os.Chmod(filepath.Join(src, "tool"), 0o755)
	patch := filepath.Join(src, "fix.patch")
	writeFile(t, patch, "--- a/code\n+++ b/code\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-8\n+fixed\n")
	w := prepare(t, r, WorkspaceOptions{
		Overlays: []Overlay{{filepath.Join(src, "tool"), "link/tool"}},
		Patches:  []string{patch}, BenchFrom: BenchFrom{b, []string{"bench"}},
	})
	// Frozen: what happens to the sources later does not matter.
	os.Remove(patch)
	writeFile(t, filepath.Join(src, "tool"), "edited\n")

	if ch := checkout(t, w, a); len(ch.Warnings) != 0 {
		t.Errorf("warnings at a: %q", ch.Warnings)
	}
	wantFile(t, w, "bench/run.py", "new\n")
	wantFile(t, w, "bench/data", "d\n")
	wantFile(t, w, "link/tool", "tool\n")
	wantFile(t, w, "code", "1\nx\n2\n3\n4\n5\n6\n7\nfixed\n")
	if info, err := os.Stat(filepath.Join(w.Dir(), "link/tool")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("overlay lost its mode: %v, %v", info, err)
	}
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, name := range []string{"bench/run.py", "bench/data", "link/tool", "code"} {
		os.Chtimes(filepath.Join(w.Dir(), name), old, old)
	}
	if ch := checkout(t, w, b); len(ch.Warnings) != 1 || !strings.Contains(ch.Warnings[0], "contains it already") {
		t.Errorf("warnings at b: %q", ch.Warnings)
	}
	for _, name := range []string{"bench/run.py", "bench/data", "link/tool", "code"} {
		if info, err := os.Stat(filepath.Join(w.Dir(), name)); err != nil || !info.ModTime().Equal(old) {
			t.Errorf("%s has the same content and a new time: %v", name, err)
		}
	}
	// At c, link is a symbolic link that leads out of the tree.
	_, err := w.Checkout(t.Context(), c)
	if readFile(t, filepath.Join(src, "tool")) != "edited\n" {
		t.Fatal("the overlay was written through a symbolic link, outside of the tree")
	}
	if err != nil {
		t.Fatalf("overlay over a symbolic link: %v", err)
	}
	wantFile(t, w, "bench/run.py", "new\n")
	wantFile(t, w, "bench/extra", "")
	wantFile(t, w, "link/tool", "tool\n")
	if ch := checkout(t, w, c); len(ch.Warnings) != 1 || !strings.Contains(ch.Warnings[0], "does not apply") {
		t.Errorf("warnings at c: %q", ch.Warnings)
	}
}

func TestHarnessRefusals(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n")
	src := filepath.Join(t.TempDir(), "s")
	writeFile(t, src, "no patch\n")
	for _, o := range []WorkspaceOptions{
		{Overlays: []Overlay{{src, "../out"}}},
		{Overlays: []Overlay{{src, "/abs"}}},
		{Overlays: []Overlay{{src, ".git/config"}}},
		{Overlays: []Overlay{{src, ".GIT/config"}}},
		{Overlays: []Overlay{{src + "-missing", ""}}},
		{Patches: []string{src}},
		{BenchFrom: BenchFrom{a, []string{"nothing"}}},
		{BenchFrom: BenchFrom{"HEAD", []string{"f"}}},
		{Clean: "everything"},
		{Mode: "branch"},
		{Dir: "relative"},
		{Mode: ModeInPlace, Clean: CleanAll},
	} {
		if o.Dir == "" {
			o.Dir = filepath.Join(t.TempDir(), "w")
		}
		if w, err := r.open().Prepare(t.Context(), o); err == nil {
			t.Errorf("%+v was accepted", o)
			w.lock.release()
		}
	}
}

func TestCleanPolicy(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", ".gitignore", "*.o\n")
	b := r.commit("two", "f", "1\n")
	for policy, left := range map[string]string{CleanNone: "f.o new", CleanIgnored: "new", CleanAll: ""} {
		w := prepare(t, r, WorkspaceOptions{Clean: policy})
		checkout(t, w, a)
		writeFile(t, filepath.Join(w.Dir(), "f.o"), "o")
		writeFile(t, filepath.Join(w.Dir(), "new"), "n")
		checkout(t, w, b)
		var got []string
		for _, name := range []string{"f.o", "new"} {
			if _, err := os.Stat(filepath.Join(w.Dir(), name)); err == nil {
				got = append(got, name)
			}
		}
		if s := strings.Join(got, " "); s != left {
			t.Errorf("clean %s leaves %q, want %q", policy, s, left)
		}
	}
}

func TestCloneTakesFiltersAndLineEnds(t *testing.T) {
	r := newRepo(t)
	r.git("config", "core.autocrlf", "true")
	r.git("config", "filter.shout.smudge", "tr a-z A-Z")
	r.git("config", "filter.shout.clean", "tr A-Z a-z")
	writeFile(t, filepath.Join(r.dir, ".git/info/attributes"), "*.loud filter=shout\n")
	a := r.commit("one", "f", "1\n", "x.loud", "HELLO\n")
	w := prepare(t, r, WorkspaceOptions{})
	checkout(t, w, a)
	wantFile(t, w, "f", "1\r\n")
	wantFile(t, w, "x.loud", "HELLO\r\n")
}

func TestLFS(t *testing.T) {
	if _, err := exec.LookPath("git-lfs"); err != nil {
		t.Skip("git-lfs is not installed")
	}
	r := newRepo(t)
	r.git("lfs", "install", "--local")
	r.commit("track", ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
	a := r.commit("one", "big.bin", "weights one\n")
	b := r.commit("two", "big.bin", "weights two\n")
	if !strings.Contains(r.git("cat-file", "blob", "HEAD:big.bin"), "git-lfs") {
		t.Fatal("big.bin is not in LFS")
	}
	before := gitFiles(t, r.dir)
	for _, mode := range []Mode{ModeClone, ModeWorktree} {
		w := prepare(t, r, WorkspaceOptions{Mode: mode})
		checkout(t, w, a)
		wantFile(t, w, "big.bin", "weights one\n")
		checkout(t, w, b)
		wantFile(t, w, "big.bin", "weights two\n")
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if mode == ModeClone {
			same(t, "after LFS", before, gitFiles(t, r.dir))
		}
	}
}

func TestHooksDoNotRun(t *testing.T) {
	for _, mode := range []Mode{ModeClone, ModeWorktree, ModeInPlace} {
		r := newRepo(t)
		a := r.commit("one", "f", "1\n")
		b := r.commit("two", "f", "2\n")
		hook := filepath.Join(r.dir, ".git/hooks/post-checkout")
		writeFile(t, hook, "#!/bin/sh\ntouch '"+r.dir+"/../ran'\n")
		os.Chmod(hook, 0o755)
		w := prepare(t, r, WorkspaceOptions{Mode: mode})
		checkout(t, w, a)
		checkout(t, w, b)
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(r.dir, "../ran")); err == nil {
			t.Errorf("%s: the user's hook ran", mode)
		}
	}
}

func TestWorkspaceIsOursAlone(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n")
	for _, mode := range []Mode{ModeClone, ModeWorktree, ModeInPlace} {
		dir := filepath.Join(t.TempDir(), "w")
		w := prepare(t, r, WorkspaceOptions{Mode: mode, Dir: dir})
		checkout(t, w, a)
		_, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: mode, Dir: dir, Run: "other"})
		if busy, ok := errors.AsType[*BusyError](err); !ok || busy.PID != os.Getpid() {
			t.Errorf("%s: second workspace: %v", mode, err)
		}
		if err := w.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	theirs := t.TempDir()
	writeFile(t, filepath.Join(theirs, "thesis.tex"), "ten years\n")
	var steps []string
	for _, mode := range []Mode{ModeClone, ModeWorktree} {
		_, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: mode, Dir: theirs, Record: func(s string) error { steps = append(steps, s); return nil }})
		if err == nil {
			t.Errorf("%s: a folder of the user's was taken", mode)
		}
		steps = append(steps, `{"op":"prepare","mode":"clone","dir":"`+theirs+`","common":"`+theirs+`"}`)
		if err := Recover(t.Context(), r.dir, steps...); err != nil {
			t.Error(err)
		}
		if readFile(t, filepath.Join(theirs, "thesis.tex")) != "ten years\n" {
			t.Fatal("the user's file is gone")
		}
	}
}

// The caller cannot record: then nothing happens.
func TestNothingHappensUnrecorded(t *testing.T) {
	r, _ := messy(t)
	fingerprint(t, r.dir)
	before := gitFiles(t, r.dir)
	for _, mode := range []Mode{ModeClone, ModeWorktree, ModeInPlace} {
		dir := filepath.Join(t.TempDir(), "w")
		full := errors.New("no space left on device")
		_, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: mode, Dir: dir, Record: func(string) error { return full }})
		if !errors.Is(err, full) {
			t.Errorf("%s: %v", mode, err)
		}
		if left, _ := filepath.Glob(dir + "*"); len(left) > 0 {
			t.Errorf("%s: made %v", mode, left)
		}
		same(t, string(mode), before, gitFiles(t, r.dir))
	}
}

// A killed process of the same run left a clone: warm build and all it is used
// again, by another run it is not.
func TestCloneIsTakenOver(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n")
	dir := filepath.Join(t.TempDir(), "w")
	for _, tt := range []struct{ run, want string }{{"r1", ""}, {"r1", "warm\n"}, {"r2", ""}} {
		w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Dir: dir, Run: tt.run})
		if err != nil {
			t.Fatal(err)
		}
		wantFile(t, w, "f.o", tt.want)
		checkout(t, w, a)
		writeFile(t, filepath.Join(dir, "f.o"), "warm\n")
		writeFile(t, filepath.Join(dir, ".git/index.lock"), "")
		w.lock.abandon()
		forgetOwner(t, dir+".lock")
	}
}

// forgetOwner makes the owner in a lock file one that is dead.
func forgetOwner(t *testing.T, lock string) {
	t.Helper()
	writeFile(t, lock, strings.Replace(readFile(t, lock), `"start":"`, `"start":"9`, 1))
}

// After a Prepare that failed half way the next one works.
func TestPrepareAgainAfterFailure(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n")
	for _, mode := range []Mode{ModeClone, ModeWorktree} {
		dir := filepath.Join(t.TempDir(), "w")
		_, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: mode, Dir: dir, Run: "r1", Overlays: []Overlay{{dir + "-missing", ""}}})
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", mode, err)
		}
		bad := *r.open()
		bad.common = filepath.Join(t.TempDir(), "gone")
		if _, err := bad.Prepare(t.Context(), WorkspaceOptions{Mode: mode, Dir: dir, Run: "r2"}); err == nil {
			t.Errorf("%s: a repository that is gone was cloned", mode)
		}
		w := prepare(t, r, WorkspaceOptions{Mode: mode, Dir: dir, Run: "r3"})
		checkout(t, w, a)
		wantFile(t, w, "f", "1\n")
		if err := w.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if left, _ := filepath.Glob(dir + "*"); len(left) > 0 {
			t.Errorf("%s: left %v", mode, left)
		}
	}
}

// What a git worktree add that was killed can leave: the user's git dies over
// the empty file until we come back.
func TestHalfMadeWorktreeIsReplaced(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n")
	before := gitFiles(t, r.dir)
	dir := filepath.Join(t.TempDir(), "w")
	writeFile(t, dir+".lock", "")
	admin := filepath.Join(r.dir, ".git/worktrees", linkedName(dir))
	writeFile(t, filepath.Join(admin, "commondir"), "")
	writeFile(t, filepath.Join(admin, "gitdir"), dir+"/.git\n")
	writeFile(t, filepath.Join(admin, "locked"), "initializing\n")
	if err := exec.Command("git", "-C", r.dir, "worktree", "list").Run(); err == nil {
		t.Log("this git survives an empty commondir")
	}
	w := prepare(t, r, WorkspaceOptions{Mode: ModeWorktree, Dir: dir})
	checkout(t, w, a)
	wantFile(t, w, "f", "1\n")
	run(t, r.dir, "git", "worktree", "list")
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "after the repair", before, gitFiles(t, r.dir))
}

func TestCloneIsSparseLikeTheCheckout(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "in/x", "1\n", "out/y", "1\n")
	r.git("sparse-checkout", "set", "in")
	w := prepare(t, r, WorkspaceOptions{})
	checkout(t, w, a)
	wantFile(t, w, "in/x", "1\n")
	wantFile(t, w, "out/y", "")
}

// A hunt that is stopped in the middle of a checkout goes on later.
func TestCancelledCheckout(t *testing.T) {
	r := longHistory(t, 200)
	hashes := strings.Fields(r.git("rev-list", "main"))
	w := prepare(t, r, WorkspaceOptions{})
	for i := range 5 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*2*time.Millisecond)
		_, err := w.Checkout(ctx, hashes[i])
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled checkout: %v", err)
		}
		checkout(t, w, hashes[i+50])
		if got := run(t, w.Dir(), "git", "status", "--porcelain"); got != "" {
			t.Errorf("tree is not clean: %s", got)
		}
	}
}
