package gitrepo

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's name for a blob, not a secret
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A snapshot holds what git's filters make of a file, and a checkout gives what
// they make of that. For line-end conversion (a file with other line ends than
// the rule), ident and lossy filters (nbstripout, which drops the output cells
// of a notebook) that is not what was there. The bytes of such files are kept
// beside the snapshot.

// keepRaw stores the bytes of files that a checkout would not give back, and
// notes them in the journal. The files are those of the snapshot, or only some,
// and must be as they were when it was taken.
func (p *inPlace) keepRaw(ctx context.Context, only []string) error {
	files, err := p.filtered(ctx)
	if err != nil {
		return err
	}
	if only != nil {
		files = slices.DeleteFunc(files, func(file string) bool { return !slices.Contains(only, file) })
	}
	if len(files) == 0 {
		return nil
	}
	trial := p.path("smudged")
	defer removeAll(trial)
	if err := removeAll(trial); err != nil {
		return err
	}
	c := p.with(workIndex)
	c.stdin = strings.NewReader(strings.Join(files, "\x00"))
	if _, err := c.run(ctx, "checkout-index", "--force", "--quiet", "--prefix="+trial+"/", "-z", "--stdin"); err != nil {
		return err
	}
	raw := splitNUL(p.s.Raw)
	for _, file := range files {
		equal, err := sameBytes(filepath.Join(p.repo.root, file), filepath.Join(trial, file))
		if err != nil {
			return err
		}
		if equal {
			continue
		}
		id, err := p.storeFile(ctx, file)
		if err != nil {
			return err
		}
		raw = append(raw, id+" "+file)
	}
	p.s.Raw = []byte(strings.Join(raw, "\x00"))
	return nil
}

// filtered lists the regular files of the snapshot over which git runs any
// conversion. Not those in Git LFS: they come back whole, and are large.
func (p *inPlace) filtered(ctx context.Context) (files []string, err error) {
	c := p.with(workIndex)
	all, err := c.run(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	var regular []string
	for _, line := range splitNUL(all) {
		if meta, file, _ := strings.Cut(line, "\t"); strings.HasPrefix(meta, "100") {
			regular = append(regular, file)
		}
	}
	c.stdin = strings.NewReader(strings.Join(regular, "\x00"))
	out, err := c.run(ctx, "check-attr", "-z", "--stdin", "filter", "text", "eol", "ident", "working-tree-encoding", "crlf")
	if err != nil {
		return nil, err
	}
	converted, lfs := map[string]bool{}, map[string]bool{}
	fields := splitNUL(out)
	for i := 0; i+2 < len(fields); i += 3 {
		file, attribute, value := fields[i], fields[i+1], fields[i+2]
		switch {
		case attribute == "filter" && value == "lfs":
			lfs[file] = true
		case value != "unspecified" && value != "unset":
			converted[file] = true
		}
	}
	autocrlf, err := c.line(ctx, "config", "--get", "core.autocrlf")
	if err != nil && exitCode(err) != 1 {
		return nil, err
	}
	everywhere := autocrlf != "" && !strings.EqualFold(autocrlf, "false")
	for _, file := range regular {
		if (everywhere || converted[file]) && !lfs[file] {
			files = append(files, file)
		}
	}
	return files, nil
}

func sameBytes(a, b string) (bool, error) {
	sumA, errA := fileHash(a, 40)
	sumB, errB := fileHash(b, 40)
	return sumA == sumB, errors.Join(errA, errB)
}

// rawTree is a tree of those files, so that no gc takes them; "" without any.
func (p *inPlace) rawTree(ctx context.Context) (string, error) {
	if len(p.s.Raw) == 0 {
		return "", nil
	}
	const scratch = "index.raw"
	if err := os.Remove(p.path(scratch)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var entries []string
	for _, record := range splitNUL(p.s.Raw) {
		id, file, _ := strings.Cut(record, " ")
		entries = append(entries, "100644 "+id+"\t"+file)
	}
	c := p.with(scratch)
	c.stdin = strings.NewReader(strings.Join(entries, "\x00"))
	if _, err := c.run(ctx, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return p.with(scratch).line(ctx, "write-tree")
}

// storeFile writes a file into the object database as it is.
func (p *inPlace) storeFile(ctx context.Context, file string) (string, error) {
	f, err := os.Open(filepath.Join(p.repo.root, file))
	if err != nil {
		return "", err
	}
	defer f.Close()
	c := p.git()
	c.stdin = f
	return c.line(ctx, "hash-object", "-w", "--stdin")
}

// writeRaw gives those files their bytes back.
func (p *inPlace) writeRaw(ctx context.Context) error {
	for _, record := range splitNUL(p.s.Raw) {
		id, file, _ := strings.Cut(record, " ")
		full := filepath.Join(p.repo.root, file)
		sum, err := fileHash(full, len(id))
		if err != nil {
			return err
		}
		if sum == id {
			continue
		}
		data, err := p.git().run(ctx, "cat-file", "blob", id)
		if err != nil {
			return err
		}
		if err := os.WriteFile(full, data, 0o666); err != nil { // the file is there: its mode stays
			return err
		}
	}
	return nil
}

// verifyRaw says which file has not the bytes that it had.
func (p *inPlace) verifyRaw() error {
	for _, record := range splitNUL(p.s.Raw) {
		id, file, _ := strings.Cut(record, " ")
		sum, err := fileHash(filepath.Join(p.repo.root, file), len(id))
		if err != nil {
			return err
		}
		if sum != id {
			return fmt.Errorf("file %q is not what it was: git cat-file blob %s", file, id)
		}
	}
	return nil
}

// fileHash is the name that git gives to a file's bytes: the hash of
// "blob SIZE\0" and the bytes, SHA-1 or, for 64 digits, SHA-256.
func fileHash(name string, digits int) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	var h hash.Hash = sha1.New() //nolint:gosec // as above
	if digits == 64 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
