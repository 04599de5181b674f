package metric

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// jsonFinder finds JSON documents in a stream of lines: the whole output, one
// document a line, or documents among other text. What begins like one and
// turns out not to be is handed back as text.
type jsonFinder struct {
	scan  jsonScan
	buf   []byte
	begun int // the line where the open document began, 0 when none is open
	doc   func(doc string, line int)
	text  func(s string, line int)
	// arrays takes documents without any object too.
	arrays bool
}

// line takes the next line.
func (f *jsonFinder) line(s string, n int) {
	if f.begun > 0 {
		f.more(s, n)
		return
	}
	i := docStart(s)
	if i < 0 {
		f.text(s, n)
		return
	}
	f.scan = jsonScan{}
	end, state := f.scan.feed(s[i:])
	switch {
	case state == jsonDone:
		if doc, ok := validDoc(s[i : i+end]); ok && (f.arrays || strings.IndexByte(doc, '{') >= 0) {
			f.doc(doc, n)
			return
		}
		f.text(s, n)
	case state == jsonOpen && (strings.TrimSpace(s[:i]) == "" || strings.TrimSpace(s[i+1:]) == ""):
		f.begun = n
		f.buf = append(append(f.buf[:0], s[i:]...), '\n')
	default:
		f.text(s, n)
	}
}

// more adds a line to the open document.
func (f *jsonFinder) more(s string, n int) {
	end, state := f.scan.feed(s)
	if len(f.buf)+len(s) > maxLine {
		state = jsonBad
	}
	if state == jsonOpen {
		f.buf = append(append(f.buf, s...), '\n')
		return
	}
	if state == jsonDone {
		f.buf = append(f.buf, s[:end]...)
		if doc, ok := validDoc(string(f.buf)); ok {
			begun := f.begun
			f.begun = 0
			f.doc(doc, begun)
			return
		}
		s = s[end:]
	} else {
		f.buf = append(f.buf, s...)
		s = ""
	}
	f.giveBack()
	if strings.TrimSpace(s) != "" {
		f.text(s, n)
	}
}

// giveBack hands the lines of the open document back as text.
func (f *jsonFinder) giveBack() {
	n := f.begun
	f.begun = 0
	for _, line := range bytes.Split(bytes.TrimSuffix(f.buf, []byte("\n")), []byte("\n")) {
		f.text(string(line), n)
		n++
	}
}

// close ends the stream.
func (f *jsonFinder) close() {
	if f.begun > 0 {
		f.giveBack()
	}
}

// docStart returns where a document may begin in s: a bracket at the start of
// the line, or a brace before a quote anywhere.
func docStart(s string) int {
	if i := strings.IndexByte(s, '{'); i >= 0 {
		rest := strings.TrimLeft(s[i+1:], " \t")
		if rest != "" && (rest[0] == '"' || rest[0] == '}') || rest == "" {
			if j := strings.IndexByte(s[:i], '['); j >= 0 && strings.TrimSpace(s[:j])+strings.TrimSpace(s[j+1:i]) == "" {
				return j
			}
			return i
		}
	}
	t := strings.TrimSpace(s)
	if len(t) > 0 && t[0] == '[' && (len(t) == 1 || strings.IndexByte("[\"-0123456789 ", t[1]) >= 0) {
		return strings.IndexByte(s, '[')
	}
	return -1
}

type jsonState int

const (
	jsonOpen jsonState = iota
	jsonDone
	jsonBad
)

// jsonScan follows brackets and strings so that text which is no JSON is left
// within a few bytes. It accepts more than JSON; validDoc decides.
type jsonScan struct {
	stack   []byte
	str, ex bool
}

// feed reads s, which ends a line unless the document does, and returns the
// offset after the document when it is done.
func (j *jsonScan) feed(s string) (end int, state jsonState) {
	for i := range len(s) {
		c := s[i]
		switch {
		case j.ex:
			j.ex = false
		case j.str:
			j.ex = c == '\\'
			j.str = c != '"'
		case c == '"':
			j.str = true
		case c == '{' || c == '[':
			if len(j.stack) >= 256 {
				return i, jsonBad
			}
			j.stack = append(j.stack, c+2) // in ASCII the closing bracket is two on
		case c == '}' || c == ']':
			if len(j.stack) == 0 || j.stack[len(j.stack)-1] != c {
				return i, jsonBad
			}
			if j.stack = j.stack[:len(j.stack)-1]; len(j.stack) == 0 {
				return i + 1, jsonDone
			}
		case strings.IndexByte(" \t,:0123456789+-.eEtrufalsnNaIity", c) < 0:
			return i, jsonBad
		}
	}
	if j.str { // no string holds a line end
		return len(s), jsonBad
	}
	return len(s), jsonOpen
}

// validDoc returns the document if it is JSON, or JSON but for the NaN and
// Infinity that Python writes; these become strings, which are never values.
func validDoc(doc string) (string, bool) {
	if gjson.Valid(doc) {
		return doc, true
	}
	if !strings.Contains(doc, "NaN") && !strings.Contains(doc, "Infinity") {
		return "", false
	}
	doc = quoteBad(doc)
	return doc, gjson.Valid(doc)
}

// quoteBad quotes NaN and ±Infinity outside strings.
func quoteBad(doc string) string {
	var b strings.Builder
	str := false
	for i := 0; i < len(doc); i++ {
		c := doc[i]
		if str && c == '\\' && i+1 < len(doc) {
			b.WriteString(doc[i : i+2])
			i++
			continue
		}
		if c == '"' {
			str = !str
		}
		if w := badWord(doc[i:]); !str && w != "" {
			b.WriteString(`"` + w + `"`)
			i += len(w) - 1
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func badWord(s string) string {
	for _, w := range []string{"NaN", "-Infinity", "Infinity"} {
		if strings.HasPrefix(s, w) {
			return w
		}
	}
	return ""
}
