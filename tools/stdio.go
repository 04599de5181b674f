package tools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

const (
	// workers is how many tool calls run at once on stdio; mcp-go's 5 would let
	// five waits block everything else.
	workers = 64
	queue   = 10_000
	// longestLine bounds what one message may hold in memory.
	longestLine = 8 << 20
	// lingerFor is how long calls that are under way may still finish when the
	// client has closed its end, so that `printf ... | perfbisect` is answered.
	lingerFor = time.Second
	// hardStop is how long the end may take, whatever hangs.
	hardStop = 5 * time.Second
)

// errHung says that a handler did not end when it was told to.
var errHung = errors.New("a request did not end in time")

// ServeStdio serves one client on in and out until in ends or ctx is done, and
// returns at most hardStop later, whatever hangs. Nothing but messages of the
// protocol is written to out.
func ServeStdio(ctx context.Context, s *Server, in io.Reader, out io.Writer) error {
	defer s.end()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pending := &pending{}
	lines := newLines(ctx, in, pending)
	stdio := server.NewStdioServer(s.mcp)
	server.WithErrorLogger(log.New(s.opt.Log, "mcp: ", 0))(stdio)
	server.WithWorkerPoolSize(workers)(stdio)
	server.WithQueueSize(queue)(stdio)
	done := make(chan error, 1)
	go func() { done <- stdio.Listen(ctx, lines, &lockedWriter{w: out, wrote: pending.answered}) }()
	select {
	case err := <-done:
		return quiet(err)
	case <-ctx.Done():
	case <-lines.ended:
	}
	select {
	case err := <-done:
		return quiet(err)
	case <-time.After(s.opt.stopWithin):
		return fmt.Errorf("serving stdio: %w", errHung)
	}
}

// quiet drops the errors of an ordinary end.
func quiet(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}

// lockedWriter writes whole messages. mcp-go writes what the server asks the
// client without the lock of its responses, so two messages could mix.
type lockedWriter struct {
	mu    sync.Mutex
	w     io.Writer
	wrote func(message []byte)
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.w.Write(p)
	l.wrote(p)
	return n, err
}

// lines hands the messages of a client on, one line a Read. A line longer than
// longestLine becomes one that is not JSON, so that it is answered by a parse
// error and the next one is read. A last line without its newline counts.
type lines struct {
	next  chan []byte
	rest  []byte
	ended chan struct{} // closed when the client's end was seen
	ctx   context.Context
}

func newLines(ctx context.Context, in io.Reader, p *pending) *lines {
	l := &lines{next: make(chan []byte), ended: make(chan struct{}), ctx: ctx}
	go l.pump(bufio.NewReaderSize(in, 64<<10), p)
	return l
}

// pump reads until the end of in. It is left behind when ctx ends first: a read
// from a terminal or pipe cannot be interrupted.
func (l *lines) pump(in *bufio.Reader, p *pending) {
	defer close(l.next)
	for {
		line, err := readLine(in)
		if len(line) > 0 {
			p.asked(line)
			select {
			case l.next <- line:
			case <-l.ctx.Done():
				return
			}
		}
		if err != nil {
			p.drain(l.ctx, lingerFor)
			close(l.ended)
			return
		}
	}
}

// tooLong stands for a line that was thrown away.
var tooLong = []byte("message too long\n")

// readLine reads one line with its newline, bounded.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > longestLine {
			long = true
		}
		if !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch {
		case long:
			return tooLong, err
		case err != nil && len(line) > 0:
			return append(line, '\n'), err
		}
		return line, err
	}
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		select {
		case line, ok := <-l.next:
			if !ok {
				return 0, io.EOF
			}
			l.rest = line
		case <-l.ctx.Done():
			return 0, io.EOF
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
