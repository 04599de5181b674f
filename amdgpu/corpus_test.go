package amdgpu

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// corpusFiles unpacks testdata/corpus.tar.zst once: path to content.
var corpusFiles = sync.OnceValues(func() (map[string][]byte, error) {
	f, err := os.Open("testdata/corpus.tar.zst")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
})

func corpus(tb testing.TB) map[string][]byte {
	tb.Helper()
	files, err := corpusFiles()
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// corpusFile returns one file of the corpus.
func corpusFile(tb testing.TB, name string) []byte {
	tb.Helper()
	data, ok := corpus(tb)[name]
	if !ok {
		tb.Fatalf("no %s in the corpus", name)
	}
	return data
}

// unpack writes the files below prefix to a new directory.
func unpack(tb testing.TB, prefix string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, data := range corpus(tb) {
		rel, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

type expectedCase struct {
	Before, After      string
	Exit               int
	Accept             []int `json:"accept_exit"`
	Verdict            string
	Worsened, Improved int
	Setup              [][]string
	Problems           []struct{ Class, Kernel, Side string }
	Warnings, Notes    []string
	Kernels            map[string]struct {
		Side               string
		Before, After      map[string]any
		Delta              map[string]int64
		Worsened, Improved []string
		Blocked            []string
	}
}

func expectedCases(tb testing.TB) map[string]expectedCase {
	tb.Helper()
	var doc struct{ Cases map[string]expectedCase }
	if err := json.Unmarshal(corpusFile(tb, "expected.json"), &doc); err != nil {
		tb.Fatal(err)
	}
	return doc.Cases
}

// TestCorpus compares every case of the corpus with the oracle's values: exit,
// problems by class, warnings, notes, and every number.
func TestCorpus(t *testing.T) {
	cases := expectedCases(t)
	if len(cases) != 119 {
		t.Fatalf("%d cases, want 119", len(cases))
	}
	for id, c := range cases {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			prefix := "cases/" + id + "/"
			dir := unpack(t, prefix)
			for _, s := range c.Setup {
				setUp(t, dir, s)
			}
			before := filepath.Join(dir, strings.TrimPrefix(c.Before, prefix))
			after := filepath.Join(dir, strings.TrimPrefix(c.After, prefix))
			b, _ := Load(before)
			a, _ := Load(after)
			d := Compare(b, a, Options{AllRows: true})
			checkVerdict(t, c, d)
			checkTexts(t, c, d)
			for key, k := range c.Kernels {
				checkSide(t, key, "before", k.Before, b)
				checkSide(t, key, "after", k.After, a)
				checkRow(t, key, k.Delta, k.Worsened, k.Improved, k.Blocked, d, k.Side)
			}
		})
	}
}

func setUp(t *testing.T, dir string, step []string) {
	t.Helper()
	var err error
	switch step[0] {
	case "mkdir":
		err = os.MkdirAll(filepath.Join(dir, step[1]), 0o755)
	case "symlink":
		err = os.Symlink(step[2], filepath.Join(dir, step[1]))
	default:
		err = fmt.Errorf("unknown setup step %q", step[0])
	}
	if err != nil {
		t.Fatal(err)
	}
}

func checkVerdict(t *testing.T, c expectedCase, d *Diff) {
	t.Helper()
	if d.ExitCode != c.Exit && !slices.Contains(c.Accept, d.ExitCode) {
		t.Errorf("exit %d (%s), want %d\n%v", d.ExitCode, d.Verdict, c.Exit, d.Problems)
	}
	if d.ExitCode != c.Exit {
		t.Logf("exit %d is accepted, %d is best\n%v", d.ExitCode, c.Exit, d.Problems)
	}
	if d.ExitCode == c.Exit && c.Exit != 2 && (d.Worsened != c.Worsened || d.Improved != c.Improved) {
		t.Errorf("worsened %d, improved %d, want %d and %d", d.Worsened, d.Improved, c.Worsened, c.Improved)
	}
}

func checkTexts(t *testing.T, c expectedCase, d *Diff) {
	t.Helper()
	if d.ExitCode == 2 {
		for _, want := range c.Problems {
			if !slices.ContainsFunc(d.Problems, func(p Problem) bool {
				return string(p.Class) == want.Class && (want.Side == "" || p.Side == want.Side) &&
					(want.Kernel == "" || sameKernel(want.Kernel, p.Kernel) || p.Kernel == "" && p.File != "")
			}) {
				t.Errorf("no problem %+v in\n%v", want, d.Problems)
			}
		}
	}
	for _, want := range c.Warnings {
		if !startsWith(d.Warnings, want+": ") {
			t.Errorf("no warning %s in %q", want, d.Warnings)
		}
	}
	for _, want := range c.Notes {
		if !startsWith(d.Notes, want+": ") && want != "matched_by_name" {
			t.Errorf("no note %s in %q", want, d.Notes)
		}
	}
}

func startsWith(list []string, prefix string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, prefix) })
}

// sameKernel compares the oracle's key with ours by their last part, and where
// the oracle has a directory or target, by that too.
func sameKernel(want, key string) bool {
	if want == key || strings.HasSuffix(key, "::"+want) {
		return true
	}
	prefix, name, ok := strings.Cut(want, "::")
	return ok && strings.HasSuffix(key, name) && strings.Contains(key, prefix)
}

func checkSide(t *testing.T, key, side string, want map[string]any, s *Snapshot) {
	t.Helper()
	if want == nil {
		return
	}
	i := slices.IndexFunc(s.Kernels, func(k Kernel) bool { return sameKernel(key, k.Key) || sameKernel(key, k.Name) })
	if i < 0 {
		t.Errorf("%s: no kernel %s among %d\n%v", side, key, len(s.Kernels), s.Problems)
		return
	}
	k := &s.Kernels[i]
	for c := VGPR; c <= MatrixOps; c++ {
		if msg := checkCell(k, c, want[c.String()]); msg != "" {
			t.Errorf("%s: %s: %s: %s", side, key, c, msg)
		}
	}
	checkExtra(t, side, k, want["extra"])
}

// checkCell compares one cell. null means that the input does not say, so that
// anything but a wrong 0 from thin air is right.
func checkCell(k *Kernel, c Column, want any) string {
	got := k.Metrics[c]
	switch w := want.(type) {
	case nil:
		if got.Known() && !beyondOracle(got) {
			return fmt.Sprintf("%s from %s, the input does not say", got, got.Source)
		}
		if got.State == Unparsed {
			return "? where the input does not say"
		}
	case string:
		if got.State != NotApplicable {
			return fmt.Sprintf("%s, want %s", got, w)
		}
	case float64:
		// The oracle does not know the target of code object v3, so it has 0 for
		// scratch instructions that gfx90a does not have.
		v3 := k.CodeObjectVersion == 3 && (c == ScratchStore || c == ScratchLoad)
		notApplicable := (c == AGPR || v3) && w == 0 && got.State == NotApplicable
		if !notApplicable && (!got.Known() || got.Value != int64(w)) {
			return fmt.Sprintf("%s (%s%s), want %v", got, got.Source, got.Reason, w)
		}
	}
	return ""
}

// beyondOracle reports whether a number has a source that the oracle, which
// reads objects, cannot see: symbols of local kernels are in the text only, and
// the split is implied where there are no accumulators.
func beyondOracle(c Cell) bool {
	return strings.HasPrefix(c.Source, ".set ") || c.Source == "vgpr, as there are no AGPRs"
}

func checkRow(t *testing.T, key string, delta map[string]int64, worsened, improved, blocked []string, d *Diff, side string) {
	t.Helper()
	i := slices.IndexFunc(d.Rows, func(r Row) bool { return sameKernel(key, r.Key) || sameKernel(key, r.Name) })
	if i < 0 {
		t.Errorf("no row for %s", key)
		return
	}
	r := d.Rows[i]
	if side != "" {
		if "only_in_"+r.Side != side {
			t.Errorf("%s: side %q, want %q", key, r.Side, side)
		}
		return
	}
	for _, b := range blocked {
		if !slices.Contains(r.Blocked, Class(b)) {
			t.Errorf("%s: blocked by %v, want %s", key, r.Blocked, b)
		}
	}
	if len(blocked) > 0 {
		return
	}
	for c := VGPR; c <= MatrixOps; c++ {
		if r.Delta[c] != delta[c.String()] && !(delta[c.String()] == 0 && beyondOracle(r.Before[c])) {
			t.Errorf("%s: delta of %s is %d, want %d", key, c, r.Delta[c], delta[c.String()])
		}
	}
	if got := columnStrings(r.Worsened); !slices.Equal(got, worsened) {
		t.Errorf("%s: worsened %v, want %v", key, got, worsened)
	}
	if got := columnStrings(r.Improved); !slices.Equal(got, improved) {
		t.Errorf("%s: improved %v, want %v", key, got, improved)
	}
}

// checkExtra compares what the corpus knows beyond the fourteen columns.
func checkExtra(t *testing.T, side string, k *Kernel, extra any) {
	t.Helper()
	e, ok := extra.(map[string]any)
	if !ok {
		return
	}
	if want, ok := e["llvm_occupancy"].(float64); ok && k.Metrics[Occupancy].Known() && k.Metrics[Occupancy].Value != int64(want) {
		t.Logf("%s: %s: occupancy %s, LLVM says %v", side, k.Key, k.Metrics[Occupancy], want)
	}
	if want, ok := e["wavefront_size"].(float64); ok && k.WavefrontSize != int64(want) && k.WavefrontSize != 0 {
		t.Errorf("%s: %s: wave%d, want %v", side, k.Key, k.WavefrontSize, want)
	}
	if want, ok := e["code_bytes"].(float64); ok && k.Metrics[CodeBytes].Known() && k.Metrics[CodeBytes].Value != int64(want) {
		t.Errorf("%s: %s: code_bytes %s, want %v", side, k.Key, k.Metrics[CodeBytes], want)
	}
	counts, _ := e["counts"].(map[string]any)
	if k.Mix == nil || counts == nil {
		return
	}
	for name, got := range map[string]int64{
		"total_instructions": k.Mix.Total, "valu": k.Mix.VALU, "salu": k.Mix.SALU, "s_barrier": k.Mix.Barrier, "s_wait": k.Mix.Wait,
		"lds_other": k.Mix.LDSOther, "lds_dma": k.Mix.LDSDMA, "smem_load": k.Mix.SMEMLoad, "global_load": k.Mix.GlobalLoad,
		"global_store": k.Mix.GlobalStore, "buffer_load": k.Mix.BufferLoad, "buffer_store": k.Mix.BufferStore,
		"flat_load": k.Mix.FlatLoad, "flat_store": k.Mix.FlatStore, "spill_store": k.Mix.SpillStore, "spill_reload": k.Mix.SpillLoad,
	} {
		if want, ok := counts[name].(float64); ok && int64(want) != got {
			t.Errorf("%s: %s: %s is %d, want %v", side, k.Key, name, got, want)
		}
	}
}
