package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/renameio/v2"

	"perfbisect/engine"
)

// DamagedError says from where on a journal cannot be read. What follows is lost
// to this program even where single lines could be read: a fact that is missing
// may change what the later ones mean.
type DamagedError struct {
	Run  string
	Path string // of the journal
	Line int    // the first that cannot be used; 0: the file cannot be read at all
	Err  error
}

func (e *DamagedError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("the journal of run %s cannot be read: %v (%s)", e.Run, e.Err, e.Path)
	}
	return fmt.Sprintf("the journal of run %s is damaged: line %d cannot be used: %v (%s)", e.Run, e.Line, e.Err, e.Path)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Damaged says what is wrong with a line of the journal. The package itself checks
// that lines are what was written; what they mean is for others to check.
func (r *Run) Damaged(line int, err error) *DamagedError {
	return &DamagedError{Run: r.ID, Path: r.journal(), Line: line, Err: err}
}

// emptied returns an error when a journal without a fact had some: every command
// whose output is kept was journaled before it ran.
func (r *Run) emptied() error {
	if logs, err := os.ReadDir(r.LogDir()); err != nil || len(logs) == 0 {
		return nil
	}
	return r.Damaged(1, errors.New("the journal holds no fact, although outputs of commands are kept: it was emptied"))
}

// Hold is the right to work on a run whose journal need not be readable.
type Hold struct {
	run  *Run
	lock *lock
}

// Hold takes the lock of the run. When another process works on the run the
// error is a *LockedError.
func (r *Run) Hold() (*Hold, error) {
	l, err := acquire(r.path("lock"), "", nil)
	if err != nil {
		return nil, fmt.Errorf("locking run %s: %w", r.ID, err)
	}
	return &Hold{r, l}, nil
}

// Release gives the run back. It may be called again.
func (h *Hold) Release() {
	if h.lock != nil {
		h.lock.release()
	}
	h.lock = nil
}

// Mend replaces a damaged journal by its first lines, which must be readable, and
// the events that end returns, in one step. The damaged file stays under the name
// that end is told, "" if there is none.
func (h *Hold) Mend(lines int, end func(kept string) []engine.Event) error {
	kept, err := h.run.setAside()
	if err == nil {
		err = h.replace(kept, lines, end(kept))
	}
	if err != nil {
		return fmt.Errorf("mending the journal of run %s: %w", h.run.ID, err)
	}
	return nil
}

// Add appends events to a journal that can be read.
func (h *Hold) Add(events []engine.Event) error {
	j, _, err := h.open()
	if err != nil {
		return fmt.Errorf("opening the journal of run %s: %w", h.run.ID, err)
	}
	defer j.file.Close()
	for _, e := range events {
		if _, err := j.Append(e); err != nil {
			return err
		}
	}
	return nil
}

// maxAside bounds how many damaged journals of a run are kept.
const maxAside = 1000

// setAside gives the journal a second name, or another where links do not work.
func (r *Run) setAside() (kept string, err error) {
	info, err := os.Lstat(r.journal())
	if os.IsNotExist(err) {
		return "", nil
	}
	for i := 1; i <= maxAside && err == nil; i++ {
		kept = r.path(fmt.Sprintf("journal.damaged-%d.jsonl", i))
		if there, lerr := os.Lstat(kept); lerr == nil {
			if os.SameFile(info, there) {
				return kept, nil // by one that was killed just then
			}
			continue
		}
		if info.Mode().IsRegular() && os.Link(r.journal(), kept) == nil {
			return kept, syncDir(r.Dir)
		}
		return kept, os.Rename(r.journal(), kept)
	}
	if err == nil {
		err = fmt.Errorf("%d damaged journals are kept already", maxAside)
	}
	return "", err
}

// replace makes the first lines of the file at from the journal, and end what
// follows them.
func (h *Hold) replace(from string, count int, end []engine.Event) error {
	out, err := renameio.NewPendingFile(h.run.journal(), renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	defer out.Cleanup() //nolint:errcheck // what is pending is gone either way
	var last engine.Event
	if count > 0 {
		if last, err = copyLines(out, from, count); err != nil {
			return err
		}
	}
	for i, e := range end {
		e.V, e.Seq, e.AtS, e.T = engine.JournalVersion, count+1+i, last.AtS, now()
		line, err := encode(e)
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return errors.Join(out.CloseAtomicallyReplace(), syncDir(h.run.Dir))
}

// copyLines returns the last event that it copied.
func copyLines(to io.Writer, from string, count int) (last engine.Event, err error) {
	f, err := os.Open(from)
	if err != nil {
		return last, err
	}
	defer f.Close()
	l := newLines(f)
	for range count {
		text, err := l.line()
		if err != nil {
			return last, err
		}
		if last = (engine.Event{}); json.Unmarshal(text, &last) != nil {
			return last, errors.New("a line has changed meanwhile")
		}
		if _, err := to.Write(text); err != nil {
			return last, err
		}
	}
	return last, nil
}
