package app

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newTrees has a tree in use that is built at commit "a".
func newTrees(t *testing.T) *trees {
	t.Helper()
	s, err := newApp(t).procs()
	if err != nil {
		t.Fatal(err)
	}
	tr := &trees{run: "r1", slot: filepath.Join(t.TempDir(), "slot[0]"), cp: s, on: true, max: 2, keep: map[string]bool{}}
	fill(t, tr, "a")
	return tr
}

// fill makes the tree in use anew, as built at commit.
func fill(t *testing.T, tr *trees, commit string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(tr.slot, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tr.slot, "product"), []byte(commit), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tr.setBuilt(commit); err != nil {
		t.Fatal(err)
	}
}

// lie lists the folders beside the tree, without the common part.
func lie(tr *trees) (names []string) {
	entries, _ := os.ReadDir(filepath.Dir(tr.slot))
	for _, e := range entries {
		names = append(names, strings.TrimPrefix(e.Name(), "slot[0]"))
	}
	sort.Strings(names)
	return names
}

func (tr *trees) product() string {
	data, _ := os.ReadFile(filepath.Join(tr.slot, "product"))
	return string(data)
}

func expect(t *testing.T, tr *trees, why string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, lie(tr)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", why, diff)
	}
}

func TestParkAndFetch(t *testing.T) {
	tr := newTrees(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(tr.park(t.Context(), 0.1))
	expect(t, tr, "a quick build is not worth a copy", "")
	must(tr.park(t.Context(), 1e6))
	expect(t, tr, "parked", "", ".tree-r1-a")
	fill(t, tr, "b")
	ok, err := tr.fetch("a")
	if must(err); !ok || tr.product() != "a" || tr.built() != "a" {
		t.Errorf("fetched %v: %q built at %q", ok, tr.product(), tr.built())
	}
	expect(t, tr, "they have changed places", "", ".tree-r1-b")
	if ok, err := tr.fetch("nosuch"); ok || err != nil {
		t.Errorf("fetched what is not there: %v", err)
	}
}

// TestFetchAfterKill: a process that was killed just after it had copied the tree
// leaves it twice; one that was killed between two renames leaves none in use.
func TestFetchAfterKill(t *testing.T) {
	tr := newTrees(t)
	for _, commit := range []string{"b", "a"} {
		fill(t, tr, commit)
		if err := tr.park(t.Context(), 1e6); err != nil {
			t.Fatal(err)
		}
	}
	if ok, err := tr.fetch("b"); !ok || err != nil || tr.product() != "b" {
		t.Errorf("with a copy of the tree in use: %v %v %q", ok, err, tr.product())
	}
	expect(t, tr, "the copy is kept", "", ".tree-r1-a")
	if err := os.RemoveAll(tr.slot); err != nil {
		t.Fatal(err)
	}
	if ok, err := tr.fetch("a"); !ok || err != nil || tr.product() != "a" {
		t.Errorf("without a tree in use: %v %v %q", ok, err, tr.product())
	}
}

// TestEvict keeps the ends and what was used last.
func TestEvict(t *testing.T) {
	tr := newTrees(t)
	tr.keep["a"] = true
	for _, commit := range []string{"a", "b", "c", "d"} {
		fill(t, tr, commit)
		if err := tr.park(t.Context(), 1e6); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, tr, "two at most", "", ".tree-r1-a", ".tree-r1-d")
}

// TestForeignTrees: when the slot is taken, what a run parked that does not come
// back goes; what is ours goes at the end, read-only folders and half copies too.
func TestForeignTrees(t *testing.T) {
	tr := newTrees(t)
	for _, name := range []string{".tree-0101-r2-a", ".tree-0101-r3-a", ".tree-r1-a", ".copying"} {
		dir := filepath.Join(tr.slot+name, "pkg")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o400); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	if err := tr.takeOver(func(run string) bool { return run == "0101-r3" }); err != nil {
		t.Fatal(err)
	}
	expect(t, tr, "ours stay, and of those that come back", "", ".tree-0101-r3-a", ".tree-r1-a")
	fill(t, tr, "b")
	if err := tr.park(t.Context(), 1e6); err != nil {
		t.Fatal(err)
	}
	expect(t, tr, "others make room first", "", ".tree-r1-a", ".tree-r1-b")
	if err := tr.clear(); err != nil {
		t.Fatal(err)
	}
	expect(t, tr, "none stays", "")
}

// TestTakeOver: the tree in use of a run that comes back is parked for it if it is
// built.
func TestTakeOver(t *testing.T) {
	for _, test := range []struct {
		why       string
		mark      string
		built     string
		comesBack bool
		want      []string
	}{
		{"built", "r2", "a", true, []string{".tree-r2-a"}},
		{"not built", "r2", "", true, []string{""}},
		{"an ended run", "r2", "a", false, []string{""}},
		{"ours", "r1", "a", true, []string{""}},
		{"nobody's", "", "a", true, []string{""}},
	} {
		tr := newTrees(t)
		if err := tr.setBuilt(test.built); err != nil {
			t.Fatal(err)
		}
		mark := fmt.Sprintf(`{"version":1,"common":"/repo/.git","run":%q}`, test.mark)
		if err := os.WriteFile(filepath.Join(tr.slot, ".git", "perfbisect.json"), []byte(mark), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := tr.takeOver(func(string) bool { return test.comesBack }); err != nil {
			t.Fatal(err)
		}
		expect(t, tr, test.why, test.want...)
	}
}
