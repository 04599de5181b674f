package amdgpu

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

const (
	bundleMagic     = "__CLANG_OFFLOAD_BUNDLE__"
	textBundleStart = "# __CLANG_OFFLOAD_BUNDLE____START__ "
	textBundleEnd   = "# __CLANG_OFFLOAD_BUNDLE____END__ "

	// maxEntries bounds the entries of one bundle. Each costs more memory than
	// the file spends on it.
	maxEntries = 1 << 16
)

// A member is one entry of an offload bundle.
type member struct {
	id   string // "hipv4-amdgcn-amd-amdhsa--gfx90a", "host-x86_64-..."
	data []byte
	at   int // where data starts
}

// parseBundle reads the plain bundle at the start of b: the magic, a count,
// and for each entry offset, size, length of the ID and the ID. It returns how
// many bytes of b it took.
func parseBundle(b []byte) (members []member, used int, err error) {
	le := binary.LittleEndian
	pos := len(bundleMagic)
	if len(b) < pos+8 {
		return nil, 0, fmt.Errorf("reading bundle: no entry count in %d bytes", len(b))
	}
	count := le.Uint64(b[pos:])
	pos += 8
	if count > min(maxEntries, uint64(len(b)-pos)/24) {
		return nil, 0, fmt.Errorf("reading bundle: %d entries in %d bytes", count, len(b))
	}
	used = pos
	for i := range count {
		if len(b)-pos < 24 {
			return nil, 0, fmt.Errorf("reading bundle: entry %d of %d is cut", i, count)
		}
		off, size, idLen := le.Uint64(b[pos:]), le.Uint64(b[pos+8:]), le.Uint64(b[pos+16:])
		pos += 24
		if idLen > uint64(len(b)-pos) || idLen > 1<<12 {
			return nil, 0, fmt.Errorf("reading bundle: entry %d has an ID of %d bytes", i, idLen)
		}
		id := string(b[pos : pos+int(idLen)])
		pos += int(idLen)
		if off > uint64(len(b)) || size > uint64(len(b))-off {
			return nil, 0, fmt.Errorf("reading bundle: entry %q ends at byte %d of %d", clip(id, 60), off+size, len(b))
		}
		members = append(members, member{id, b[off : off+size], int(off)})
		used = max(used, int(off+size), pos)
	}
	if err := checkOverlap(members); err != nil {
		return nil, 0, fmt.Errorf("reading bundle: %w", err)
	}
	return members, used, nil
}

// checkOverlap refuses members that share bytes: no tool writes such, and they
// would make a small file cost as much as a big one.
func checkOverlap(members []member) error {
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, func(x, y member) int { return cmp.Compare(x.at, y.at) })
	end := 0
	for _, m := range sorted {
		if len(m.data) > 0 && m.at < end {
			return fmt.Errorf("entry %q overlaps another", clip(m.id, 60))
		}
		end = max(end, m.at+len(m.data))
	}
	return nil
}

// isTextBundle reports whether a text holds the marker lines of bundled
// assembly ("clang -S --gpu-bundle-output").
func isTextBundle(b []byte) bool { return lineIndex(b, textBundleStart) >= 0 }

// lineIndex finds the first line of b that starts with prefix.
func lineIndex(b []byte, prefix string) int {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte(prefix))
		if i < 0 {
			return -1
		}
		if i += from; i == 0 || b[i-1] == '\n' {
			return i
		}
		from = i + 1
	}
}

// splitTextBundle returns the members of bundled assembly. A member without
// its end line is an error: the file was cut.
func splitTextBundle(b []byte) (members []member, err error) {
	for {
		i := lineIndex(b, textBundleStart)
		if i < 0 {
			return members, err
		}
		b = b[i+len(textBundleStart):]
		head, body, ok := bytes.Cut(b, []byte("\n"))
		id := string(bytes.TrimSpace(head))
		end := lineIndex(body, textBundleEnd+id)
		if !ok || end < 0 {
			return append(members, member{id: id, data: body}), fmt.Errorf("reading bundle: entry %q has no end line", clip(id, 60))
		}
		members = append(members, member{id: id, data: body[:end]})
		b = body[end:]
	}
}
