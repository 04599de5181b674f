package session

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
)

// Run is one hunt's folder.
type Run struct {
	ID  string
	Dir string
}

func (r *Run) path(name string) string { return filepath.Join(r.Dir, name) }

func (r *Run) journal() string { return r.path("journal.jsonl") }

// LogDir is where outputs of commands go.
func (r *Run) LogDir() string { return r.path("logs") }

// Spec returns what was asked, as it was stored.
func (r *Run) Spec() ([]byte, error) {
	b, err := os.ReadFile(r.path("spec.json"))
	if err != nil {
		return nil, fmt.Errorf("reading run %s: %w", r.ID, err)
	}
	return b, nil
}

// Started is when the run was made.
func (r *Run) Started() time.Time {
	info, err := os.Stat(r.path("spec.json"))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// WriteFile writes a file of the run, whole or not at all, and returns its path.
func (r *Run) WriteFile(name string, data []byte) (string, error) {
	if err := renameio.WriteFile(r.path(name), data, 0o600); err != nil {
		return "", fmt.Errorf("writing %s of run %s: %w", name, r.ID, err)
	}
	return r.path(name), nil
}

// Remove deletes a run that came to nothing, with all that is in it.
func (r *Run) Remove() error {
	if err := os.RemoveAll(r.Dir); err != nil {
		return fmt.Errorf("removing run %s: %w", r.ID, err)
	}
	return nil
}
