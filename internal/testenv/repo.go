package testenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strings"
	"testing"
)

// Commit is one commit of a repository to be made.
type Commit struct {
	Subject string
	Parents []int             // indices; nil: the commit before
	Files   map[string]string // whole content by path; what the first parent has stays
	Modules map[string]string // hash of the submodule at each path
	Remove  []string
}

// Repo makes a repository in dir with the given commits, branch main at the
// last one, and returns their hashes. Dates and names are fixed, so equal
// commits have equal hashes.
func Repo(dir string, commits []Commit) ([]string, error) {
	var in bytes.Buffer
	for i, c := range commits {
		writeCommit(&in, i, c)
	}
	fmt.Fprintf(&in, "reset refs/heads/main\nfrom :%d\n\ndone\n", len(commits))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := Git(dir, nil, "init", "--quiet", "--initial-branch=main", "."); err != nil {
		return nil, err
	}
	if _, err := Git(dir, &in, "fast-import", "--quiet", "--done", "--export-marks=.git/marks"); err != nil {
		return nil, err
	}
	if _, err := Git(dir, nil, "reset", "--quiet", "--hard", "main"); err != nil {
		return nil, err
	}
	return marks(dir + "/.git/marks")
}

func writeCommit(w *bytes.Buffer, i int, c Commit) {
	when := 1_770_000_000 + 3600*i
	fmt.Fprintf(w, "commit refs/heads/tmp%d\nmark :%d\nauthor Ada Park <ada@example.com> %d +0000\ncommitter Ada Park <ada@example.com> %d +0000\ndata %d\n%s\n",
		i, i+1, when, when, len(c.Subject), c.Subject)
	parents := c.Parents
	if parents == nil && i > 0 {
		parents = []int{i - 1}
	}
	for n, p := range parents {
		fmt.Fprintf(w, "%s :%d\n", map[bool]string{true: "from", false: "merge"}[n == 0], p+1)
	}
	for _, path := range c.Remove {
		fmt.Fprintf(w, "D %s\n", path)
	}
	for path, hash := range c.Modules {
		fmt.Fprintf(w, "M 160000 %s %s\n", hash, path)
	}
	paths := make([]string, 0, len(c.Files))
	for path := range c.Files {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		mode := "100644"
		if strings.HasSuffix(path, ".sh") {
			mode = "100755"
		}
		fmt.Fprintf(w, "M %s inline %q\ndata %d\n%s\n", mode, path, len(c.Files[path]), c.Files[path])
	}
	w.WriteByte('\n')
}

// marks reads the hashes that fast-import gave to the commits, and removes the
// branches it needed on the way.
func marks(file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Fields(string(data))
	hashes := make([]string, len(lines)/2)
	for i := 0; i+1 < len(lines); i += 2 {
		var n int
		if _, err := fmt.Sscanf(lines[i], ":%d", &n); err != nil {
			return nil, err
		}
		hashes[n-1] = lines[i+1]
	}
	dir := strings.TrimSuffix(file, "/.git/marks")
	var refs bytes.Buffer
	for i := range hashes {
		fmt.Fprintf(&refs, "delete refs/heads/tmp%d\n", i)
	}
	if _, err := Git(dir, &refs, "update-ref", "--stdin"); err != nil {
		return nil, err
	}
	return hashes, os.Remove(file)
}

// Git runs git in dir, away from the user's configuration.
func Git(dir string, in *bytes.Buffer, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = GitEnv()
	if in != nil {
		cmd.Stdin = in
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, errs.String())
	}
	return strings.TrimSpace(out.String()), nil
}

// GitEnv is our environment without what would make git, or our program, behave
// differently on another machine.
func GitEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		ours := strings.HasPrefix(kv, "PERFBISECT_") && !strings.HasPrefix(kv, "PERFBISECT_NODE_MODULES=")
		if !strings.HasPrefix(kv, "GIT_") && !ours {
			env = append(env, kv)
		}
	}
	return append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Ada Park", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada Park", "GIT_COMMITTER_EMAIL=ada@example.com")
}

// MustRepo is Repo in a temporary folder of t.
func MustRepo(t testing.TB, commits []Commit) (dir string, hashes []string) {
	t.Helper()
	dir = t.TempDir()
	hashes, err := Repo(dir, commits)
	if err != nil {
		t.Fatal(err)
	}
	return dir, hashes
}
