package tools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
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
	writer := &lockedWriter{w: out, polish: s.polish, pending: pending}
	lines := newLines(ctx, in, writer)
	stdio := server.NewStdioServer(s.mcp)
	server.WithErrorLogger(log.New(s.opt.Log, "mcp: ", 0))(stdio)
	server.WithWorkerPoolSize(workers)(stdio)
	server.WithQueueSize(queue)(stdio)
	done := make(chan error, 1)
	go func() { done <- stdio.Listen(ctx, lines, writer) }()
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
	mu      sync.Mutex
	w       io.Writer
	polish  func(message []byte) []byte
	pending *pending
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	message := l.polish(p)
	h := headOf(message)
	l.pending.asks(&h)
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.w.Write(message); err != nil {
		return 0, err
	}
	l.pending.answered(&h)
	return len(p), nil
}

// lines hands the messages of a client on, one a Read. A message longer than
// longestLine is answered here, and the next one is read. A last line without
// its newline counts.
type lines struct {
	next  chan []byte
	rest  []byte
	ended chan struct{} // closed when the client's end was seen
	ctx   context.Context
}

func newLines(ctx context.Context, in io.Reader, out *lockedWriter) *lines {
	l := &lines{next: make(chan []byte), ended: make(chan struct{}), ctx: ctx}
	go l.pump(bufio.NewReaderSize(in, 64<<10), out)
	return l
}

// pump reads until the end of in. It is left behind when ctx ends first: a read
// from a terminal or pipe cannot be interrupted.
func (l *lines) pump(in *bufio.Reader, out *lockedWriter) {
	defer close(l.next)
	for {
		line, long, err := readLine(in)
		if long {
			answer := tooLong(line)
			h := headOf(answer)
			out.pending.asked(&head{ID: h.ID, Method: "?"})
			go out.Write(answer) // a client that does not read must not keep its end from being seen
			line = nil
		}
		for _, m := range messagesOf(line) {
			h := headOf(m)
			if !out.pending.asked(&h) {
				continue
			}
			select {
			case l.next <- append(bytes.Clone(shield(softened(m, &h), &h)), '\n'):
			case <-l.ctx.Done():
				return
			}
		}
		if err != nil {
			out.pending.drain(l.ctx, lingerFor)
			close(l.ended)
			return
		}
	}
}

// endBytes is what readLine keeps of either end of a line that is too long.
const endBytes = 4 << 10

// readLine reads one line with its newline, bounded. Of one that is longer than
// longestLine it returns both ends.
func readLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if long = long || len(line) > longestLine; long {
			line = ends(line)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// ends shortens a line to its two ends, and lets go of the rest.
func ends(line []byte) []byte {
	if cut := len(line) - endBytes; cut > endBytes {
		return slices.Concat(line[:endBytes], line[cut:])
	}
	return line
}

// A long message's id, at the ends where clients write it.
const idPattern = `"id"\s*:\s*("[^"\\]{1,99}"|-?[0-9]{1,30})\s*`

var (
	idFirst = regexp.MustCompile(`^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*` + idPattern + `,`)
	idLast  = regexp.MustCompile(`,\s*` + idPattern + `(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$`)
)

// tooLong is the answer to a message of which only the ends are left.
func tooLong(ends []byte) []byte {
	id := []byte("null")
	for _, place := range []*regexp.Regexp{idFirst, idLast} {
		if m := place.FindSubmatch(ends); m != nil {
			id = m[1]
		}
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"the message has more than %d bytes; send less, or the name of a file"}}`+"\n",
		id, mcp.INVALID_REQUEST, longestLine)
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
