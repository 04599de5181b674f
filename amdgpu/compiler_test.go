package amdgpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compilers are the clangs that this machine may have, any of which will do.
var compilers = []string{"clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang"}

// hipSource needs neither headers nor a library: what the compiler wants of
// HIP's headers is declared by hand.
const hipSource = `typedef struct { unsigned x, y, z; } dim3;
typedef int hipError_t;
typedef void *hipStream_t;
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, unsigned long, void *);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *);
extern "C" hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
template <int N> __attribute__((global)) void tile(float *x) {
  __attribute__((shared)) float s[64 * N];
  int i = __builtin_amdgcn_workitem_id_x();
  s[i] = x[i];
  __builtin_amdgcn_s_barrier();
  x[i] = s[63 - i];
}
template __attribute__((global)) void tile<2>(float *);
`

// clang returns a compiler that makes HIP device code, or skips.
func clang(t *testing.T, dir string) string {
	t.Helper()
	for _, name := range compilers {
		cc, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(t.Context(), cc, "-x", "hip", "-nogpuinc", "-nogpulib", "--cuda-device-only", "--offload-arch=gfx90a", "-S", "-o", "probe.s", "k.hip")
		cmd.Dir = dir
		if cmd.Run() == nil {
			return cc
		}
	}
	t.Skipf("none of %q compiles HIP for gfx90a", compilers)
	return ""
}

// TestCompiler: the same kernel in whatever form clang leaves it.
func TestCompiler(t *testing.T) {
	dir := write(t, map[string]string{"k.hip": hipSource})
	cc := clang(t, dir)
	compiled := 0
	common := []string{"-x", "hip", "-nogpuinc", "-nogpulib", "-O2", "--offload-arch=gfx90a", "--offload-arch=gfx1030"}
	for _, c := range []struct {
		reason string
		args   []string
		linked bool
	}{
		{"a host object", []string{"-c"}, true},
		{"a compressed fat binary", []string{"-c", "--offload-compress"}, true},
		{"the new driver", []string{"-c", "--offload-new-driver"}, true},
		{"the old driver", []string{"-c", "--no-offload-new-driver"}, true},
		{"bundled assembly", []string{"-S", "--cuda-device-only", "--gpu-bundle-output"}, true},
		{"temporary files", []string{"-c", "-save-temps"}, true},
		{"temporary files of the new driver", []string{"-c", "-save-temps", "--offload-new-driver"}, true},
		{"-fgpu-rdc", []string{"-c", "-fgpu-rdc"}, false},
		{"-fgpu-rdc of the new driver", []string{"-c", "-fgpu-rdc", "--offload-new-driver"}, false},
		{"-fgpu-rdc of the old driver", []string{"-c", "-fgpu-rdc", "--no-offload-new-driver"}, false},
	} {
		out := filepath.Join(t.TempDir(), "out")
		if err := os.Mkdir(out, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), cc, slices.Concat(common, c.args, []string{"-o", "k.o", filepath.Join(dir, "k.hip")})...)
		cmd.Dir = out
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Logf("%s: skipped, as %s says: %s", c.reason, cc, firstLine(text))
			continue
		}
		compiled++
		for _, path := range []string{out, filepath.Join(out, "k.o")} {
			checkCompiled(t, c.reason, path, c.linked)
		}
	}
	if compiled == 0 {
		t.Skipf("%s makes no HIP object; its offload tools may be missing", cc)
	}
}

// checkCompiled wants one kernel for each target, or why there is none.
func checkCompiled(t *testing.T, reason, path string, linked bool) {
	t.Helper()
	s, _ := Load(path)
	switch {
	case !linked && (len(s.Kernels) > 0 || !hasProblem(s.Problems, Unlinked)):
		t.Errorf("%s: %s: %d kernels, %v", reason, filepath.Base(path), len(s.Kernels), s.Problems)
	case linked && (len(s.Kernels) != 2 || s.ExitCode() != 0):
		t.Errorf("%s: %s: %d kernels, %v, %v", reason, filepath.Base(path), len(s.Kernels), s.Problems, s.Skipped)
	}
	for i := range s.Kernels {
		k := &s.Kernels[i]
		if k.Name != "_Z4tileILi2EEvPf" || k.Metrics[LDSStaticBytes].Value != 512 || k.Metrics[VGPR].Value < 1 || k.Key != k.target().Short()+"::"+k.Name {
			t.Errorf("%s: %s: %s has %s", reason, filepath.Base(path), k.Key, fmt.Sprint(k.Metrics))
		}
	}
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return line
}
