package gitrepo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain runs the tests with no settings of the user's, and lets the test
// binary be the process that is killed in the kill tests.
func TestMain(m *testing.M) {
	for _, kv := range os.Environ() { // such as GIT_DIR, in a hook
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	syscall.Umask(0o022) // git gives files the modes that it asks for, and so do the tests
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A U Thor", "GIT_AUTHOR_EMAIL": "author@example.com", "GIT_AUTHOR_DATE": "1700000000 +0100",
		"GIT_COMMITTER_NAME": "C O Mitter", "GIT_COMMITTER_EMAIL": "committer@example.com", "GIT_COMMITTER_DATE": "1700000000 +0100",
	} {
		os.Setenv(name, value)
	}
	if spec := os.Getenv(childEnv); spec != "" {
		if err := childMain(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// testRepo is a repository made for a test.
type testRepo struct {
	t   testing.TB
	dir string
}

func newRepo(t testing.TB, initFlags ...string) *testRepo {
	t.Helper()
	r := &testRepo{t, filepath.Join(t.TempDir(), "repo")}
	run(t, "", "git", append(append([]string{"init", "-q", "-b", "main"}, initFlags...), r.dir)...)
	return r
}

// run runs a command and returns its standard output without the last newline.
func run(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q in %s: %v\n%s", name, args, dir, err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (r *testRepo) git(args ...string) string {
	r.t.Helper()
	return run(r.t, r.dir, "git", args...)
}

func (r *testRepo) write(path, text string) {
	r.t.Helper()
	writeFile(r.t, filepath.Join(r.dir, path), text)
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// commit writes the files (path, text, path, text...; text "-" deletes) and
// commits all. It returns the hash.
func (r *testRepo) commit(subject string, files ...string) string {
	r.t.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		if files[i+1] == "-" {
			r.git("rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", files[i])
			os.RemoveAll(filepath.Join(r.dir, files[i]))
			continue
		}
		r.write(files[i], files[i+1])
	}
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", subject)
	return r.git("rev-parse", "HEAD")
}

func (r *testRepo) open() *Repo {
	r.t.Helper()
	return openAt(r.t, r.dir)
}

func openAt(t testing.TB, dir string) *Repo {
	t.Helper()
	repo, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}
