package gitrepo

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// Empty folders: those of the user stay, those that came go, and what is no empty
// folder is left alone.
func TestEmptyFolders(t *testing.T) {
	r := newRepo(t)
	first := r.commit("0", "a", "a\n", ".gitignore", "ignored/\n")
	r.commit("1", "a", "b\n", "dir/b", "b\n")
	mkdir := func(names ...string) {
		for _, name := range names {
			if err := os.MkdirAll(filepath.Join(r.dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	mkdir("theirs/deep", "dir/theirs", "ignored/theirs")
	before := fingerprint(t, r.dir)
	w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Checkout(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	mkdir("came/deep", "dir/came", "ignored/came")
	run(t, r.dir, "git", "init", "-q", "repo")
	want := maps.Clone(before)
	want["folder ignored/came"] = "drwxr-xr-x"
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "repo/.git/refs/tags")); err != nil {
		t.Error("a repository that came lost its empty folders:", err)
	}
	if err := os.RemoveAll(filepath.Join(r.dir, "repo")); err != nil {
		t.Fatal(err)
	}
	same(t, "after the restore", want, fingerprint(t, r.dir))
}
