// Package proc runs one command at a time under a supervisor process that ends
// with nothing left behind: deadline, kill of the whole tree, both output
// streams kept apart and capped, and a life line, so that the tree dies too when
// this process is killed with SIGKILL.
//
// The tree is what the command starts, daemons included. What it asks somebody
// else to start (a container engine, a batch system) is not in it.
//
// It reports facts (exit code, signal, elapsed time, what was printed). It never
// judges them, never parses output, never runs a shell by itself and never
// retries a command.
//
// Read [Command] and [Result] first, then [Supervisor]; what happens on the
// other side of the pipe is in job.go. A program that starts supervisors must
// dispatch to [SupervisorMain] as the very first thing in main (and in TestMain):
//
//	if proc.IsSupervisor(os.Args) {
//		proc.SupervisorMain()
//	}
package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Defaults and bounds of a [Command].
const (
	// DefaultGrace is the time between SIGTERM and SIGKILL if Command.Grace is 0.
	DefaultGrace = 2 * time.Second
	// DefaultMaxBytes is the limit of each output file if Command.MaxBytes is 0.
	DefaultMaxBytes = 64 << 20
	// MemoryLimit is the greatest length of Capture.Head and of Capture.Tail.
	MemoryLimit = 1 << 20
)

// Command is one program to run.
type Command struct {
	// Argv is the program and its arguments. A name without a slash is looked
	// up in the PATH of Env, a relative path in Dir. No shell is involved; see
	// [Shell].
	Argv []string
	// Dir is the working directory; "" means that of this process. It and the
	// output paths may be relative to the latter.
	Dir string
	// Env is the whole environment as K=V, a later entry winning over an earlier
	// one; nil means that of this process.
	Env []string
	// Timeout is the longest run time before the tree is ended; 0 means none.
	Timeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL; 0 means DefaultGrace,
	// negative means SIGKILL at once.
	Grace time.Duration
	// StdoutPath and StderrPath are the files that receive the output, created
	// with mode 0600 or truncated. "" keeps that stream in memory only.
	StdoutPath, StderrPath string
	// MergeStderr sends both streams to Stdout, in the order in which they were
	// written, as 2>&1 does. Result.Stderr is empty then.
	MergeStderr bool
	// MaxBytes is the limit of each file; 0 means DefaultMaxBytes. Beyond it the
	// first and the last half of it are kept, as [Capture] says.
	MaxBytes int64
}

// Capture is what one output stream carried. Where bytes are left out, what is
// kept ends and begins again at a line boundary, so that a number cut in two is
// never read as a number.
type Capture struct {
	// Path is the file with the output: all of it, or its beginning, the line
	// [Omitted] and its end. "" if none was asked for.
	Path string
	// Head holds the first bytes and Tail the last ones, each at most
	// MemoryLimit long. They do not overlap; Tail is empty while everything fits
	// into Head.
	Head, Tail []byte
	// Total is the number of bytes that the command wrote.
	Total int64
	// Truncated says that bytes are missing from the file at Path or, without a
	// file, between Head and Tail.
	Truncated bool
	// WriteError says why the file is incomplete (disk full), or is "".
	WriteError string
}

// Omitted is the line that stands for output over the limit. It holds no digit,
// so that no reader of numbers trips over it.
const Omitted = "[perfbisect: output over the limit is left out here]"

// Complete reports whether Head followed by Tail is everything.
func (c Capture) Complete() bool { return int64(len(c.Head)+len(c.Tail)) == c.Total }

// Bytes returns Head and Tail, with the line [Omitted] between them if bytes are
// missing there.
func (c Capture) Bytes() []byte {
	b := append([]byte(nil), c.Head...)
	if !c.Complete() {
		b = append(endLine(b), Omitted+"\n"...)
	}
	return append(b, c.Tail...)
}

// Open returns everything that was kept, for reading from its beginning: memory if
// that is complete, else the file, else what [Capture.Bytes] returns.
func (c Capture) Open() (io.ReadCloser, error) {
	if c.Complete() || c.Path == "" || c.WriteError != "" {
		return io.NopCloser(bytes.NewReader(c.Bytes())), nil
	}
	f, err := os.Open(c.Path)
	if err != nil {
		return nil, fmt.Errorf("reading output: %w", err)
	}
	return f, nil
}

// Result is what happened to a command.
type Result struct {
	// ExitCode is the exit status, or -1 if the command was ended by a signal,
	// did not start, or could not be killed.
	ExitCode int
	// Signal is the name of the signal that ended the command, as "SIGSEGV", or "".
	Signal string
	// TimedOut and Canceled say that the supervisor ended the tree: at the
	// deadline, or because the context of Run ended.
	TimedOut, Canceled bool
	// StartError says why the command could not be started, or is "".
	StartError string
	// NotFound says that it did not start because the program, or the
	// interpreter that its first line names, does not exist.
	NotFound bool
	// Elapsed is the monotonic time between just before the start and the exit of
	// the command itself; waiting for its output or its strays is not in it.
	Elapsed time.Duration
	// UserCPU and SystemCPU cover the command and the descendants it waited for.
	UserCPU, SystemCPU time.Duration
	// MaxRSSBytes is the peak resident size of the largest process among the
	// command and the descendants it waited for. The kernel counts the moment
	// before exec too, so it is never below the supervisor's own size (~10 MiB).
	MaxRSSBytes int64
	// Strays counts the other processes of the tree that were still alive when
	// the command ended, or was ended, and had to be ended too.
	Strays int
	// Unkillable counts processes that were still there after SIGKILL (in
	// uninterruptible sleep, as behind a hung GPU driver, or of another user).
	Unkillable int
	// Stdout and Stderr are the two output streams.
	Stdout, Stderr Capture
}

// Shell returns the argv that has /bin/sh run command as the user typed it.
func Shell(command string) []string { return []string{"/bin/sh", "-c", command} }

// validate refuses what the supervisor could not run whatever the machine is like.
func (c Command) validate() error {
	switch {
	case len(c.Argv) == 0 || c.Argv[0] == "":
		return errors.New("running a command: no program given")
	case c.Timeout < 0:
		return fmt.Errorf("running %q: negative timeout %v", c.Argv[0], c.Timeout)
	case c.MaxBytes < 0:
		return fmt.Errorf("running %q: negative output limit %d", c.Argv[0], c.MaxBytes)
	}
	for _, s := range append(append([]string{c.Dir, c.StdoutPath, c.StderrPath}, c.Argv...), c.Env...) {
		if strings.IndexByte(s, 0) >= 0 {
			return fmt.Errorf("running %q: NUL byte in %q", c.Argv[0], s)
		}
	}
	return nil
}

// withDefaults fills in what the zero values stand for, and makes paths
// absolute, since the supervisor process works in the root folder.
func (c Command) withDefaults() (Command, error) {
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return c, fmt.Errorf("running %q: %w", c.Argv[0], err)
	}
	for _, path := range []*string{&c.StdoutPath, &c.StderrPath} {
		if *path != "" {
			*path, _ = filepath.Abs(*path) // fails where Dir has failed
		}
	}
	if c.Env == nil {
		c.Env = append(os.Environ(), "PWD="+c.Dir)
	}
	c.Env = lastWins(c.Env)
	return c, nil
}

// lastWins drops every entry of env that a later entry of the same name replaces.
func lastWins(env []string) []string {
	last := make(map[string]int, len(env))
	for i, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		last[name] = i
	}
	kept := make([]string, 0, len(last))
	for i, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); last[name] == i {
			kept = append(kept, kv)
		}
	}
	return kept
}
