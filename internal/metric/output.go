package metric

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Limits of one scan. Output beyond them is skipped, never kept in memory.
const (
	maxLine     = 32 << 20 // bytes of one line, and of one JSON document
	maxGrammar  = 16 << 10 // bytes at the start of a line that the line grammar reads
	maxLabels   = 4096     // distinct labels kept by one scan
	maxValues   = 1 << 20  // values kept for an exact median
	maxLabelLen = 200      // bytes of one label
	maxText     = 200      // bytes of a line shown to people
)

// Output is what one run of a benchmark left behind. Its streams are read by
// offset, so that several readers may use one Output at a time.
type Output struct {
	// Stdout and Stderr are the two streams, apart; nil is an empty one.
	Stdout, Stderr *io.SectionReader
	// ElapsedS is the wall time of the command in seconds; it is the value of
	// the spec "time".
	ElapsedS float64
	// ExitCode is the exit status of the command; it is the value of the spec
	// "exit".
	ExitCode int
}

// Text returns an Output of two strings.
func Text(stdout, stderr string) Output {
	return Output{Stdout: section(stdout), Stderr: section(stderr)}
}

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}

// OpenFile returns the stream of a file, and the file for the caller to close.
func OpenFile(path string) (*io.SectionReader, io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading output: %w", err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("reading output: %w", err)
	}
	return io.NewSectionReader(f, 0, st.Size()), f, nil
}

// stream is one of the two streams and its name.
type stream struct {
	name string
	r    *io.SectionReader
}

// streams lists the streams that hold something, stdout first.
func (o Output) streams() []stream {
	var out []stream
	for _, s := range []stream{{"stdout", o.Stdout}, {"stderr", o.Stderr}} {
		if s.r != nil && s.r.Size() > 0 {
			out = append(out, s)
		}
	}
	return out
}

// reader returns a reader of the whole stream with an offset of its own.
func (s stream) reader() io.Reader { return io.NewSectionReader(s.r, 0, s.r.Size()) }
