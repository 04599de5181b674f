package gitrepo

import (
	"context"
	"fmt"
	"strings"
)

// Has reports whether a pathspec, relative to the root, matches anything in a
// commit: a file, a folder or a submodule.
func (r *Repo) Has(ctx context.Context, hash, pathspec string) (bool, error) {
	if err := checkHashes(hash); err != nil {
		return false, fmt.Errorf("looking for a path: %w", err)
	}
	c := r.git()
	c.stdin = strings.NewReader("")
	empty, err := c.line(ctx, "hash-object", "-t", "tree", "--stdin") // git knows this tree where no object is
	if err != nil {
		return false, fmt.Errorf("looking for %q: %w", pathspec, err)
	}
	_, err = r.git().run(ctx, "diff-tree", "-r", "--quiet", "--no-ext-diff", "--ignore-submodules=none", empty, hash, "--", pathspec)
	if err != nil && exitCode(err) != 1 {
		return false, fmt.Errorf("looking for %q in %.12s: %w", pathspec, hash, err)
	}
	return err != nil, nil
}
