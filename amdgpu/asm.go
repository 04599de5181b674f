package amdgpu

import (
	"bytes"
	"strconv"
	"strings"
)

// asmReader collects the structure of one module of assembly text in one pass
// over its bytes: labels, sizes, symbols, descriptors, metadata. Instructions
// are counted afterwards, in the kernels' own bodies only.
type asmReader struct {
	m    *module
	data []byte
	pos  int // start of the line after the current one
	line int // start of the current line

	target     string
	foreign    string // what makes this another format: code object v2, PAL
	labels     map[string]int
	sizes      map[string]sizeDirective
	functions  map[string]bool
	sets       map[string]setValue
	macros     map[string]bool
	descs      map[string]*rawDescriptor
	openDesc   string
	meta       [][]byte
	metaOpen   bool
	inMacro    bool
	lastSized  string
	descAt     map[string][2]int // where the blocks stand
	barriers   []int             // where a body without .size must end
	labelEnds  []int             // offsets of all labels, sorted; made when hashing needs it
	moreTarget bool
}

// sizeDirective is ".size name, end-name".
type sizeDirective struct {
	end string // label, or "" for "."
	at  int    // offset of the directive
}

// rawDescriptor keeps the expressions of one .amdhsa_kernel block.
type rawDescriptor struct {
	lds, private, nextFreeVGPR, accumOffset, wave32, dynamicStack, wgpMode []byte
}

// parseText reads assembly text, which may hold several modules one after the
// other without any marker. It blanks block comments in data.
func parseText(file string, data []byte) []*asmReader {
	decodable := checkDecodable(data)
	blankComments(data)
	var modules []*asmReader
	for len(data) > 0 {
		r := newAsmReader(file, data)
		used := r.scan()
		r.data = data[:used]
		r.finish()
		modules = append(modules, r)
		data = data[used:]
	}
	if len(modules) > 0 && decodable != "" {
		modules[0].m.problem(Undecodable, "", "%s", decodable)
	}
	return modules
}

func newAsmReader(file string, data []byte) *asmReader {
	return &asmReader{
		m:    &module{file: file, kind: kindText, evidence: map[string]*evidence{}, wantBodies: true},
		data: data, labels: map[string]int{}, sizes: map[string]sizeDirective{},
		functions: map[string]bool{}, sets: map[string]setValue{}, macros: map[string]bool{},
		descs: map[string]*rawDescriptor{}, descAt: map[string][2]int{},
	}
}

// scan reads lines until the end or the start of another module, and returns
// where it stopped.
func (r *asmReader) scan() int {
	for r.pos < len(r.data) {
		r.line = r.pos
		end := lineEnd(r.data, r.pos)
		r.pos = min(end+1, len(r.data))
		line := r.data[r.line:end]
		i := skipBlanks(line, 0)
		if i == len(line) {
			continue
		}
		switch c := line[i]; {
		case c == '.':
			r.directive(line, i)
		case c == ';':
			r.comment(line[i:])
		case c == '"':
			r.quotedLabel(line, i)
		case c == '#' || c == '/':
		default:
			r.statement(line, i)
		}
		if r.moreTarget {
			return r.line
		}
	}
	return len(r.data)
}

// statement looks for a label or an assignment; instructions wait.
func (r *asmReader) statement(line []byte, i int) {
	end := wordEnd(line, i)
	if end == i || r.inMacro {
		return
	}
	if end < len(line) && line[end] == ':' {
		r.label(string(line[i:end]), r.line+end+1)
		return
	}
	if j := skipBlanks(line, end); j < len(line) && line[j] == '=' && (j+1 == len(line) || line[j+1] != '=') {
		r.set(string(line[i:end]), line[j+1:])
	}
}

func (r *asmReader) quotedLabel(line []byte, i int) {
	name, n, ok := quoted(line[i:])
	if ok && i+n < len(line) && line[i+n] == ':' {
		r.label(name, r.line+i+n+1)
	}
}

// label keeps the first definition. The compiler's block labels are left out:
// nothing refers to them that we evaluate, and there are many.
func (r *asmReader) label(name string, at int) {
	if has([]byte(name), ".LBB") || has([]byte(name), ".Ltmp") {
		return
	}
	if _, ok := r.labels[name]; !ok {
		r.labels[name] = at
	}
}

// comment reads the two register counts of LLVM's "Kernel info" comments,
// which follow the function's .size.
func (r *asmReader) comment(c []byte) {
	if len(c) < 12 || c[0] != ';' || c[1] != ' ' || c[2] != 'N' || r.lastSized == "" {
		return
	}
	e := r.m.get(r.lastSized)
	if v, ok := bytes.CutPrefix(c, []byte("; NumVgprs: ")); ok {
		setOnce(&e.commentArch, v)
	} else if v, ok := bytes.CutPrefix(c, []byte("; NumAgprs: ")); ok {
		setOnce(&e.commentAGPR, v)
	}
}

func setOnce(to *number, text []byte) {
	if n := (scalar{text: string(bytes.TrimSpace(text))}).number(); !to.set && !n.bad {
		*to = n
	}
}

// set stores a symbol's expression. A symbol set twice to the same text is
// fine, as is one of the many that no column needs.
func (r *asmReader) set(name string, text []byte) {
	text = trimComment(text)
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		switch name[i+1:] {
		case "num_vgpr", "num_agpr", "numbered_sgpr", "max_num_vgpr", "max_num_agpr", "max_num_sgpr":
		default:
			return
		}
	}
	name = strings.TrimPrefix(name, ".L")
	old, ok := r.sets[name]
	r.sets[name] = setValue{text: text, conflict: old.conflict || ok && !bytes.Equal(old.text, text)}
}

// operand splits "name, rest" with the name quoted or not.
func operand(b []byte) (name string, rest []byte, ok bool) {
	b = bytes.TrimLeft(b, " \t")
	if len(b) > 0 && b[0] == '"' {
		s, n, ok := quoted(b)
		if !ok {
			return "", nil, false
		}
		_, rest, _ = bytes.Cut(b[n:], []byte(","))
		return s, bytes.TrimSpace(rest), true
	}
	head, rest, _ := bytes.Cut(b, []byte(","))
	head = bytes.TrimSpace(head)
	return string(head), bytes.TrimSpace(rest), len(head) > 0
}

// integerOperand reads a plain integer, 0 if it is none.
func integerOperand(b []byte) int {
	n, err := strconv.Atoi(string(trimComment(b)))
	if err != nil {
		return 0
	}
	return n
}
