package gitrepo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Commit is what a commit says of itself. Texts are valid UTF-8 whatever the
// commit's encoding was.
type Commit struct {
	Hash       string
	Tree       string
	Parents    []string // as git sees them: grafts, replacements, shallow boundary
	Author     string
	Email      string
	AuthorDate time.Time
	CommitDate time.Time
	Subject    string // first paragraph, joined by spaces, as %s of git log
	Body       string // the rest, without leading and trailing blank lines
}

// setMessage splits a message as git does for %s and %b (format_subject in
// git's pretty.c): blank lines are skipped, the title ends at the first blank
// line, its lines lose trailing space and are joined by one space.
func (c *Commit) setMessage(msg string) {
	msg, _, _ = strings.Cut(msg, "\x00") // git stops there
	var title []string
	for msg != "" {
		line, rest, _ := strings.Cut(msg, "\n")
		line = strings.TrimRight(line, blank)
		if line == "" && len(title) > 0 {
			break
		}
		if line != "" {
			title = append(title, line)
		}
		msg = rest
	}
	c.Subject = strings.ToValidUTF8(strings.Join(title, " "), "\uFFFD")
	c.Body = strings.ToValidUTF8(strings.TrimRight(skipBlankLines(msg), blank), "\uFFFD")
	c.Author = strings.ToValidUTF8(c.Author, "\uFFFD")
	c.Email = strings.ToValidUTF8(c.Email, "\uFFFD")
}

// blank is git's isspace.
const blank = " \t\n\r"

func skipBlankLines(s string) string {
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		if strings.TrimRight(line, blank) != "" {
			return s
		}
		s = rest
	}
	return s
}

// Commit reads a commit by its full hash. ErrNotFound if there is none.
func (r *Repo) Commit(ctx context.Context, hash string) (Commit, error) {
	if err := checkHashes(hash); err != nil {
		return Commit{}, fmt.Errorf("reading a commit: %w", err)
	}
	c, err := r.odb.commit(hash)
	if err == nil {
		return c, nil
	}
	return r.commitByGit(ctx, hash)
}

const commitFormat = "%H%x00%T%x00%P%x00%an%x00%ae%x00%ad%x00%cd%x00%B"

func (r *Repo) commitByGit(ctx context.Context, hash string) (Commit, error) {
	out, err := r.git().line(ctx, "log", "--no-walk", "-1", "--no-color", "--no-decorate", "--no-notes", "--no-patch",
		"--encoding=UTF-8", "--date=raw", "--format="+commitFormat, "--end-of-options", hash, "--")
	if err != nil {
		if exitCode(err) == 128 {
			err = fmt.Errorf("%w: %w", ErrNotFound, err)
		}
		return Commit{}, fmt.Errorf("reading commit %.12s: %w", hash, err)
	}
	f := strings.SplitN(out, "\x00", 8)
	if len(f) != 8 {
		return Commit{}, fmt.Errorf("reading commit %.12s: git answered %q", hash, out)
	}
	c := Commit{
		Hash: f[0], Tree: f[1], Parents: strings.Fields(f[2]), Author: f[3], Email: f[4],
		AuthorDate: rawDate(f[5]), CommitDate: rawDate(f[6]),
	}
	if len(c.Parents) == 0 {
		c.Parents = nil
	}
	c.setMessage(f[7])
	return c, nil
}

// rawDate reads "1700000000 +0130"; what cannot be read is the epoch.
func rawDate(s string) time.Time {
	sec, zone, _ := strings.Cut(s, " ")
	n, _ := strconv.ParseInt(sec, 10, 64)
	z, _ := strconv.Atoi(zone)
	return time.Unix(n, 0).In(time.FixedZone("", (z/100*60+z%100)*60))
}

// TreeAt is the hash of what a commit has at path: a tree, a blob or the commit
// of a submodule. "" when there is nothing. The empty path is the whole tree.
func (r *Repo) TreeAt(ctx context.Context, hash, path string) (string, error) {
	if err := checkHashes(hash); err != nil {
		return "", fmt.Errorf("looking up a path: %w", err)
	}
	path, err := cleanPath(path)
	if err != nil {
		return "", fmt.Errorf("looking up a path: %w", err)
	}
	e, err := r.odb.entry(hash, path)
	switch {
	case err == nil && e == nil:
		return "", nil
	case err == nil:
		return e.Hash.String(), nil
	}
	return r.treeAtByGit(ctx, hash, path)
}

func (r *Repo) treeAtByGit(ctx context.Context, hash, path string) (string, error) {
	if path == "" {
		return r.git().line(ctx, "rev-parse", "--verify", "--end-of-options", hash+"^{tree}")
	}
	out, err := r.git().run(ctx, "--literal-pathspecs", "ls-tree", "-z", "--full-tree", hash, "--", path)
	if err != nil || len(out) == 0 {
		return "", err
	}
	e, err := parseTreeLine(strings.TrimSuffix(string(out), "\x00"))
	return e.hash, err
}

// treeLine is one record of git ls-tree: "MODE TYPE HASH\tPATH".
type treeLine struct{ mode, kind, hash, path string }

func parseTreeLine(s string) (treeLine, error) {
	meta, path, ok := strings.Cut(s, "\t")
	f := strings.Fields(meta)
	if !ok || len(f) != 3 || !isHash(f[2]) {
		return treeLine{}, fmt.Errorf("git ls-tree printed %q", s)
	}
	return treeLine{f[0], f[1], f[2], path}, nil
}

// Blob reads the file at path of a commit, as stored (no filters, no line-end
// conversion). ErrNotFound if there is no file, ErrTooLarge if it has more than
// limit bytes.
func (r *Repo) Blob(ctx context.Context, hash, path string, limit int64) ([]byte, error) {
	id, err := r.TreeAt(ctx, hash, path)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, fmt.Errorf("reading %q at %.12s: %w", path, hash, ErrNotFound)
	}
	data, err := r.odb.blob(id, limit)
	if err != nil && !errors.Is(err, ErrTooLarge) {
		data, err = r.blobByGit(ctx, id, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %q at %.12s: %w", path, hash, err)
	}
	return data, nil
}

// blobByGit reads "HASH TYPE SIZE\n", then SIZE bytes. In a partial clone git
// fetches what is missing.
func (r *Repo) blobByGit(ctx context.Context, id string, limit int64) (data []byte, err error) {
	c := r.git()
	c.stdin = strings.NewReader(id + "\n")
	err = c.stream(ctx, func(out io.Reader) error {
		in := bufio.NewReader(out)
		head, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		var gotID, kind string
		var size int64
		if n, _ := fmt.Sscan(head, &gotID, &kind, &size); n != 3 || kind != "blob" {
			return fmt.Errorf("%w: object %q is no file", ErrNotFound, strings.TrimSpace(head))
		}
		if size > limit {
			return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, size, limit)
		}
		data = make([]byte, size)
		if _, err = io.ReadFull(in, data); err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, in)
		return err
	}, "cat-file", "--batch")
	return data, err
}

// Submodules maps the path of every submodule in a commit to the commit that it
// is pinned to. Empty, not nil, when there are none.
func (r *Repo) Submodules(ctx context.Context, hash string) (map[string]string, error) {
	return gitlinks(ctx, r.git(), hash)
}

func gitlinks(ctx context.Context, c command, hash string) (map[string]string, error) {
	if err := checkHashes(hash); err != nil {
		return nil, fmt.Errorf("listing submodules: %w", err)
	}
	links := map[string]string{}
	err := c.stream(ctx, func(out io.Reader) error {
		return eachNUL(out, func(field string) error {
			if !strings.HasPrefix(field, "160000 ") {
				return nil
			}
			e, err := parseTreeLine(field)
			links[e.path] = e.hash
			return err
		})
	}, "ls-tree", "-r", "-z", "--full-tree", hash)
	if err != nil {
		return nil, fmt.Errorf("listing submodules of %.12s: %w", hash, err)
	}
	return links, nil
}
