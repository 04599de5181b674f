package hints

import (
	"strconv"
	"strings"
)

// headerPath reads the path of a "--- " or "+++ " line; "" for /dev/null.
// git ends a path that holds a space with a tab; other tools add a date after one.
func headerPath(s string) string {
	if !strings.HasPrefix(s, `"`) {
		s, _, _ = strings.Cut(s, "\t")
	}
	s = unquotePath(s)
	if s == "/dev/null" {
		return ""
	}
	return s
}

// gitHeaderPaths splits the rest of a "diff --git" line. The line is ambiguous
// when a path holds " b/"; later header lines correct it.
func gitHeaderPaths(s string) (from, to string) {
	if strings.HasPrefix(s, `"`) {
		end := quotedEnd(s)
		from, to = unquotePath(s[:end]), unquotePath(strings.TrimPrefix(s[end:], " "))
	} else {
		from, to = splitMiddle(s)
		to = unquotePath(to)
	}
	f := diffFile{oldPath: from, newPath: to}
	stripPrefixes(&f)
	return f.oldPath, f.newPath
}

// splitMiddle cuts "a/x b/x" into two halves of equal names, else at the first space.
func splitMiddle(s string) (from, to string) {
	if m := len(s) / 2; len(s)%2 == 1 && s[m] == ' ' && afterSlash(s[:m]) == afterSlash(s[m+1:]) {
		return s[:m], s[m+1:]
	}
	if i := strings.Index(s, " b/"); i > 0 {
		return s[:i], s[i+1:]
	}
	from, to, _ = strings.Cut(s, " ")
	return from, to
}

func afterSlash(s string) string {
	_, rest, _ := strings.Cut(s, "/")
	return rest
}

// stripPrefixes drops git's prefixes: a/ b/, or with diff.mnemonicPrefix i/ w/ c/ o/.
func stripPrefixes(f *diffFile) {
	pre := func(s string) bool { return len(s) > 2 && s[1] == '/' && strings.IndexByte("abciow12", s[0]) >= 0 }
	o, n := f.oldPath, f.newPath
	if (o == "" || pre(o)) && (n == "" || pre(n)) && (o == "" || n == "" || o[0] != n[0]) {
		if o != "" {
			f.oldPath = o[2:]
		}
		if n != "" {
			f.newPath = n[2:]
		}
	}
}

func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// unquotePath undoes git's C-style quoting ("\303\251"). A malformed one is
// returned as it is.
func unquotePath(s string) string {
	s = strings.TrimRight(s, " \t")
	if len(s) > maxPath {
		s = s[:maxPath]
	}
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s[1 : len(s)-1]
}

func isHex(s string) bool {
	if len(s) < 7 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
