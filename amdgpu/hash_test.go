package amdgpu

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hashesOf returns the hashes of one side of a corpus case, by kernel name.
func hashesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	h, err := CodeHashes(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestCodeHashes compares the two sides of corpus cases.
func TestCodeHashes(t *testing.T) {
	for _, c := range []struct {
		id, kernel string
		same       bool
		reason     string
	}{
		{"a02-nochange-env-spelling", "row_softmax", true, "the environment field of the target"},
		{"a04-nochange-stage-number", "row_softmax", true, "the file's name"},
		{"a05-nochange-crlf", "row_softmax", true, "line ends"},
		{"a06-nochange-debug-lines", "row_softmax", true, "debug information"},
		{"a07-nochange-renamed-dirs", "blur3", true, "the directory"},
		{"m03-comments-against-none", "sgemm_tile", true, "comments"},
		{"k04-triton-cache", "shift_window", true, "the cache's hash"},
		{"g02-kernel-only-after", "m_add", true, "another kernel in the module"},
		{"g01-multi-two-regress", "m_add", true, "another kernel's change"},
		{"g01-multi-two-regress", "m_dot", false, "its own change"},
		{"e05-calls-nochange-gfx942", "call_map", true, "nothing"},
		{"e04-callee-grows-gfx942", "call_map", false, "a callee that grew"},
		{"e03-dynamic-stack-gfx90a", "apply_op", false, "calls through a table"},
		{"b06-descriptor-allocates-more", "wpe_kernel", false, "the descriptor alone"},
		{"c01-agpr-move-gfx90a", "acc_tile", false, "registers"},
		{"h02-xnack-minus-to-plus", "row_softmax", false, "features"},
		{"k02-hsaco-pair", "sgemm_tile", false, "linked objects of other code"},
		{"k01-object-pair", "row_softmax", false, "objects of other code"},
	} {
		dir := unpack(t, "cases/"+c.id+"/")
		before, after := hashesOf(t, filepath.Join(dir, "before")), hashesOf(t, filepath.Join(dir, "after"))
		x, y := before[c.kernel], after[c.kernel]
		if x == "" && c.id == "a07-nochange-renamed-dirs" {
			for name := range before {
				x, y = before[name], after[name]
			}
		}
		if x == "" || y == "" || (x == y) != c.same {
			t.Errorf("%s: %s: %.12s and %.12s; same must be %t: %s", c.id, c.kernel, x, y, c.same, c.reason)
		}
	}
}

// TestObjectHashes: what the text says is the same must be the same in the
// objects that LLVM makes of those texts, and the other way round.
func TestObjectHashes(t *testing.T) {
	var doc struct {
		Units map[string]struct {
			Twin  string
			Files []string
		}
	}
	if err := json.Unmarshal(corpusFile(t, "expected.json"), &doc); err != nil {
		t.Fatal(err)
	}
	byText, n := map[string]string{}, 0
	for _, u := range doc.Units {
		for _, f := range u.Files {
			if !strings.HasSuffix(f, ".s") || strings.Contains(f, "/k08") {
				continue
			}
			dir := write(t, map[string]string{"k.s": string(corpusFile(t, f)), "o/k.o": string(corpusFile(t, u.Twin))})
			text, err1 := CodeHashes(filepath.Join(dir, "k.s"))
			object, err2 := CodeHashes(filepath.Join(dir, "o", "k.o"))
			if err1 != nil || err2 != nil {
				continue
			}
			for name, h := range text {
				n++
				if old, ok := byText[h]; ok && old != object[name] {
					t.Errorf("%s: %s: equal texts, unequal objects", f, name)
				}
				byText[h] = object[name]
			}
			break
		}
	}
	if n < 80 {
		t.Errorf("only %d kernels were compared", n)
	}
}

// TestRenameHash: a kernel's own name is not its code.
func TestRenameHash(t *testing.T) {
	dir := write(t, map[string]string{"a.s": asm("before_name", 8, "  s_branch before_name"), "b.s": asm("after_name", 8, "  s_branch after_name"), "c.s": asm("x", 8, "  s_branch other")})
	a, b, c := hashesOf(t, filepath.Join(dir, "a.s")), hashesOf(t, filepath.Join(dir, "b.s")), hashesOf(t, filepath.Join(dir, "c.s"))
	if a["before_name"] != b["after_name"] || a["before_name"] == c["x"] {
		t.Errorf("%v %v %v", a, b, c)
	}
}

// TestConstantHash: data that the code refers to counts, with .size or without.
func TestConstantHash(t *testing.T) {
	for _, size := range []string{"", ".size .Lpool, 4\n"} {
		text := asm("k", 8, "  s_getpc_b64 s[0:1]\n  s_add_u32 s0, s0, .Lpool@rel32@lo+4")
		one := strings.Replace(text, ".amdhsa_kernel", ".rodata\n.Lpool:\n.long 1\n"+size+".amdhsa_kernel", 1)
		dir := write(t, map[string]string{"1.s": one, "2.s": strings.Replace(one, ".long 1", ".long 2", 1), "3.s": strings.ReplaceAll(one, ".Lpool", ".Lother")})
		x, y, z := hashesOf(t, filepath.Join(dir, "1.s")), hashesOf(t, filepath.Join(dir, "2.s")), hashesOf(t, filepath.Join(dir, "3.s"))
		if x["k"] == y["k"] || x["k"] != z["k"] {
			t.Errorf("with %q: %v %v %v", size, x, y, z)
		}
	}
}

// TestFingerprint: places do not count, names and code do.
func TestFingerprint(t *testing.T) {
	k, k2 := asm("k", 8, ""), asm("k", 16, "")
	prints := map[string]string{}
	for name, files := range map[string]map[string]string{
		"a": {"HASH1/k.s": k, "HASH2/k.s": k2},
		"b": {"OTHER/k.s": k2, "ANOTHER/k.s": k},
		"c": {"HASH1/k.s": k, "HASH2/k.s": k},
		"d": {"HASH1/k.s": k, "HASH2/k.s": asm("renamed", 16, "")},
	} {
		var err error
		if prints[name], err = CodeFingerprint(write(t, files)); err != nil {
			t.Fatal(err)
		}
	}
	if prints["a"] != prints["b"] || prints["a"] == prints["c"] || prints["a"] == prints["d"] {
		t.Errorf("%v", prints)
	}
}

// TestHashRefuses: what was cut is not the same as anything.
func TestHashRefuses(t *testing.T) {
	text := asm("k", 8, "")
	dir := write(t, map[string]string{"cut.s": text[:len(text)-30], "snapshot.json": "{}"})
	for _, name := range []string{"cut.s", "snapshot.json"} {
		if h, err := CodeHashes(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s: %v", name, h)
		}
	}
	s, _ := LoadBytes("k.s", []byte(text))
	f, err := os.Create(filepath.Join(dir, "saved.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := s.WriteJSON(f); err != nil {
		t.Fatal(err)
	}
	if _, err := CodeHashes(f.Name()); err == nil {
		t.Error("hashes from a snapshot, which holds no code")
	}
}
