package metric

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode"
	"unicode/utf8"
)

// lineReader splits a stream into lines as a terminal would show them: colours
// and other control sequences removed, the last redraw of a line only, no NUL,
// valid UTF-8. A line longer than maxLine is cut; the rest of it is skipped.
type lineReader struct {
	r   *bufio.Reader
	buf []byte
	// n is the number of the line last returned, from 1.
	n   int
	err error
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 256<<10)}
}

// next returns the next line without its end. The bytes are valid until the
// following call. At the end of the stream, or at a read error (left in err),
// ok is false.
func (l *lineReader) next() (line []byte, ok bool) {
	l.buf = l.buf[:0]
	for {
		chunk, err := l.r.ReadSlice('\n')
		l.keep(chunk)
		switch {
		case err == nil:
			l.n++
			return clean(bytes.TrimSuffix(l.buf, []byte("\n"))), true
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case len(l.buf) > 0:
			l.n++
			return clean(l.buf), true
		}
		if !errors.Is(err, io.EOF) {
			l.err = err
		}
		return nil, false
	}
}

// keep appends chunk to the line. When the line is full, redraws that a later
// one overwrites go first; what then still does not fit is dropped.
func (l *lineReader) keep(chunk []byte) {
	if len(l.buf)+len(chunk) > maxLine {
		if i := bytes.LastIndexByte(l.buf, '\r'); i > 0 {
			l.buf = append(l.buf[:0], l.buf[i:]...)
		}
		chunk = chunk[:min(len(chunk), maxLine-len(l.buf))]
	}
	l.buf = append(l.buf, chunk...)
}

// clean turns the raw bytes of a line into its visible text, in place.
func clean(b []byte) []byte {
	plain := true
	for _, c := range b {
		if c < 0x20 && c != '\t' || c >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return b
	}
	b = lastRedraw(stripControls(b))
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("?"))
	}
	return b
}

// stripControls removes escape sequences, NUL and other control bytes except
// tab and carriage return, and applies backspaces.
func stripControls(b []byte) []byte {
	out := b[:0]
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == 0x1b:
			i += escapeLen(b[i:]) - 1
		case c == '\b':
			if len(out) > 0 {
				_, n := utf8.DecodeLastRune(out)
				out = out[:len(out)-n]
			}
		case c == '\t' || c == '\r' || c >= 0x20 && c != 0x7f:
			out = append(out, c)
		}
	}
	return out
}

// maxEscape bounds an escape sequence; a longer one is text.
const maxEscape = 4096

// escapeLen returns the length of the escape sequence at the start of b: CSI
// (ESC [ … final byte), OSC and the other strings (ESC ] … BEL or ESC \), or
// ESC and one byte. Source: ECMA-48, 5.4 and 5.6.
func escapeLen(b []byte) int {
	b = b[:min(len(b), maxEscape)]
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
		}
		return len(b)
	case ']', 'P', 'X', '^', '_':
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1
			}
			if b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2
			}
		}
		return 2 // unterminated: keep the text
	case '(', ')':
		return min(3, len(b))
	}
	return 2
}

// lastRedraw returns what a line that was redrawn with carriage returns shows at
// the end: its last part. A part without a letter (" 1#") only overwrites the
// beginning of what stands there, as a terminal does, and the rest still shows.
func lastRedraw(b []byte) []byte {
	if bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	var shown []byte
	for more := true; more; {
		var part []byte
		i := bytes.LastIndexByte(b, '\r')
		part, more = b[i+1:], i >= 0
		b = b[:max(i, 0)]
		if len(bytes.TrimSpace(part)) == 0 {
			continue
		}
		if len(part) > len(shown) {
			shown = append(shown, part[len(shown):]...)
		}
		if bytes.ContainsFunc(part, unicode.IsLetter) {
			break
		}
	}
	return shown
}
