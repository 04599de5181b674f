package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// FileStat is one changed file between two commits.
type FileStat struct {
	Path    string
	OldPath string // where it was renamed or copied from, else ""
	Status  string // A added, D deleted, M modified, T type changed, R renamed, C copied
	Added   int    // lines; 0 for binary files
	Deleted int    // lines; 0 for binary files
	Binary  bool
	// SubmoduleFrom and SubmoduleTo are the pinned commits when a submodule was
	// added, removed or moved; "" on the side where there is none.
	SubmoduleFrom, SubmoduleTo string
}

// diffFlags make the answer that of git's defaults, whatever drivers and
// text conversions the repository configures.
var diffFlags = []string{"diff-tree", "-r", "-M", "--no-ext-diff", "--no-textconv", "--full-index", "--ignore-submodules=none"}

// sides gives the two trees to compare; "" stands for the empty tree, so that a
// root commit can be shown.
func (r *Repo) sides(ctx context.Context, a, b string) ([]string, error) {
	pair := []string{a, b}
	for i, h := range pair {
		if h != "" {
			continue
		}
		c := r.git()
		c.stdin = strings.NewReader("")
		empty, err := c.line(ctx, "hash-object", "-t", "tree", "--stdin")
		if err != nil {
			return nil, err
		}
		pair[i] = empty
	}
	return pair, checkHashes(pair...)
}

// DiffStat lists what differs between commits a and b, renames detected,
// sorted by path as git does. "" for a or b is the empty tree.
func (r *Repo) DiffStat(ctx context.Context, a, b string) ([]FileStat, error) {
	pair, err := r.sides(ctx, a, b)
	if err != nil {
		return nil, fmt.Errorf("comparing commits: %w", err)
	}
	var p statParser
	err = r.git().stream(ctx, func(out io.Reader) error { return eachNUL(out, p.field) },
		append(append([]string{}, diffFlags...), "-z", "--raw", "--numstat", pair[0], pair[1])...)
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return nil, fmt.Errorf("comparing %.12s with %.12s: %w", a, b, err)
	}
	return p.stats, nil
}

// statParser reads `diff-tree -z --raw --numstat`: first all raw records
// (":MODE MODE HASH HASH STATUS", path, and the new path of a rename), then all
// numstat records ("ADDED\tDELETED\tPATH", or with an empty PATH two more
// fields), in the same order.
type statParser struct {
	stats   []FileStat
	want    []*string // where the next fields go
	pending FileStat
	counted int
	skip    int
}

func (p *statParser) field(s string) error {
	switch {
	case p.skip > 0:
		p.skip--
		return nil
	case len(p.want) > 0:
		*p.want[0] = s
		if p.want = p.want[1:]; len(p.want) == 0 {
			p.stats = append(p.stats, p.pending)
		}
		return nil
	case strings.HasPrefix(s, ":"):
		return p.raw(s)
	}
	return p.count(s)
}

func (p *statParser) raw(s string) error {
	f := strings.Fields(s[1:])
	if len(f) != 5 {
		return fmt.Errorf("git diff-tree printed %q", s)
	}
	p.pending = FileStat{Status: f[4][:1]}
	if f[0] == "160000" {
		p.pending.SubmoduleFrom = f[2]
	}
	if f[1] == "160000" {
		p.pending.SubmoduleTo = f[3]
	}
	p.want = []*string{&p.pending.Path}
	if f[4][0] == 'R' || f[4][0] == 'C' {
		p.want = []*string{&p.pending.OldPath, &p.pending.Path}
	}
	return nil
}

func (p *statParser) count(s string) error {
	f := strings.SplitN(s, "\t", 3)
	if len(f) != 3 || p.counted >= len(p.stats) {
		return fmt.Errorf("git diff-tree printed %q", s)
	}
	st := &p.stats[p.counted]
	p.counted++
	if f[2] == "" {
		p.skip = 2
	}
	if f[0] == "-" {
		st.Binary = true
		return nil
	}
	var err1, err2 error
	st.Added, err1 = strconv.Atoi(f[0])
	st.Deleted, err2 = strconv.Atoi(f[1])
	return errors.Join(err1, err2)
}

func (p *statParser) end() error {
	if p.counted != len(p.stats) || len(p.want) > 0 || p.skip > 0 {
		return fmt.Errorf("git diff-tree: %d files, %d counts", len(p.stats), p.counted)
	}
	return nil
}

// errEnough stops git once the limit is reached.
var errEnough = errors.New("enough")

// Patch writes the difference between commits a and b as git's patch text, at
// most limit bytes, and says whether it was cut. A cut patch ends with a whole
// line unless a single line exceeds the limit. "" for a or b is the empty tree.
func (r *Repo) Patch(ctx context.Context, a, b string, w io.Writer, limit int64) (truncated bool, err error) {
	pair, err := r.sides(ctx, a, b)
	if err != nil {
		return false, fmt.Errorf("comparing commits: %w", err)
	}
	err = r.git().stream(ctx, func(out io.Reader) error {
		cut, err := copyLines(w, out, limit)
		if err == nil && cut {
			return errEnough
		}
		return err
	}, append(append([]string{}, diffFlags...), "-p", "--no-color", pair[0], pair[1])...)
	if errors.Is(err, errEnough) {
		return true, nil
	}
	if err != nil {
		err = fmt.Errorf("comparing %.12s with %.12s: %w", a, b, err)
	}
	return false, err
}

// copyLines copies up to limit bytes and says whether there was more. Only the
// unfinished last line is held back.
func copyLines(w io.Writer, in io.Reader, limit int64) (cut bool, err error) {
	var held []byte
	var written int64
	buf := make([]byte, 64<<10)
	for {
		n, readErr := in.Read(buf)
		held = append(held, buf[:n]...)
		room := limit - written
		cut = int64(len(held)) > room
		ready := len(held)
		if readErr == nil || cut {
			ready = bytes.LastIndexByte(held[:min(int64(len(held)), room)], '\n') + 1
		}
		if cut && ready == 0 && written == 0 {
			ready = int(room) // one endless line
		}
		if _, err := w.Write(held[:ready]); err != nil {
			return cut, err
		}
		written += int64(ready)
		held = append(held[:0], held[ready:]...)
		switch {
		case cut:
			return true, nil
		case errors.Is(readErr, io.EOF):
			return false, nil
		case readErr != nil:
			return false, readErr
		}
	}
}
