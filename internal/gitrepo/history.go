package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// RangeOptions says which commits of a range are wanted.
type RangeOptions struct {
	// FirstParent follows first parents only: a line, on which the commits
	// between two others are truly between them.
	FirstParent bool
	// Paths are git pathspecs, relative to the root of the repository. They
	// drop no commit, they set RangeEntry.Touches.
	Paths []string
}

// RangeEntry is one commit of a range.
type RangeEntry struct {
	Hash    string
	Parents []string // all parents, also in a first-parent range; as git sees them
	Merge   bool     // two parents or more
	// Touches says that the commit differs from its first parent (a root: from
	// the empty tree) in one of RangeOptions.Paths. True when no paths are given.
	Touches bool
}

// Range lists good..bad: the commits reachable from bad and not from good.
// Oldest first, every commit after its parents, good excluded, bad last. Empty
// if bad is good or an ancestor of good. Memory is linear, about 150 bytes a
// commit.
func (r *Repo) Range(ctx context.Context, good, bad string, o RangeOptions) ([]RangeEntry, error) {
	if err := checkHashes(good, bad); err != nil {
		return nil, fmt.Errorf("listing a range: %w", err)
	}
	args := []string{"rev-list", "--reverse", "--parents"}
	if o.FirstParent {
		args = append(args, "--first-parent")
	} else {
		// Not the default order: with a skewed clock it can put a commit
		// before one of its parents.
		args = append(args, "--topo-order")
	}
	var entries []RangeEntry
	err := r.git().stream(ctx, func(out io.Reader) (err error) {
		entries, err = parseRange(out, len(o.Paths) == 0)
		return err
	}, append(args, "--end-of-options", bad, "^"+good, "--")...)
	if err != nil {
		return nil, fmt.Errorf("listing %.12s..%.12s: %w", good, bad, err)
	}
	if len(o.Paths) > 0 {
		err = r.markTouches(ctx, entries, o.Paths)
	}
	return entries, err
}

// parseRange reads lines "hash parent...". The strings of all entries are parts
// of one text, and the slices of parents parts of one array: a long list costs
// a handful of allocations.
func parseRange(out io.Reader, touches bool) ([]RangeEntry, error) {
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(out); err != nil {
		return nil, err
	}
	text := buf.String()
	n := strings.Count(text, "\n")
	entries, parents := make([]RangeEntry, 0, n), make([]string, 0, n+n/4)
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		hash, rest, _ := strings.Cut(line, " ")
		if !isHexHash(hash) {
			return nil, fmt.Errorf("git rev-list printed %q", line)
		}
		first := len(parents)
		for rest != "" {
			var parent string
			parent, rest, _ = strings.Cut(rest, " ")
			parents = append(parents, parent)
		}
		e := RangeEntry{Hash: hash, Touches: touches, Merge: len(parents)-first > 1}
		if len(parents) > first {
			e.Parents = parents[first:len(parents):len(parents)]
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// isHexHash is isHash without the regular expression, for long lists.
func isHexHash(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// markTouches asks one diff-tree process about all entries: for each pair of
// commit and first parent it prints the commit's hash if anything in paths
// differs.
func (r *Repo) markTouches(ctx context.Context, entries []RangeEntry, paths []string) error {
	c := r.git()
	c.stdin = touchQuestions(entries)
	args := []string{"diff-tree", "--stdin", "-z", "-r", "--root", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "--"}
	next := 0
	err := c.stream(ctx, func(out io.Reader) error {
		return eachNUL(out, func(field string) error {
			hash, _, _ := strings.Cut(field, "\n")
			for i := next; isHexHash(hash) && i < len(entries); i++ {
				if entries[i].Hash == hash {
					entries[i].Touches, next = true, i+1
					break
				}
			}
			return nil
		})
	}, append(args, paths...)...)
	if err != nil {
		return fmt.Errorf("looking for commits that change %q: %w", paths, err)
	}
	return nil
}

func touchQuestions(entries []RangeEntry) io.Reader {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Hash)
		if len(e.Parents) > 0 {
			b.WriteString(" " + e.Parents[0])
		}
		b.WriteByte('\n')
	}
	return strings.NewReader(b.String())
}

// IsAncestor says whether a is reachable from b. A commit is its own ancestor.
// In a shallow clone a "no" may only mean that the history was cut: then the
// error is a *ShallowError.
func (r *Repo) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	if err := checkHashes(a, b); err != nil {
		return false, fmt.Errorf("comparing commits: %w", err)
	}
	_, err := r.git().run(ctx, "merge-base", "--is-ancestor", a, b)
	switch {
	case err == nil:
		return true, nil
	case exitCode(err) != 1:
		return false, fmt.Errorf("comparing commits: %w", err)
	case r.shallow:
		return false, &ShallowError{What: fmt.Sprintf("whether %.12s is an ancestor of %.12s", a, b), Hint: r.deepen(ctx)}
	}
	return false, nil
}

// MergeBase returns a best common ancestor of a and b, or ErrNotFound when
// they have none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	if err := checkHashes(a, b); err != nil {
		return "", fmt.Errorf("finding a merge base: %w", err)
	}
	base, err := r.git().line(ctx, "merge-base", a, b)
	if exitCode(err) == 1 {
		if r.shallow {
			return "", &ShallowError{What: fmt.Sprintf("the merge base of %.12s and %.12s", a, b), Hint: r.deepen(ctx)}
		}
		return "", fmt.Errorf("the merge base of %.12s and %.12s: %w", a, b, ErrNotFound)
	}
	return base, err
}

// deepen is the command that completes a shallow clone.
func (r *Repo) deepen(ctx context.Context) string {
	remotes, err := r.git().run(ctx, "remote")
	first, _, _ := strings.Cut(string(remotes), "\n")
	if err != nil || first == "" {
		first = "<remote>"
	} else if strings.Contains("\n"+string(remotes), "\norigin\n") {
		first = "origin"
	}
	return "git fetch --unshallow " + first + "   (or, for the last N commits more: git fetch --deepen=N " + first + ")"
}

// eachNUL calls f with every NUL-terminated field.
func eachNUL(in io.Reader, f func(string) error) error {
	buf := bufio.NewReaderSize(in, 64<<10)
	for {
		field, err := buf.ReadString(0)
		if err == nil {
			err = f(field[:len(field)-1])
		}
		if errors.Is(err, io.EOF) {
			if field != "" {
				err = f(field)
			} else {
				err = nil
			}
			return err
		}
		if err != nil {
			return err
		}
	}
}
