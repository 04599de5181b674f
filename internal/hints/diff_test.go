package hints

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// summarise reads a diff and says in one line per file what the parser made of it.
func summarise(t *testing.T, diff string) []string {
	t.Helper()
	var out []string
	p := newParser(strings.NewReader(diff), func(f *diffFile) {
		var b strings.Builder
		fmt.Fprintf(&b, "%s -> %s", f.oldPath, f.newPath)
		for name, set := range map[string]bool{" added": f.added, " deleted": f.deleted, " binary": f.binary, " combined": f.combined} {
			if set {
				b.WriteString(name)
			}
		}
		for _, h := range f.hunks {
			for _, l := range h.lines {
				fmt.Fprintf(&b, " %c%d/%d", l.kind, l.old, l.new)
			}
		}
		if f.submodule[0] != "" {
			fmt.Fprintf(&b, " %s..%s", f.submodule[0], f.submodule[1])
		}
		out = append(out, b.String())
	})
	if err := p.run(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestParser(t *testing.T) {
	for _, tt := range []struct {
		why, diff string
		want      []string
	}{
		{"line numbers follow the hunk header", "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -10,2 +20,3 @@ def f():\n a\n-b\n+c\n+d\n", []string{"x.py -> x.py  10/20 -11/0 +0/21 +0/22"}},
		{"a removed line that looks like a header", "--- a/x.sql\n+++ b/x.sql\n@@ -1,1 +1,1 @@\n--- a comment\n+++ b\n", []string{"x.sql -> x.sql -1/0 +0/1"}},
		{"rename without a hunk", "diff --git a/old.py b/new.py\nsimilarity index 100%\nrename from old.py\nrename to new.py\n", []string{"old.py -> new.py"}},
		{"octal quoting of git", "diff --git \"a/\\303\\251.py\" \"b/\\303\\251.py\"\n--- \"a/\\303\\251.py\"\n+++ \"b/\\303\\251.py\"\n", []string{"é.py -> é.py"}},
		{"a space in the path ends in a tab", "diff --git a/my file.py b/my file.py\n--- a/my file.py\t\n+++ b/my file.py\t\n", []string{"my file.py -> my file.py"}},
		{"new and deleted files", "diff --git a/n.cu b/n.cu\nnew file mode 100644\n--- /dev/null\n+++ b/n.cu\n@@ -0,0 +1 @@\n+x\ndiff --git a/d.cu b/d.cu\ndeleted file mode 100644\n--- a/d.cu\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", []string{" -> n.cu added +0/1", "d.cu ->  deleted -1/0"}},
		{"binary", "diff --git a/k.hsaco b/k.hsaco\nindex 1..2 100644\nBinary files a/k.hsaco and b/k.hsaco differ\n", []string{"k.hsaco -> k.hsaco binary"}},
		{"combined diffs are marked, not read", "diff --cc x.cu\nindex 1,2..3\n--- a/x.cu\n+++ b/x.cu\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n", []string{"x.cu -> x.cu combined"}},
		{"no newline at the end", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", []string{"x -> x -1/0 +0/1"}},
		{"CRLF and an empty context line that lost its space", "--- a/x\r\n+++ b/x\r\n@@ -1,3 +1,3 @@\r\n a\r\n\r\n-b\r\n+c\r\n", []string{"x -> x  1/1  2/2 -3/0 +0/3"}},
		{"colours", "\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[1m--- a/x\x1b[m\n\x1b[1m+++ b/x\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-a\x1b[m\n\x1b[32m+\x1b[m\x1b[32mb\x1b[m\n", []string{"x -> x -1/0 +0/1"}},
		{"the hunk is shorter than it says", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", []string{"x -> x -1/0", "y -> y -1/0 +0/1"}},
		{"submodule in git's log form", "Submodule third_party/llvm 0123456789a..abcdef01234:\n  > fix\n", []string{"third_party/llvm -> third_party/llvm 0123456789a..abcdef01234"}},
		{"no prefixes", "diff --git x.py x.py\n--- x.py\n+++ x.py\n", []string{"x.py -> x.py"}},
		{"mnemonic prefixes", "diff --git i/x.py w/x.py\n--- i/x.py\n+++ w/x.py\n", []string{"x.py -> x.py"}},
		{"no diff at all", "commit 1234\n\n    tile size BLOCK = 64\n", nil},
	} {
		if d := cmp.Diff(tt.want, summarise(t, tt.diff)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.why, d)
		}
	}
}

// A line longer than the limit is cut and said to be, whatever it holds.
func TestLongLine(t *testing.T) {
	diff := "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-" + strings.Repeat("x", 300_000) + "\n-BLOCK_M = 64\n+y\n+BLOCK_M = 32\n"
	r, err := FromDiff(strings.NewReader(diff), Options{})
	if err != nil || !r.Truncated || len(r.Hints) != 1 || r.Hints[0].Pattern != "tile_size" || r.Hints[0].OldLine != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A diff that cannot be judged says why; it never reads as a clean result.
func TestNotes(t *testing.T) {
	for _, tt := range []struct{ why, diff, want string }{
		{"a merge", "diff --cc x.cu\nindex 1,2..3\n--- a/x.cu\n+++ b/x.cu\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n", "combined diff of a merge"},
		{"not a diff", "hello\n", "no unified diff in the input"},
		{"only documents", "diff --git a/README.md b/README.md\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-a\n+b\n", "documentation"},
		{"nothing known", "diff --git a/k.cu b/k.cu\n--- a/k.cu\n+++ b/k.cu\n@@ -1 +1 @@\n-int a;\n+int b;\n", "no known pattern in this diff"},
	} {
		r, err := FromDiff(strings.NewReader(tt.diff), Options{})
		if err != nil || len(r.Hints) != 0 || !strings.Contains(r.Note, tt.want) {
			t.Errorf("%s: note %q, %v; want %q", tt.why, r.Note, err, tt.want)
		}
	}
}
