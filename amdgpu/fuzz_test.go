package amdgpu

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"testing"
)

// addSeeds adds the corpus's files that keep accepts, up to a size.
func addSeeds(f *testing.F, keep func(name string, data []byte) bool) {
	f.Helper()
	for name, data := range corpus(f) {
		if len(data) < 32<<10 && keep(name, data) {
			f.Add(data)
		}
	}
}

// checkSnapshot asserts what holds for every input: JSON that reads back to
// the same document, keys that are unique, cells in range, and a comparison
// with itself that finds no difference.
func checkSnapshot(t *testing.T, s *Snapshot) {
	t.Helper()
	if len(s.Kernels) == 0 && len(s.Problems) == 0 {
		t.Fatal("no kernel and no problem: an empty answer that looks clean")
	}
	keys := map[string]bool{}
	for i := range s.Kernels {
		k := &s.Kernels[i]
		if keys[k.Key] {
			t.Fatalf("key %q occurs twice", k.Key)
		}
		keys[k.Key] = true
		for c := range NumColumns {
			if k.Metrics[c].Value < 0 || !k.Metrics[c].Known() && k.Metrics[c].Value != 0 {
				t.Fatalf("%s of %q is %+v", c, k.Key, k.Metrics[c])
			}
		}
	}
	d := Compare(s, s, Options{})
	if d.Worsened+d.Improved > 0 || d.Verdict == Regression || d.ExitCode == 0 && len(s.Problems) > 0 {
		t.Fatalf("with itself: %s, %d worsened\n%v", d.Verdict, d.Worsened, d.Problems)
	}
	if small := d.Shrink(8 << 10); jsonSize(small) > 8<<10 {
		t.Fatalf("a diff of %d bytes in a budget of %d", jsonSize(small), 8<<10)
	}
	if small := s.Shrink(8 << 10); jsonSize(small) > 8<<10 {
		t.Fatalf("a snapshot of %d bytes in a budget of %d", jsonSize(small), 8<<10)
	}
	var text, again bytes.Buffer
	if err := WriteTable(&text, d, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(text.String(), "\nRESULT: "+string(d.Verdict)+"\n") && text.String() != "RESULT: "+string(d.Verdict)+"\n" || strings.Count(text.String(), "\nRESULT: ") > 1 {
		t.Fatalf("the last line is not the result:\n%s", text.String())
	}
	if err := s.WriteJSON(&again); err != nil || !json.Valid(again.Bytes()) {
		t.Fatal(err)
	}
	back, _ := LoadBytes("s.json", again.Bytes())
	if s.ExitCode() != back.ExitCode() || len(back.Kernels) != len(s.Kernels) {
		t.Fatalf("read back: exit %d and %d, %d and %d kernels\n%v\n%v", s.ExitCode(), back.ExitCode(), len(s.Kernels), len(back.Kernels), s.Problems, back.Problems)
	}
}

func FuzzText(f *testing.F) {
	addSeeds(f, func(name string, _ []byte) bool {
		return path.Ext(name) == ".s" && strings.Contains(name, "/after/") && !strings.Contains(name, "/a0")
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := LoadBytes("k.s", data)
		checkSnapshot(t, s)
		for _, r := range parseText("k.s", bytes.Clone(data)) {
			r.m.kernels()
			r.hashes()
		}
	})
}

func FuzzYAML(f *testing.F) {
	addSeeds(f, func(name string, _ []byte) bool { return false })
	for _, name := range []string{"cases/j02-quoted-names/after/quoted/21_final_isa.s", "cases/h13-code-object-v3/after/fir_local/15_final_isa.s", "cases/i06-no-identity/after/row_softmax/21_final_isa.s"} {
		_, doc, _ := bytes.Cut(corpusFile(f, name), []byte(".amdgpu_metadata\n"))
		doc, _, _ = bytes.Cut(doc, []byte("\t.end_amdgpu_metadata"))
		f.Add(doc)
	}
	f.Add([]byte("amdhsa.kernels:\n- .name: k # c\n  .vgpr_count: 1\namdhsa.version: [1, 2]\n"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		plain, err := plainYAML(doc)
		if err != nil {
			_, _ = parseYAML(doc)
			return
		}
		general, err := generalYAML(doc)
		if err != nil {
			return // such as a duplicate key, which we report ourselves or do not read
		}
		if diff := diffMetadata(plain, general); diff != "" {
			t.Fatalf("the plain reader and yaml.v3 disagree: %s\n%q", diff, doc)
		}
	})
}

func FuzzELF(f *testing.F) {
	addSeeds(f, func(name string, data []byte) bool { return isCodeObject(data) && strings.HasPrefix(name, "cases/k") })
	f.Add(makeObject(note(testTarget, oneKernel()), oneKernel()))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := LoadBytes("k.o", data)
		checkSnapshot(t, s)
		if isCodeObject(data) {
			objectHashes(parseELF("k.o", data), data)
		}
	})
}

func FuzzMsgpack(f *testing.F) {
	f.Add(note(testTarget, oneKernel()))
	f.Add([]byte("\x81\xaeamdhsa.kernels\xdd\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := LoadBytes("k.o", makeObject(data, oneKernel()))
		checkSnapshot(t, s)
	})
}

func FuzzBundle(f *testing.F) {
	addSeeds(f, func(name string, data []byte) bool {
		return path.Ext(name) == ".hipfb" || path.Ext(name) == ".gz" || isTextBundle(data)
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := LoadBytes("k.hipfb", data)
		checkSnapshot(t, s)
	})
}

func FuzzSnapshot(f *testing.F) {
	addSeeds(f, func(name string, _ []byte) bool { return path.Base(name) == "before.json" })
	s, _ := LoadBytes("k.o", makeObject(note(testTarget, oneKernel()), oneKernel()))
	var b bytes.Buffer
	if err := s.WriteJSON(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _ := LoadBytes("k.json", data)
		checkSnapshot(t, s)
	})
}
