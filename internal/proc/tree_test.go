package proc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"perfbisect/internal/proc"
)

// Every command of these tests carries a marker of its own in its environment,
// by which what is left of it is found again wherever it went.
func marked(t testing.TB, argv []string) (proc.Command, func() []string) {
	t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs /proc to look for what is left:", err)
	}
	mark := fmt.Sprintf("PROC_TEST_MARK=%d.%d", os.Getpid(), time.Now().UnixNano())
	return proc.Command{Argv: argv, Env: append(os.Environ(), mark)}, func() []string { return living(mark) }
}

// living lists the processes with mark in their environment, zombies excepted,
// in any order. A process that is just being executed may be missing.
func living(mark string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, _ := os.ReadFile(f)
		dir := filepath.Dir(f)
		stat, _ := os.ReadFile(dir + "/stat")
		_, state, _ := bytes.Cut(stat, []byte(") "))
		if bytes.Contains(env, []byte(mark)) && len(state) > 0 && state[0] != 'Z' {
			found = append(found, filepath.Base(dir)+" "+string(stat))
		}
	}
	return found
}

// atMost is how long after the deadline, or its own end, a command's whole tree
// has ended: the promise is five seconds, and the machine that tests may be a
// busy one. What nobody ends sleeps for longer.
const atMost = 45 * time.Second

// A script that does not end by itself calls ready when it is what it should be
// at the deadline. At a deadline that came before, as on a busy machine, there
// was nothing to see.
const ready = `ready() { : >"$READY"; }; `

// runUntilReady runs c, the deadline doubled until the script was ready by then.
func runUntilReady(t *testing.T, s *proc.Supervisor, c proc.Command) proc.Result {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ready")
	c.Env = append(c.Env, "READY="+file)
	for c.Timeout = 300 * time.Millisecond; ; c.Timeout *= 2 {
		start := time.Now()
		r := run(t, s, c)
		took := time.Since(start)
		if took < c.Timeout || took > c.Timeout+atMost {
			t.Errorf("took %v with a deadline of %v", took, c.Timeout)
		}
		if _, err := os.Stat(file); err == nil {
			return r
		}
		if c.Timeout > time.Minute {
			t.Fatalf("the script was not ready after %v", c.Timeout)
		}
	}
}

// The cases a benchmark can meet, all at once on one supervisor. Those that do
// not end by themselves have a deadline; the test waits for no clock of its own,
// it compares the whole duration with the promise.
func TestTreeEnds(t *testing.T) {
	tests := []struct {
		why      string
		script   string
		timedOut bool
		strays   bool
		out      string // Stdout.Head; "" means any
	}{
		{why: "hangs", script: "sleep 600 & ready; wait", timedOut: true, strays: true},
		{why: "ignores SIGTERM", script: "trap '' TERM; ready; while :; do sleep 0.05; done", timedOut: true},
		{why: "ignores SIGTERM in a session of its own", script: "setsid sh -c 'trap \"\" TERM; : >$READY; while :; do sleep 0.05; done' & wait", timedOut: true, strays: true},
		{why: "double-forked daemon, then hangs", script: "(setsid sleep 600 </dev/null >/dev/null 2>&1 &); ready; sleep 600", timedOut: true, strays: true},
		{why: "exits and leaves a daemon that holds stdout", script: "(setsid sleep 600 &); echo done", strays: true, out: "done\n"},
		{why: "exits and leaves a daemon that holds nothing", script: "(setsid sleep 600 </dev/null >/dev/null 2>&1 &); echo done", strays: true, out: "done\n"},
		{why: "exits and leaves a daemon that ignores SIGTERM", script: "(setsid sh -c 'trap \"\" TERM; while :; do sleep 0.05; done' &); echo done", strays: true, out: "done\n"},
		{why: "closed both outputs", script: "exec >&- 2>&-; ready; sleep 600", timedOut: true},
		{why: "stopped itself", script: "ready; kill -STOP $$; sleep 600", timedOut: true},
		{why: "floods", script: "ready; yes", timedOut: true},
		{why: "floods both", script: "yes >&2 & ready; yes", timedOut: true},
		{why: "leaves zombies to us", script: "for i in 1 2 3 4 5 6 7 8; do (true & true &) ; done; echo done", out: "done\n"},
		{why: "ends well on SIGTERM, yet late", script: "trap 'echo bye; exit 0' TERM; ready; while :; do sleep 0.05; done", timedOut: true, out: "bye\n"},
	}
	s := supervisor(t)
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			c, left := marked(t, proc.Shell(ready+tt.script))
			c.StdoutPath = filepath.Join(t.TempDir(), "out")
			c.MaxBytes = 1 << 20
			var r proc.Result
			if tt.timedOut {
				r = runUntilReady(t, s, c)
			} else {
				start := time.Now()
				r = run(t, s, c)
				if took := time.Since(start); took > atMost {
					t.Errorf("took %v", took)
				}
			}
			if r.TimedOut != tt.timedOut || r.Canceled || r.Unkillable != 0 {
				t.Errorf("timed out %v, canceled %v, unkillable %d; want %v, false, 0", r.TimedOut, r.Canceled, r.Unkillable, tt.timedOut)
			}
			if tt.strays && r.Strays == 0 {
				t.Error("no stray counted")
			}
			if tt.out != "" && string(r.Stdout.Bytes()) != tt.out {
				t.Errorf("stdout %q, want %q", r.Stdout.Bytes(), tt.out)
			}
			if info, err := os.Stat(r.Stdout.Path); err != nil || info.Size() > c.MaxBytes+100 {
				t.Errorf("output file: %v bytes (%v), want at most %d", info.Size(), err, c.MaxBytes)
			}
			if l := left(); len(l) != 0 {
				t.Errorf("left behind: %q", l)
			}
		})
	}
}

// Output that comes a moment after the exit belongs to the command. What is a
// moment for us can be too short for a busy machine, so it may take some tries.
func TestTreeOutputAfterExit(t *testing.T) {
	s := supervisor(t)
	var got []byte
	for range 20 {
		r := run(t, s, proc.Command{Argv: proc.Shell("(sleep 0.1; echo late) & echo early")})
		if got = r.Stdout.Bytes(); string(got) == "early\nlate\n" {
			return
		}
	}
	t.Errorf("stdout %q", got)
}

// A chain that goes on by starting its successor and dying: killing what a list
// shows is always too late for the newest link, so it takes rounds.
func TestTreeRespawning(t *testing.T) {
	script := filepath.Join(t.TempDir(), "chain")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nsleep 0.01\nsetsid \"$0\" &\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c, left := marked(t, proc.Shell(ready+script+"; ready; sleep 600"))
	c.Grace = -1
	r := runUntilReady(t, supervisor(t), c)
	if !r.TimedOut || r.Unkillable != 0 || r.Strays == 0 {
		t.Errorf("timed out %v, unkillable %d, strays %d", r.TimedOut, r.Unkillable, r.Strays)
	}
	if l := left(); len(l) != 0 {
		t.Errorf("left behind: %q", l)
	}
}

// Two commands at once: ending one leaves the other's daemon alone.
func TestTreeOfTheOtherCommand(t *testing.T) {
	s := supervisor(t)
	long, left := marked(t, nil)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	long.Argv = proc.Shell(fmt.Sprintf("(setsid sleep 601 </dev/null >/dev/null 2>&1 &); echo ready >%q; sleep 602", fifo))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan proc.Result, 1)
	go func() {
		r, err := s.Run(ctx, long)
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	if _, err := os.ReadFile(fifo); err != nil { // blocks until the writer is there
		t.Fatal(err)
	}
	if r := run(t, s, proc.Command{Argv: proc.Shell("(setsid sleep 60 >/dev/null 2>&1 &)")}); r.Strays == 0 {
		t.Error("the short command's daemon was not ended")
	}
	until(t, "the long command and its daemon live", func() bool { return count(left(), "(sleep)") == 2 })
	cancel()
	if r := <-ended; !r.Canceled || r.TimedOut || r.Strays == 0 {
		t.Errorf("canceled %v, timed out %v, strays %d", r.Canceled, r.TimedOut, r.Strays)
	}
	if l := left(); len(l) != 0 {
		t.Errorf("left behind: %q", l)
	}
}

// Close ends what runs, and says so to its caller.
func TestCloseWhileRunning(t *testing.T) {
	s := supervisor(t)
	c, left := marked(t, proc.Shell("trap '' TERM; setsid sleep 60 & while :; do sleep 0.05; done"))
	ended := make(chan error, 1)
	go func() {
		_, err := s.Run(context.Background(), c)
		ended <- err
	}()
	until(t, "the command runs", func() bool { return count(left(), "(sleep)") > 0 })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, proc.ErrClosed) {
		t.Errorf("Run gave %v", err)
	}
	if l := left(); len(l) != 0 {
		t.Errorf("left behind: %q", l)
	}
}

// A supervisor that dies between two commands is replaced without a word.
func TestIdleSupervisorKilled(t *testing.T) {
	s := supervisor(t)
	r := run(t, s, proc.Command{Argv: proc.Shell("echo $PPID")})
	pid, err := strconv.Atoi(strings.TrimSpace(string(r.Stdout.Head)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "it is dead", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || bytes.Contains(stat, []byte(") Z"))
	})
	if r := run(t, s, proc.Command{Argv: []string{"true"}}); r.ExitCode != 0 {
		t.Errorf("the next command: %+v", r)
	}
}

func TestRunCanceledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	path := filepath.Join(t.TempDir(), "ran")
	r, err := supervisor(t).Run(ctx, proc.Command{Argv: []string{"touch", path}})
	if _, statErr := os.Stat(path); err != nil || !r.Canceled || statErr == nil {
		t.Errorf("got %+v (%v), file made: %v", r, err, statErr == nil)
	}
}

// The life line: the owner of the supervisor is killed with SIGKILL.
func TestOwnerKilled(t *testing.T) {
	c, left := marked(t, nil)
	owner := exec.Command(os.Args[0], ownerArg, "trap '' TERM; (setsid sleep 60 &); echo >"+t.TempDir()+"/x; sleep 60 & wait; sleep 60")
	owner.Env = c.Env
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	until(t, "the whole tree runs", func() bool { return count(left(), "(sleep)") == 2 })
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // "signal: killed"
	until(t, "nothing is left", func() bool { return len(left()) == 0 })
}

// The same at many moments: while the supervisor starts, between two commands,
// while strays of one are ended.
func TestOwnerKilledAtAnyMoment(t *testing.T) {
	c, left := marked(t, nil)
	for i := range 20 {
		owner := exec.Command(os.Args[0], ownerArg, "(setsid sleep 60 >/dev/null 2>&1 &); sleep 0.02")
		owner.Env = c.Env
		if err := owner.Start(); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(i*i) * time.Millisecond)
		if err := owner.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = owner.Wait() // "signal: killed"
		until(t, "nothing is left", func() bool { return len(left()) == 0 })
	}
}

// The supervisor process itself is killed: Run says so, the command dies with
// it, and the next Run works.
func TestSupervisorKilled(t *testing.T) {
	s := supervisor(t)
	c, left := marked(t, proc.Shell("sleep 60 & sleep 60; :"))
	lost := make(chan error, 1)
	go func() {
		_, err := s.Run(context.Background(), c)
		lost <- err
	}()
	until(t, "the command runs", func() bool { return count(left(), "(sleep)") == 2 })
	parent := 0 // of the shell: the supervisor
	for _, stat := range left() {
		if _, after, ok := strings.Cut(stat, " (sh) "); ok {
			parent, _ = strconv.Atoi(strings.Fields(after)[1])
		}
	}
	if parent == 0 {
		t.Fatalf("no shell in %q", left())
	}
	if err := syscall.Kill(parent, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-lost; !errors.Is(err, proc.ErrLost) {
		t.Errorf("Run gave %v", err)
	}
	until(t, "nothing is left", func() bool { return len(left()) == 0 })
	if r := run(t, s, proc.Command{Argv: []string{"true"}}); r.ExitCode != 0 {
		t.Errorf("the next command: %+v", r)
	}
}

func count(list []string, what string) (n int) {
	for _, s := range list {
		if strings.Contains(s, what) {
			n++
		}
	}
	return n
}

// until polls for an event in other processes, which no channel reports.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(time.Minute)
	for !cond() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("after a minute still not: %s", what)
		}
	}
}
