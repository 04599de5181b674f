package app

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// filesNamed returns the words of commands that are paths of files or folders in
// dir.
func filesNamed(dir string, words []string) []string {
	var paths []string
	for _, w := range words {
		w = strings.TrimPrefix(strings.Trim(w, "\"'`();&|<>"), "./")
		if !filepath.IsLocal(w) || w == "." {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, w)); err == nil {
			paths = append(paths, w)
		}
	}
	return paths
}

// benchWords are the words of the benchmark command.
func (h *hunt) benchWords() []string {
	if len(h.spec.BenchArgv) > 0 {
		return h.spec.BenchArgv
	}
	return strings.Fields(h.spec.BenchCmd)
}

// leftOut is what to do about a text file that the commands name and that is in
// the user's checkout but not in the commit that was tried last, or "". What is
// no text is taken for something that a build makes.
func (h *hunt) leftOut() string {
	if h.place == nil || h.place.ws == nil {
		return ""
	}
	for _, path := range filesNamed(h.spec.Repo, append(strings.Fields(h.spec.BuildCmd), h.benchWords()...)) {
		_, err := os.Lstat(filepath.Join(h.place.ws.Dir(), path))
		if os.IsNotExist(err) && isText(filepath.Join(h.spec.Repo, path)) {
			return fmt.Sprintf("%s is in your checkout, but not in the commit: --overlay %q lays it over every checkout", path, path)
		}
	}
	return ""
}

// isText reports whether path is a file that begins with no binary data.
func isText(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 8000))
	return err == nil && bytes.IndexByte(head, 0) < 0
}
