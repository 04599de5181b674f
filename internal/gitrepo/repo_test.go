package gitrepo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOpenErrors(t *testing.T) {
	noGit := func(t *testing.T) string { t.Setenv("PATH", t.TempDir()); return t.TempDir() }
	fakeGit := func(script string) func(t *testing.T) string {
		return func(t *testing.T) string {
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			return t.TempDir()
		}
	}
	tests := []struct {
		name string
		make func(t *testing.T) string
		want error
		text string
	}{
		{"no folder", func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") }, fs.ErrNotExist, ""},
		{"a file", func(t *testing.T) string {
			f := filepath.Join(t.TempDir(), "f")
			writeFile(t, f, "")
			return f
		}, ErrNotRepository, ""},
		{"no repository", func(t *testing.T) string { return t.TempDir() }, ErrNotRepository, ""},
		{"no git", noGit, ErrGitMissing, ""},
		{"old git", fakeGit("echo git version 2.25.1\n"), ErrGitTooOld, "2.31"},
		{"git without a version", fakeGit("echo hello\n"), nil, "hello"},
		{"another user's", func(t *testing.T) string {
			t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
			return newRepo(t).dir
		}, ErrDubiousOwnership, "safe.directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(t.Context(), tt.make(t))
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want %v with %q", err, tt.want, tt.text)
			}
		})
	}
}

func TestForeignEnvironmentIsDropped(t *testing.T) {
	other := newRepo(t)
	other.commit("other", "f", "x")
	r := newRepo(t)
	want := r.commit("mine", "f", "y")
	// As inside a hook of another repository.
	t.Setenv("GIT_DIR", filepath.Join(other.dir, ".git"))
	t.Setenv("GIT_INDEX_FILE", filepath.Join(other.dir, ".git", "index"))
	t.Setenv("GIT_WORK_TREE", other.dir)
	t.Setenv("GIT_EXTERNAL_DIFF", "false")
	repo := openAt(t, r.dir)
	if got, err := repo.Resolve(t.Context(), "HEAD"); err != nil || got != want {
		t.Errorf("Resolve = %s, %v, want %s", got, err, want)
	}
}

func TestResolveRefusals(t *testing.T) {
	r := newRepo(t)
	r.commit("one", "f", "1")
	r.commit("two", "f", "2")
	r.git("branch", "release-1.4")
	r.git("tag", "v1.4.0")
	repo := r.open()
	tests := []struct{ rev, reason, near string }{
		{"relase-1.4", "no branch, tag or commit", "release-1.4"},
		{"v1.4", "no branch, tag or commit", "v1.4.0"},
		{"", "not a revision", ""},
		{"a\x00b", "not a revision", ""},
		{"HEAD:f", "names a blob", ""},
		{"HEAD^{tree}", "names a tree", ""},
		{"HEAD~1..HEAD", "range", ""},
		{"^HEAD", "range", ""},
		{"--all", "no branch, tag or commit", ""},
		{"-n1", "no branch, tag or commit", ""},
		{"@{upstream}", "no upstream", ""},
		{"HEAD@{99}", "only has", ""},
		{strings.Repeat("ab", 20), "no such object", ""},
		{"HEAD~9", "no branch, tag or commit", ""},
	}
	for _, tt := range tests {
		_, err := repo.Resolve(t.Context(), tt.rev)
		e, ok := errors.AsType[*UnknownRevError](err)
		if !ok {
			t.Errorf("Resolve(%q): %v, want an UnknownRevError", tt.rev, err)
			continue
		}
		if !strings.Contains(e.Reason, tt.reason) || tt.near != "" && (len(e.Near) == 0 || e.Near[0] != tt.near) {
			t.Errorf("Resolve(%q): reason %q, near %q, want %q, %q", tt.rev, e.Reason, e.Near, tt.reason, tt.near)
		}
	}
}

func TestUnborn(t *testing.T) {
	r := newRepo(t)
	repo := r.open()
	if _, err := repo.Resolve(t.Context(), "HEAD"); err == nil {
		t.Error("HEAD of an empty repository resolves")
	}
	s, err := repo.State(t.Context())
	if err != nil || !s.Unborn || s.Branch != "main" || s.Head != "" {
		t.Errorf("State = %+v, %v", s, err)
	}
}

func TestShallowSaysHowToDeepen(t *testing.T) {
	r := history(t)
	old := r.git("rev-parse", "HEAD~12")
	repo := openAt(t, cloneOf(t, r, "--depth=3"))
	_, err := repo.Resolve(t.Context(), old)
	e, ok := errors.AsType[*UnknownRevError](err)
	if !ok || !strings.Contains(e.Hint, "git fetch --unshallow origin") || !strings.Contains(e.Error(), "--deepen=") {
		t.Errorf("Resolve: %v", err)
	}
	head, _ := repo.Resolve(t.Context(), "HEAD")
	end, _ := repo.Resolve(t.Context(), "HEAD~2")
	_, err = repo.IsAncestor(t.Context(), head, end)
	if _, ok := errors.AsType[*ShallowError](err); !ok {
		t.Errorf("IsAncestor over the boundary: %v", err)
	}
}

func TestTouches(t *testing.T) {
	r := newRepo(t)
	good := r.commit("0", "kernels/a", "0", "docs/x", "0", "[k]", "0")
	r.commit("kernel", "kernels/a", "1")
	r.commit("docs", "docs/x", "1")
	r.git("checkout", "-q", "-b", "side")
	r.commit("side kernel", "kernels/b", "1")
	r.git("checkout", "-q", "main")
	r.commit("odd", "[k]", "1")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "side")
	bad := r.commit("empty")
	touched := func(o RangeOptions) string {
		entries, err := r.open().Range(t.Context(), good, bad, o)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			if e.Touches {
				names = append(names, r.git("log", "-1", "--format=%s", e.Hash))
			}
		}
		return strings.Join(names, ",")
	}
	tests := []struct {
		o    RangeOptions
		want string
	}{
		{RangeOptions{FirstParent: true}, "kernel,docs,odd,merge,empty"},
		{RangeOptions{FirstParent: true, Paths: []string{"kernels"}}, "kernel,merge"},
		{RangeOptions{Paths: []string{"kernels"}}, "kernel,side kernel,merge"},
		{RangeOptions{FirstParent: true, Paths: []string{":(exclude)docs"}}, "kernel,odd,merge"},
		{RangeOptions{FirstParent: true, Paths: []string{"nothing"}}, ""},
	}
	for _, tt := range tests {
		if got := touched(tt.o); got != tt.want {
			t.Errorf("%+v: touched by %s, want %s", tt.o, got, tt.want)
		}
	}
}

func TestPatchIsCutAtALine(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "1\n")
	b := r.commit("two", "f", strings.Repeat("a line of text\n", 1000))
	repo := r.open()
	var whole strings.Builder
	if cut, err := repo.Patch(t.Context(), a, b, &whole, 1<<20); err != nil || cut {
		t.Fatal(cut, err)
	}
	for _, limit := range []int{0, 1, 100, 1000, whole.Len() - 1, whole.Len(), whole.Len() + 1} {
		var part strings.Builder
		cut, err := repo.Patch(t.Context(), a, b, &part, int64(limit))
		if err != nil || cut != (limit < whole.Len()) || part.Len() > limit || !strings.HasPrefix(whole.String(), part.String()) {
			t.Errorf("limit %d: cut %v, %d bytes, %v", limit, cut, part.Len(), err)
		}
		if limit > 100 && !strings.HasSuffix(part.String(), "\n") {
			t.Errorf("limit %d: ends with %q", limit, part.String()[part.Len()-10:])
		}
	}
	var root strings.Builder
	if _, err := repo.Patch(t.Context(), "", a, &root, 1<<20); err != nil || !strings.Contains(root.String(), "new file mode") {
		t.Errorf("patch of the root: %v\n%s", err, root.String())
	}
}

func TestDirty(t *testing.T) {
	r := newRepo(t)
	r.commit("one", "a b", "long enough to be found again\n", "c", "1\n")
	r.git("mv", "a b", "ü \"x\"")
	r.write("c", "2\n")
	r.write("new/file", "n\n")
	got, err := r.open().Dirty(t.Context())
	want := " M c\nR  a b -> ü \"x\"\n?? new/"
	if err != nil || strings.Join(got, "\n") != want {
		t.Errorf("Dirty = %q, %v, want %q", got, err, want)
	}
}

// A git that hangs ends, with all that it started: whether it obeys TERM, or
// not, or left its process group.
func TestGitRunsUnderADeadline(t *testing.T) {
	for name, script := range map[string]string{
		"obedient": "sleep 600 & sleep 600",
		"stubborn": "trap '' TERM; (trap '' TERM; sleep 600) & while :; do sleep 1; done",
		"deserter": "setsid sleep 120 & sleep 600",
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
			if err := os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho partial\necho why >&2\n"+script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			var ge *GitError
			for limit := 200 * time.Millisecond; ; limit *= 2 { // until it came to say why: the machine may be busy
				begin := time.Now()
				_, err := command{dir: bin, limit: limit}.run(t.Context(), "version")
				if took := time.Since(begin); took > limit+45*time.Second {
					t.Fatalf("took %v with a deadline of %v", took, limit)
				}
				if !errors.As(err, &ge) || !strings.Contains(ge.Error(), "deadline") {
					t.Fatalf("error %v", err)
				}
				if strings.Contains(ge.Stderr, "why") {
					break
				}
				if limit > time.Minute {
					t.Fatalf("stderr %q", ge.Stderr)
				}
			}
		})
	}
}
