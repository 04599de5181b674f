package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"perfbisect/engine"
)

// Events reads the journal. A torn last line is left out; a line that does not
// parse anywhere else is an error, because facts after it would be lost.
func (r *Run) Events() ([]engine.Event, error) {
	data, err := os.ReadFile(r.path("journal.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal of run %s: %w", r.ID, err)
	}
	events, _, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading the journal of run %s: %w", r.ID, err)
	}
	return events, nil
}

// parse returns the events of data and the length of the part that is whole.
func parse(data []byte) (events []engine.Event, whole int64, err error) {
	for line := 1; len(data) > 0; line++ {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break // torn: the newline is written last
		}
		var e engine.Event
		if err := json.Unmarshal(data[:end], &e); err != nil {
			if len(data) == end+1 {
				break // torn by a crash of the machine: blocks came out of order
			}
			return nil, 0, fmt.Errorf("line %d: %w", line, err)
		}
		events = append(events, e)
		whole += int64(end + 1)
		data = data[end+1:]
	}
	return events, whole, nil
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
	lock *lock
}

// Lock opens the journal for writing and returns the facts in it so far. When
// another process works on the run the error is a *LockedError.
func (r *Run) Lock() (*Journal, []engine.Event, error) {
	l, err := acquire(r.path("lock"), "", nil)
	if err != nil {
		return nil, nil, fmt.Errorf("locking run %s: %w", r.ID, err)
	}
	j, events, err := r.open(l)
	if err != nil {
		l.release()
		return nil, nil, fmt.Errorf("opening the journal of run %s: %w", r.ID, err)
	}
	return j, events, nil
}

func (r *Run) open(l *lock) (*Journal, []engine.Event, error) {
	f, err := os.OpenFile(r.path("journal.jsonl"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	events, whole, err := readWhole(f)
	if err == nil {
		err = f.Truncate(whole)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	j := &Journal{run: r, file: f, size: whole, from: time.Now(), lock: l}
	if n := len(events); n > 0 {
		j.seq, j.atS, j.base = events[n-1].Seq, events[n-1].AtS, events[n-1].AtS
	}
	return j, events, syncDir(r.Dir)
}

func readWhole(f *os.File) ([]engine.Event, int64, error) {
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, 0, err
	}
	return parse(data)
}

// AtS is the seconds of work so far: the time since the lock was taken plus
// that of earlier sessions. It is monotonic whatever the wall clock does.
func (j *Journal) AtS() float64 { return j.base + time.Since(j.from).Seconds() }

// Append numbers e, writes it and waits until it is on disk. On error the
// journal is as it was before.
func (j *Journal) Append(e engine.Event) (engine.Event, error) {
	e.V, e.Seq, e.T = engine.JournalVersion, j.seq+1, time.Now().UTC().Round(time.Millisecond)
	e.AtS = max(j.AtS(), j.atS)
	line, err := json.Marshal(e)
	if err != nil {
		return e, fmt.Errorf("journaling %s: %w", e.Kind, err)
	}
	line = append(line, '\n')
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
	j.lock.release()
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
