package gitrepo

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Tag is a tag and the commit that it leads to.
type Tag struct{ Name, Hash string }

// Tags lists the tags of commits in good..bad, in git's order of names.
func (r *Repo) Tags(ctx context.Context, good, bad string) ([]Tag, error) {
	if err := checkHashes(good, bad); err != nil {
		return nil, fmt.Errorf("listing tags: %w", err)
	}
	out, err := r.git().run(ctx, "for-each-ref", "--merged="+bad, "--no-merged="+good,
		"--format=%(refname:strip=2) %(objectname) %(*objectname)", "refs/tags/")
	if err != nil {
		return nil, fmt.Errorf("listing tags in %.12s..%.12s: %w", good, bad, err)
	}
	var tags []Tag
	for line := range strings.Lines(string(out)) {
		// A reference name holds no space.
		if f := strings.Fields(line); len(f) >= 2 {
			tags = append(tags, Tag{f[0], f[len(f)-1]})
		}
	}
	return tags, nil
}

// Refs lists the short names of branches, tags and remote branches, for
// completion and hints.
func (r *Repo) Refs(ctx context.Context) ([]string, error) {
	out, err := r.git().run(ctx, "for-each-ref", "--format=%(refname:short)", "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return nil, fmt.Errorf("listing references: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// Describe names a commit after the nearest tag before it, as git describe
// does; the abbreviated hash where there is none, or where the search takes
// longer than two seconds.
func (r *Repo) Describe(ctx context.Context, hash string) string {
	c := r.git()
	c.limit = 2 * time.Second
	if name, err := c.line(ctx, "describe", "--tags", "--always", "--abbrev=12", hash); err == nil && isHash(hash) {
		return name
	}
	return hash[:min(12, len(hash))]
}
