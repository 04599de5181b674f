package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"perfbisect/internal/session"
	"perfbisect/internal/testenv"
)

// childEnv carries an errand to the test binary, which is killed over it.
const childEnv = "PERFBISECT_APP_TEST_CHILD"

// errand is what a process that is to be killed does: begin a hunt and work on
// it, or end one.
type errand struct {
	Dir  string // with state and cache
	Spec Spec
	Stop string // id of the run to end
}

func (e errand) do() error {
	a, err := New(Config{StateDir: filepath.Join(e.Dir, "state"), CacheDir: filepath.Join(e.Dir, "cache")})
	if err != nil {
		return err
	}
	ctx := context.Background()
	if e.Stop != "" {
		_, err := a.Stop(ctx, e.Stop, "finish")
		return err
	}
	if _, err := a.Start(ctx, e.Spec); err != nil {
		return err
	}
	select {}
}

func childMain(text string) {
	var e errand
	err := json.Unmarshal([]byte(text), &e)
	if err == nil {
		err = e.do()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// send starts a process with an errand.
func send(t *testing.T, e errand) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// killedRun begins a hunt in a process of its own, kills that once the journal
// has some lines, and returns the run's id.
func killedRun(t *testing.T, dir string, s Spec, lines int) string {
	t.Helper()
	cmd := send(t, errand{Dir: dir, Spec: s})
	var id string
	err := testenv.Eventually(func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "state/runs/*/journal.jsonl"))
		if len(found) == 0 {
			return false
		}
		id = filepath.Base(filepath.Dir(found[0]))
		data, _ := os.ReadFile(found[0])
		return strings.Count(string(data), "\n") >= lines
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed
	if err != nil {
		t.Fatal(err)
	}
	store, err := session.NewStore(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	// What it was about to start has its files open for a moment.
	if err := testenv.Eventually(func() bool { _, live := run.Live(); return !live }); err != nil {
		t.Fatal(err)
	}
	return id
}

// untidy gives a checkout something staged, changed, untracked and ignored.
func untidy(t *testing.T, repo string) {
	t.Helper()
	for name, text := range map[string]string{"readme": "changed\n", "staged": "staged\n", "untracked": "mine\n", "built.o": "object\n", ".git/info/exclude": "*.o\n"} {
		path := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, repo, "add", "staged")
}

func git(t *testing.T, repo string, args ...string) string {
	t.Helper()
	out, err := testenv.Git(repo, nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// picture is all that is the user's in a repository.
func picture(t *testing.T, repo string) map[string]string {
	t.Helper()
	p := map[string]string{
		"(status)": git(t, repo, "--no-optional-locks", "status", "--porcelain=v2", "--branch", "--untracked-files=all", "--ignored"),
		"(index)":  git(t, repo, "ls-files", "--stage", "-v"),
		"(refs)":   git(t, repo, "for-each-ref", "refs/heads", "refs/tags", "refs/remotes", "refs/stash"),
	}
	for _, name := range []string{".git/HEAD", ".git/config"} {
		data, err := os.ReadFile(filepath.Join(repo, name))
		if err != nil {
			t.Fatal(err)
		}
		p[name] = string(data)
	}
	_ = filepath.WalkDir(repo, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			t.Error(err)
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			p[path] = fmt.Sprint(string(data), err)
		}
		return nil
	})
	return p
}
