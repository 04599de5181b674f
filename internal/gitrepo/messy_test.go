package gitrepo

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// messy makes a repository with five commits and a checkout in which
// everything is uncommitted in every way. It returns the hashes, oldest first;
// the branch is at the last.
func messy(t testing.TB) (*testRepo, []string) {
	t.Helper()
	r := newRepo(t)
	hashes := []string{r.commit("0", ".gitignore", "*.o\nbuild/\nlocal.env\n", "a", "a0\n", "dir/b", "b0\n", "dir/c", "c0\n", "old", "old\n")}
	for i := 1; i < 5; i++ {
		files := []string{"a", fmt.Sprintf("a%d\n", i), "dir/b", fmt.Sprintf("b%d\n", i), fmt.Sprintf("n%d/x", i), "x\n"}
		for j := range 30 {
			files = append(files, fmt.Sprintf("many/f%d", j), fmt.Sprintf("%d %d\n", i, j))
		}
		hashes = append(hashes, r.commit(fmt.Sprint(i), files...))
	}
	r.write("cached-ignored.o", "o\n")
	r.git("add", "-f", "cached-ignored.o")
	hashes = append(hashes, r.commit("5",
		"staged", "s\n", "partly", "p\n", "gone", "g\n", "gone-staged", "g\n", "moved", "long enough to be a rename\n",
		"mode", "m\n", "untracked-again", "u\n", "assumed", "as\n", "tolink", "file\n", "todir", "file\n", "fromdir/x", "x\n",
		"spä ce\"q", "q\n", "new\nline", "n\n", "raced", "1\n"))
	r.git("stash", "list")
	r.write("stashed", "s\n")
	r.git("add", "stashed")
	r.git("stash", "-q")
	r.git("branch", "other", hashes[1])
	r.write("staged", "s staged\n")
	r.write("new-staged", "n\n")
	r.write("partly", "p staged\n")
	r.git("add", "staged", "new-staged", "partly")
	r.write("partly", "p then changed\n")
	os.Remove(filepath.Join(r.dir, "gone"))
	r.git("rm", "-q", "gone-staged")
	r.git("mv", "moved", "moved-to")
	os.Chmod(filepath.Join(r.dir, "mode"), 0o755)
	r.git("rm", "-q", "--cached", "untracked-again")
	r.git("rm", "-q", "--cached", "cached-ignored.o")
	r.write("cached-ignored.o", "precious\n")
	r.write("intended", "will add\n")
	r.git("add", "-N", "intended")
	r.git("update-index", "--assume-unchanged", "assumed")
	r.write("assumed", "local secret\n")
	r.git("update-index", "--skip-worktree", "old")
	r.write("old", "kept local\n")
	os.Remove(filepath.Join(r.dir, "tolink"))
	os.Symlink("nowhere/at all", filepath.Join(r.dir, "tolink"))
	os.Remove(filepath.Join(r.dir, "todir"))
	r.write("todir/inside", "in\n")
	os.RemoveAll(filepath.Join(r.dir, "fromdir"))
	r.write("fromdir", "now a file\n")
	r.write("untracked/deep/u", "u\n")
	os.Symlink("u", filepath.Join(r.dir, "untracked/deep/link"))
	r.write("x.o", "object\n")
	r.write("build/out/x", "built\n")
	r.write("local.env", "SECRET=1\n")
	r.write("spä ce\"q", "changed\n")
	r.write("new\nline", "changed\n")
	r.write("also\nnew", "changed\n")
	r.git("add", "raced")
	r.write("raced", "2\n") // same size, same moment as the index
	for name, mode := range map[string]fs.FileMode{
		"a": 0o600, "dir/b": 0o640, "staged": 0o400, "mode": 0o700, "spä ce\"q": 0o666, "untracked/deep/u": 0o600,
		"many": 0o700, "n2": 0o755 | fs.ModeSetgid, "untracked/deep": 0o711,
	} {
		if err := os.Chmod(filepath.Join(r.dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	run(t, r.dir, "git", "init", "-q", "nested")
	r.write("nested/file", "of another repository\n")
	return r, hashes
}

// fingerprint is everything about a repository and its checkout that must be
// bit for bit the same afterwards, by name.
func fingerprint(t testing.TB, dir string) map[string]string {
	t.Helper()
	git := func(name string) string {
		return run(t, dir, "git", "rev-parse", "--path-format=absolute", "--git-path", name)
	}
	f := map[string]string{
		"HEAD":   readFile(t, git("HEAD")),
		"config": readFile(t, git("config")),
		"index":  run(t, dir, "git", "ls-files", "--stage", "-v", "-z"),
		"status": run(t, dir, "git", "status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--ignored=matching"),
		"stash":  run(t, dir, "git", "stash", "list"),
	}
	for _, name := range []string{"ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD"} {
		data, _ := os.ReadFile(git(name))
		f[name] = string(data)
	}
	for line := range strings.Lines(run(t, dir, "git", "for-each-ref", "--format=%(refname) %(objectname)")) {
		if !strings.HasPrefix(line, "refs/perfbisect/") {
			f["refs"] += strings.TrimSpace(line) + "\n"
		}
	}
	files(t, dir, f, ".git")
	for _, name := range []string{"index.lock", "HEAD.lock", "perfbisect", "perfbisect-done"} {
		if _, err := os.Lstat(git(name)); err == nil {
			f["left "+name] = "there"
		}
	}
	return f
}

// files adds the mode and content of every file below dir to f, without the
// top-level entry skip.
func files(t testing.TB, dir string, f map[string]string, skip string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if rel == skip {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil || d.IsDir() {
			f["folder "+rel] = info.Mode().String()
			return err
		}
		content := ""
		if d.Type()&fs.ModeSymlink != 0 {
			content, err = os.Readlink(path)
		} else {
			var data []byte
			data, err = os.ReadFile(path)
			content = string(data)
		}
		f["file "+rel] = info.Mode().String() + " " + content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func same(t testing.TB, when string, want, got map[string]string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s, the user's repository differs (-before +after):\n%s", when, d)
	}
}
