package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersionsRead(t *testing.T) {
	root := tree(t, map[string]string{
		"proc/sys/kernel/osrelease":   "6.8.0-45-generic\n",
		"proc/cpuinfo":                "processor\t: 0\nmodel name\t: AMD EPYC 9654 96-Core Processor\nprocessor\t: 1\nmodel name\t: other\n",
		"sys/module/amdgpu/version":   "6.12.12\n",
		"opt/rocm/.info/version":      "6.4.1-83\n",
		"opt/rocm/.info/version-dev":  "6.4.1\n",
		"usr/local/cuda/version.json": `{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}`,
		"etc/os-release":              "ID=ubuntu\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\n",
		"bin/clang":                   "#!/bin/sh\necho 'clang version 19.1.0'\necho 'Target: x'\n",
		"bin/hipcc":                   "#!/bin/sh\necho 'HIP version: 6.4.43483'\necho\necho 'AMD clang version 19.0.0git'\necho more\n",
		"bin/nvcc":                    "#!/bin/sh\necho no licence; exit 1\n",
	})
	v := &Versions{Supervisor: supervisor(t), Root: root}
	env := []string{"PATH=" + root + "/bin:/bin:/usr/bin", "HIP_VISIBLE_DEVICES=2", "SECRET=x"}
	got := v.Read(t.Context(), env)
	for name, want := range map[string]string{
		"kernel": "6.8.0-45-generic", "cpu": "AMD EPYC 9654 96-Core Processor", "os": "Ubuntu 24.04.1 LTS",
		"amdgpu driver": "6.12.12", "rocm": "6.4.1-83", "cuda": "12.4.1", "nvcc": "", "SECRET": "", "HIP_VISIBLE_DEVICES": "2",
		"clang": "clang version 19.1.0 (" + root + "/bin/clang)",
		"hipcc": "HIP version: 6.4.43483; AMD clang version 19.0.0git (" + root + "/bin/hipcc)",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "bin/clang"), []byte("#!/bin/sh\necho 'clang version 20.1.0 (update)'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	again := v.Read(t.Context(), env)
	changes := Diff(got, again)
	if len(changes) != 1 || changes[0].Name != "clang" || !strings.HasPrefix(changes[0].After, "clang version 20") {
		t.Errorf("an update of the compiler reads as %+v", changes)
	}
	if got.Hash() == again.Hash() || len(got.Hash()) != 12 || again.Hash() != v.Read(t.Context(), env).Hash() {
		t.Errorf("hashes %q and %q", got.Hash(), again.Hash())
	}
}

func TestDiff(t *testing.T) {
	a := Fingerprint{"kernel": "1", "rocm": "6", "gone": "x"}
	b := Fingerprint{"kernel": "1", "rocm": "7", "new": "y"}
	want := []Change{{"gone", "x", ""}, {"new", "", "y"}, {"rocm", "6", "7"}}
	if diff := cmp.Diff(want, Diff(a, b)); diff != "" {
		t.Error(diff)
	}
	if Diff(a, a) != nil || a.Hash() != (Fingerprint{"gone": "x", "rocm": "6", "kernel": "1"}).Hash() {
		t.Error("equal fingerprints differ")
	}
}
