package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSubmodules(t *testing.T) {
	for _, mode := range []Mode{ModeClone, ModeWorktree} {
		r := newRepo(t)
		none := r.commit("none", "f", "1\n")
		first, second := addSubmodule(r, "libs/a b")
		pinSecond := r.git("rev-parse", "HEAD")
		run(t, filepath.Join(r.dir, "libs/a b"), "git", "checkout", "-q", first)
		pinFirst := r.commit("back to the first")
		r.git("rm", "-q", "libs/a b")
		os.RemoveAll(filepath.Join(r.dir, "libs"))
		file := r.commit("a file in its place", "libs", "file\n")
		before := gitFiles(t, r.dir)
		w := prepare(t, r, WorkspaceOptions{Mode: mode, Submodules: true})
		for _, step := range []struct{ hash, want, pin string }{
			{pinSecond, "2\n", second}, {pinFirst, "1\n", first}, {none, "", ""}, {pinSecond, "2\n", second}, {file, "", ""}, {pinFirst, "1\n", first},
		} {
			if ch := checkout(t, w, step.hash); len(ch.Warnings) > 0 {
				t.Errorf("warnings: %q", ch.Warnings)
			}
			wantFile(t, w, "libs/a b/f", step.want)
			if step.pin != "" && run(t, filepath.Join(w.Dir(), "libs/a b"), "git", "rev-parse", "HEAD") != step.pin {
				t.Errorf("submodule is not at %s", step.pin)
			}
			if got := run(t, w.Dir(), "git", "status", "--porcelain"); got != "" {
				t.Errorf("%s: status %q", mode, got)
			}
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, "after submodules", before, gitFiles(t, r.dir))
	}
}

// The user never initialised it: it comes from its URL, relative to that of the
// repository.
func TestSubmoduleFromRelativeURL(t *testing.T) {
	r := newRepo(t)
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
	t.Setenv("GIT_CONFIG_VALUE_0", "always")
	sub := &testRepo{t, filepath.Join(filepath.Dir(r.dir), "lib")}
	run(t, "", "git", "init", "-q", "-b", "main", sub.dir)
	pin := sub.commit("s", "f", "sub\n")
	r.write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n")
	r.git("add", ".gitmodules")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+pin+",lib")
	r.git("commit", "-q", "-m", "pin")
	w := prepare(t, r, WorkspaceOptions{Submodules: true})
	checkout(t, w, r.git("rev-parse", "HEAD"))
	wantFile(t, w, "lib/f", "sub\n")
}

// The user never initialised it, and its server is gone: it stays empty, as in
// the user's checkout, and is told of once.
func TestSubmoduleThatNobodyHas(t *testing.T) {
	r := newRepo(t)
	pin := strings.Repeat("1", 40)
	r.write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = "+filepath.Join(t.TempDir(), "gone")+"\n")
	r.git("add", ".gitmodules")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+pin+",lib")
	r.git("commit", "-q", "-m", "pin")
	one := r.git("rev-parse", "HEAD")
	r.write("f", "2\n")
	r.git("add", "f")
	r.git("commit", "-q", "-m", "two")
	w := prepare(t, r, WorkspaceOptions{Submodules: true})
	if ch := checkout(t, w, one); len(ch.Warnings) != 1 || !strings.Contains(ch.Warnings[0], `submodule "lib" stays empty, as in the repository`) {
		t.Errorf("warnings: %q", ch.Warnings)
	}
	if ch := checkout(t, w, r.git("rev-parse", "HEAD")); len(ch.Warnings) > 0 {
		t.Errorf("told again: %q", ch.Warnings)
	}
	wantFile(t, w, "f", "2\n")
}

func TestRelativeURL(t *testing.T) {
	tests := []struct{ base, url, want string }{
		{"https://h/a/b", "https://x/y", "https://x/y"},
		{"https://h/a/b", "../c", "https://h/a/c"},
		{"https://h/a/b.git/", "../c.git", "https://h/a/c.git"},
		{"https://h/a/b", "../../c/d", "https://h/c/d"},
		{"https://h/a/b", "./c", "https://h/a/b/c"},
		{"git@h:a/b", "../c", "git@h:a/c"},
		{"git@h:b", "../c", "git@h:c"},
		{"/srv/a/b", "../c/", "/srv/a/c"},
	}
	for _, tt := range tests {
		if got := relativeURL(tt.base, tt.url); got != tt.want {
			t.Errorf("relativeURL(%q, %q) = %q, want %q", tt.base, tt.url, got, tt.want)
		}
	}
}
