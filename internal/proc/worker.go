package proc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	// helloLimit is how long a supervisor process may take to say hello.
	helloLimit = 30 * time.Second
	// overdue is how long after deadline and grace a supervisor process may take
	// to answer before it counts as lost: twice the sum of the times in job.go.
	overdue = 8 * time.Second
)

// errIdleDeath says that the process died before it took the command.
var errIdleDeath = fmt.Errorf("%w before it took the command", ErrLost)

// worker is the client's side of one supervisor process. One Run uses it at a
// time; close may come from elsewhere.
type worker struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	replies *json.Decoder
	stderr  bytes.Buffer // read after Wait only

	sending  sync.Mutex
	requests *json.Encoder
	id       int64
	gone     bool // the process has died, or does not answer
	once     sync.Once
}

func startWorker(ctx context.Context, argv []string, hold []*os.File) (*worker, error) {
	w := &worker{cmd: exec.Command(argv[0], argv[1:]...)}
	w.cmd.Dir = "/" // not to keep a folder in use for hours
	w.cmd.Env = append(os.Environ(), marker+"=1")
	w.cmd.Stderr = &w.stderr
	w.cmd.ExtraFiles = hold
	w.cmd.WaitDelay = time.Second
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // ^C is for us to act on
	stdin, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting supervisor: %w", err)
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting supervisor: %w", err)
	}
	if err := w.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting supervisor: %w", err)
	}
	w.stdin, w.requests, w.replies = stdin, json.NewEncoder(stdin), json.NewDecoder(stdout)
	return w, w.greet(ctx)
}

// greet waits for the hello, and ends the process if none comes.
func (w *worker) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, helloLimit)
	defer cancel()
	defer context.AfterFunc(ctx, w.kill)()
	var hello reply
	err := w.replies.Decode(&hello)
	if err == nil && hello.Hello {
		return nil
	}
	w.kill()
	w.close()
	if ctx.Err() != nil {
		return fmt.Errorf("starting supervisor %q: %w", w.cmd.Path, ctx.Err())
	}
	return fmt.Errorf("starting supervisor %q: no greeting; it said %q", w.cmd.Path, w.said())
}

// run sends c and waits for its end.
func (w *worker) run(ctx context.Context, c Command) (Result, error) {
	w.id++
	id := w.id
	if err := w.send(request{ID: id, Run: toWire(c)}); err != nil {
		w.gone = true
		return Result{}, errIdleDeath
	}
	limit := max(c.Grace, 0) + overdue
	if c.Timeout > 0 {
		defer time.AfterFunc(c.Timeout+limit, w.kill).Stop()
	}
	defer w.cancelWith(ctx, id, limit)()
	return w.listen(id)
}

// cancelWith cancels command id when ctx ends, and counts the process as lost if
// that has no effect within limit. The returned function undoes it: afterwards
// nothing of this command is sent or killed any more.
func (w *worker) cancelWith(ctx context.Context, id int64, limit time.Duration) (undo func()) {
	done := make(chan struct{})
	var expire *time.Timer
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		_ = w.send(request{ID: id, Cancel: true}) // listen sees a dead process
		expire = time.AfterFunc(limit, w.kill)
	})
	return func() {
		if !stop() {
			<-done
			expire.Stop()
		}
	}
}

// listen reads replies until the last one for id.
func (w *worker) listen(id int64) (Result, error) {
	taken, started := false, 0
	for {
		var r reply
		err := w.replies.Decode(&r)
		switch {
		case err != nil && !taken:
			w.gone = true
			return Result{}, errIdleDeath
		case err != nil:
			return Result{}, w.lost(started)
		case r.ID != id:
		case r.Taken:
			taken = true
		case r.Started != 0:
			started = r.Started
		case r.Error != "":
			return Result{}, errors.New(r.Error)
		case r.Result != nil:
			return *r.Result, nil
		}
	}
}

// lost kills what can still be reached of the tree of a process that died.
func (w *worker) lost(started int) error {
	w.gone = true
	w.kill()
	if started > 1 {
		_ = syscall.Kill(-started, syscall.SIGKILL) // ESRCH: nothing is left
	}
	w.close()
	return fmt.Errorf("%w: %v; it said %q", ErrLost, w.cmd.ProcessState, w.said())
}

func (w *worker) send(r request) error {
	w.sending.Lock()
	defer w.sending.Unlock()
	return w.requests.Encode(r)
}

func (w *worker) kill() {
	_ = w.cmd.Process.Kill() // already gone: nothing to do
}

// close cuts the life line and waits until the process has ended its tree.
func (w *worker) close() {
	w.once.Do(func() {
		_ = w.stdin.Close()
		defer time.AfterFunc(overdue, w.kill).Stop()
		_ = w.cmd.Wait() // its exit status says nothing that is needed
	})
}

// said returns the end of what the process wrote to stderr; call it after close.
func (w *worker) said() string {
	b := bytes.TrimSpace(w.stderr.Bytes())
	return string(b[max(0, len(b)-1000):])
}
