package hints

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits that bound memory. A line beyond maxLine is cut; a file beyond
// maxFileLines or maxFileBytes is handed on in parts.
const (
	maxLine      = 8 << 10
	maxFileLines = 20_000
	maxFileBytes = 4 << 20
	maxPath      = 4 << 10
)

// A diffLine is one line of a hunk. kind is ' ', '-' or '+'; old and new are its
// line numbers, 0 on the side where it does not exist.
type diffLine struct {
	kind     byte
	text     string
	old, new int
}

// A diffHunk is one hunk. section is what git prints after the second @@: the
// last line above the hunk that starts in column 0, usually a function.
type diffHunk struct {
	section string
	lines   []diffLine
}

// A diffFile is one file of the diff, or a part of a large one.
type diffFile struct {
	oldPath, newPath string // "" for /dev/null
	added, deleted   bool
	binary, combined bool
	submodule        [2]string // commits before and after
	hunks            []diffHunk
	part             int // 0, or the number of the part of a large file
}

func (f *diffFile) path() string {
	if f.newPath != "" {
		return f.newPath
	}
	return f.oldPath
}

// A parser reads a diff and calls visit for each file. The file belongs to the
// parser again when visit returns.
type parser struct {
	r     *bufio.Reader
	visit func(*diffFile)

	f            *diffFile
	oldN, newN   int // lines that the current hunk still has
	oldAt, newAt int
	lines, bytes int

	sawDiff   bool // at least one file header or hunk
	truncated bool // a line was cut or a file split
}

func newParser(r io.Reader, visit func(*diffFile)) *parser {
	return &parser{r: bufio.NewReaderSize(r, 64<<10), visit: visit}
}

func (p *parser) run() error {
	for {
		s, err := p.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading diff: %w", err)
		}
		if s != "" || err == nil {
			p.line(s)
		}
		if err != nil {
			p.endFile()
			return nil
		}
	}
}

// readLine returns the next line without its end, cut at maxLine bytes.
func (p *parser) readLine() (string, error) {
	var b []byte
	for {
		part, err := p.r.ReadSlice('\n')
		room := maxLine - len(b)
		if len(part) > room+1 {
			p.truncated = true
			part = part[:max(room, 0)]
		}
		b = append(b, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return cleanLine(b), err
	}
}

// cleanLine drops the line end and, if git was told to colour, its escapes.
func cleanLine(b []byte) string {
	n := len(b)
	if n > 0 && b[n-1] == '\n' {
		n--
	}
	if n > 0 && b[n-1] == '\r' {
		n--
	}
	s := string(b[:n])
	if strings.Contains(s, "\x1b[") {
		s = stripEscapes(s)
	}
	return s
}

func stripEscapes(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i+2:]
		j := strings.IndexFunc(s, func(r rune) bool { return r >= '@' && r <= '~' })
		if j < 0 {
			return b.String()
		}
		s = s[j+1:]
	}
}

func (p *parser) line(s string) {
	if p.inHunk() {
		if p.hunkLine(s) {
			return
		}
	}
	p.headerLine(s)
}

func (p *parser) inHunk() bool { return p.oldN > 0 || p.newN > 0 }

// hunkLine takes a line of the current hunk; false means that s is none, so the
// hunk was shorter than its header said.
func (p *parser) hunkLine(s string) bool {
	kind := byte(' ')
	text := ""
	if s != "" {
		kind, text = s[0], s[1:]
	}
	switch kind {
	case ' ', '+', '-':
	case '\\':
		return true
	default:
		p.oldN, p.newN = 0, 0
		return false
	}
	p.add(kind, text)
	return true
}

func (p *parser) add(kind byte, text string) {
	l := diffLine{kind: kind, text: text}
	if kind != '+' {
		l.old = p.oldAt
		p.oldAt++
		p.oldN--
	}
	if kind != '-' {
		l.new = p.newAt
		p.newAt++
		p.newN--
	}
	h := &p.f.hunks[len(p.f.hunks)-1]
	h.lines = append(h.lines, l)
	p.lines++
	p.bytes += len(text)
	if p.lines >= maxFileLines || p.bytes >= maxFileBytes {
		p.split(h.section)
	}
}

// split hands on what was read of a large file and goes on with its next part.
func (p *parser) split(section string) {
	f := p.f
	p.visit(f)
	p.truncated = true
	next := &diffFile{oldPath: f.oldPath, newPath: f.newPath, added: f.added, deleted: f.deleted, part: f.part + 1}
	next.hunks = []diffHunk{{section: section}}
	p.f, p.lines, p.bytes = next, 0, 0
}

func (p *parser) startFile() {
	p.endFile()
	p.sawDiff = true
	p.f = &diffFile{}
}

func (p *parser) endFile() {
	if p.f != nil {
		p.visit(p.f)
	}
	p.f, p.lines, p.bytes = nil, 0, 0
	p.oldN, p.newN = 0, 0
}
