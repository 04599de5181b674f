package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestIDs: a run whose request is gone is listed as long as it has a journal; what
// was killed while it was made, and what is no run, is not.
func TestIDs(t *testing.T) {
	s, r := newRun(t)
	if err := errors.Join(
		os.MkdirAll(filepath.Join(s.dir, "1130-half", "logs"), 0o700),
		os.WriteFile(filepath.Join(s.dir, "notes.txt"), nil, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	j, _ := lockRun(t, r)
	appendTo(t, j, pause("one"))
	j.Close()
	listed := func() {
		t.Helper()
		if ids, err := s.IDs(); err != nil || !slices.Equal(ids, []string{r.ID}) {
			t.Errorf("%q, %v", ids, err)
		}
	}
	listed()
	if err := os.Remove(r.path("spec.json")); err != nil {
		t.Fatal(err)
	}
	listed()
}
