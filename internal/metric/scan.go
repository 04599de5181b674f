package metric

import (
	"bytes"
	"strings"
)

// scanner runs the lines of a stream through the readers in order: JSON
// documents, tables, then the grammar of lines.
type scanner struct {
	labels labels
	emit   func(reading)

	gram  grammar
	tab   tabler
	find  jsonFinder
	walk  jsonWalker
	group int
	// prev is the line before when it left nothing behind: no number, no open
	// table, no open document. Read again, it would leave nothing again.
	prev  []byte
	inert bool
}

// scan reads one stream and emits every labelled number. Of a failing read
// what came before it counts; the error is returned.
func scan(s stream, in labels, emit func(reading)) error {
	sc := &scanner{labels: in, emit: emit}
	sc.tab.flush = func(t *table) { emitRows(t, in, &sc.group, emit) }
	sc.walk = jsonWalker{labels: in, emit: emit}
	sc.find.doc = sc.document
	sc.find.text = sc.text
	return sc.run(s)
}

// scanRows reads one stream and calls f for each row of each table.
func scanRows(s stream, f func(*table, row)) error {
	sc := &scanner{labels: labels{}, emit: func(reading) {}}
	sc.tab.row = f
	sc.find.doc = func(string, int) {}
	sc.find.text = sc.text
	return sc.run(s)
}

func (sc *scanner) run(s stream) error {
	lr := newLineReader(s.reader())
	for line, ok := lr.next(); ok; line, ok = lr.next() {
		if sc.inert && bytes.Equal(line, sc.prev) {
			continue
		}
		sc.inert = false
		sc.find.line(string(line), lr.n)
		if sc.inert = sc.inert && len(line) <= maxLabelLen && sc.find.begun == 0 && sc.tab.idle(); sc.inert {
			sc.prev = append(sc.prev[:0], line...)
		}
	}
	sc.find.close()
	sc.tab.close()
	return lr.err
}

// text reads a line that is no JSON.
func (sc *scanner) text(s string, n int) {
	s = cutProcess(s)
	if len(s) <= 4*maxGrammar && !packageResult(s) && sc.tab.line(s, n) {
		return
	}
	numbers := sc.gram.read(s, n, sc.emit)
	sc.tab.other(s, numbers)
	sc.inert = numbers == 0
}

// packageResult reports whether a line is what go test says of a package: its
// columns are no table.
func packageResult(s string) bool {
	return strings.HasPrefix(s, "ok  \t") || strings.HasPrefix(s, "?   \t") || strings.HasPrefix(s, "FAIL\t")
}

// cutProcess removes the process that valgrind and the sanitizers put before each
// line ("==1234== "): it is another one in every run, so a label that holds it
// names nothing.
func cutProcess(s string) string {
	rest, ok := strings.CutPrefix(s, "==")
	if !ok {
		return s
	}
	id, rest, ok := strings.Cut(rest, "==")
	if !ok || !plainInt(id) {
		return s
	}
	return rest
}

// document reads a JSON document. A table does not go on after it.
func (sc *scanner) document(doc string, line int) {
	sc.tab.close()
	sc.walk.line = line
	sc.walk.document(doc)
}
