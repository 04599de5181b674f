package amdgpu

import (
	"bytes"
	"fmt"
	"strings"
)

// bundles reads one offload bundle after the other, plain or compressed, with
// zero padding between: a .hip_fatbin section has one for each source file.
func (l *loader) bundles(name string, data []byte, depth int) {
	for n := 0; ; n++ {
		data = bytes.TrimLeft(data, "\x00")
		if len(data) == 0 {
			return
		}
		used := l.bundle(name, n, data, depth)
		if used <= 0 {
			return
		}
		data = data[used:]
	}
}

// bundle reads the n-th bundle, at the start of data, and returns its length, 0
// if that is not known.
func (l *loader) bundle(name string, n int, data []byte, depth int) int {
	plain, used := data, 0
	if bytes.HasPrefix(data, []byte(compressedMagic)) {
		var err error
		if plain, used, err = uncompress(data); err != nil {
			l.s.problem(classOf(err), name, "", err.Error())
			return used
		}
	}
	if !bytes.HasPrefix(plain, []byte(bundleMagic)) {
		l.s.problem(BadBundle, name, "", "no offload bundle where one should start")
		return used
	}
	members, length, err := parseBundle(plain)
	if err != nil {
		l.s.problem(BadBundle, name, "", err.Error())
		return used
	}
	l.members(name, n, members, depth)
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
	l.members(name, 0, members, 0)
}

// members reads the device entries; the host's own entry is nothing to report.
func (l *loader) members(name string, n int, members []member, depth int) {
	device, suffix := 0, ""
	if n > 0 {
		suffix = fmt.Sprintf("@%d", n)
	}
	for _, m := range members {
		if strings.HasPrefix(m.id, "host") {
			continue
		}
		device++
		if deviceTriple(m.id) < 0 {
			l.s.Skipped = append(l.s.Skipped, Skip{name + "#" + m.id, "an entry for another target"})
			continue
		}
		l.file(name+"#"+m.id+suffix, m.data, true, depth+1)
	}
	if device == 0 {
		l.s.Skipped = append(l.s.Skipped, Skip{name, "an offload bundle without a device entry"})
	}
}
