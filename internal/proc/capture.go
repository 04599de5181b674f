package proc

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// ends keeps the first limit and the last limit bytes of a stream. The head is
// written in order; the tail is a ring.
type ends struct {
	limit      int64
	head, tail io.WriterAt
	total      int64
}

// write takes the next bytes of the stream. It keeps counting after an error.
func (e *ends) write(p []byte) error {
	at := e.total
	e.total += int64(len(p))
	if n := min(e.limit-at, int64(len(p))); n > 0 {
		if _, err := e.head.WriteAt(p[:n], at); err != nil {
			return err
		}
		p, at = p[n:], at+n
	}
	if skip := int64(len(p)) - e.limit; skip > 0 {
		p, at = p[skip:], at+skip
	}
	for len(p) > 0 {
		off := (at - e.limit) % e.limit
		n := min(e.limit-off, int64(len(p)))
		if _, err := e.tail.WriteAt(p[:n], off); err != nil {
			return err
		}
		p, at = p[n:], at+n
	}
	return nil
}

// gap reports whether bytes between head and tail were dropped.
func (e *ends) gap() bool { return e.total > 2*e.limit }

// last returns the tail in stream order, read from r, which is its ring.
func (e *ends) last(r io.ReaderAt) io.Reader {
	over := max(e.total-e.limit, 0)
	if over <= e.limit {
		return io.NewSectionReader(r, 0, over)
	}
	pos := over % e.limit
	return io.MultiReader(io.NewSectionReader(r, pos, e.limit-pos), io.NewSectionReader(r, 0, pos))
}

// memory is a growing buffer with the methods of a file.
type memory struct{ buf []byte }

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	if need := int(off) + len(p); need > len(m.buf) {
		m.buf = append(m.buf, make([]byte, need-len(m.buf))...)
	}
	return copy(m.buf[off:], p), nil
}

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(m.buf).ReadAt(p, off)
}

// recorder takes one output stream: its ends in memory, and in a file if a path
// is given.
type recorder struct {
	path       string
	mem        ends
	head, tail memory
	disk       ends
	file, ring *os.File // ring has no name any more: a kill leaves nothing behind
	err        error    // first failure of the disk part, which stops it
}

// newRecorder creates the file at path, or none if path is "".
func newRecorder(path string, maxBytes int64) (*recorder, error) {
	r := &recorder{path: path}
	r.mem = ends{limit: MemoryLimit, head: &r.head, tail: &r.tail}
	if path == "" {
		return r, nil
	}
	var err error
	if r.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return nil, fmt.Errorf("creating output file: %w", err)
	}
	r.disk = ends{limit: max(maxBytes/2, 1), head: r.file, tail: (*lazyRing)(r)}
	return r, nil
}

// lazyRing creates the ring file at the first byte that needs it: most commands
// print little.
type lazyRing recorder

func (l *lazyRing) WriteAt(p []byte, off int64) (int, error) {
	if l.ring == nil {
		f, err := os.OpenFile(l.path+".tail", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return 0, err
		}
		l.ring = f
		if err := os.Remove(f.Name()); err != nil {
			return 0, err
		}
	}
	return l.ring.WriteAt(p, off)
}

// Write never fails, so that a full disk does not end the command: the error is
// kept for the capture.
func (r *recorder) Write(p []byte) (int, error) {
	_ = r.mem.write(p) // memory does not fail
	if r.file != nil && r.err == nil {
		r.err = r.disk.write(p)
	}
	return len(p), nil
}

// finish closes the files and returns what was kept.
func (r *recorder) finish() Capture {
	c := Capture{Path: r.path, Head: r.head.buf, Total: r.mem.total}
	c.Tail, _ = io.ReadAll(r.mem.last(&r.tail))
	if r.mem.gap() {
		c.Head, c.Tail = cutEnd(c.Head), cutStart(c.Tail)
		c.Truncated = r.file == nil
	}
	if r.file == nil {
		return c
	}
	if r.err == nil {
		r.err = r.join()
	}
	if err := r.file.Close(); r.err == nil {
		r.err = err
	}
	if r.ring != nil {
		_ = r.ring.Close() // read only by now, and without a name
	}
	if r.err != nil {
		c.WriteError = fmt.Sprintf("writing %q: %v", r.path, r.err)
	}
	c.Truncated = r.disk.gap() || r.err != nil
	return c
}

// join appends the ring to the file, after the line Omitted if there is a gap.
func (r *recorder) join() error {
	if r.ring == nil {
		return nil
	}
	end, tail := r.disk.limit, r.disk.last(r.ring)
	if r.disk.gap() {
		edge := make([]byte, min(end, 64<<10))
		if _, err := r.file.ReadAt(edge, end-int64(len(edge))); err != nil {
			return err
		}
		kept := cutEnd(edge)
		end -= int64(len(edge) - len(kept))
		first := make([]byte, len(edge))
		n, err := io.ReadFull(tail, first)
		if err != nil {
			return err
		}
		marker := append(endLine(append([]byte(nil), kept...))[len(kept):], Omitted+"\n"...)
		tail = io.MultiReader(bytes.NewReader(marker), bytes.NewReader(cutStart(first[:n])), tail)
	}
	if err := r.file.Truncate(end); err != nil {
		return err
	}
	_, err := io.Copy(io.NewOffsetWriter(r.file, end), tail)
	return err
}

// cutEnd drops the incomplete last line of b or, in a line without end, its
// incomplete last word.
func cutEnd(b []byte) []byte {
	for _, ends := range []string{"\n\r", " \t,;"} {
		if i := bytes.LastIndexAny(b, ends); i >= 0 {
			return b[:i+1]
		}
	}
	return b
}

// cutStart drops the incomplete first line of b or, if that is all of b, its
// incomplete first word.
func cutStart(b []byte) []byte {
	for _, ends := range []string{"\n\r", " \t,;"} {
		if i := bytes.IndexAny(b, ends); i >= 0 && i+1 < len(b) {
			return b[i+1:]
		}
	}
	return b
}

// endLine adds a newline to b unless it is empty or has one.
func endLine(b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	return b
}
