package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"perfbisect/engine"
)

// maxLine bounds a line of a journal in bytes, so that one that holds something
// else than facts does not fill the memory. The longest real one is the plan:
// some 300 bytes for each commit of the range.
const maxLine = 256 << 20

// sumMark begins the last field of a line: the CRC-32C of all bytes before it, in
// eight hexadecimal digits. It tells a value that a failing disk has changed from
// one that was measured.
var sumMark = []byte(`,"sum":"`)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode writes an event as a line of the journal.
func encode(e engine.Event) ([]byte, error) {
	line, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	line = line[:len(line)-1] // the closing brace
	return fmt.Appendf(line, "%s%08x\"}\n", sumMark, crc32.Checksum(line, castagnoli)), nil
}

// lines reads the lines of a journal one after another.
type lines struct {
	in     *bufio.Reader
	max    int  // bytes of a line
	number int  // of lines read
	summed bool // lines so far had a checksum
}

func newLines(r io.Reader) *lines { return &lines{in: bufio.NewReaderSize(r, 64<<10), max: maxLine} }

// next returns the next event and the length of its line. The end of what is
// whole is io.EOF: the journal ends there, or in a line that was torn when it
// was written.
func (l *lines) next() (e engine.Event, n int64, err error) {
	text, err := l.line()
	if err != nil {
		return e, 0, err // io.EOF: no newline, which is written last
	}
	err = l.decode(text, &e)
	if err != nil {
		if _, more := l.in.Peek(1); more == io.EOF {
			err = io.EOF // torn by a crash of the machine: blocks came out of order
		}
		return e, 0, err
	}
	l.number++
	return e, int64(len(text)), nil
}

func (l *lines) line() ([]byte, error) {
	var long []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if err == nil && long == nil && len(part) <= l.max {
			return part, nil
		}
		if len(long)+len(part) > l.max {
			return nil, fmt.Errorf("it is longer than %d bytes", l.max)
		}
		long = append(long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long, err
		}
	}
}

// decode reads a line and checks that it is what was written, where it was.
func (l *lines) decode(text []byte, e *engine.Event) error {
	if err := json.Unmarshal(text, e); err != nil {
		return err
	}
	if e.V > engine.JournalVersion {
		return fmt.Errorf("it is of version %d, and this perfbisect reads up to %d: a newer one wrote it", e.V, engine.JournalVersion)
	}
	at := bytes.LastIndex(text, sumMark)
	switch {
	case at >= 0 && string(text[at:]) != fmt.Sprintf("%s%08x\"}\n", sumMark, crc32.Checksum(text[:at], castagnoli)):
		return errors.New("its checksum is wrong: it is not what was written")
	case at < 0 && l.summed:
		return errors.New("its checksum is missing")
	case e.Seq != l.number+1:
		return fmt.Errorf("it has the number %d", e.Seq)
	}
	l.summed = at >= 0
	return nil
}
