package gitrepo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func prepared(t *testing.T, r *testRepo, mode Mode) *Workspace {
	t.Helper()
	w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: mode, Dir: filepath.Join(t.TempDir(), "slot"), Run: "x", Submodules: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close(t.Context()) })
	return w
}

func TestSynthesizeTakesACommitBack(t *testing.T) {
	r := newRepo(t)
	lines := "a\nb\nc\nd\ne\nf\ng\nh\ni\n"
	good := r.commit("one", "f", lines)
	culprit := r.commit("two", "f", strings.Replace(lines, "c", "C", 1))
	bad := r.commit("three", "f", strings.Replace("0\n"+lines, "c", "C", 1), "g", "1\n")
	conflict := r.commit("four", "f", strings.Replace(lines, "c", "X", 1))
	w := prepared(t, r, ModeClone)
	var patch strings.Builder
	if _, err := r.open().Patch(t.Context(), good, culprit, &patch, 1<<20); err != nil {
		t.Fatal(err)
	}
	before := fingerprint(t, r.dir)
	revert := Edit{Patch: []byte(patch.String()), Reverse: true}
	hash, err := w.Synthesize(t.Context(), bad, revert)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.Synthesize(t.Context(), bad, revert); err != nil || again != hash {
		t.Errorf("made again it is %s, %v; was %s", again, err, hash)
	}
	if _, err := w.Checkout(t.Context(), hash); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, filepath.Join(w.Dir(), "f")); got != "0\n"+lines {
		t.Errorf("f is %q after the revert", got)
	}
	if got := readFile(t, filepath.Join(w.Dir(), "g")); got != "1\n" {
		t.Errorf("the other change of bad is lost: %q", got)
	}
	if _, err := w.Synthesize(t.Context(), conflict, revert); !errors.Is(err, ErrNotApplied) {
		t.Errorf("a revert over a later change gives %v, want ErrNotApplied", err)
	}
	same(t, "after commits to try", before, fingerprint(t, r.dir))
}

func TestSynthesizeMovesPinsAndSubmodules(t *testing.T) {
	r := newRepo(t)
	r.commit("zero", "pin.txt", "old\n")
	first, _ := addSubmodule(r, "sub")
	base := r.git("rev-parse", "HEAD")
	w := prepared(t, r, ModeClone)
	hash, err := w.Synthesize(t.Context(), base, Edit{Path: "sub", Submodule: first}, Edit{Path: "pin.txt", Content: []byte("new\n")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Checkout(t.Context(), hash); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, filepath.Join(w.Dir(), "sub", "f")); got != "1\n" {
		t.Errorf("the submodule's file is %q, want that of its first commit", got)
	}
	if got := readFile(t, filepath.Join(w.Dir(), "pin.txt")); got != "new\n" {
		t.Errorf("the pin is %q", got)
	}
}

func TestSynthesizeRefusesTheUsersObjects(t *testing.T) {
	r := newRepo(t)
	hash := r.commit("one", "f", "1\n")
	w := prepared(t, r, ModeWorktree)
	if _, err := w.Synthesize(t.Context(), hash, Edit{Path: "f", Content: []byte("2\n")}); err == nil {
		t.Error("a worktree's commit went into the user's repository")
	}
}

func TestFreshRemovesWhatWasBuilt(t *testing.T) {
	r := newRepo(t)
	hash := r.commit("one", "f", "1\n", ".gitignore", "built\n")
	w := prepared(t, r, ModeClone)
	if _, err := w.Checkout(t.Context(), hash); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(w.Dir(), "built"), "x")
	if _, err := w.Fresh(t.Context(), hash); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(w.Dir(), "built")); err == nil {
		t.Error("what was built is still there")
	}
}

func TestContentsAndChangedPaths(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "k/x.hip", "1\n", "doc.md", "1\n")
	b := r.commit("two", "k/x.hip", "2\n", "k/ü y.hip", "1\n")
	c := r.commit("back", "k/x.hip", "1\n", "k/ü y.hip", "-", "doc.md", "2\n")
	repo := r.open()
	tests := []struct {
		name  string
		paths []string
		equal bool // a and c
	}{
		{"the whole tree differs by the document", nil, false},
		{"the kernels are those of before", []string{"k"}, true},
		{"a path that is not there is like no other", []string{"k", "none"}, false},
	}
	for _, tt := range tests {
		got, err := repo.Contents(t.Context(), []string{a, b, c}, tt.paths)
		if err != nil {
			t.Fatal(err)
		}
		if (got[0] == got[2]) != tt.equal || got[0] == got[1] {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	paths, err := repo.ChangedPaths(t.Context(), a, c, true, 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(paths[b], ","); got != "k/x.hip,k/ü y.hip" {
		t.Errorf("commit two changed %q", got)
	}
}
