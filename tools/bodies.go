package tools

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// bodies hands the messages of each POST on as mcp-go takes them, one a request,
// and gives out what it writes as the client is to read it.
func (s *Server) bodies(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = &polisher{w, s.polish}
		if r.Method != http.MethodPost {
			h.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body) // the guard has it in memory
		r, done := s.outlive(r)
		defer done()
		if messages := messagesOf(body); len(messages) > 1 {
			merge(w, r, h, messages)
		} else {
			h.ServeHTTP(w, withBody(r, bytes.Join(messages, nil)))
		}
	})
}

func withBody(r *http.Request, message []byte) *http.Request {
	h := headOf(message)
	message = shield(softened(message, &h), &h)
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(message)), int64(len(message))
	return r
}

// statelessSince is the protocol in which the end of a connection is how a client
// says that it does not want the answer any more.
const statelessSince = "2026-07-28"

// outlive lets a request of an older protocol go on for orphanFor when its
// connection breaks. Its client asks for the rest of the stream with
// Last-Event-ID, and sends notifications/cancelled when it does not want it.
func (s *Server) outlive(r *http.Request) (*http.Request, context.CancelFunc) {
	if r.Header.Get("Mcp-Protocol-Version") >= statelessSince {
		return r, func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	ended := context.AfterFunc(s.life, cancel)
	broke := context.AfterFunc(r.Context(), func() {
		clock := time.AfterFunc(orphanFor, cancel)
		context.AfterFunc(ctx, func() { clock.Stop() })
	})
	return r.WithContext(ctx), func() {
		broke()
		ended()
		cancel()
	}
}

// polisher polishes what is written. mcp-go writes a message, or an event that
// has one, at a time.
type polisher struct {
	http.ResponseWriter
	polish func([]byte) []byte
}

func (p *polisher) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *polisher) Flush() { _ = http.NewResponseController(p.ResponseWriter).Flush() }

func (p *polisher) Write(b []byte) (int, error) {
	if _, err := p.ResponseWriter.Write(p.polish(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// merge answers the messages of a batch, in their order, on one stream of events.
func merge(w http.ResponseWriter, r *http.Request, h http.Handler, messages [][]byte) {
	all := &merged{to: w}
	for _, m := range messages {
		h.ServeHTTP(&batchReply{merged: all, header: http.Header{}}, withBody(r, m))
	}
	if !all.begun {
		w.WriteHeader(http.StatusAccepted) // notifications only
	}
}

// merged is the stream on which the answers of a batch come.
type merged struct {
	to     http.ResponseWriter
	begun  bool
	failed bool // with what holds for all of them, such as an unknown session
}

// batchReply is the answer to one message of it.
type batchReply struct {
	*merged
	header http.Header
	code   int
}

func (b *batchReply) Header() http.Header  { return b.header }
func (b *batchReply) WriteHeader(code int) { b.code = code }

func (b *batchReply) Flush() {
	if b.begun {
		_ = http.NewResponseController(b.to).Flush()
	}
}

func (b *batchReply) Write(p []byte) (int, error) {
	media, _, _ := mime.ParseMediaType(b.header.Get("Content-Type"))
	message, events := media == "application/json", media == "text/event-stream"
	switch {
	case b.failed:
		return len(p), nil
	case b.begun:
	case message || events:
		b.begin(http.Header{"Content-Type": {"text/event-stream"}, "Mcp-Session-Id": b.header.Values("Mcp-Session-Id")}, http.StatusOK)
	default:
		b.failed = true
		b.begin(b.header, max(b.code, http.StatusOK))
	}
	if message {
		_, err := fmt.Fprintf(b.to, "event: message\ndata: %s\n\n", bytes.TrimSpace(p))
		return len(p), err
	}
	return b.to.Write(p)
}

func (m *merged) begin(header http.Header, code int) {
	m.begun = true
	for name, values := range header {
		if len(values) > 0 {
			m.to.Header()[name] = values
		}
	}
	m.to.WriteHeader(code)
}
