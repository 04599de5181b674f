// Package demo makes a small git repository whose commits really change how
// fast its program is: a matrix multiplication with a build step, one broken
// stretch, and one commit that costs about a quarter of the speed while looking
// harmless. It is for people who want to see a hunt before they trust one.
//
// It needs git, and Go for the build; it never touches an existing repository.
package demo

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed files
var files embed.FS

// Repo is the repository that was made.
type Repo struct {
	Dir     string
	Good    string // tag of the fast end
	Bad     string // branch of the slow end
	Culprit string // full hash of the planted commit, to compare the answer with
	Commits int    // after Good
}

// Build and Bench are the commands of the demo.
const (
	Build = "go build -o gemm ."
	Bench = "./gemm"
)

// change is one commit: an edit of one file.
type change struct {
	subject string
	file    string
	old     string // "" appends New
	new     string
}

// Make builds the repository in dir, which must be empty.
func Make(ctx context.Context, dir string) (*Repo, error) {
	state, err := firstFiles()
	if err != nil {
		return nil, err
	}
	var stream bytes.Buffer
	write(&stream, 0, "gemm: blocked matrix multiplication with a benchmark", state)
	planted := 0
	for i, c := range changes() {
		if err := c.apply(state); err != nil {
			return nil, fmt.Errorf("making the demo: commit %q: %w", c.subject, err)
		}
		if c.subject == plantedSubject {
			planted = i + 1
		}
		write(&stream, i+1, c.subject, state)
	}
	fmt.Fprint(&stream, "reset refs/tags/v1.0\nfrom :1\n\ndone\n")
	r := &Repo{Dir: dir, Good: "v1.0", Bad: "main", Commits: len(changes())}
	return r, r.create(ctx, &stream, len(changes())-planted)
}

// create imports the history. back is how many commits the planted one lies
// before the tip.
func (r *Repo) create(ctx context.Context, stream *bytes.Buffer, back int) error {
	if _, err := r.git(ctx, nil, "init", "--quiet", "--initial-branch=main", "."); err != nil {
		return err
	}
	if _, err := r.git(ctx, stream, "fast-import", "--quiet", "--done"); err != nil {
		return err
	}
	if _, err := r.git(ctx, nil, "reset", "--hard", "--quiet", "main"); err != nil {
		return err
	}
	hash, err := r.git(ctx, nil, "rev-parse", fmt.Sprintf("main~%d", back))
	r.Culprit = strings.TrimSpace(hash)
	return err
}

func (r *Repo) git(ctx context.Context, in *bytes.Buffer, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.Dir
	if in != nil {
		cmd.Stdin = in
	}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("making the demo: git %s: %w: %s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// firstFiles returns the files of the first commit by their names.
func firstFiles() (map[string]string, error) {
	entries, err := files.ReadDir("files")
	if err != nil {
		return nil, fmt.Errorf("making the demo: %w", err)
	}
	state := map[string]string{}
	for _, e := range entries {
		data, err := files.ReadFile("files/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("making the demo: %w", err)
		}
		state[strings.TrimSuffix(e.Name(), ".txt")] = string(data)
	}
	return state, nil
}

func (c change) apply(state map[string]string) error {
	if c.old == "" {
		state[c.file] += c.new
		return nil
	}
	if strings.Count(state[c.file], c.old) != 1 {
		return fmt.Errorf("%s has %q %d times", filepath.Base(c.file), c.old, strings.Count(state[c.file], c.old))
	}
	state[c.file] = strings.Replace(state[c.file], c.old, c.new, 1)
	return nil
}

// write adds commit number n with the given files to a fast-import stream.
func write(w *bytes.Buffer, n int, subject string, state map[string]string) {
	author := authors[n%len(authors)]
	when := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(n) * 7 * time.Hour).Unix()
	fmt.Fprintf(w, "commit refs/heads/main\nmark :%d\nauthor %s %d +0000\ncommitter %s %d +0000\ndata %d\n%s\n",
		n+1, author, when, author, when, len(subject), subject)
	if n > 0 {
		fmt.Fprintf(w, "from :%d\n", n)
	}
	for name, text := range state {
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	w.WriteByte('\n')
}

var authors = []string{
	"Ada Park <ada@example.com>", "Bo Lind <bo@example.com>", "Chen Wu <chen@example.com>", "Dana Roy <dana@example.com>",
}
