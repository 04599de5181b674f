package hints

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func fromLines(t *testing.T, path, section, body string, o Options) *Report {
	t.Helper()
	lines := strings.Split(strings.TrimPrefix(strings.TrimRight(body, "\n"), "\n"), "\n")
	olds, news := 0, 0
	for _, l := range lines {
		if l[0] != '+' {
			olds++
		}
		if l[0] != '-' {
			news++
		}
	}
	diff := "diff --git a/" + path + " b/" + path + "\n--- a/" + path + "\n+++ b/" + path + "\n" +
		"@@ -10," + formatNumber(float64(olds)) + " +10," + formatNumber(float64(news)) + " @@ " + section + "\n" + strings.Join(lines, "\n") + "\n"
	r, err := FromDiff(strings.NewReader(diff), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLoopVariableHasNoValue: what a loop counts with is no constant, wherever it
// got its first value.
func TestLoopVariableHasNoValue(t *testing.T) {
	for _, tt := range []struct{ why, old, new, want, not string }{
		{"set before the loop", "for (; idx < n; idx++)", "for (; idx < ifnIdx; idx++)", "from < n to < ifnIdx", "0"},
		{"the first of two", "for (idx = 0, j = 5; idx < n; idx++, j--)", "for (idx = 0, j = 5; idx < n * 2; idx++, j--)", "stop changed from < n to < n*2", ""},
		{"stepped in the body", "for (; idx < n;)", "for (; idx < n * 2;)", "condition changed from idx < n to idx < n*2", "0"},
		{"a start that moved out of the loop is no other bound", "for (int idx = 0; idx < n; idx++)", "for (; idx < n; idx++)", "", "start"},
	} {
		body := "   int idx = 0;\n-  " + tt.old + "\n+  " + tt.new + "\n     y[idx] = x[idx];"
		text := ""
		for _, h := range fromLines(t, "src/k.hip", "__global__ void k(const float* x, float* y, int n) {", body, Options{}).Hints {
			text += h.Reason + "\n"
		}
		plain := strings.ReplaceAll(text, " ", "")
		if !strings.Contains(plain, strings.ReplaceAll(tt.want, " ", "")) || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: %q, want %q and no %q", tt.why, text, tt.want, tt.not)
		}
	}
}

// The JSON form is read by others: its names and order are fixed.
func TestHintJSON(t *testing.T) {
	r := fromLines(t, "kernels/a.py", "def k(", "-    BLOCK_M = 64\n+    BLOCK_M = 32", Options{})
	b, err := json.Marshal(r.Hints)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"pattern":"tile_size","file":"kernels/a.py","line":10,"old_line":10,"new_line":10,"before":"BLOCK_M = 64","after":"BLOCK_M = 32",` +
		`"cause":"worse occupancy (larger tile) or more iterations and less reuse (smaller tile)","confidence":"high","reason":"tile size: BLOCK_M changed from 64 to 32"}]`
	if d := cmp.Diff(want, string(b)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// The machine code can contradict a hint that the text alone would rank first.
func TestISAReorders(t *testing.T) {
	body := "-    BLOCK_M = 128\n+    BLOCK_M = 64\n     for k in range(0, K, BK):\n         a = tl.load(pa)\n+        tl.debug_barrier()"
	better := []ISAChange{{Kernel: "gemm", Before: map[string]float64{"vgpr": 128, "occupancy": 4}, After: map[string]float64{"vgpr": 64, "occupancy": 8}}}
	worse := []ISAChange{{Kernel: "gemm", Before: map[string]float64{"vgpr": 64, "occupancy": 8, "vgpr_spill": 0}, After: map[string]float64{"vgpr": 64, "occupancy": 8, "vgpr_spill": 12}}}
	for _, tt := range []struct {
		why   string
		isa   []ISAChange
		first string
		words string
	}{
		{"registers halved, occupancy doubled: not the tile", better, "synchronization", ""},
		{"the kernel spills now: the tile", worse, "tile_size", "confirms it: vgpr_spill of gemm 0 to 12"},
	} {
		r := fromLines(t, "kernels/a.py", "def k(", body, Options{ISA: tt.isa})
		if len(r.Hints) != 2 || r.Hints[0].Pattern != tt.first || !strings.Contains(r.Hints[0].Reason, tt.words) {
			t.Errorf("%s: %s", tt.why, brief(r))
		}
	}
}

// additive are patterns for which taking back the change cannot slow down.
var additive = wordSet("synchronization memory_ops masking host_sync hot_path_checks volatile_atomics dtype prefetch vector_width math_function specialization alloc host_overhead")

// TestReversed turns every planted diff around: what made it slow goes away.
func TestReversed(t *testing.T) {
	for _, l := range readLabelled(t) {
		if !additive[l.label] {
			continue
		}
		r, err := FromDiff(bytes.NewReader(reverse(l.diff)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hints {
			if h.Pattern == l.label && h.Confidence == High {
				t.Errorf("%s reversed: %s %q -> %q: %s", l.name, h.Pattern, h.Before, h.After, h.Reason)
			}
		}
	}
}

func reverse(diff []byte) []byte {
	var out, plus bytes.Buffer
	hunk := false
	flush := func() { out.Write(plus.Bytes()); plus.Reset() }
	for line := range bytes.Lines(diff) {
		switch {
		case bytes.HasPrefix(line, []byte("diff ")):
			hunk = false
			flush()
			out.Write(line)
		case bytes.HasPrefix(line, []byte("@@ ")):
			hunk = true
			flush()
			f := strings.SplitN(string(line), " ", 4)
			out.WriteString("@@ -" + f[2][1:] + " +" + f[1][1:] + " " + f[3])
		case hunk && line[0] == '-':
			plus.WriteString("+" + string(line[1:]))
		case hunk && line[0] == '+':
			out.WriteString("-" + string(line[1:]))
		default:
			flush()
			out.Write(line)
		}
	}
	flush()
	return out.Bytes()
}

// TestOnlySpace replaces the added lines of every diff by the removed ones with
// other spacing: a change of form alone is never a hint.
func TestOnlySpace(t *testing.T) {
	for _, l := range readLabelled(t) {
		var out bytes.Buffer
		hunk, python := false, false
		for line := range bytes.Lines(l.diff) {
			switch {
			case bytes.HasPrefix(line, []byte("diff ")):
				hunk = false
				python = bytes.Contains(line, []byte(".py"))
			case bytes.HasPrefix(line, []byte("@@ ")):
				hunk = true
				f := strings.SplitN(string(line), " ", 4)
				line = []byte("@@ " + f[1] + " +" + f[1][1:] + " " + f[3])
			case hunk && line[0] == '+':
				continue
			case hunk && line[0] == '-' && !bytes.Contains(line, []byte("commit")) && !bytes.ContainsAny(line, `"'`):
				out.Write(line)
				text := string(line[1:])
				indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
				if !python {
					indent += " "
				}
				line = []byte("+" + indent + strings.ReplaceAll(strings.TrimLeft(text, " \t"), " ", "  "))
			}
			out.Write(line)
		}
		r, err := FromDiff(&out, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hints {
			if h.Before != "" && h.After != "" {
				t.Errorf("%s with other spacing: %s %q -> %q: %s", l.name, h.Pattern, h.Before, h.After, h.Reason)
			}
		}
	}
}

// Every pattern has a labelled diff that plants it, and words for its users.
func TestPatterns(t *testing.T) {
	planted := map[string]bool{}
	for _, l := range readLabelled(t) {
		planted[l.label] = true
	}
	for _, p := range Patterns() {
		if p.Name == "" || p.What == "" || p.Languages == "" || p.Cause == "" || p.weight <= 0 || p.weight > 40 {
			t.Errorf("pattern %+v is not complete", p)
		}
		if !planted[p.Name] {
			t.Errorf("no labelled diff plants %s", p.Name)
		}
	}
}

func TestWriteText(t *testing.T) {
	r := fromLines(t, "kernels/a.py", "def k(", "-    BLOCK_M = 64\n+    BLOCK_M = 32 + 0\x1b[31m", Options{})
	var b strings.Builder
	if err := WriteText(&b, r); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if strings.Contains(got, "\x1b") || !strings.Contains(got, "1. tile_size (") || !strings.Contains(got, "kernels/a.py:10") || !strings.Contains(got, "1 files read") {
		t.Errorf("text:\n%s", got)
	}
}
