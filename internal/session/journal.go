package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"perfbisect/engine"
)

// Events reads the journal. A torn last line is left out. When anything else in
// it cannot be read, the error is a *DamagedError, and the events are those
// before that place.
func (r *Run) Events() ([]engine.Event, error) {
	f, err := r.openJournal(os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, r.emptied()
	}
	if err != nil {
		return nil, r.Damaged(0, err)
	}
	defer f.Close()
	events, _, err := r.parse(f)
	return events, err
}

// openJournal opens the journal if it is a file: a pipe in its place would hang
// whoever looks at the run.
func (r *Run) openJournal(flag int) (*os.File, error) {
	if info, err := os.Stat(r.journal()); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is no file but %v", info.Mode().Type())
	}
	return os.OpenFile(r.journal(), flag, 0o600)
}

// parse returns the events of in and the length of the part that is whole.
func (r *Run) parse(in io.Reader) (events []engine.Event, whole int64, err error) {
	l := newLines(in)
	for {
		e, n, err := l.next()
		switch {
		case errors.Is(err, io.EOF) && len(events) == 0:
			return nil, 0, r.emptied()
		case errors.Is(err, io.EOF):
			return events, whole, nil
		case err != nil:
			return events, whole, r.Damaged(l.number+1, err)
		}
		events, whole = append(events, e), whole+n
	}
}

// Journal is the right to append facts to a run. Hold it by Lock.
type Journal struct {
	run  *Run
	file *os.File
	size int64 // of the part that is whole
	seq  int
	atS  float64   // of the newest fact
	base float64   // seconds of work before began
	from time.Time // monotonic
	hold *Hold
}

// Lock opens the journal for writing and returns the facts in it so far. When
// another process works on the run the error is a *LockedError, and when the
// journal cannot be read a *DamagedError.
func (r *Run) Lock() (*Journal, []engine.Event, error) {
	h, err := r.Hold()
	if err != nil {
		return nil, nil, err
	}
	j, events, err := h.open()
	if err != nil {
		h.Release()
		return nil, nil, fmt.Errorf("opening the journal of run %s: %w", r.ID, err)
	}
	return j, events, nil
}

func (h *Hold) open() (*Journal, []engine.Event, error) {
	r := h.run
	f, err := r.openJournal(os.O_RDWR | os.O_CREATE)
	if err != nil {
		return nil, nil, r.Damaged(0, err)
	}
	events, whole, err := r.parse(f)
	if err == nil {
		err = f.Truncate(whole)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	j := &Journal{run: r, file: f, size: whole, from: time.Now(), hold: h}
	if n := len(events); n > 0 {
		j.seq, j.atS, j.base = events[n-1].Seq, events[n-1].AtS, events[n-1].AtS
	}
	return j, events, syncDir(r.Dir)
}

// AtS is the seconds of work so far: the time since the lock was taken plus
// that of earlier sessions. It is monotonic whatever the wall clock does.
func (j *Journal) AtS() float64 { return j.base + time.Since(j.from).Seconds() }

// now is the wall clock as events have it.
func now() time.Time { return time.Now().UTC().Round(time.Millisecond) }

// Append numbers e, writes it and waits until it is on disk. On error the
// journal is as it was before.
func (j *Journal) Append(e engine.Event) (engine.Event, error) {
	e.V, e.Seq, e.T = engine.JournalVersion, j.seq+1, now()
	e.AtS = max(j.AtS(), j.atS)
	line, err := encode(e)
	if err != nil {
		return e, fmt.Errorf("journaling %s: %w", e.Kind, err)
	}
	if err := j.write(line); err != nil {
		return e, fmt.Errorf("journaling %s of run %s: %w", e.Kind, j.run.ID, err)
	}
	j.seq, j.atS = e.Seq, e.AtS
	return e, nil
}

func (j *Journal) write(line []byte) error {
	_, err := j.file.WriteAt(line, j.size)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size))
	}
	j.size += int64(len(line))
	return nil
}

// Close gives the run back.
func (j *Journal) Close() error {
	err := j.file.Close()
	j.hold.Release()
	return err
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
