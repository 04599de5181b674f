package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"perfbisect/internal/testenv"
)

// consoleBlock is a fenced block whose lines after "$ " are commands.
var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// TestDocumentedCommands runs every command of the documents in a repository
// like the one they talk about. A line ends with "# exit N" where another
// status than 0 is right. The output is not compared: it has times in it.
func TestDocumentedCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("runs hunts: left out with -short")
	}
	files, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, "README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		blocks := consoleBlock.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			box := sandbox(t)
			for _, block := range blocks {
				for line := range strings.Lines(block[1]) {
					if command, ok := strings.CutPrefix(line, "$ "); ok {
						box.run(t, strings.TrimSpace(command))
					}
				}
			}
		})
	}
}

type box struct {
	dir string
	env []string
}

// sandbox makes a repository with a benchmark script, a build script and dumps
// of machine code, in which the documents' commands make sense.
func sandbox(t *testing.T) box {
	t.Helper()
	root := t.TempDir()
	b := box{dir: filepath.Join(root, "kernels")}
	commits := testenv.Plant{N: 20, Culprit: 13}.Commits()
	commits[0].Files["bench.sh"] = "#!/bin/sh\nexec fakebench\n"
	commits[0].Files["build.sh"] = "#!/bin/sh\nexec fakebuild\n"
	commits[0].Files["go.mod"] = "module gemm\n\ngo 1.21\n"
	commits[0].Files["main.go"] = gemmProgram
	hashes, err := testenv.Repo(b.dir, commits)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := testenv.Git(b.dir, nil, "tag", "v1.0", hashes[0]); err != nil {
		t.Fatal(err)
	}
	dumps(t, b.dir)
	b.env = append(testenv.GitEnv(), "PATH="+programs(t)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(root, "state"), "XDG_CACHE_HOME="+filepath.Join(root, "cache"),
		"FAKEBENCH_RUNS="+filepath.Join(root, "runs"), "GOCACHE="+goCache(t), "GOFLAGS=")
	return b
}

// gemmProgram is a benchmark with a build step: it prints the time in "speed".
const gemmProgram = `package main

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
)

func main() {
	data, _ := os.ReadFile("speed")
	v, err := strconv.ParseFloat(strings.TrimSpace(string(data)), 64)
	if err != nil {
		panic(err)
	}
	fmt.Printf("kernel time: %.4f ms\n", v*(1+0.01*rand.NormFloat64()))
}
`

// programs is a folder with this test binary under the names of what the
// documents call.
func programs(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"perfbisect", "fakebench", "fakebuild"} {
		// A hard link: through a symbolic one the program would find itself under
		// the name of the test binary. From another file system, and from a binary of
		// another user, there is none. The copy is written by another process, as ours
		// may be forking just now, and then the file could not be executed.
		if err := os.Link(self, filepath.Join(dir, name)); err != nil {
			if out, err := exec.CommandContext(t.Context(), "cp", self, filepath.Join(dir, name)).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
	}
	return dir
}

// dumps writes two dumps of one kernel, the second with more registers.
func dumps(t *testing.T, dir string) {
	t.Helper()
	for name, vgprs := range map[string]string{"dump-before": "64", "dump-after": "72"} {
		text := strings.ReplaceAll(kernelAssembly, "VGPRS", vgprs)
		path := filepath.Join(dir, name, "scale", "21_final_isa.s")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func (b box) run(t *testing.T, line string) {
	t.Helper()
	want := ""
	if command, code, ok := strings.Cut(line, "# exit "); ok {
		line, want = command, "exit status "+strings.TrimSpace(code)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.Dir, cmd.Env = b.dir, b.env
	out, err := cmd.CombinedOutput()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("%s: %q, want %q\n%s", line, got, want, out)
	}
}

// TestDemo runs the demo as the README says. It measures a real program, and
// says itself when the machine was too noisy: that may happen, but not always.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes up to two minutes: left out with -short")
	}
	for left := 3; ; left-- {
		out, err := exec.CommandContext(t.Context(), filepath.Join(programs(t), "perfbisect"), "demo").CombinedOutput()
		if err == nil && strings.Contains(string(out), "The planted commit was") {
			return
		}
		if left == 1 || !strings.Contains(string(out), "too noisy just now") {
			t.Fatalf("demo: %v\n%s", err, out)
		}
		t.Logf("the hunt did not name the planted commit; once more")
	}
}
