package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"perfbisect/amdgpu"
)

// save writes a snapshot to a file that a tool's caller named: a new file, or
// one that holds a snapshot of ours. A caller is a model, which may be wrong
// about what lies there; so nothing else is ever replaced.
func (a *App) save(s *amdgpu.Snapshot, to string) error {
	path, exists, err := a.saveable(to)
	if err != nil {
		return fmt.Errorf("saving the snapshot: %w", err)
	}
	if len(s.Kernels) == 0 {
		return nil // nothing to compare with later
	}
	var text bytes.Buffer
	if err := s.WriteJSON(&text); err != nil {
		return fmt.Errorf("saving the snapshot: %w", err)
	}
	if exists {
		err = renameio.WriteFile(path, text.Bytes(), 0o644, renameio.WithExistingPermissions())
	} else {
		err = create(path, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("saving the snapshot: %w", err)
	}
	return nil
}

// create makes a file that is not there yet, whole or not at all.
func create(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// saveable is the real path of a file that may be written, and whether a
// snapshot of ours is there already.
func (a *App) saveable(to string) (path string, exists bool, err error) {
	dir, err := realPath(filepath.Dir(to))
	if err != nil {
		return "", false, err
	}
	path = filepath.Join(dir, filepath.Base(to))
	if !a.below(dir) {
		return "", false, fmt.Errorf("%q lies outside the folders that --allow-root permits: %v", to, a.cfg.AllowRoots)
	}
	if inGit(path) {
		return "", false, fmt.Errorf("%q belongs to Git's own files", to)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, false, nil
	case err != nil:
		return "", false, err
	case !info.Mode().IsRegular() || !isSnapshot(path):
		return "", false, fmt.Errorf("%q is there already and is no snapshot of ours; name a new file", to)
	}
	return path, true, nil
}

// inGit reports whether path is called .git, or lies in a folder that is called
// so or looks like a Git directory.
func inGit(path string) bool {
	for p := path; ; p = filepath.Dir(p) {
		if strings.EqualFold(filepath.Base(p), ".git") || p != path && isGitDir(p) {
			return true
		}
		if p == filepath.Dir(p) {
			return false
		}
	}
}

// isGitDir knows a Git directory, bare ones too, by what every one has.
func isGitDir(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// isSnapshot reports whether the whole file is a snapshot that WriteJSON wrote.
func isSnapshot(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 256<<20 {
		return false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	var head struct {
		Tool    string             `json:"tool"`
		Schema  int                `json:"schema"`
		Kernels *[]json.RawMessage `json:"kernels"`
	}
	return json.Unmarshal(data, &head) == nil && head.Tool == "perfbisect" && head.Schema == amdgpu.Schema && head.Kernels != nil
}
