package bench

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"

	"perfbisect/internal/proc"
)

// A build that runs many compilers at once, or goes on after an error, ends in
// lines that say nothing of it. So the last lines that tell of an error are kept
// beside the end of the output.

// errorLine matches what compilers, linkers and build tools begin such lines
// with: "x.c:1:2: error: ", "error[E0308]: ", "ld: undefined reference to",
// "FAILED: target", "make: *** [target] Error 1", "CMake Error at", and the last
// line of a Python traceback.
var errorLine = regexp.MustCompile(`(?i:\berror(\[\w+\])?:|\berror \w+\d+:|\bfatal( error)?:|undefined (reference|symbol))|^FAILED: |\*\*\* |^CMake Error|^\w*(Error|Exception): |^Traceback \(`)

// errorHints are signs of an error: a line that errorLine matches has one of them. They are found
// much faster, and nearly no line has any.
var errorHints = [][]byte{[]byte("rror"), []byte("RROR"), []byte("atal"), []byte("ATAL"), []byte("ndefined"), []byte("NDEFINED"), []byte("FAILED"), []byte("***"), []byte("xception"), []byte("raceback")}

func tellsError(line []byte) bool {
	return slices.ContainsFunc(errorHints, func(h []byte) bool { return bytes.Contains(line, h) }) && errorLine.Match(line)
}

const (
	maxErrorLines = 12  // that are quoted
	maxErrorLine  = 400 // bytes of one
)

// quotedLine is a line of an output and its number.
type quotedLine struct {
	text   string
	number int
}

// ErrorLines returns the last lines of an output that tell of an error, oldest
// first, without those among its last skip lines. They are plain text.
func ErrorLines(r io.Reader, skip int) []string {
	in := bufio.NewReaderSize(r, maxErrorLine)
	var found []quotedLine // more than is wanted, as some may be among the last lines
	number := 0
	for ; ; number++ {
		line, long, err := in.ReadLine()
		if err != nil {
			break
		}
		if bytes.IndexByte(line, '\x1b') >= 0 {
			line = []byte(plain(line)) // colours stand before the words
		}
		if tellsError(line) {
			found = append(found, quotedLine{plain(line), number})
		}
		for long && err == nil {
			_, long, err = in.ReadLine()
		}
		if len(found) > maxErrorLines+skip {
			found = slices.Delete(found, 0, 1)
		}
	}
	var lines []string
	for _, l := range found {
		if l.number < number-skip {
			lines = append(lines, l.text)
		}
	}
	return lines[max(0, len(lines)-maxErrorLines):]
}

// endOf is tailOf after the error lines that the output had before it.
func endOf(c proc.Capture) string {
	tail := tailOf(c)
	out, err := c.Open()
	if err != nil {
		return tail
	}
	defer out.Close()
	lines := ErrorLines(out, strings.Count(tail, "\n")+1)
	if len(lines) == 0 {
		return tail
	}
	return strings.Join(lines, "\n") + "\n[…]\n" + tail
}
