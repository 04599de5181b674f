package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long the end of a command may take after its own process is gone. Together
// with DefaultGrace they stay below five seconds.
const (
	// outputDelay is how long output may still come after the command's exit, as
	// from `bench > >(tee log)`, before whatever holds the pipe is ended.
	outputDelay = 500 * time.Millisecond
	// settle is the time for helpers that have closed their output to be gone.
	settle = 20 * time.Millisecond
	// strayGrace is the time that strays of a command that ended by itself get
	// between SIGTERM and SIGKILL.
	strayGrace = 200 * time.Millisecond
	// orphanGrace replaces a longer grace when nobody waits for the result.
	orphanGrace = time.Second
	// sweepLimit bounds the rounds of SIGKILL.
	sweepLimit = 1500 * time.Millisecond
	// sweepPause is the time between two such rounds.
	sweepPause = 10 * time.Millisecond
)

// job is one command from start to the death of its tree. One goroutine owns it;
// as that goroutine both kills and reaps, no signal can go to a process id that
// was freed meanwhile.
type job struct {
	id       int64
	command  Command
	requests <-chan request   // cancel; closed when the life line is cut
	sigchld  <-chan os.Signal // a child changed state
	stdout   *stream
	stderr   *stream

	pid       int
	start     time.Time
	exited    bool // the command's own process was reaped
	childless bool // so was everything below us
	canceled  bool
	cut       bool // the life line is gone
	signalled map[int]bool
	result    Result
}

// prepare opens the output files. Its error means that nothing ran.
func (j *job) prepare() (err error) {
	if j.stdout, err = newStream(j.command.StdoutPath, j.command.MaxBytes); err != nil {
		return err
	}
	if j.stderr, err = newStream(j.command.StderrPath, j.command.MaxBytes); err != nil {
		j.stdout.finish()
		return err
	}
	j.signalled = map[int]bool{}
	j.result.ExitCode = -1
	return nil
}

// startProcess starts the command. What stops it is a fact of the result.
func (j *job) startProcess() bool {
	err := j.fork()
	j.stdout.closeWriter()
	j.stderr.closeWriter()
	if err != nil {
		j.result.StartError = err.Error()
		j.result.NotFound = errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNoDir)
	}
	return err == nil
}

// errNoDir marks a working directory that cannot be entered.
var errNoDir = errors.New("working directory")

func (j *job) fork() error {
	c := j.command
	if info, err := os.Stat(c.Dir); c.Dir != "" && (err != nil || !info.IsDir()) {
		return fmt.Errorf("entering %w %q: not a directory that exists", errNoDir, c.Dir)
	}
	path, err := lookPath(c.Argv[0], c.Dir, c.Env)
	if err != nil {
		return err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	second := j.stderr.w
	if c.MergeStderr {
		second = j.stdout.w
	}
	attr := &os.ProcAttr{Dir: c.Dir, Env: c.Env, Sys: childAttr(), Files: []*os.File{null, j.stdout.w, second}}
	j.start = time.Now()
	p, err := os.StartProcess(path, c.Argv, attr)
	if err != nil {
		return startError(path, err)
	}
	j.pid = p.Pid
	return p.Release() // reap waits for all children alike
}

// startError explains a failed exec of a file that exists and is executable.
func startError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("executing %q: the interpreter or loader it names: %w", path, fs.ErrNotExist)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("executing %q: neither a program of this machine nor a script with a #! line", path)
	}
	return fmt.Errorf("executing %q: %w", path, errors.Unwrap(err))
}

// finish waits for the command, ends what must be ended and closes the files.
func (j *job) finish() Result {
	if j.pid != 0 {
		j.supervise()
	}
	j.result.Stdout, j.result.Stderr = j.stdout.finish(), j.stderr.finish()
	j.result.Strays = len(j.signalled)
	return j.result
}

// supervise returns when the tree is dead, or cannot be killed.
func (j *job) supervise() {
	inTime := j.await(j.command.Timeout, func() bool { return j.exited || j.canceled || j.cut })
	grace := j.command.Grace
	if j.exited {
		grace = strayGrace
		j.await(outputDelay, j.drained)
		j.await(settle, func() bool { return j.childless })
	} else {
		j.result.TimedOut, j.result.Canceled = !inTime, j.canceled || j.cut
	}
	j.terminate(grace)
	j.sweep()
	if !j.exited {
		j.result.Elapsed = time.Since(j.start)
	}
}

// terminate asks what is left of the tree to end, and waits for it.
func (j *job) terminate(grace time.Duration) {
	if j.childless || grace < 0 {
		return
	}
	orphaned := j.cut
	if orphaned {
		grace = min(grace, orphanGrace)
	}
	j.signalTree(syscall.SIGTERM)
	j.signalTree(syscall.SIGCONT) // a stopped process cannot act on SIGTERM
	j.await(max(grace, 1), func() bool { return j.childless || j.cut && !orphaned })
}

// sweep kills the tree in rounds until nothing of it is left: while one round
// lists the processes, they may fork.
func (j *job) sweep() {
	for end := time.Now().Add(sweepLimit); !j.childless; {
		if time.Now().After(end) {
			j.result.Unkillable = max(len(descendants()), 1)
			return
		}
		j.signalTree(syscall.SIGKILL)
		j.await(sweepPause, func() bool { return j.childless })
		j.reap()
	}
}

// signalTree sends sig to the command's process group and to every descendant
// that left it. Once the command itself is reaped its number may name another
// group: then, where descendants are known, they alone are signalled.
func (j *job) signalTree(sig syscall.Signal) {
	list := descendants()
	for _, pid := range list {
		if pid != j.pid && !zombie(pid) {
			j.signalled[pid] = true
		}
	}
	grouped := !j.exited || groupOnly
	if grouped {
		_ = syscall.Kill(-j.pid, sig) // ESRCH: the group is empty
	}
	for _, pid := range list {
		if group, err := syscall.Getpgid(pid); err == nil && (!grouped || group != j.pid) {
			_ = syscall.Kill(pid, sig) // ESRCH: it ended meanwhile
		}
	}
}

// await handles events until the condition holds, or d has passed: then it
// returns false. d == 0 means no limit.
func (j *job) await(d time.Duration, until func() bool) bool {
	var deadline <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		deadline = t.C
	}
	for !until() {
		select {
		case <-j.sigchld:
			j.reap()
		case <-j.stdout.done():
			j.stdout.eof = true
		case <-j.stderr.done():
			j.stderr.eof = true
		case r, open := <-j.requests:
			j.hear(r, open)
		case <-deadline:
			return false
		}
	}
	return true
}

func (j *job) drained() bool { return j.stdout.eof && j.stderr.eof }

// hear takes a message of the client, or its end.
func (j *job) hear(r request, open bool) {
	if !open {
		j.cut, j.requests = true, nil
		return
	}
	j.canceled = j.canceled || r.Cancel && r.ID == j.id
}

// reap collects every child that has ended, adopted orphans included.
func (j *job) reap() {
	now := time.Now()
	for {
		var status syscall.WaitStatus
		var usage syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, &usage)
		switch {
		case err == syscall.EINTR:
		case err != nil: // ECHILD
			j.childless = true
			return
		case pid == 0:
			return
		case pid == j.pid:
			j.record(now, status, &usage)
		}
	}
}

// record notes how the command itself ended.
func (j *job) record(now time.Time, status syscall.WaitStatus, usage *syscall.Rusage) {
	j.exited = true
	j.result.Elapsed = now.Sub(j.start)
	j.result.ExitCode = status.ExitStatus()
	if status.Signaled() {
		j.result.Signal = unix.SignalName(status.Signal())
	}
	j.result.UserCPU = time.Duration(usage.Utime.Nano())
	j.result.SystemCPU = time.Duration(usage.Stime.Nano())
	j.result.MaxRSSBytes = maxRSS(usage)
}
