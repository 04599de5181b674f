package amdgpu

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

const (
	archiveMagic     = "!<arch>\n"
	thinArchiveMagic = "!<thin>\n"
	archiveHeader    = 60 // bytes before each member
)

// An archived is one member of a static archive. thin members have their data
// in another file.
type archived struct {
	name string
	data []byte
	thin bool
}

func isArchive(b []byte) bool {
	return bytes.HasPrefix(b, []byte(archiveMagic)) || bytes.HasPrefix(b, []byte(thinArchiveMagic))
}

// parseArchive lists the members of a static archive of any flavour (System V
// and GNU, BSD, thin), without symbol and name tables. With an error it
// returns those before the damage. Source: "ar(5)" of FreeBSD and binutils.
func parseArchive(b []byte) (members []archived, err error) {
	r := archiveReader{b: b, at: len(archiveMagic), thin: bytes.HasPrefix(b, []byte(thinArchiveMagic))}
	for r.skipPadding(); r.at < len(b); r.skipPadding() {
		raw, data, err := r.next()
		if err != nil {
			return members, err
		}
		if isTable(raw) {
			if raw == "//" {
				r.longNames = data
			}
			continue
		}
		m := archived{data: data, thin: r.thin}
		if err := m.setName(raw, r.longNames); err != nil {
			return members, err
		}
		if !strings.HasPrefix(m.name, "__.SYMDEF") {
			members = append(members, m)
		}
	}
	return members, nil
}

// archiveReader walks the members of an archive.
type archiveReader struct {
	b         []byte
	at        int // where the next member starts
	thin      bool
	longNames []byte
}

// skipPadding goes on to an even offset, where members start.
func (r *archiveReader) skipPadding() {
	for r.at%2 == 1 && r.at < len(r.b) && r.b[r.at] == '\n' {
		r.at++
	}
}

// isTable tells the symbol and name tables of an archive from its members.
func isTable(raw string) bool {
	return raw == "/" || raw == "//" || raw == "/SYM64/" || strings.HasPrefix(raw, "/<")
}

// next reads the member at r.at: its name field and what the file holds of it.
func (r *archiveReader) next() (raw string, data []byte, err error) {
	raw, size, err := archiveEntry(r.b, r.at)
	if err != nil {
		return "", nil, err
	}
	r.at += archiveHeader
	if r.thin && !isTable(raw) {
		size = 0
	}
	if size > len(r.b)-r.at {
		return "", nil, fmt.Errorf("reading archive: member %q ends at byte %d of %d", clip(raw, 40), r.at+size, len(r.b))
	}
	data = r.b[r.at : r.at+size]
	r.at += size
	return raw, data, nil
}

// archiveEntry reads the header at offset at: the name field and the size.
func archiveEntry(b []byte, at int) (raw string, size int, err error) {
	if len(b)-at < archiveHeader {
		return "", 0, fmt.Errorf("reading archive: %d bytes where a member's header of %d should start", len(b)-at, archiveHeader)
	}
	h := b[at : at+archiveHeader]
	if string(h[58:]) != "`\n" {
		return "", 0, fmt.Errorf("reading archive: no member where one should start, at byte %d", at)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(h[48:58])), 10, 40)
	if err != nil {
		return "", 0, fmt.Errorf("reading archive: the member at byte %d has the size %q", at, h[48:58])
	}
	return strings.TrimRight(string(h[:16]), " "), int(n), nil
}

// setName resolves the name field: "name/", "/123" into the table of long
// names, "#1/12" with the name before the data (BSD), or the bare name.
func (m *archived) setName(raw string, longNames []byte) error {
	if n, ok := strings.CutPrefix(raw, "#1/"); ok {
		size, err := strconv.Atoi(n)
		if err != nil || size < 0 || size > len(m.data) {
			return fmt.Errorf("reading archive: a member's name has %q bytes of %d", clip(n, 20), len(m.data))
		}
		m.name, m.data = strings.TrimRight(string(m.data[:size]), "\x00"), m.data[size:]
		return nil
	}
	if n, ok := strings.CutPrefix(raw, "/"); ok {
		at, err := strconv.Atoi(n)
		if err != nil || at < 0 || at >= len(longNames) {
			return fmt.Errorf("reading archive: the name %q is not in the table of %d bytes", clip(raw, 20), len(longNames))
		}
		name, _, _ := bytes.Cut(longNames[at:], []byte("\n"))
		m.name = strings.TrimSuffix(clip(string(name[:min(len(name), 1<<12)]), 1<<12), "/")
		return nil
	}
	m.name = strings.TrimSuffix(raw, "/")
	return nil
}

// archive reads the members of a static archive like files. Two members of one
// name, which an archive may have, are told apart by "@n".
func (l *loader) archive(name string, data []byte, depth int) {
	members, err := parseArchive(data)
	if err != nil {
		l.s.problem(Truncated, name, "", err.Error())
	}
	if len(members) == 0 && err == nil {
		l.s.Skipped = append(l.s.Skipped, Skip{name, "an archive without members"})
	}
	seen := map[string]int{}
	for _, m := range members {
		full := fmt.Sprintf("%s(%s)", name, m.name)
		if n := seen[m.name]; n > 0 {
			full = fmt.Sprintf("%s(%s@%d)", name, m.name, n)
		}
		seen[m.name]++
		if m.thin {
			l.skipImage(full, "a member of a thin archive: its data is in the file of that name")
			continue
		}
		l.file(full, m.data, false, depth+1)
	}
}

// splitArchive separates "lib.a(member.o)".
func splitArchive(name string) (archive, member string) {
	i := strings.LastIndexByte(name, '(')
	if i <= 0 || !strings.HasSuffix(name, ")") {
		return name, ""
	}
	return name[:i], name[i+1 : len(name)-1]
}
