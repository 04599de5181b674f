package gitrepo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// history makes fourteen commits with a merge, renames, a binary file, odd
// names, a submodule pin, a Latin-1 message, tags and a side branch.
func history(t testing.TB, initFlags ...string) *testRepo {
	t.Helper()
	r := newRepo(t, initFlags...)
	r.commit("first", "a", "1\n", "dir/sub/deep", "d\n", "binary", "\x00\x01\x02")
	r.git("tag", "v1")
	for i := 2; i < 6; i++ {
		r.commit(fmt.Sprintf("change %d\n\nBody of %d.\n\n  indented\n", i, i), "a", fmt.Sprintf("%d\n", i), "ünï \"q\"\tc\nd", fmt.Sprint(i))
	}
	r.git("checkout", "-q", "-b", "side", "HEAD~2")
	r.commit("side one", "side", "s\n")
	r.commit("side two", "dir/side", "s\n")
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "merge side", "side")
	r.git("mv", "a", "renamed")
	r.commit("rename", "binary", "\x00\x03", "empty", "")
	r.git("tag", "-a", "-m", "annotated", "v2")
	pin := strings.Repeat("1", len(r.git("rev-parse", "HEAD")))
	r.write("msg", "caf\xe9 fast\n\nd\xe9tail\n")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+pin+",vendor/lib")
	r.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "-F", "msg")
	os.Remove(filepath.Join(r.dir, "msg"))
	for i := range 5 {
		r.write("tail", fmt.Sprint(i))
		r.git("add", "tail")
		r.git("commit", "-q", "-m", fmt.Sprintf("tail %d", i))
	}
	return r
}

// TestKindsOfRepositories asks every question in every kind of repository and
// compares with what git says there.
func TestKindsOfRepositories(t *testing.T) {
	tests := []struct {
		name string
		git  bool // git, not go-git, has to read
		make func(t *testing.T) string
	}{
		{"plain", false, func(t *testing.T) string { return history(t).dir }},
		{"packed", false, func(t *testing.T) string {
			r := history(t)
			r.git("gc", "-q")
			r.git("commit-graph", "write", "--reachable")
			return r.dir
		}},
		{"subfolder", false, func(t *testing.T) string { return filepath.Join(history(t).dir, "dir") }},
		{"linked worktree", false, func(t *testing.T) string {
			r := history(t)
			r.git("worktree", "add", "-q", "../linked", "--detach")
			return filepath.Join(filepath.Dir(r.dir), "linked")
		}},
		{"partial", false, func(t *testing.T) string {
			r := history(t)
			r.git("config", "uploadpack.allowFilter", "true")
			return cloneOf(t, r, "--filter=blob:none")
		}},
		{"shallow", true, func(t *testing.T) string { return cloneOf(t, history(t), "--depth=10") }},
		{"shared", false, func(t *testing.T) string {
			r := history(t)
			dest := filepath.Join(filepath.Dir(r.dir), "clone")
			run(t, "", "git", "clone", "-q", "--shared", r.dir, dest)
			return dest
		}},
		{"relative alternates", false, func(t *testing.T) string {
			r := history(t)
			dest := filepath.Join(filepath.Dir(r.dir), "clone")
			run(t, "", "git", "clone", "-q", "--shared", r.dir, dest)
			writeFile(t, filepath.Join(dest, ".git/objects/info/alternates"), "../../../repo/.git/objects\n")
			return dest
		}},
		{"sparse, worktreeConfig", false, func(t *testing.T) string {
			r := history(t)
			r.git("sparse-checkout", "set", "dir")
			r.git("config", "extensions.worktreeConfig", "true")
			return r.dir
		}},
		{"SHA-256", true, func(t *testing.T) string { return history(t, "--object-format=sha256").dir }},
		{"bare", false, func(t *testing.T) string {
			r := history(t)
			dest := filepath.Join(filepath.Dir(r.dir), "bare.git")
			run(t, "", "git", "clone", "-q", "--bare", r.dir, dest)
			return dest
		}},
		{"separate git dir", false, func(t *testing.T) string {
			r := history(t)
			r.git("init", "-q", "--separate-git-dir", filepath.Join(filepath.Dir(r.dir), "elsewhere"))
			return r.dir
		}},
		{".git is a link", false, func(t *testing.T) string {
			r := history(t)
			os.Rename(filepath.Join(r.dir, ".git"), filepath.Join(filepath.Dir(r.dir), "real"))
			os.Symlink("../real", filepath.Join(r.dir, ".git"))
			return r.dir
		}},
		{"replace reference", true, func(t *testing.T) string {
			r := history(t)
			r.git("replace", "--graft", "HEAD~3", "HEAD~6")
			return r.dir
		}},
		{"grafts", true, func(t *testing.T) string {
			r := history(t)
			writeFile(t, filepath.Join(r.dir, ".git/info/grafts"), r.git("rev-parse", "HEAD~3")+" "+r.git("rev-parse", "HEAD~6")+"\n")
			return r.dir
		}},
		{"path with space, quote, newline", false, func(t *testing.T) string {
			r := history(t)
			dest := filepath.Join(filepath.Dir(r.dir), "wéird \"q\" 'x'\nline")
			if err := os.Rename(r.dir, dest); err != nil {
				t.Fatal(err)
			}
			return dest
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tt.make(t)
			r := openAt(t, dir)
			if (r.odb == nil) != tt.git {
				t.Errorf("go-git reads: %v, want %v", r.odb != nil, !tt.git)
			}
			compareAnswers(t, r, dir)
			cloneAndStep(t, r, dir)
		})
	}
}

// TestHostileSettings: no setting of the user's changes an answer.
func TestHostileSettings(t *testing.T) {
	r := history(t)
	settings := filepath.Join(t.TempDir(), "config")
	for _, kv := range []string{
		"diff.noprefix=true", "diff.mnemonicPrefix=true", "diff.external=false", "diff.renames=false", "diff.ignoreSubmodules=all",
		"diff.submodule=log", "diff.context=0", "diff.wsErrorHighlight=all", "diff.relative=true", "color.ui=always",
		"log.showSignature=true", "log.follow=true", "log.date=relative", "format.pretty=oneline", "i18n.logOutputEncoding=ISO-8859-1",
		"status.showUntrackedFiles=no", "status.renames=false", "status.branch=true", "status.short=true", "core.quotePath=false", "core.abbrev=4",
		"core.hooksPath=/nonexistent", "core.pager=false", "pager.log=false", "core.fsmonitor=false",
		"clone.defaultRemoteName=elsewhere", "clone.rejectShallow=true", "checkout.defaultRemote=x", "submodule.recurse=true",
		"advice.detachedHead=true", "core.logAllRefUpdates=always", "transfer.fsckObjects=true", "gc.auto=1", "commit.gpgSign=true", "tag.gpgSign=true",
		"init.templateDir=/nonexistent", "core.safecrlf=true", "core.splitIndex=true", "core.untrackedCache=true", "index.version=4",
	} {
		key, value, _ := strings.Cut(kv, "=")
		run(t, "", "git", "config", "--file", settings, key, value)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", settings)
	repo := r.open()
	compareAnswers(t, repo, r.dir)
	cloneAndStep(t, repo, r.dir)
	r.write("new", "n")
	before := fingerprint(t, r.dir)
	w := prepare(t, r, WorkspaceOptions{Mode: ModeInPlace})
	checkout(t, w, r.git("rev-parse", "HEAD~2"))
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "after in-place mode", before, fingerprint(t, r.dir))
}

func cloneOf(t *testing.T, r *testRepo, flags ...string) string {
	dest := filepath.Join(filepath.Dir(r.dir), "clone")
	run(t, "", "git", append(append([]string{"clone", "-q"}, flags...), "file://"+r.dir, dest)...)
	return dest
}

// compareAnswers compares the package with git, commit by commit.
func compareAnswers(t *testing.T, r *Repo, dir string) {
	t.Helper()
	ctx := t.Context()
	git := func(args ...string) string { t.Helper(); return run(t, dir, "git", args...) }
	good, bad := git("rev-parse", "HEAD~8"), git("rev-parse", "HEAD")
	for _, rev := range []string{"HEAD", "main", "v2", "HEAD~3^{commit}", "@~2", bad[:9]} {
		if got, err := r.Resolve(ctx, rev); err != nil || got != git("rev-parse", rev+"^0") {
			t.Errorf("Resolve(%q) = %s, %v", rev, got, err)
		}
	}
	for _, first := range []bool{true, false} {
		args := []string{"rev-list", "--reverse", "--topo-order", "--parents", good + ".." + bad}
		if first {
			args[2] = "--first-parent"
		}
		entries, err := r.Range(ctx, good, bad, RangeOptions{FirstParent: first})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, e := range entries {
			lines = append(lines, strings.Join(append([]string{e.Hash}, e.Parents...), " "))
		}
		if d := cmp.Diff(strings.Split(git(args...), "\n"), lines); d != "" {
			t.Errorf("Range first-parent=%v (-git +ours):\n%s", first, d)
		}
		for _, e := range entries {
			if !first { // all of them
				compareCommit(t, r, dir, e)
			}
		}
	}
	if yes, err := r.IsAncestor(ctx, good, bad); err != nil || !yes {
		t.Errorf("IsAncestor = %v, %v", yes, err)
	}
	if got, err := r.MergeBase(ctx, good, bad); err != nil || got != git("merge-base", good, bad) {
		t.Errorf("MergeBase = %s, %v", got, err)
	}
	tags, err := r.Tags(ctx, good, bad)
	if err != nil || len(tags) != 1 || tags[0].Hash != git("rev-parse", "v2^0") {
		t.Errorf("Tags = %v, %v", tags, err)
	}
	if refs, err := r.Refs(ctx); err != nil || !slices.Contains(refs, "v2") {
		t.Errorf("Refs = %v, %v", refs, err)
	}
	if got, want := r.Describe(ctx, bad), git("describe", "--tags", "--always", "--abbrev=12"); got != want {
		t.Errorf("Describe = %q, want %q", got, want)
	}
}

func compareCommit(t *testing.T, r *Repo, dir string, e RangeEntry) {
	t.Helper()
	ctx := t.Context()
	git := func(args ...string) string { t.Helper(); return run(t, dir, "git", args...) }
	c, err := r.Commit(ctx, e.Hash)
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Split(git("log", "-1", "--encoding=UTF-8", "--date=raw", "--format=%T%x00%P%x00%an%x00%ae%x00%ad%x00%cd%x00%s%x00%b", e.Hash), "\x00")
	ours := []string{c.Tree, strings.Join(c.Parents, " "), c.Author, c.Email, asRaw(c.AuthorDate), asRaw(c.CommitDate), c.Subject, c.Body}
	f[7] = strings.TrimRight(f[7], "\n")
	if d := cmp.Diff(f, ours); d != "" {
		t.Errorf("commit %s (-git +ours):\n%s", e.Hash, d)
	}
	for _, path := range []string{"", ".", "a", "renamed", "dir", "dir/", "./dir/sub/deep", "vendor/lib", "nothing", "a/below", "ünï \"q\"\tc\nd"} {
		want := ""
		if clean, _ := cleanPath(path); clean == "" {
			want = c.Tree
		} else if out := git("--literal-pathspecs", "ls-tree", "-z", "--full-tree", e.Hash, clean); out != "" {
			want = strings.Fields(out)[2]
		}
		if got, err := r.TreeAt(ctx, e.Hash, path); err != nil || got != want {
			t.Errorf("TreeAt(%s, %q) = %q, %v, want %q", e.Hash, path, got, err, want)
		}
	}
	if got, err := r.Blob(ctx, e.Hash, "dir/sub/deep", 100); err != nil || string(got) != "d\n" {
		t.Errorf("Blob = %q, %v", got, err)
	}
	if _, err := r.Blob(ctx, e.Hash, "dir/sub/deep", 1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Blob over the limit: %v", err)
	}
	if _, err := r.Blob(ctx, e.Hash, "nothing", 1); !errors.Is(err, ErrNotFound) {
		t.Errorf("Blob of nothing: %v", err)
	}
	links, err := r.Submodules(ctx, e.Hash)
	if want := git("ls-tree", "--full-tree", e.Hash, "vendor/lib"); err != nil || (want != "") != (len(links) == 1 && strings.Contains(want, links["vendor/lib"])) {
		t.Errorf("Submodules = %v, %v, git: %q", links, err, want)
	}
	if len(c.Parents) > 0 {
		compareDiff(t, r, dir, c.Parents[0], e.Hash)
	}
}

func compareDiff(t *testing.T, r *Repo, dir, a, b string) {
	t.Helper()
	stats, err := r.DiffStat(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	var ours strings.Builder
	for _, s := range stats {
		counts := fmt.Sprintf("%d\t%d\t", s.Added, s.Deleted)
		if s.Binary {
			counts = "-\t-\t"
		}
		if s.OldPath != "" {
			fmt.Fprintf(&ours, "%s\x00%s\x00%s\x00", counts, s.OldPath, s.Path)
		} else {
			fmt.Fprintf(&ours, "%s%s\x00", counts, s.Path)
		}
	}
	if d := cmp.Diff(run(t, dir, "git", "diff", "-M", "--numstat", "-z", a, b), ours.String()); d != "" {
		t.Errorf("DiffStat %s %s (-git +ours):\n%s", a, b, d)
	}
	var patch strings.Builder
	cut, err := r.Patch(t.Context(), a, b, &patch, 1<<20)
	if want := run(t, dir, "git", "diff", "-M", "--full-index", a, b); err != nil || cut || strings.TrimSuffix(patch.String(), "\n") != want {
		t.Errorf("Patch: cut %v, %v\n%s\nwant\n%s", cut, err, patch.String(), want)
	}
}

func asRaw(t time.Time) string { return fmt.Sprintf("%d %s", t.Unix(), t.Format("-0700")) }

// cloneAndStep makes a tree of each of two commits and compares it with git's.
func cloneAndStep(t *testing.T, r *Repo, dir string) {
	t.Helper()
	before := map[string]string{}
	files(t, r.CommonDir(), before, "objects")
	w, err := r.Prepare(t.Context(), WorkspaceOptions{Dir: filepath.Join(t.TempDir(), "w"), Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	if partial, _ := r.partial(t.Context()); (w.Mode() == ModeWorktree) != (r.shallow || partial || strings.Contains(dir, "\n")) || (w.Why() == "") != (w.Mode() == ModeClone) {
		t.Errorf("mode %s: %q", w.Mode(), w.Why())
	}
	for _, rev := range []string{"HEAD~7", "HEAD"} {
		hash := run(t, dir, "git", "rev-parse", rev)
		if _, err := w.Checkout(t.Context(), hash); err != nil {
			t.Fatal(err)
		}
		if got := run(t, w.Dir(), "git", "rev-parse", "HEAD"); got != hash {
			t.Errorf("HEAD is %s, want %s", got, hash)
		}
		if got := run(t, w.Dir(), "git", "status", "--porcelain", "--ignore-submodules=all"); got != "" {
			t.Errorf("tree of %s is not clean: %s", rev, got)
		}
		if got := readFile(t, filepath.Join(w.Dir(), "dir/sub/deep")); got != "d\n" {
			t.Errorf("dir/sub/deep = %q", got)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := map[string]string{}
	files(t, r.CommonDir(), after, "objects")
	same(t, "after a workspace", before, after)
}
