package gitrepo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A checkout whose hunt was killed looks like an ordinary one, and people go on
// working in it. All of that is kept under a reference, of which they must be
// told: it is taken out of the checkout when that is put back.

// mostNamed bounds the files that a note names, mostLooked those it looks for.
const (
	mostNamed  = 5
	mostLooked = 1000
)

// noteKilled notes what is in the checkout that was kept under p.kept and that
// neither its commit nor the snapshot has. What cannot be told stops no restore.
func (p *inPlace) noteKilled(ctx context.Context) {
	files, err := p.cameSince(ctx)
	if n := len(files); n > 0 && err == nil {
		named := strings.Join(files[:min(n, mostNamed)], ", ")
		if n > mostNamed {
			named += fmt.Sprintf(" and %d more", n-mostNamed)
		}
		p.notes = append(p.notes, fmt.Sprintf("files that came into the checkout or were changed there before the killed hunt went on, by a build, by half a step or by you, are kept in %s (git show %s:PATH): %s", p.kept, p.kept, named))
	}
	if commit, err := p.committedSince(ctx); commit != "" && err == nil {
		p.notes = append(p.notes, fmt.Sprintf("commit %.12s was made on the detached HEAD of the killed hunt and is on no branch: git branch NAME %.12s", commit, commit))
	}
}

// cameSince lists the files that differ from HEAD and from the snapshot, but not
// those that overlays write.
func (p *inPlace) cameSince(ctx context.Context) ([]string, error) {
	c := p.git()
	c.env = append(c.env, "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1")
	out, err := c.run(ctx, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all")
	if err != nil {
		return nil, err
	}
	touched := map[string]bool{}
	for _, file := range splitNUL(p.s.Touched) {
		touched[file] = true
	}
	args := []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", p.s.Work, p.kept, "--"}
	looked := len(args)
	for _, entry := range splitNUL(out) {
		if len(entry) > 3 && !touched[entry[3:]] && len(args) < looked+mostLooked {
			args = append(args, entry[3:]) // after two letters and a space
		}
	}
	if len(args) == looked {
		return nil, nil
	}
	out, err = c.run(ctx, args...)
	return splitNUL(out), err
}

// committedSince is HEAD where it was committed after the snapshot and is on no
// branch, else "".
func (p *inPlace) committedSince(ctx context.Context) (string, error) {
	c := p.git()
	when, err := c.line(ctx, "log", "-1", "--format=%ct", "HEAD")
	if err != nil {
		return "", err
	}
	if s, err := strconv.ParseInt(when, 10, 64); err != nil || s < p.s.At.Unix() {
		return "", nil
	}
	return c.line(ctx, "rev-list", "-1", "HEAD", "--not", "--branches", "--tags", "--remotes")
}
