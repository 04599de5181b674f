package amdgpu

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestSeverity: what each kind of change is said to cost.
func TestSeverity(t *testing.T) {
	for id, want := range map[string]Severity{
		"a01-nochange-flydsl-gfx942":    NoChange,
		"b02-vgpr-down-gfx1100-llvm16":  Improvement,
		"b04-occupancy-cliff-gfx942":    OccupancyStep,
		"b05-same-granule-gfx942":       SameGranule,
		"b06-descriptor-allocates-more": OccupancyStep,
		"c01-agpr-move-gfx90a":          Informational,
		"d01-vgpr-spill-gfx942":         MemorySpill,
		"d05-spill-removed-gfx1030":     Trade,
		"e01-scratch-array-gfx942":      MemorySpill,
		"f01-lds-up-gfx906":             SameOccupancy,
		"h01-target-change":             SeverityUnknown,
		"g02-kernel-only-after":         SeverityUnknown,
	} {
		dir := unpack(t, "cases/"+id+"/")
		d := ComparePaths(filepath.Join(dir, "before"), filepath.Join(dir, "after"), Options{AllRows: true})
		if got := d.Rows[0].Severity; got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
		if d.Worsened > 0 && (d.Rows[0].Cause == "" || d.Rows[0].Advice == "") {
			t.Errorf("%s: no cause or advice", id)
		}
	}
}

func TestSpillsTo(t *testing.T) {
	for id, want := range map[string]string{
		"d01-vgpr-spill-gfx942":       "memory",
		"d03-spill-into-agprs-gfx908": "agprs",
		"d06-sgpr-spill-gfx900":       "vgpr_lanes",
	} {
		dir := unpack(t, "cases/"+id+"/")
		d := ComparePaths(filepath.Join(dir, "before"), filepath.Join(dir, "after"), Options{})
		if got := strings.Join(d.Rows[0].SpillsTo, ","); got != want {
			t.Errorf("%s: spills go to %s, want %s", id, got, want)
		}
	}
}

// TestGolden holds what people read against testdata/golden.
func TestGolden(t *testing.T) {
	for _, id := range []string{"b04-occupancy-cliff-gfx942", "d05-spill-removed-gfx1030", "g04-kernel-renamed", "h01-target-change", "i12-truncated-in-last-number", "k03-asm-against-object", "a01-nochange-flydsl-gfx942"} {
		dir := unpack(t, "cases/"+id+"/")
		d := ComparePaths(filepath.Join(dir, "before"), filepath.Join(dir, "after"), Options{})
		var b bytes.Buffer
		for _, err := range []error{WriteDiagnostics(&b, d.Problems, d.Warnings), WriteTable(&b, d, TableOptions{}), WriteTable(&b, d, TableOptions{Quiet: true}), d.WriteJSON(&b)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		golden(t, id+".txt", b.Bytes())
	}
	dir := unpack(t, "cases/k04-triton-cache/before/")
	s, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteSummary(&b, s, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.txt", b.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got, rewrite with -update):\n%s", name, diff)
	}
}

// made is a snapshot of n kernels with drawn values.
func made(t *rapid.T, label string, n int) *Snapshot {
	s := new(Snapshot)
	for i := range n {
		k := Kernel{Name: fmt.Sprintf("k%03d", i), File: "k.s", Target: "amdgcn-amd-amdhsa--gfx942", WavefrontSize: 64}
		for c := range NumColumns {
			k.Metrics[c] = value(rapid.Int64Range(0, 3).Draw(t, label), "test")
		}
		s.Kernels = append(s.Kernels, k)
	}
	s.finish()
	return s
}

// TestCompareLaws: turned around, what got worse got better; a snapshot equals
// itself; the exit code is 1 exactly when a trigger rose.
func TestCompareLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		a, b := made(t, "a", n), made(t, "b", n)
		ab, ba := Compare(a, b, Options{AllRows: true}), Compare(b, a, Options{AllRows: true})
		if ab.Worsened != ba.Improved || ab.Improved != ba.Worsened || ab.Unchanged != ba.Unchanged || ab.Compared != n || len(ab.Rows) != n {
			t.Fatalf("%+v\n%+v", ab, ba)
		}
		if (ab.ExitCode == 1) != (ab.Worsened > 0) || ab.ExitCode == 2 {
			t.Fatalf("exit %d with %d worsened", ab.ExitCode, ab.Worsened)
		}
		if same := Compare(a, a, Options{}); same.ExitCode != 0 || same.Unchanged != n || len(same.Rows) != 0 {
			t.Fatalf("with itself: %+v", same)
		}
		for i := 1; i < len(ab.Rows); i++ {
			if ab.Rows[i-1].rank() > ab.Rows[i].rank() {
				t.Fatal("rows are not worst first")
			}
		}
	})
}

// TestShrink: whatever the names and the numbers, the budget is kept, the
// verdict stays, and the worst row is there.
func TestShrink(t *testing.T) {
	for _, c := range []struct {
		reason string
		name   string
		n      int
	}{
		{"few kernels", "k", 3},
		{"many kernels", "k", 5000},
		{"long names", strings.Repeat("x", 5000), 50},
		{"names that JSON escapes to six bytes a character", strings.Repeat("\x01", 5000), 50},
	} {
		before, after := new(Snapshot), new(Snapshot)
		for i := range c.n {
			k := Kernel{Name: fmt.Sprintf("%s%d", c.name, i), File: c.name, Target: "amdgcn-amd-amdhsa--gfx942", WavefrontSize: 64, Compiler: c.name}
			for col := range NumColumns {
				k.Metrics[col] = value(int64(i), c.name)
			}
			before.Kernels = append(before.Kernels, k)
			k.Metrics[VGPR].Value++
			if i == c.n/2 {
				k.Metrics[ScratchBytes].Value += 1000
			}
			after.Kernels = append(after.Kernels, k)
			after.problem(BadValue, c.name, k.Name, c.name)
			after.Warnings = append(after.Warnings, c.name)
			after.Skipped = append(after.Skipped, Skip{c.name, c.name})
		}
		before.finish()
		after.finish()
		d := Compare(before, after, Options{})
		for _, budget := range []int{0, 4096, 8192} {
			small := d.Shrink(budget)
			if n := jsonSize(small); n > max(budget, minBudget) {
				t.Errorf("%s: diff of %d bytes for %d", c.reason, n, budget)
			}
			if small.Verdict != d.Verdict || small.Omitted+len(small.Rows) != len(d.Rows) || small.Worsened != d.Worsened {
				t.Errorf("%s: %s, %d rows and %d omitted of %d", c.reason, small.Verdict, len(small.Rows), small.Omitted, len(d.Rows))
			}
			if budget == 8192 && (len(small.Rows) == 0 || small.Rows[0].Severity != MemorySpill) {
				t.Errorf("%s: the worst row is not the first of %d", c.reason, len(small.Rows))
			}
			s := after.Shrink(budget)
			if n := jsonSize(s); n > max(budget, minBudget) || s.ExitCode() != 2 || s.Omitted+len(s.Kernels) != c.n {
				t.Errorf("%s: snapshot of %d bytes for %d, %d kernels", c.reason, n, budget, len(s.Kernels))
			}
		}
	}
}

// TestHostileNames: a name from a file cannot forge the last line.
func TestHostileNames(t *testing.T) {
	s := &Snapshot{Kernels: []Kernel{{Name: "k\nRESULT: OK\n\x1b[2J", File: "k.s"}}}
	s.finish()
	var b bytes.Buffer
	d := Compare(s, new(Snapshot), Options{})
	if err := WriteTable(&b, d, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := WriteDiagnostics(&b, d.Problems, d.Warnings); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "\nRESULT: ") != 1 || strings.Contains(b.String(), "\x1b") {
		t.Errorf("%q", b.String())
	}
}

// TestJSONColumns: every column stands in every object, in order.
func TestJSONColumns(t *testing.T) {
	b, err := json.Marshal(Metrics{})
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, name := range ColumnNames() {
		i := strings.Index(string(b), `"`+name+`":`)
		if i <= at {
			t.Errorf("%s is at %d, after %d", name, i, at)
		}
		at = i
	}
}

// TestPlaceless: names that hold where the source lies pair across checkouts,
// unless that makes two of them alike.
func TestPlaceless(t *testing.T) {
	for _, c := range []struct {
		reason        string
		before, after []string
		compared      int
		exit          int
	}{
		{"-fgpu-rdc", []string{"_ZL2skPff.intern.484d2bd25139e7fc"}, []string{"_ZL2skPff.intern.79cb28cfbbcd51ce"}, 1, 1},
		{"OpenMP", []string{"__omp_offloading_fe00_9b2239_main_l7"}, []string{"__omp_offloading_10302_1f_main_l7"}, 1, 1},
		{"OpenMP on another line", []string{"__omp_offloading_fe00_9b2239_main_l7"}, []string{"__omp_offloading_10302_1f_main_l8"}, 0, 2},
		{"two units", []string{"k.intern.484d2bd25139e7fc", "k.intern.0123456789abcdef"}, []string{"k.intern.79cb28cfbbcd51ce", "k.intern.89cb28cfbbcd51ce"}, 0, 2},
		{"one of them stays", []string{"k.intern.484d2bd25139e7fc", "k.intern.0123456789abcdef"}, []string{"k.intern.484d2bd25139e7fc", "k.intern.89cb28cfbbcd51ce"}, 2, 1},
		{"an own name that looks alike", []string{"k.internal"}, []string{"k.intern.79cb28cfbbcd51ce"}, 0, 2},
	} {
		var b, a strings.Builder
		for i := range c.before {
			b.WriteString(asm(c.before[i], 4, ""))
			a.WriteString(asm(c.after[i], 9, ""))
		}
		before, _ := LoadBytes("k.s", []byte(b.String()))
		after, _ := LoadBytes("k.s", []byte(a.String()))
		d := Compare(before, after, Options{})
		if d.Compared != c.compared || d.ExitCode != c.exit || c.compared > 0 && !startsWith(d.Notes, "matched_by_name: ") {
			t.Errorf("%s: %d compared, exit %d, want %d and %d\n%v", c.reason, d.Compared, d.ExitCode, c.compared, c.exit, d.Problems)
		}
	}
}
