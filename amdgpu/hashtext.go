package amdgpu

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// textHasher hashes the kernels of one module of assembly. Starting from a
// kernel it visits every definition the code refers to, numbered in the order
// of first mention, so that names do not count and reachable code does.
type textHasher struct {
	r      *asmReader
	kernel string
	order  map[string]int // definitions and local labels by first mention
	queue  []string
	inside [2]int // the extent of the definition being hashed
	out    io.Writer
}

// hashes returns the hash of each kernel of the module.
func (r *asmReader) hashes() map[string]string {
	out := map[string]string{}
	if r.m.meta == nil {
		return out
	}
	whole := ""
	for i := range r.m.meta.kernels {
		name := r.m.meta.kernels[i].identity()
		_, sized := r.sizes[name]
		if !sized || len(r.macros) > 0 {
			// Without sizes the text does not say where code ends, and macros
			// put code where it is not: the module counts as one.
			if whole == "" {
				whole = r.wholeHash()
			}
			out[name] = whole
			continue
		}
		h := codeHash("text", r.m)
		t := &textHasher{r: r, kernel: name, order: map[string]int{}, out: h}
		t.run()
		writeResolved(h, r.m.get(name).desc)
		out[name] = sum(h)
	}
	return out
}

func (r *asmReader) wholeHash() string {
	h := codeHash("module", r.m)
	t := &textHasher{r: r, order: map[string]int{}, out: h}
	text := r.data
	for {
		i := bytes.Index(text, []byte(".amdgpu_metadata"))
		if i < 0 {
			break
		}
		t.definition(text[:i])
		j := bytes.Index(text[i:], []byte(".end_amdgpu_metadata"))
		if j < 0 {
			return sum(h)
		}
		text = text[i+j+len(".end_amdgpu_metadata"):]
	}
	t.definition(text)
	return sum(h)
}

func (t *textHasher) run() {
	t.mention(t.kernel)
	for i := 0; i < len(t.queue); i++ {
		name := t.queue[i]
		fmt.Fprintf(t.out, "= %d\n", i)
		start, end := t.r.extent(name)
		t.inside = [2]int{start, end}
		t.definition(t.r.data[start:end])
		// The descriptor may stand outside the body.
		if at, ok := t.r.descAt[name]; ok && at[1] > at[0] && (at[0] < start || at[0] >= end) {
			t.definition(t.r.data[at[0]:at[1]])
		}
	}
}

// extent is where a definition stands in the text: to its .size directive, or
// without one to the next label.
func (r *asmReader) extent(name string) (start, end int) {
	start = r.labels[name]
	if size, ok := r.sizes[name]; ok {
		return start, max(start, size.at)
	}
	if r.labelEnds == nil {
		r.labelEnds = slices.Sorted(maps.Values(r.labels))
	}
	if i, _ := slices.BinarySearch(r.labelEnds, start+1); i < len(r.labelEnds) {
		return start, r.labelEnds[i]
	}
	return start, len(r.data)
}

// mention returns the number of a definition, and visits it later if new.
func (t *textHasher) mention(name string) int {
	n, ok := t.order[name]
	if !ok {
		n = len(t.order)
		t.order[name] = n
		t.queue = append(t.queue, name)
	}
	return n
}

// definition hashes the lines of one definition.
func (t *textHasher) definition(text []byte) {
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		line = trimComment(line)
		if len(line) == 0 || !isCode(line) {
			continue
		}
		t.line(line)
		io.WriteString(t.out, "\n")
	}
}

// isCode drops lines that make no code or data: linkage, debug locations,
// symbols, and labels that only debug information refers to.
func isCode(line []byte) bool {
	if line[0] == '#' {
		return false
	}
	if line[0] != '.' {
		return true
	}
	for _, prefix := range []string{".cfi_", ".Ltmp", ".Lfunc_", ".addrsig", ".debug"} {
		if has(line, prefix) {
			return false
		}
	}
	switch string(line[:wordEnd(line, 0)]) {
	case ".loc", ".file", ".ident", ".size", ".type", ".globl", ".global", ".weak", ".protected", ".hidden", ".internal", ".local",
		".set", ".section", ".text", ".data", ".bss", ".amdgcn_target", ".amdhsa_code_object_version", ".reloc":
		return false
	}
	return true
}

// line hashes one line with its blanks collapsed and its names numbered.
func (t *textHasher) line(b []byte) {
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i = skipBlanks(b, i)
			io.WriteString(t.out, " ")
		case c == '"':
			name, n, ok := quoted(b[i:])
			if !ok {
				t.out.Write(b[i:])
				return
			}
			t.name(name, true)
			i += n
		case c >= '0' && c <= '9':
			end := wordEnd(b, i)
			t.out.Write(b[i:end])
			i = end
		default:
			end := wordEnd(b, i)
			if end == i {
				t.out.Write(b[i : i+1])
				i++
				continue
			}
			t.name(string(b[i:end]), false)
			i = end
		}
	}
}

// name hashes an identifier: a number for what the module defines, itself for
// everything else.
func (t *textHasher) name(name string, isQuoted bool) {
	head, modifier, _ := strings.Cut(name, "@")
	if isQuoted {
		head, modifier = name, ""
	}
	rest, isKernels := strings.CutPrefix(strings.TrimPrefix(head, ".L"), t.kernel+".")
	at, labelled := t.r.labels[head]
	_, sized := t.r.sizes[head]
	elsewhere := labelled && (sized || at < t.inside[0] || at >= t.inside[1])
	switch {
	case elsewhere && t.kernel != "":
		fmt.Fprintf(t.out, "<%d>", t.mention(head))
	case isKernels && t.kernel != "":
		fmt.Fprintf(t.out, "<kernel>.%s", rest)
	case strings.HasPrefix(head, ".L"):
		n, ok := t.order[head]
		if !ok {
			n = len(t.order)
			t.order[head] = n
		}
		fmt.Fprintf(t.out, "<%d>", n)
	case isQuoted:
		fmt.Fprintf(t.out, "%q", head)
	default:
		io.WriteString(t.out, head)
	}
	if modifier != "" {
		io.WriteString(t.out, "@"+modifier)
	}
}
