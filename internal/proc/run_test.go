package proc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"perfbisect/internal/proc"
)

func TestRunFacts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("tool", "#!/bin/sh\necho from the tool\n", 0o755)
	noInterpreter := write("lost", "#!/nowhere/python\n", 0o755)
	noMode := write("plain", "#!/bin/sh\n", 0o644)
	noFormat := write("foreign", "\x00\x01\x02", 0o755)
	latin1 := filepath.Join(dir, "caf\xe9")
	if err := os.Mkdir(latin1, 0o755); err != nil {
		t.Skip("file system without byte names:", err)
	}

	tests := []struct {
		why       string
		command   proc.Command
		code      int
		signal    string
		notFound  bool
		startErr  string // substring; "" means it starts
		out, errs string
	}{
		{why: "streams apart", command: proc.Command{Argv: proc.Shell("echo a; echo b >&2; exit 3")}, code: 3, out: "a\n", errs: "b\n"},
		{why: "streams merged", command: proc.Command{Argv: proc.Shell("echo a; echo b >&2; echo c"), MergeStderr: true}, out: "a\nb\nc\n"},
		{why: "signal", command: proc.Command{Argv: proc.Shell("kill -SEGV $$")}, code: -1, signal: "SIGSEGV"},
		{why: "argv is not split", command: proc.Command{Argv: []string{"printf", "%s|", "a b", "$HOME", ""}}, out: "a b|$HOME||"},
		{why: "stdin is empty", command: proc.Command{Argv: []string{"cat"}}},
		{why: "PATH is the command's", command: proc.Command{Argv: []string{"tool"}, Env: []string{"PATH=" + dir}}, out: "from the tool\n"},
		{why: "relative to Dir", command: proc.Command{Argv: []string{"./tool"}, Dir: dir}, out: "from the tool\n"},
		{why: "bytes that are not UTF-8", command: proc.Command{Argv: []string{"/bin/sh", "-c", `pwd; echo "$V"`}, Dir: latin1, Env: []string{"V=\xff", "PATH=/bin:/usr/bin"}}, out: latin1 + "\n\xff\n"},
		{why: "later variable wins", command: proc.Command{Argv: []string{"/bin/sh", "-c", "echo $A"}, Env: []string{"A=1", "A=2"}}, out: "2\n"},
		{why: "SIGPIPE has its default", command: proc.Command{Argv: proc.Shell("yes | head -1")}, out: "y\n"},
		{why: "not in PATH", command: proc.Command{Argv: []string{"no-such-tool"}}, code: -1, notFound: true, startErr: `looking for "no-such-tool" in PATH`},
		{why: "a command line as one word", command: proc.Command{Argv: []string{"A=1 no-such-tool x"}}, code: -1, notFound: true, startErr: "needs a shell: sh -c, or --bench-cmd"},
		{why: "one with a path", command: proc.Command{Argv: []string{"A=1 ./no-such-tool x"}}, code: -1, notFound: true, startErr: "needs a shell: sh -c, or --bench-cmd"},
		{why: "path not there", command: proc.Command{Argv: []string{"./none"}, Dir: dir}, code: -1, notFound: true, startErr: "none"},
		{why: "interpreter not there", command: proc.Command{Argv: []string{noInterpreter}}, code: -1, notFound: true, startErr: "interpreter"},
		{why: "not executable", command: proc.Command{Argv: []string{noMode}}, code: -1, startErr: "permission denied"},
		{why: "not a program", command: proc.Command{Argv: []string{noFormat}}, code: -1, startErr: "neither a program"},
		{why: "a directory", command: proc.Command{Argv: []string{dir}}, code: -1, startErr: "is a directory"},
		{why: "Dir not there is not a missing program", command: proc.Command{Argv: []string{"true"}, Dir: dir + "/none"}, code: -1, startErr: "working directory"},
	}
	s := supervisor(t)
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			if os.Geteuid() == 0 && tt.why == "not executable" && runtime.GOOS != "linux" {
				t.Skip("root may execute it")
			}
			r := run(t, s, tt.command)
			if r.ExitCode != tt.code || r.Signal != tt.signal || r.NotFound != tt.notFound {
				t.Errorf("exit %d signal %q not found %v, want %d %q %v", r.ExitCode, r.Signal, r.NotFound, tt.code, tt.signal, tt.notFound)
			}
			if (tt.startErr == "") != (r.StartError == "") || !strings.Contains(r.StartError, tt.startErr) {
				t.Errorf("start error %q, want %q", r.StartError, tt.startErr)
			}
			if got := string(r.Stdout.Bytes()); got != tt.out {
				t.Errorf("stdout %q, want %q", got, tt.out)
			}
			if got := string(r.Stderr.Bytes()); got != tt.errs {
				t.Errorf("stderr %q, want %q", got, tt.errs)
			}
			if r.TimedOut || r.Canceled || r.Strays != 0 || r.Unkillable != 0 {
				t.Errorf("a command that ended by itself reads as %+v", r)
			}
		})
	}
}

// What a command inherits is what it would without us: no end of the protocol's
// pipes, nor of another command's output.
func TestRunLeaksNoFile(t *testing.T) {
	list := []string{"ls", "/proc/self/fd"}
	want, err := exec.Command(list[0], list[1:]...).Output()
	if err != nil {
		t.Skip("no /proc/self/fd here:", err)
	}
	r := run(t, supervisor(t), proc.Command{Argv: list, StdoutPath: t.TempDir() + "/out"})
	// Fewer are right: what whoever started the tests left open may be closed on
	// the way.
	for _, fd := range strings.Fields(string(r.Stdout.Head)) {
		if !slices.Contains(strings.Fields(string(want)), fd) {
			t.Errorf("open files %q, want %q", r.Stdout.Head, want)
		}
	}
}

// However a command ends, the supervisor has no more files open afterwards.
func TestRunClosesFiles(t *testing.T) {
	s := supervisor(t)
	dir := t.TempDir()
	// The counting shell starts while the supervisor still closes what the start
	// itself needed (ends of pipes, the process handle): a count is taken until it
	// is low enough or, for five seconds, is not. What leaks never goes away.
	open := func(enough int) int {
		script := fmt.Sprintf(`for i in $(seq 100); do
			n=$(ls /proc/$PPID/fd 2>/dev/null | wc -l); [ $n -le %d ] && break; sleep 0.05
		done; echo $n`, enough)
		n, err := strconv.Atoi(strings.TrimSpace(string(run(t, s, proc.Command{Argv: proc.Shell(script)}).Stdout.Head)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := open(1000)
	if before == 0 {
		t.Skip("no /proc/PID/fd here")
	}
	for range 5 {
		for _, c := range []proc.Command{
			{Argv: []string{"true"}, StdoutPath: dir + "/out", StderrPath: dir + "/err"},
			{Argv: proc.Shell("yes | head -c 100"), StdoutPath: dir + "/out", MaxBytes: 10},
			{Argv: []string{"no-such-tool"}, StdoutPath: dir + "/out"},
			{Argv: []string{"sleep", "60"}, Timeout: time.Millisecond},
			{Argv: proc.Shell("sleep 60 & exit")},
		} {
			run(t, s, c)
		}
		if _, err := s.Run(t.Context(), proc.Command{Argv: []string{"true"}, StderrPath: dir + "/none/err"}); err == nil {
			t.Error("a log in no folder")
		}
	}
	if after := open(before); after > before { // fewer: something of the start was still open
		t.Errorf("files open: %d before, %d after", before, after)
	}
}

func TestRunMeasures(t *testing.T) {
	r := run(t, supervisor(t), proc.Command{Argv: proc.Shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")})
	if r.Elapsed <= 0 || r.UserCPU <= 0 || r.UserCPU > r.Elapsed+time.Second {
		t.Errorf("a busy loop took %v and %v of CPU", r.Elapsed, r.UserCPU)
	}
	if r.MaxRSSBytes < 100<<10 || r.MaxRSSBytes > 1<<30 {
		t.Errorf("a shell loop had %d bytes resident", r.MaxRSSBytes)
	}
}

func TestRunFiles(t *testing.T) {
	dir := t.TempDir()
	c := proc.Command{Argv: proc.Shell("echo a; echo b >&2"), StdoutPath: dir + "/out", StderrPath: dir + "/err"}
	s := supervisor(t)
	r := run(t, s, c)
	for path, want := range map[string]string{r.Stdout.Path: "a\n", r.Stderr.Path: "b\n"} {
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v (%v)", path, info.Mode(), err)
		}
	}
	c.StderrPath = dir + "/none/err"
	if r, err := s.Run(t.Context(), c); err == nil {
		t.Errorf("a log that cannot be created gave %+v", r)
	}
	if r := run(t, s, proc.Command{Argv: []string{"true"}}); r.ExitCode != 0 {
		t.Errorf("after a refused command, true gave %+v", r)
	}
}

// Paths are those of the caller, although the supervisor works elsewhere.
func TestRunRelativePaths(t *testing.T) {
	s := supervisor(t)
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	r := run(t, s, proc.Command{Argv: proc.Shell(`pwd -P; echo "$PWD"`), Dir: "sub", StdoutPath: "out"})
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(r.Stdout.Head), real+"/sub\n"+dir+"/sub\n"; got != want {
		t.Errorf("ran in %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err != nil {
		t.Error(err)
	}
}

func TestRunInvalid(t *testing.T) {
	s := supervisor(t)
	for _, c := range []proc.Command{
		{},
		{Argv: []string{""}},
		{Argv: []string{"true"}, Timeout: -1},
		{Argv: []string{"true"}, MaxBytes: -1},
		{Argv: []string{"tr\x00ue"}},
		{Argv: []string{"true"}, Env: []string{"A=\x00"}},
	} {
		if r, err := s.Run(t.Context(), c); err == nil {
			t.Errorf("%+v was run: %+v", c, r)
		}
	}
}

func TestRunConcurrently(t *testing.T) {
	s := supervisor(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 4 {
				want := fmt.Sprintf("%d.%d\n", i, j)
				r, err := s.Run(context.Background(), proc.Command{Argv: []string{"printf", want}})
				if err != nil || string(r.Stdout.Head) != want {
					t.Errorf("got %q (%v), want %q", r.Stdout.Head, err, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestRunAfterClose(t *testing.T) {
	s := supervisor(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(context.Background(), proc.Command{Argv: []string{"true"}}); !errors.Is(err, proc.ErrClosed) {
		t.Errorf("Run after Close: %v", err)
	}
}

func TestStartSupervisorThatIsNone(t *testing.T) {
	if _, err := proc.StartSupervisor(t.Context(), []string{"/bin/sh", "-c", "echo who? >&2"}); err == nil || !strings.Contains(err.Error(), "who?") {
		t.Errorf("a program that does not greet: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := proc.StartSupervisor(ctx, []string{"sleep", "60"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a program that says nothing: %v", err)
	}
}
