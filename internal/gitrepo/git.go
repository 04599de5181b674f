package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Deadlines of one git command. A question that takes longer than queryLimit
// hangs (a dead network file system, a prompt); moving a tree may fetch.
const (
	queryLimit = 10 * time.Minute
	moveLimit  = 2 * time.Hour
	termGrace  = 3 * time.Second
	stderrKept = 16 << 10
)

// globalFlags make the answer independent of the user's settings: no pager, no
// hooks, nothing started in the background.
var globalFlags = []string{
	"--no-pager",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.fsmonitor=false",
	"-c", "gc.auto=0",
	"-c", "maintenance.auto=false",
	"-c", "color.ui=false",
	"-c", "log.showSignature=false",
	"-c", "advice.detachedHead=false",
}

// droppedEnv are the variables that would aim git at another repository, or
// change what a pathspec means. Hooks, for one, run with GIT_DIR set.
// GIT_CONFIG_COUNT and GIT_CONFIG_PARAMETERS stay: they carry the user's own
// decisions, such as safe.directory.
var droppedEnv = map[string]bool{
	"GIT_DIR": true, "GIT_WORK_TREE": true, "GIT_INDEX_FILE": true, "GIT_PREFIX": true,
	"GIT_OBJECT_DIRECTORY": true, "GIT_ALTERNATE_OBJECT_DIRECTORIES": true,
	"GIT_COMMON_DIR": true, "GIT_IMPLICIT_WORK_TREE": true, "GIT_GRAFT_FILE": true,
	"GIT_NO_REPLACE_OBJECTS": true, "GIT_REPLACE_REF_BASE": true, "GIT_SHALLOW_FILE": true,
	"GIT_INTERNAL_SUPER_PREFIX": true, "GIT_CONFIG": true, "GIT_NAMESPACE": true,
	"GIT_LITERAL_PATHSPECS": true, "GIT_GLOB_PATHSPECS": true, "GIT_NOGLOB_PATHSPECS": true,
	"GIT_ICASE_PATHSPECS": true, "GIT_EXTERNAL_DIFF": true, "GIT_DIFF_OPTS": true,
	"GIT_DEFAULT_HASH": true, "GIT_ATTR_SOURCE": true, "GIT_REFLOG_ACTION": true,
	"GIT_TEMPLATE_DIR": true, "GIT_QUARANTINE_PATH": true, "GIT_FLUSH": true,
	"LC_ALL": true, "GIT_TERMINAL_PROMPT": true, "GIT_OPTIONAL_LOCKS": true,
}

// GitError is a git command that ended badly. Its text is git's own.
type GitError struct {
	Args     []string // without the global flags
	Dir      string
	ExitCode int // -1 when killed or not started
	Stderr   string
	Err      error
}

func (e *GitError) Error() string {
	verb := "git"
	if len(e.Args) > 0 {
		verb += " " + e.Args[0]
	}
	if e.Stderr != "" && e.ExitCode > 0 {
		return fmt.Sprintf("%s in %q: %s", verb, e.Dir, e.Stderr)
	}
	if e.Stderr != "" {
		return fmt.Sprintf("%s in %q: %v: %s", verb, e.Dir, e.Err, e.Stderr)
	}
	return fmt.Sprintf("%s in %q: %v", verb, e.Dir, e.Err)
}

func (e *GitError) Unwrap() error { return e.Err }

// command is one git invocation to be: where, with what, and for how long.
type command struct {
	dir   string
	flags []string // further global flags
	env   []string // further variables
	stdin io.Reader
	limit time.Duration // 0: queryLimit
	hold  *os.File      // inherited, so that a lock lives as long as git does
}

// run returns git's standard output.
func (c command) run(ctx context.Context, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := c.stream(ctx, func(r io.Reader) error {
		_, err := out.ReadFrom(r)
		return err
	}, args...)
	return out.Bytes(), err
}

// line returns git's standard output without its last newline. Only the one:
// a path may end in a newline of its own.
func (c command) line(ctx context.Context, args ...string) (string, error) {
	out, err := c.run(ctx, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// stream hands git's standard output to consume while git writes it. When
// consume returns an error git is killed and that error is returned.
func (c command) stream(ctx context.Context, consume func(io.Reader) error, args ...string) error {
	// See ownSession: the thread that starts git must outlive it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	limit := c.limit
	if limit == 0 {
		limit = queryLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd, stderr := c.build(ctx, args)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return c.fail(ctx, cmd, stderr, args, err)
	}
	if err := cmd.Start(); err != nil {
		return c.fail(ctx, cmd, stderr, args, err)
	}
	ended := make(chan struct{})
	defer close(ended)
	go endGroup(ctx, ended, cmd.Process.Pid, out)
	consumeErr := consume(out)
	if consumeErr != nil && ctx.Err() == nil {
		cancel()
		_ = wait(ctx, cmd)
		return consumeErr
	}
	if err := wait(ctx, cmd); err != nil {
		return c.fail(ctx, cmd, stderr, args, err)
	}
	return consumeErr
}

// build makes the process: own session, whole group signalled on the end of
// ctx, TERM first so that git removes its lock files.
func (c command) build(ctx context.Context, args []string) (*exec.Cmd, *tail) {
	argv := append(append(append([]string{}, globalFlags...), c.flags...), args...)
	cmd := exec.CommandContext(ctx, "git", argv...)
	cmd.Dir = c.dir
	cmd.Env = append(gitEnv(), c.env...)
	cmd.Stdin = c.stdin
	stderr := &tail{max: stderrKept}
	cmd.Stderr = stderr
	cmd.SysProcAttr = ownSession()
	if c.hold != nil {
		cmd.ExtraFiles = []*os.File{c.hold}
	}
	cmd.WaitDelay = termGrace
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return cmd, stderr
}

// endGroup kills a group that does not end after the end of ctx, and lets go of
// its output: a process that left the group may hold that open for ever.
func endGroup(ctx context.Context, ended <-chan struct{}, pid int, out io.Closer) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	grace := time.NewTimer(termGrace)
	defer grace.Stop()
	select {
	case <-ended:
	case <-grace.C:
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		_ = out.Close()
	}
}

// wait waits for git. After the end of ctx no process of its group is left.
// WaitDelay kills the leader; its children, who may ignore TERM as well, are
// killed here, at once, while their number can be nobody else's.
func wait(ctx context.Context, cmd *exec.Cmd) error {
	err := cmd.Wait()
	if ctx.Err() != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	return err
}

func (c command) fail(ctx context.Context, cmd *exec.Cmd, stderr *tail, args []string, err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w: %w", ErrGitMissing, err)
	}
	code := -1
	if cmd.ProcessState != nil {
		code = cmd.ProcessState.ExitCode()
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &GitError{Args: args, Dir: c.dir, ExitCode: code, Stderr: stderr.text(), Err: err}
}

// gitEnv is our environment made safe for git.
func gitEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !droppedEnv[name] {
			env = append(env, kv)
		}
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// exitCode is git's exit status, or -1 if err is no GitError.
func exitCode(err error) int {
	if e, ok := errors.AsType[*GitError](err); ok {
		return e.ExitCode
	}
	return -1
}

// tail keeps the end of what is written to it: git says why last.
type tail struct {
	max int
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) text() string { return strings.ToValidUTF8(strings.TrimSpace(string(t.buf)), "?") }
