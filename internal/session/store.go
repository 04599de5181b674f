package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
)

// Store is the folder that holds all runs.
type Store struct {
	dir   string // of the runs
	locks string // of what hunts on this machine must not share
}

// NewStore opens the runs below stateDir, making the folder (mode 0700) if needed.
func NewStore(stateDir string) (*Store, error) {
	dir := filepath.Join(stateDir, "runs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of runs: %w", err)
	}
	return &Store{dir: dir, locks: filepath.Join(stateDir, "locks")}, nil
}

// Locks is the folder for locks that all hunts share; it may not exist yet.
func (s *Store) Locks() string { return s.locks }

// UnknownRunError says which run is not there, and which are.
type UnknownRunError struct {
	ID    string
	Known []string // newest first, at most five
}

func (e *UnknownRunError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("unknown run %q: there are no runs yet", e.ID)
	}
	return fmt.Sprintf("unknown run %q; the newest are: %s", e.ID, strings.Join(e.Known, ", "))
}

// Create makes a run for spec, which is stored as it is. Its id is the date and
// four random digits.
func (s *Store) Create(spec []byte) (*Run, error) {
	for range 100 {
		id := time.Now().Format("0102") + "-" + randomHex(2)
		r := &Run{ID: id, Dir: filepath.Join(s.dir, id)}
		err := os.Mkdir(r.Dir, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("making a run: %w", err)
		}
		if err := r.init(spec); err != nil {
			return nil, errors.Join(err, r.Remove())
		}
		return r, nil
	}
	return nil, errors.New("making a run: 100 random names were taken")
}

func (r *Run) init(spec []byte) error {
	for _, sub := range []string{"logs", "inbox"} {
		if err := os.Mkdir(filepath.Join(r.Dir, sub), 0o700); err != nil {
			return fmt.Errorf("making run %s: %w", r.ID, err)
		}
	}
	if err := renameio.WriteFile(r.path("spec.json"), spec, 0o600); err != nil {
		return fmt.Errorf("making run %s: %w", r.ID, err)
	}
	return nil
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails on supported systems; see crypto/rand
	return hex.EncodeToString(b)
}

// Open finds a run by its id or by a unique beginning of it.
func (s *Store) Open(id string) (*Run, error) {
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	var hits []string
	for _, have := range ids {
		if have == id {
			hits = []string{have}
			break
		}
		if id != "" && strings.HasPrefix(have, id) {
			hits = append(hits, have)
		}
	}
	if len(hits) != 1 {
		return nil, &UnknownRunError{ID: id, Known: ids[:min(5, len(ids))]}
	}
	return &Run{ID: hits[0], Dir: filepath.Join(s.dir, hits[0])}, nil
}

// IDs lists all runs, newest first.
func (s *Store) IDs() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("listing runs: %w", err)
	}
	type dated struct {
		id string
		t  time.Time
	}
	var runs []dated
	for _, e := range entries {
		run := Run{ID: e.Name(), Dir: filepath.Join(s.dir, e.Name())}
		info, err := os.Stat(run.path("spec.json"))
		if errors.Is(err, fs.ErrNotExist) { // gone, if there is a journal
			info, err = os.Lstat(run.journal())
		}
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			continue // a run that was killed while it was made, or not a run
		case err != nil:
			if info, err = e.Info(); err != nil { // what cannot be read is there all the same
				continue
			}
		}
		runs = append(runs, dated{e.Name(), info.ModTime()})
	}
	sort.Slice(runs, func(i, j int) bool {
		if !runs[i].t.Equal(runs[j].t) {
			return runs[i].t.After(runs[j].t)
		}
		return runs[i].id > runs[j].id
	})
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.id
	}
	return ids, nil
}
