package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotApplied: a patch does not apply to the commit.
var ErrNotApplied = errors.New("the patch does not apply")

// Edit is one difference between a commit and the one that Synthesize makes of
// it. Exactly one of Submodule, Content and Patch is set.
type Edit struct {
	Path      string // of Submodule and Content
	Submodule string // the submodule at Path is pinned to this commit
	Content   []byte // the file at Path has this content; its mode stays
	Patch     []byte // as git diff writes it
	Reverse   bool   // the patch is taken back
}

// Synthesize makes a commit in our own clone, on top of base and with the edits,
// and returns its hash. The same arguments give the same hash, so that it can be
// made again after a kill. Nothing is written into the user's repository, which
// is why other trees than a clone refuse (*RefusedError). The error is
// ErrNotApplied when a patch does not fit.
func (w *Workspace) Synthesize(ctx context.Context, base string, edits ...Edit) (string, error) {
	if w.mode != ModeClone {
		return "", &RefusedError{Reason: fmt.Sprintf("a %s shares the object store of your repository, and a commit that is only tried does not belong there", w.mode), Hint: "use clone mode"}
	}
	if err := checkHashes(base); err != nil {
		return "", fmt.Errorf("making a commit to try: %w", err)
	}
	index := filepath.Join(w.gitDir, "perfbisect-index")
	defer func() { _ = errors.Join(os.Remove(index), os.Remove(index+".lock")) }()
	c := w.git()
	c.env = []string{"GIT_INDEX_FILE=" + index}
	if _, err := c.run(ctx, "read-tree", base); err != nil {
		return "", err
	}
	for _, e := range edits {
		if err := e.apply(ctx, c); err != nil {
			return "", fmt.Errorf("making a commit to try on %.12s: %w", base, err)
		}
	}
	tree, err := c.line(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	date, err := c.line(ctx, "show", "-s", "--format=%cI", base)
	if err != nil {
		return "", err
	}
	const name, mail = "perfbisect", "perfbisect@localhost"
	c.env = append(c.env, "GIT_AUTHOR_NAME="+name, "GIT_AUTHOR_EMAIL="+mail, "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME="+name, "GIT_COMMITTER_EMAIL="+mail, "GIT_COMMITTER_DATE="+date)
	return c.line(ctx, "commit-tree", "--no-gpg-sign", "-p", base, "-m", "a commit to try", tree)
}

func (e Edit) apply(ctx context.Context, c command) error {
	switch {
	case e.Submodule != "":
		if err := checkHashes(e.Submodule); err != nil {
			return err
		}
		_, err := c.run(ctx, "update-index", "--add", "--cacheinfo", "160000,"+e.Submodule+","+e.Path)
		return err
	case e.Patch != nil:
		return e.patch(ctx, c)
	}
	return e.write(ctx, c)
}

// patch applies to the index only. The three-way way finds moved places; git
// before 2.32 does not have it for an index.
func (e Edit) patch(ctx context.Context, c command) error {
	args := []string{"apply", "--cached", "--whitespace=nowarn"}
	if e.Reverse {
		args = append(args, "--reverse")
	}
	for _, more := range [][]string{{"--3way"}, nil} {
		c.stdin = bytes.NewReader(e.Patch)
		_, err := c.run(ctx, append(args, more...)...)
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return ErrNotApplied
}

func (e Edit) write(ctx context.Context, c command) error {
	entry, err := c.line(ctx, "ls-files", "--stage", "--", ":(literal)"+e.Path)
	if err != nil {
		return err
	}
	mode, _, ok := strings.Cut(entry, " ")
	if !ok {
		mode = "100644"
	}
	c.stdin = bytes.NewReader(e.Content)
	blob, err := c.line(ctx, "hash-object", "-w", "--stdin")
	if err != nil {
		return err
	}
	_, err = c.run(ctx, "update-index", "--add", "--cacheinfo", mode+","+blob+","+e.Path)
	return err
}

// Fresh is Checkout into a tree without build products and untracked files, so
// that the next build starts from nothing. In-place mode refuses: they are the
// user's.
func (w *Workspace) Fresh(ctx context.Context, hash string) (Changed, error) {
	if w.mode == ModeInPlace {
		return Changed{}, &RefusedError{Reason: "cleaning the tree would delete your own untracked files", Hint: "use clone mode"}
	}
	return w.checkout(ctx, hash, CleanAll)
}

// Blob is Repo.Blob of the repository that the tree belongs to.
func (w *Workspace) Blob(ctx context.Context, hash, path string, limit int64) ([]byte, error) {
	return w.repo.Blob(ctx, hash, path, limit)
}

// Submodules is Repo.Submodules of a commit that may be in the tree only.
func (w *Workspace) Submodules(ctx context.Context, hash string) (map[string]string, error) {
	return gitlinks(ctx, w.git(), hash)
}
