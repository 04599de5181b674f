package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"perfbisect/internal/proc"
)

// Fingerprint names what a measurement depends on beside the commit: kernel,
// driver, ROCm or CUDA, compilers, python. A name is missing where there is no
// such thing.
type Fingerprint map[string]string

// Hash returns a short hash of f, equal for equal fingerprints.
func (f Fingerprint) Hash() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(h, "%q=%q\n", name, f[name]) // a hash does not fail
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// Change is one name whose value differs between two fingerprints; "" means
// missing.
type Change struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// Diff returns the changes from a to b, sorted by name, nil if there are none.
func Diff(a, b Fingerprint) []Change {
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a[name] != b[name] {
			out = append(out, Change{Name: name, Before: a[name], After: b[name]})
		}
	}
	return out
}

// versionFiles are files that hold one version each; the first of a name wins.
var versionFiles = []struct{ name, path string }{
	{"kernel", "proc/sys/kernel/osrelease"},
	{"amdgpu driver", "sys/module/amdgpu/version"},
	{"rocm", "opt/rocm/.info/version"},
	{"rocm", "opt/rocm/.info/version-dev"},
	{"nvidia driver", "sys/module/nvidia/version"},
}

// versionTools are programs that tell their version, and how many lines of it count.
var versionTools = []struct {
	name  string
	argv  []string
	lines int
}{
	{"hipcc", []string{"hipcc", "--version"}, 2},
	{"nvcc", []string{"nvcc", "--version"}, 5},
	{"clang", []string{"clang", "--version"}, 1},
	{"gcc", []string{"gcc", "--version"}, 1},
	{"python", []string{"python", "--version"}, 1},
	{"python3", []string{"python3", "--version"}, 1},
}

// versionVars are variables that change what hardware or code is used.
var versionVars = []string{
	"CONDA_PREFIX", "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "HSA_OVERRIDE_GFX_VERSION",
	"ROCM_PATH", "ROCR_VISIBLE_DEVICES", "VIRTUAL_ENV",
}

// versionTimeout bounds one question to a tool.
const versionTimeout = 20 * time.Second

// Versions reads fingerprints. It asks a tool again only when the file behind it
// has changed, so that a reading costs some file accesses. Its methods may be
// called concurrently.
type Versions struct {
	// Supervisor runs the tools; nil means that only files are read.
	Supervisor *proc.Supervisor
	// Root replaces / in tests.
	Root string

	mu    sync.Mutex
	known map[string]string // tool, path, size and time → what it said
	cpu   *string           // model of the processor, once it is known
}

// Read returns the fingerprint under env.
func (v *Versions) Read(ctx context.Context, env []string) Fingerprint {
	f := Fingerprint{"arch": runtime.GOARCH}
	root := or(v.Root, "/")
	for _, file := range versionFiles {
		if text := firstLine(readText(root, file.path)); text != "" && f[file.name] == "" {
			f[file.name] = text
		}
	}
	if cuda := gjson.Get(readText(root, "usr/local/cuda/version.json"), "cuda.version").Str; cuda != "" {
		f["cuda"] = cuda
	}
	f.set("os", osName(readText(root, "etc/os-release")))
	f.set("cpu", v.cpuModel(root))
	for _, name := range versionVars {
		f.set(name, lookup(env, name))
	}
	for _, tool := range versionTools {
		f.set(tool.name, v.ask(ctx, env, tool.argv, tool.lines))
	}
	return f
}

// cpuModel reads the processor's name once: it stays what it is, and with many
// processors the kernel needs milliseconds to write that file.
func (v *Versions) cpuModel(root string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.cpu == nil {
		model := cpuModel(readText(root, "proc/cpuinfo"))
		v.cpu = &model
	}
	return *v.cpu
}

// set stores a value that is known.
func (f Fingerprint) set(name, value string) {
	if value != "" {
		f[name] = value
	}
}

// ask returns what a tool says, with its path, or "" if it is not there or fails.
func (v *Versions) ask(ctx context.Context, env, argv []string, lines int) string {
	path := which(env, argv[0])
	if v.Supervisor == nil || path == "" {
		return ""
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	info, err := os.Stat(real)
	if err != nil {
		return ""
	}
	key := fmt.Sprintf("%s %s %d %v", path, real, info.Size(), info.ModTime())
	v.mu.Lock()
	defer v.mu.Unlock()
	if said, ok := v.known[key]; ok {
		return said
	}
	r, err := v.Supervisor.Run(ctx, proc.Command{Argv: argv, Env: env, Timeout: versionTimeout, MergeStderr: true})
	if err != nil || r.Canceled {
		return "" // says nothing about the tool: ask again
	}
	said := ""
	if r.StartError == "" && !r.TimedOut && r.ExitCode == 0 {
		said = firstLines(string(r.Stdout.Bytes()), lines) + " (" + path + ")"
	}
	if v.known == nil {
		v.known = map[string]string{}
	}
	v.known[key] = said
	return said
}

// firstLines joins the first n lines that are not blank.
func firstLines(text string, n int) string {
	var kept []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && len(kept) < n {
			kept = append(kept, plain([]byte(line)))
		}
	}
	return strings.Join(kept, "; ")
}

func firstLine(text string) string { return firstLines(text, 1) }

// osName returns PRETTY_NAME of an os-release file.
func osName(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}

// cpuModel returns the model of the first processor in /proc/cpuinfo.
func cpuModel(text string) string {
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
