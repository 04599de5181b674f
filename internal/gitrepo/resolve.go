package gitrepo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Resolve returns the full hash of the commit that rev names, in any spelling
// that git knows. It returns an *UnknownRevError for what names no commit.
//
// Two steps, because rev-parse alone is too kind: `A..B^{commit}` gives two
// lines, `^HEAD` gives "^hash", and in `:/text^{commit}` the suffix belongs to
// the text. So the first answer must be one hash and nothing else, and the
// second call peels that hash.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.ContainsRune(rev, 0) {
		return "", &UnknownRevError{Rev: rev, Reason: "not a revision"}
	}
	object, err := r.git().line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev)
	if err != nil || !isHash(object) {
		return "", r.unknownRev(ctx, rev, object, err)
	}
	hash, err := r.git().line(ctx, "rev-parse", "--verify", "--end-of-options", object+"^{commit}")
	if err != nil {
		return "", r.unknownRev(ctx, rev, object, err)
	}
	if !isHash(hash) {
		return "", fmt.Errorf("resolving revision %q: git answered %q", rev, hash)
	}
	return hash, nil
}

func (r *Repo) unknownRev(ctx context.Context, rev, object string, err error) error {
	if exitCode(err) < 0 && err != nil {
		return err // git did not answer at all
	}
	e := &UnknownRevError{Rev: rev, Reason: "no branch, tag or commit has this name"}
	switch {
	case err == nil || strings.Contains(rev, ".."): // no reference name holds two dots
		e.Reason = "it is a range, not one commit"
		return e
	case isHash(object):
		e.Reason = r.notCommit(ctx, object)
	default:
		if said := r.complaint(ctx, rev); said != "" {
			e.Reason = said
		}
		e.Near = nearest(rev, r.names(ctx))
	}
	if r.shallow {
		e.Hint = r.deepen(ctx)
		e.Reason += "; the repository is a shallow clone and lacks older commits, fetch them with: " + e.Hint
	}
	return e
}

// notCommit says what an object is that could not be peeled to a commit.
func (r *Repo) notCommit(ctx context.Context, object string) string {
	kind, err := r.git().line(ctx, "cat-file", "-t", object)
	if err != nil {
		return "no such object in this repository"
	}
	return "it names a " + kind + ", not a commit"
}

// complaint repeats the question loudly, for what git has to say: that a short
// hash is ambiguous, that a reflog is too short, that a branch has no upstream.
func (r *Repo) complaint(ctx context.Context, rev string) string {
	_, err := r.git().run(ctx, "rev-parse", "--verify", "--end-of-options", rev)
	ge, ok := errors.AsType[*GitError](err)
	if !ok {
		return ""
	}
	var keep []string
	for line := range strings.Lines(ge.Stderr) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "Needed a single revision"),
			strings.HasPrefix(line, "hint: Replacement"), strings.HasPrefix(line, "hint: Support for"):
		case strings.HasPrefix(line, "hint:"), strings.HasPrefix(line, "error:"), strings.HasPrefix(line, "fatal:"):
			_, text, _ := strings.Cut(line, ":")
			keep = append(keep, strings.TrimSpace(text))
		}
	}
	return strings.Join(keep[:min(len(keep), 8)], "; ")
}

// names are what a user could have meant; empty if git does not say.
func (r *Repo) names(ctx context.Context) []string {
	names, err := r.Refs(ctx)
	if err != nil {
		return nil
	}
	return names
}

// nearest returns up to three names that differ from rev by few letters, or
// hold it, nearest first.
func nearest(rev string, names []string) []string {
	type scored struct {
		name string
		d    int
	}
	var near []scored
	want := strings.ToLower(rev)
	limit := max(2, len(want)/3)
	for _, n := range names {
		low := strings.ToLower(n)
		d := distance(want, low)
		if d > limit && len(want) >= 3 && strings.Contains(low, want) {
			d = limit
		}
		if d <= limit {
			near = append(near, scored{n, d})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return cmp.Compare(a.d, b.d) })
	var out []string
	for _, s := range near[:min(len(near), 3)] {
		out = append(out, s.name)
	}
	return out
}

// distance is Levenshtein's, in bytes. Only the first 64 count, so that a hostile
// name costs nothing.
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
