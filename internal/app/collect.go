package app

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// collect brings what the compiler left elsewhere into the dump folder: the
// artifacts of the build, or temporary files in the tree, whose files were before
// when the dump began.
func (h *hunt) collect(dump string, before fileStamps) error {
	if h.spec.Dump == "" {
		return h.collectArtifacts(dump)
	}
	if !noFiles(dump) {
		return nil
	}
	return collectTemps(dump, h.place.ws.Dir(), before)
}

// artifacts lists what matches the patterns in the tree in use, relative to it.
func (h *hunt) artifacts() ([]string, error) {
	var list []string
	for _, glob := range h.spec.Artifact {
		files, err := fs.Glob(os.DirFS(h.place.ws.Dir()), filepath.ToSlash(filepath.Clean(glob)))
		if err != nil {
			return nil, fmt.Errorf("finding artifacts %q: %w", glob, err)
		}
		list = append(list, files...)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

func (h *hunt) collectArtifacts(dump string) error {
	list, err := h.artifacts()
	if err != nil {
		return err
	}
	for _, rel := range list {
		if err := into(dump, h.place.ws.Dir(), rel); err != nil {
			return fmt.Errorf("collecting artifact %q: %w", rel, err)
		}
	}
	return nil
}

// into makes the file or folder rel of tree appear below dump.
func into(dump, tree, rel string) error {
	from, to := filepath.Join(tree, rel), filepath.Join(dump, rel)
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(from); err == nil && os.Link(real, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from) // on another file system
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// noFiles reports whether there is no file below dir.
func noFiles(dir string) bool {
	none := true
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			none = false
			return fs.SkipAll
		}
		return nil
	})
	return none
}
