package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Artifact is one file that the build makes.
type Artifact struct {
	// Path is relative to the checkout.
	Path string `json:"path"`
	// SHA256 is the hash of the content in hexadecimal.
	SHA256  string    `json:"sha256"`
	Bytes   int64     `json:"bytes"`
	ModTime time.Time `json:"mod_time"`
}

// artifacts hashes the regular files that match globs in dir, sorted by path, and
// lists the globs that match none.
func artifacts(dir string, globs []string) (found []Artifact, missing []string, err error) {
	for _, glob := range globs {
		paths, err := filepath.Glob(within(dir, glob))
		if err != nil {
			return nil, nil, fmt.Errorf("artifact pattern %q: %w", glob, err)
		}
		none := true
		for _, path := range paths {
			a, err := readArtifact(dir, path)
			switch {
			case errors.Is(err, errNoFile):
				continue
			case err != nil:
				return nil, nil, fmt.Errorf("reading artifact: %w", err)
			}
			none = false
			found = append(found, a)
		}
		if none {
			missing = append(missing, glob)
		}
	}
	slices.SortFunc(found, func(a, b Artifact) int { return strings.Compare(a.Path, b.Path) })
	found = slices.CompactFunc(found, func(a, b Artifact) bool { return a.Path == b.Path })
	return found, missing, nil
}

// within places pattern below dir, whose own name must not be read as a pattern.
func within(dir, pattern string) string {
	if filepath.IsAbs(pattern) {
		return pattern
	}
	return filepath.Join(quoteGlob(dir), pattern)
}

// quoteGlob escapes what filepath.Glob would interpret.
func quoteGlob(path string) string {
	out := make([]byte, 0, len(path))
	for i := range len(path) {
		if c := path[i]; c == '*' || c == '?' || c == '[' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}

// errNoFile marks what is no regular file, or vanished.
var errNoFile = errors.New("not a regular file")

func readArtifact(dir, path string) (Artifact, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return Artifact{}, errNoFile
	}
	if err != nil {
		return Artifact{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Artifact{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return Artifact{}, err
	}
	if rel, err := filepath.Rel(dir, path); err == nil {
		path = rel
	}
	return Artifact{Path: path, SHA256: hex.EncodeToString(h.Sum(nil)), Bytes: info.Size(), ModTime: info.ModTime()}, nil
}

// hashAll returns one hash of paths and contents, "" for none.
func hashAll(list []Artifact) string {
	if len(list) == 0 {
		return ""
	}
	h := sha256.New()
	for _, a := range list {
		fmt.Fprintf(h, "%q %s\n", a.Path, a.SHA256) // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil))
}

// unchanged reports whether no artifact differs in content or time.
func unchanged(before, after []Artifact) bool {
	return slices.EqualFunc(before, after, func(a, b Artifact) bool {
		return a.Path == b.Path && a.SHA256 == b.SHA256 && a.ModTime.Equal(b.ModTime)
	})
}
