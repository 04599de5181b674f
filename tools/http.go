package tools

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/net/netutil"
)

// DefaultAddr is where ServeHTTP listens: on this machine only.
const DefaultAddr = "127.0.0.1:8765"

const (
	// idleFor is how long an unused session and its events are kept.
	idleFor = time.Hour
	// heartbeat keeps proxies from closing a silent stream.
	heartbeat = 30 * time.Second
	// mostConnections bounds what one machine can hold open.
	mostConnections = 1024
)

// HTTPOptions say how ServeHTTP listens and whom it lets in.
type HTTPOptions struct {
	Transport    string // "http" (streamable HTTP) or "sse" (deprecated by the protocol)
	Addr         string // "": DefaultAddr
	TokenFile    string // bearer token; made with mode 0600 when it does not exist; "": a token for this process only
	AllowOrigins []string
	AllowHosts   []string                // names besides the loopback ones and Addr's own
	Ready        func(url, token string) // called once, when connections are accepted
}

// ServeHTTP serves many clients until ctx is done, and returns at most hardStop
// later, whatever hangs. A bearer token is always required; a request with an
// Origin or Host that is not allowed is refused before anything is read.
func ServeHTTP(ctx context.Context, s *Server, o HTTPOptions) error {
	defer s.end()
	if o.Addr == "" {
		o.Addr = DefaultAddr
	}
	path, handler, closeSessions, err := s.transport(o)
	if err != nil {
		return err
	}
	token, made, err := loadToken(o.TokenFile)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return fmt.Errorf("listening on %q: %w", o.Addr, err)
	}
	url := "http://" + listener.Addr().String() + path
	announce(s.opt.Log, o, url, token, made)
	if o.Ready != nil {
		o.Ready(url, token)
	}
	requests, cancelRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelRequests()
	busy := newBusyConns()
	web := &http.Server{
		ConnState:         busy.follow,
		Handler:           newGuard(token, listener.Addr(), o).wrap(s.bodies(handler)),
		ReadHeaderTimeout: 10 * time.Second, // no WriteTimeout: streams stay open
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(netutil.LimitListener(listener, mostConnections)) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving %s: %w", url, err)
	case <-ctx.Done():
	}
	return s.shutDown(web, busy, cancelRequests, closeSessions)
}

// shutDown ends waits first, then streams, then connections; what does not end
// by itself is cut off.
//
// Note: http.Server.Shutdown alone waits five seconds for connections that were
// opened and never used, which browsers and Go's own client leave behind.
func (s *Server) shutDown(web *http.Server, busy *busyConns, cancelRequests, closeSessions func()) error {
	s.end()
	closeSessions()
	cancelRequests()
	ctx, cancel := context.WithTimeout(context.Background(), s.opt.stopWithin)
	defer cancel()
	go func() {
		_ = web.Shutdown(ctx) // it is busy that knows whether anything hung
		cancel()
	}()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil && busy.count() > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	hung := busy.count() > 0
	if err := web.Close(); err != nil || !hung {
		return err
	}
	return fmt.Errorf("serving HTTP: %w", errHung)
}

// busyConns are the connections on which a request is being answered.
type busyConns struct {
	mu  sync.Mutex
	set map[net.Conn]bool
}

func newBusyConns() *busyConns { return &busyConns{set: map[net.Conn]bool{}} }

// follow is the ConnState hook of the server.
func (b *busyConns) follow(c net.Conn, state http.ConnState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if state == http.StateActive {
		b.set[c] = true
	} else {
		delete(b.set, c)
	}
}

func (b *busyConns) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.set)
}

// transport makes the protocol's own handler.
func (s *Server) transport(o HTTPOptions) (path string, h http.Handler, closeSessions func(), err error) {
	switch o.Transport {
	case "http":
		options := []server.StreamableHTTPOption{
			server.WithStateful(true),
			server.WithEventStore(newEventStore(eventBytes)),
			server.WithSessionIdleTTL(idleFor),
			server.WithHeartbeatInterval(heartbeat),
			server.WithDisableLocalhostProtection(true), // the guard knows more names
			server.WithStreamableHTTPLogger(s.log),
		}
		if len(o.AllowOrigins) > 0 {
			options = append(options, server.WithStreamableHTTPCORS(server.WithCORSAllowedOrigins(o.AllowOrigins...)))
		}
		t := server.NewStreamableHTTPServer(s.mcp, options...)
		mux := http.NewServeMux()
		mux.Handle("/mcp", t)
		mux.Handle("/mcp/{$}", t) // as some clients write it
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "nothing is here; the MCP server is at /mcp", http.StatusNotFound)
		})
		return "/mcp", mux, func() { _ = t.Shutdown(context.Background()) }, nil
	case "sse":
		// Without an allow-list mcp-go lets every web page read the stream, and
		// with it the address to post tool calls to.
		origins := append([]string{"http://127.0.0.1"}, o.AllowOrigins...)
		t := server.NewSSEServer(s.mcp, server.WithKeepAliveInterval(heartbeat),
			server.WithSSECORS(server.WithCORSAllowedOrigins(origins...)), server.WithSSEDisableLocalhostProtection(true))
		return "/sse", t, t.CloseSessions, nil
	}
	return "", nil, nil, fmt.Errorf("transport is %q, must be one of: stdio, http, sse", o.Transport)
}

// announce says on standard error where the server is and, once, how to get in.
func announce(w io.Writer, o HTTPOptions, url, token string, made bool) {
	fmt.Fprintf(w, "perfbisect: serving MCP (%s) on %s\n", o.Transport, url)
	switch {
	case made && o.TokenFile != "":
		fmt.Fprintf(w, "perfbisect: new bearer token, also in %s: %s\n", o.TokenFile, token)
	case made:
		fmt.Fprintf(w, "perfbisect: bearer token of this process: %s\n", token)
	default:
		fmt.Fprintf(w, "perfbisect: the bearer token is in %s\n", o.TokenFile)
	}
	if o.Transport == "sse" {
		fmt.Fprintln(w, "perfbisect: note: the SSE transport is deprecated by the protocol and cannot ask the user questions; use --transport http where the client can")
	}
	if host, _, err := net.SplitHostPort(o.Addr); err == nil && !isLoopback(host) {
		fmt.Fprintf(w, "perfbisect: warning: %s is reachable from other machines, and who has the token can run commands here; the connection is not encrypted\n", o.Addr)
	}
}
