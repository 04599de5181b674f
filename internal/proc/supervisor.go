package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
)

// ErrLost is wrapped by the error of Run if the supervisor process died while
// the command ran. What the command did is unknown, and of its tree what left the
// process group may be alive. A later Run starts a new process.
var ErrLost = errors.New("supervisor process lost")

// ErrClosed is wrapped by the error of Run after Close.
var ErrClosed = errors.New("supervisor closed")

// maxAttempts bounds how many processes are tried that die before they take the
// command.
const maxAttempts = 3

// Supervisor runs commands. Each supervisor process runs one command at a time,
// so that every process below it belongs to that command and can be killed
// without a doubt; concurrent calls of Run start further processes, which are
// kept for later calls. Its methods may be called concurrently.
type Supervisor struct {
	argv []string
	hold []*os.File

	mu     sync.Mutex
	closed bool
	idle   []*worker
	all    map[*worker]bool
}

// StartSupervisor starts the first supervisor process and waits until it is
// ready; ctx bounds that wait only. argv is the program that ends up in
// [SupervisorMain]; nil means this executable with the hidden subcommand. Every
// supervisor process, but none of its commands, keeps the files of hold open: a
// lock on one of them tells that trees of ours still live after we were killed.
func StartSupervisor(ctx context.Context, argv []string, hold ...*os.File) (*Supervisor, error) {
	if len(argv) == 0 {
		if os.Getenv(marker) != "" {
			return nil, errors.New("starting supervisor: this is one already; its main must call proc.SupervisorMain first")
		}
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("starting supervisor: %w", err)
		}
		argv = []string{self, subcommand}
	}
	if len(hold) > maxHeld {
		return nil, fmt.Errorf("starting supervisor: %d files to hold, at most %d", len(hold), maxHeld)
	}
	s := &Supervisor{argv: argv, hold: hold, all: map[*worker]bool{}}
	w, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	s.release(w)
	return s, nil
}

// Run runs c and returns when its whole tree is dead. When ctx ends, the tree is
// ended and the result says Canceled. The error is non-nil only if c is invalid
// (nothing ran), an output file could not be created (nothing ran), or the
// supervisor process died (ErrLost, ErrClosed): a command that does not start,
// fails or times out is a Result.
func (s *Supervisor) Run(ctx context.Context, c Command) (Result, error) {
	if err := c.validate(); err != nil {
		return Result{}, err
	}
	c, err := c.withDefaults()
	if err != nil {
		return Result{}, err
	}
	for attempt := 1; ; attempt++ {
		if ctx.Err() != nil {
			return Result{ExitCode: -1, Canceled: true}, nil
		}
		w, err := s.acquire(ctx)
		if err != nil && ctx.Err() != nil {
			continue
		}
		if err != nil {
			return Result{}, err
		}
		result, err := w.run(ctx, c)
		if w.gone || result.Unkillable > 0 {
			s.drop(w)
		} else {
			s.release(w)
		}
		switch closed := s.isClosed(); {
		case closed && (err != nil || result.Canceled && ctx.Err() == nil):
			return result, fmt.Errorf("running a command: %w", ErrClosed)
		case errors.Is(err, errIdleDeath) && attempt < maxAttempts:
			continue
		}
		return result, err
	}
}

func (s *Supervisor) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// acquire takes an idle process or starts one.
func (s *Supervisor) acquire(ctx context.Context) (*worker, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return w, nil
	}
	s.mu.Unlock()
	return s.start(ctx)
}

// start starts a process and makes Close know it.
func (s *Supervisor) start(ctx context.Context) (*worker, error) {
	if s.isClosed() {
		return nil, fmt.Errorf("running a command: %w", ErrClosed)
	}
	w, err := startWorker(ctx, s.argv, s.hold)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.all[w] = true
	}
	s.mu.Unlock()
	if closed {
		w.close()
		return nil, fmt.Errorf("running a command: %w", ErrClosed)
	}
	return w, nil
}

// release makes w available again.
func (s *Supervisor) release(w *worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.idle = append(s.idle, w)
	}
}

// drop ends w for good.
func (s *Supervisor) drop(w *worker) {
	s.mu.Lock()
	delete(s.all, w)
	s.mu.Unlock()
	w.close()
}

// Close ends every running command (its Run returns ErrClosed) and the
// supervisor processes. It may be called more than once.
func (s *Supervisor) Close() error {
	s.mu.Lock()
	s.closed = true
	all := s.all
	s.all, s.idle = map[*worker]bool{}, nil
	s.mu.Unlock()
	var wg sync.WaitGroup
	for w := range all {
		wg.Go(w.close)
	}
	wg.Wait()
	return nil
}
