package hints

import (
	"strconv"
	"strings"
)

// headerLine takes a line outside of hunks.
func (p *parser) headerLine(s string) {
	switch {
	case strings.HasPrefix(s, "diff --git "):
		p.startFile()
		p.f.oldPath, p.f.newPath = gitHeaderPaths(s[len("diff --git "):])
	case strings.HasPrefix(s, "diff --cc "), strings.HasPrefix(s, "diff --combined "):
		p.startFile()
		p.f.combined = true
		p.f.newPath = unquotePath(s[strings.LastIndexByte(s[:len("diff --cc ")], ' ')+1:])
	case strings.HasPrefix(s, "Submodule ") && strings.Contains(s, ".."):
		p.submoduleLog(s)
	case strings.HasPrefix(s, "--- "):
		if p.f == nil || len(p.f.hunks) > 0 {
			p.startFile()
		}
		p.f.oldPath = headerPath(s[4:])
		p.f.added = p.f.added || p.f.oldPath == ""
	case p.f == nil:
	case strings.HasPrefix(s, "+++ "):
		p.f.newPath = headerPath(s[4:])
		p.f.deleted = p.f.deleted || p.f.newPath == ""
		stripPrefixes(p.f)
	case strings.HasPrefix(s, "@@@"):
		p.f.combined = true
	case strings.HasPrefix(s, "@@ "):
		p.hunkHeader(s)
	default:
		p.extendedHeader(s)
	}
}

func (p *parser) extendedHeader(s string) {
	f := p.f
	switch {
	case len(f.hunks) > 0:
	case strings.HasPrefix(s, "new file mode"):
		f.added = true
	case strings.HasPrefix(s, "deleted file mode"):
		f.deleted = true
	case strings.HasPrefix(s, "rename from "):
		f.oldPath = unquotePath(s[len("rename from "):])
	case strings.HasPrefix(s, "rename to "):
		f.newPath = unquotePath(s[len("rename to "):])
	case strings.HasPrefix(s, "copy to "):
		f.newPath = unquotePath(s[len("copy to "):])
		f.added = true
	case strings.HasPrefix(s, "Binary files "), strings.HasPrefix(s, "GIT binary patch"):
		f.binary = true
	}
}

// submoduleLog reads git's --submodule=log form: "Submodule path a1b2c3..d4e5f6:".
func (p *parser) submoduleLog(s string) {
	fields := strings.Fields(strings.TrimSuffix(s, ":"))
	if len(fields) < 3 {
		return
	}
	a, b, ok := strings.Cut(fields[2], "..")
	if !ok || !isHex(a) || !isHex(strings.TrimLeft(b, ".")) {
		return
	}
	p.startFile()
	p.f.newPath = fields[1]
	p.f.oldPath = fields[1]
	p.f.submodule = [2]string{a, strings.TrimLeft(b, ".")}
}

// hunkHeader reads "@@ -1,2 +3,4 @@ section". Counts beyond 2^31 are refused.
func (p *parser) hunkHeader(s string) {
	rest, section, ok := strings.Cut(s[3:], " @@")
	if !ok {
		return
	}
	o, n, ok := strings.Cut(rest, " ")
	if !ok || !strings.HasPrefix(o, "-") || !strings.HasPrefix(n, "+") {
		return
	}
	oAt, oN, ok1 := hunkRange(o[1:])
	nAt, nN, ok2 := hunkRange(n[1:])
	if !ok1 || !ok2 {
		return
	}
	p.sawDiff = true
	p.oldAt, p.oldN, p.newAt, p.newN = oAt, oN, nAt, nN
	if p.lines += 1; p.lines >= maxFileLines {
		p.split("")
	}
	p.f.hunks = append(p.f.hunks, diffHunk{section: strings.TrimSpace(section)})
}

// hunkRange reads "3,4" or "3". git counts from 1; 0 goes with an empty side only.
func hunkRange(s string) (at, n int, ok bool) {
	a, c, has := strings.Cut(s, ",")
	at, err := strconv.Atoi(a)
	if err != nil || at < 0 || at > 1<<31 {
		return 0, 0, false
	}
	n = 1
	if has {
		n, err = strconv.Atoi(c)
	}
	if n > 0 {
		at = max(at, 1)
	}
	return at, n, err == nil && n >= 0 && n <= 1<<31
}
