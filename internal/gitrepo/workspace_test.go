package gitrepo

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCloneSteps(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n", "g", "same\n")
	b := r.commit("two", "f", "2\n", "h", "new\n")
	repo := r.open()
	dir := filepath.Join(t.TempDir(), "slot-0")
	w, err := repo.Prepare(t.Context(), WorkspaceOptions{Dir: dir, Run: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := w.Checkout(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if ch.Files != 2 {
		t.Errorf("first checkout: %d files, want 2", ch.Files)
	}
	ch, err = w.Checkout(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if ch.Files != 2 || ch.FromTo != a+".."+b {
		t.Errorf("step: %+v, want 2 files", ch)
	}
	if got := readFile(t, filepath.Join(w.Dir(), "f")); got != "2\n" {
		t.Errorf("f = %q", got)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(filepath.Dir(dir))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
