package amdgpu

import (
	"bytes"
	"fmt"
	"strings"
)

// A nest reads the device images that one file contains.
type nest struct {
	l     *loader
	name  string
	depth int
	seen  map[string]int // how often an entry's ID stood in the file
	total int            // device entries
}

func (l *loader) nest(name string, depth int) *nest {
	return &nest{l: l, name: name, depth: depth, seen: map[string]int{}}
}

// finish records a file whose containers hold nothing for a device.
func (n *nest) finish() {
	if n.total == 0 {
		n.l.s.Skipped = append(n.l.s.Skipped, Skip{n.name, "an offload bundle without a device entry"})
	}
}

// containers reads one offload bundle or binary after the other, plain or
// compressed, with zero padding between: a .hip_fatbin section has one for
// each source file, a .llvm.offloading section one for each image.
func (n *nest) containers(data []byte) {
	for {
		data = bytes.TrimLeft(data, "\x00")
		if len(data) == 0 {
			return
		}
		used := n.container(data)
		if used <= 0 {
			return
		}
		data = data[used:]
	}
}

// container reads the one at the start of data and returns its length, 0 if
// that is not known.
func (n *nest) container(data []byte) int {
	plain, used := data, 0
	var members []member
	var length int
	var err error
	if bytes.HasPrefix(data, []byte(compressedMagic)) {
		if plain, used, err = uncompress(data, n.l.mayUnpack); err != nil {
			n.l.s.problem(classOf(err), n.name, "", err.Error())
			return used
		}
	}
	switch {
	case bytes.HasPrefix(plain, []byte(bundleMagic)):
		members, length, err = parseBundle(plain)
	case bytes.HasPrefix(plain, []byte(offloadMagic)):
		members, length, err = parseOffload(plain, n.l.mayUnpack)
	default:
		err = fmt.Errorf("no offload bundle where one should start")
	}
	if err != nil {
		n.l.s.problem(classOf(err), n.name, "", err.Error())
	} else {
		for _, m := range members {
			n.member(m)
		}
	}
	if used == 0 {
		used = length
	}
	return used
}

func (l *loader) textBundle(name string, data []byte) {
	members, err := splitTextBundle(data)
	if err != nil {
		l.s.problem(Truncated, name, "", err.Error())
	}
	n := l.nest(name, 0)
	for _, m := range members {
		n.member(m)
	}
	n.finish()
}

// member reads one entry, named by its ID and, where the file has that ID more
// than once, "@n". The host's own entry is nothing to report.
func (n *nest) member(m member) {
	if strings.HasPrefix(m.id, "host") {
		return
	}
	n.total++
	name := n.name + "#" + m.id
	if i := n.seen[m.id]; i > 0 {
		name += fmt.Sprintf("@%d", i)
	}
	n.seen[m.id]++
	switch {
	case deviceTriple(m.id) < 0:
		n.l.skipImage(name, "an entry for another target")
	case len(m.data) == 0:
		n.l.s.problem(BadBundle, name, "", "the entry is empty")
	default:
		n.l.file(name, m.data, true, n.depth+1)
	}
}
