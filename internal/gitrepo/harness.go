package gitrepo

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// harness is what is laid over every checkout. It is copied when the workspace
// is made, so that one benchmark measures all commits.
type harness struct {
	bench    BenchFrom
	overlays []laid
	patches  []patch
	touched  []string // every path that the above may write, relative to the tree
}

// laid is one overlay: a copy of ours and where it goes.
type laid struct{ copy, dest string }

// patch is one patch file's name and text.
type patch struct{ name, text string }

// loadHarness copies overlays and patches to dir, unless a killed process of
// the same run did so before; a half-made copy lies elsewhere.
func (w *Workspace) loadHarness(ctx context.Context, dir string) error {
	if len(w.opts.Overlays)+len(w.opts.Patches) > 0 {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			if err := w.freeze(dir); err != nil {
				return err
			}
		}
	}
	h := harness{bench: w.opts.BenchFrom}
	for i, o := range w.opts.Overlays {
		dest, err := w.repo.overlayDest(o)
		if err != nil {
			return err
		}
		h.overlays = append(h.overlays, laid{filepath.Join(dir, "overlay-"+strconv.Itoa(i)), dest})
	}
	for i, name := range w.opts.Patches {
		text, err := os.ReadFile(filepath.Join(dir, "patch-"+strconv.Itoa(i)))
		if err != nil {
			return err
		}
		h.patches = append(h.patches, patch{name, string(text)})
	}
	w.harness = h
	return w.harness.findTouched(ctx, w.git())
}

func (w *Workspace) freeze(dir string) error {
	half := dir + ".half"
	if err := removeAll(half); err != nil {
		return err
	}
	if err := os.MkdirAll(half, 0o700); err != nil {
		return err
	}
	for i, o := range w.opts.Overlays {
		if err := copyTree(filepath.Join(half, "overlay-"+strconv.Itoa(i)), o.Src); err != nil {
			return fmt.Errorf("copying overlay: %w", err)
		}
	}
	for i, name := range w.opts.Patches {
		if err := copyTree(filepath.Join(half, "patch-"+strconv.Itoa(i)), name); err != nil {
			return fmt.Errorf("copying patch: %w", err)
		}
	}
	return os.Rename(half, dir)
}

// removeHarness removes the copies beside a tree, half-made ones too.
func removeHarness(base string) error {
	return errors.Join(removeAll(base+".harness"), removeAll(base+".harness.half"))
}

// overlayDest is where an overlay goes, inside the tree and outside of .git.
func (r *Repo) overlayDest(o Overlay) (string, error) {
	dest := o.Dest
	if dest == "" {
		src, err := filepath.Abs(o.Src)
		if err != nil {
			return "", err
		}
		dest = filepath.Base(src)
		if rel, err := filepath.Rel(r.root, src); err == nil && filepath.IsLocal(rel) {
			dest = rel
		}
	}
	dest = filepath.Clean(dest)
	first, _, _ := strings.Cut(filepath.ToSlash(dest), "/")
	if !filepath.IsLocal(dest) || strings.EqualFold(first, ".git") {
		return "", fmt.Errorf("overlay %q: destination %q is not inside the tree", o.Src, dest)
	}
	return dest, nil
}

// findTouched lists the paths that the harness writes.
func (h *harness) findTouched(ctx context.Context, c command) error {
	for _, o := range h.overlays {
		err := filepath.WalkDir(o.copy, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(o.copy, p)
			h.touched = append(h.touched, filepath.Join(o.dest, rel))
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, p := range h.patches {
		paths, err := p.paths(ctx, c)
		if err != nil {
			return err
		}
		h.touched = append(h.touched, paths...)
	}
	for _, path := range h.bench.Paths {
		found, err := c.run(ctx, "--literal-pathspecs", "ls-tree", "-r", "-z", "--name-only", "--full-tree", h.bench.Hash, "--", path)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("benchmark path %q at %.12s: %w", path, h.bench.Hash, ErrNotFound)
		}
		h.touched = append(h.touched, strings.Split(strings.TrimSuffix(string(found), "\x00"), "\x00")...)
	}
	return nil
}

// paths are those that a patch changes; an error says that it is no patch.
func (p patch) paths(ctx context.Context, c command) ([]string, error) {
	c.stdin = strings.NewReader(p.text)
	out, err := c.run(ctx, "apply", "--numstat", "-z", "-")
	if err != nil {
		return nil, fmt.Errorf("reading patch %q: %w", p.name, err)
	}
	var paths []string
	for record := range strings.SplitSeq(string(out), "\x00") {
		if f := strings.SplitN(record, "\t", 3); len(f) == 3 && f[2] != "" {
			paths = append(paths, f[2])
		} else if len(f) == 1 && record != "" {
			paths = append(paths, record) // the two names of a rename
		}
	}
	return paths, nil
}

// lay writes the harness over the tree that c is in.
func (h *harness) lay(ctx context.Context, c command) (warnings []string, err error) {
	if len(h.bench.Paths) > 0 {
		args := []string{"--literal-pathspecs", "restore", "--quiet", "--worktree", "--no-overlay", "--no-recurse-submodules", "--source=" + h.bench.Hash, "--"}
		if _, err := c.run(ctx, append(args, h.bench.Paths...)...); err != nil {
			return nil, err
		}
	}
	for _, o := range h.overlays {
		if err := o.lay(c.dir); err != nil {
			return nil, fmt.Errorf("laying overlay over %q: %w", o.dest, err)
		}
	}
	for _, p := range h.patches {
		warning, err := p.apply(ctx, c)
		if err != nil {
			return warnings, err
		}
		if warning != "" {
			warnings = append(warnings, warning)
		}
	}
	return warnings, nil
}

// apply applies a patch as a whole or not at all.
func (p patch) apply(ctx context.Context, c command) (warning string, err error) {
	try := func(flags ...string) error {
		c.stdin = strings.NewReader(p.text)
		_, err := c.run(ctx, append(append([]string{"apply", "--whitespace=nowarn"}, flags...), "-")...)
		return err
	}
	err = try()
	if err == nil || exitCode(err) < 0 {
		return "", err
	}
	if try("--check", "--reverse") == nil {
		return fmt.Sprintf("patch %q was not applied: the commit contains it already", p.name), nil
	}
	ge, _ := errors.AsType[*GitError](err)
	return fmt.Sprintf("patch %q does not apply here and was left out: %s", p.name, strings.ReplaceAll(ge.Stderr, "\n", "; ")), nil
}

// lay copies an overlay into the tree. Through os.Root, so that a symbolic link
// that some commit has on the way cannot lead outside.
func (o laid) lay(tree string) error {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	return filepath.WalkDir(o.copy, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(o.copy, p)
		if err != nil {
			return err
		}
		dest := filepath.Join(o.dest, rel)
		if d.IsDir() {
			return makeFolder(root, dest)
		}
		if err := makeFolder(root, filepath.Dir(dest)); err != nil {
			return err
		}
		return copyEntry(root, dest, p)
	})
}

// makeFolder makes dest a folder, in place of whatever file is there.
func makeFolder(root *os.Root, dest string) error {
	if info, err := root.Lstat(dest); err == nil && !info.IsDir() {
		if err := root.Remove(dest); err != nil {
			return err
		}
	}
	return root.MkdirAll(dest, 0o755)
}

// copyEntry replaces dest by a copy of a file or symbolic link. The old file is
// removed, not written to: it may have other names or be running.
func copyEntry(root *os.Root, dest, src string) error {
	info, err := os.Lstat(src)
	if err != nil {
		return err
	}
	if err := root.RemoveAll(dest); err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(src)
		if err != nil {
			return err
		}
		return root.Symlink(target, dest)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%q is neither file, folder nor symbolic link", src)
	}
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(dest, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// copyTree copies a file or folder to dest, which does not exist.
func copyTree(dest, src string) error {
	src, err := filepath.EvalSymlinks(src)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(dest))
	if err != nil {
		return err
	}
	defer root.Close()
	return filepath.WalkDir(src, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, p)
		if err != nil {
			return err
		}
		at := filepath.Join(filepath.Base(dest), rel)
		if d.IsDir() {
			return root.MkdirAll(at, 0o755)
		}
		return copyEntry(root, at, p)
	})
}

// stamps remember the content and time of files that are about to be rewritten.
type stamps map[string]stamp

type stamp struct {
	sum  [sha256.Size]byte
	mode fs.FileMode
	at   time.Time
}

func (h *harness) stamps(tree string) stamps {
	s := stamps{}
	for _, path := range h.touched {
		if st, ok := stampOf(filepath.Join(tree, path)); ok {
			s[path] = st
		}
	}
	return s
}

func stampOf(path string) (s stamp, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return s, false
	}
	f, err := os.Open(path)
	if err != nil {
		return s, false
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	s = stamp{mode: info.Mode(), at: info.ModTime()}
	sum.Sum(s.sum[:0])
	return s, err == nil
}

// keep gives files whose content is again what it was their old time back, so
// that make does not rebuild them.
func (s stamps) keep(tree string) {
	for path, before := range s {
		full := filepath.Join(tree, path)
		now, ok := stampOf(full)
		if ok && now.sum == before.sum && now.mode == before.mode && !now.at.Equal(before.at) {
			_ = os.Chtimes(full, before.at, before.at)
		}
	}
}
