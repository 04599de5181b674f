package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// stream is one output of a command: the pipe and the goroutine that empties it
// into a recorder.
type stream struct {
	rec    *recorder
	r, w   *os.File
	copied chan struct{} // closed when the pipe is at its end
	eof    bool          // the job has seen that
}

func newStream(path string, maxBytes int64) (*stream, error) {
	rec, err := newRecorder(path, maxBytes)
	if err != nil {
		return nil, err
	}
	s := &stream{rec: rec, copied: make(chan struct{})}
	if s.r, s.w, err = os.Pipe(); err != nil {
		rec.finish()
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	go s.copy()
	return s, nil
}

func (s *stream) copy() {
	defer close(s.copied)
	buf := make([]byte, 64<<10) // the size of a pipe
	for {
		n, err := s.r.Read(buf)
		_, _ = s.rec.Write(buf[:n])
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
				s.rec.err = errors.Join(s.rec.err, err)
			}
			return
		}
	}
}

// closeWriter closes our copy of the write end, so that the pipe ends with the
// last process that holds it.
func (s *stream) closeWriter() {
	_ = s.w.Close() // nothing is buffered in a pipe end
}

// done is readable once the pipe is at its end, and never again.
func (s *stream) done() <-chan struct{} {
	if s.eof {
		return nil
	}
	return s.copied
}

// finish stops reading, even if a process that could not be killed, or one that
// was given the pipe, still holds it.
func (s *stream) finish() Capture {
	s.closeWriter()
	_ = s.r.SetReadDeadline(time.Now().Add(outputDelay))
	<-s.copied
	_ = s.r.Close()
	return s.rec.finish()
}
