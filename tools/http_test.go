package tools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// site is an HTTP server with a fake app.
type site struct {
	t     *testing.T
	fake  *fake
	url   string // with the path
	base  string // without
	token string
	log   *bytes.Buffer // read it after stop
	stop  func() error  // ends the server and returns what ServeHTTP returned
}

func startSite(t *testing.T, o HTTPOptions) *site {
	t.Helper()
	return startSiteWith(t, Options{validate: true}, func(*server.MCPServer) {}, o)
}

func startSiteWith(t *testing.T, so Options, add func(*server.MCPServer), o HTTPOptions) *site {
	t.Helper()
	w := &site{t: t, fake: newFake(), log: &bytes.Buffer{}}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	type place struct{ url, token string }
	up := make(chan place, 1)
	o.Ready = func(url, token string) { up <- place{url, token} }
	ctx, cancel := context.WithCancel(context.Background())
	so.Version, so.Log = "test", w.log
	s := New(w.fake, so)
	add(s.mcp)
	done := make(chan error, 1)
	go func() { done <- ServeHTTP(ctx, s, o) }()
	select {
	case p := <-up:
		w.url, w.token = p.url, p.token
		w.base = p.url[:strings.LastIndexByte(p.url, '/')]
	case err := <-done:
		t.Fatal(err)
	}
	w.stop = sync.OnceValue(func() error {
		cancel()
		defer s.Close()
		select {
		case err := <-done:
			return err
		case <-time.After(hardStop + patience):
			return errHung
		}
	})
	t.Cleanup(func() {
		if err := w.stop(); err != nil {
			t.Error(err)
		}
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return w
}

// do sends a request with what a program that has the token sends, changed by
// change.
func (w *site) do(method, url, body string, change func(*http.Request)) *http.Response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// reply1 is the first message of a response, plain or as a stream.
func reply1(t *testing.T, resp *http.Response) message {
	t.Helper()
	r := bufio.NewReader(resp.Body)
	for {
		line, err := r.ReadString('\n')
		line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
		var m message
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &m) == nil && m["id"] != nil {
			return m
		}
		if err != nil {
			t.Fatalf("no message in the response: %v", err)
		}
	}
}

// session begins a session and returns its id.
func (w *site) session() string {
	w.t.Helper()
	resp := w.do("POST", w.url, hello, nil)
	reply1(w.t, resp)
	id := resp.Header.Get("Mcp-Session-Id")
	if id == "" {
		w.t.Fatalf("no session id, status %s", resp.Status)
	}
	return id
}

func (w *site) call(session string, body string) message {
	w.t.Helper()
	return reply1(w.t, w.do("POST", w.url, body, func(r *http.Request) { r.Header.Set("Mcp-Session-Id", session) }))
}

// runs is how many commands anybody got to run.
func (w *site) runs() int { return w.fake.ran() }

const runIt = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bisect_start","arguments":{"bench_cmd":"touch /tmp/owned"}}}`

func TestGuard(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Del(name)
			if value != "-" {
				r.Header.Set(name, value)
			}
		}
	}
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	preflight := func(r *http.Request) {
		r.Header.Del("Authorization") // a browser sends none
		r.Header.Set("Origin", "https://inspector.example")
		r.Header.Set("Access-Control-Request-Method", "POST")
	}
	tests := []struct {
		why    string
		method string
		change func(*http.Request)
		want   int
	}{
		{"a program with the token", "POST", nil, 200},
		{"no token", "POST", header("Authorization", "-"), 401},
		{"another token", "POST", header("Authorization", "Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), 401},
		{"an empty token", "POST", header("Authorization", "Bearer "), 401},
		{"another scheme", "POST", header("Authorization", "Basic dXNlcjpwYXNz"), 401},
		{"a stream without a token", "GET", header("Authorization", "-"), 401},
		{"deleting a session without a token", "DELETE", header("Authorization", "-"), 401},
		{"a web page", "POST", header("Origin", "http://evil.example"), 403},
		{"a sandboxed page or file", "POST", header("Origin", "null"), 403},
		{"an empty Origin is present and unlisted", "POST", header("Origin", ""), 403},
		{"a page of this machine is a page too", "POST", header("Origin", "http://127.0.0.1:3000"), 403},
		{"the listed page", "POST", header("Origin", "https://inspector.example"), 200},
		{"the listed page's preflight", "OPTIONS", preflight, 204},
		{"a preflight of another page", "OPTIONS", header("Origin", "http://evil.example"), 403},
		{"a rebound DNS name", "POST", host("evil.example:8765"), 403},
		{"a name that ends like ours", "POST", host("127.0.0.1.evil.example"), 403},
		{"localhost", "POST", host("localhost:1234"), 200},
		{"an allowed name", "POST", host("gpu-node.example:80"), 200},
		{"text/plain needs no preflight, so it is refused", "POST", header("Content-Type", "text/plain"), 415},
		{"no content type", "POST", header("Content-Type", "-"), 415},
		{"a form", "POST", header("Content-Type", "application/x-www-form-urlencoded"), 415},
		{"with a charset", "POST", header("Content-Type", "application/json; charset=utf-8"), 200},
	}
	w := startSite(t, HTTPOptions{Transport: "http", AllowOrigins: []string{"https://inspector.example"}, AllowHosts: []string{"gpu-node.example"}})
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			resp := w.do(tt.method, w.url, hello, tt.change)
			if resp.StatusCode != tt.want {
				t.Errorf("status %s, want %d", resp.Status, tt.want)
			}
		})
	}
}

func TestPreflightAllowsTheToken(t *testing.T) {
	w := startSite(t, HTTPOptions{Transport: "http", AllowOrigins: []string{"https://inspector.example"}})
	resp := w.do("OPTIONS", w.url, "", func(r *http.Request) {
		r.Header.Set("Origin", "https://inspector.example")
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Del("Authorization")
	})
	if allowed := resp.Header.Get("Access-Control-Allow-Headers"); !strings.Contains(strings.ToLower(allowed), "authorization") {
		t.Errorf("a listed page may send %q, want the token among it", allowed)
	}
}

func TestBodyLimit(t *testing.T) {
	w := startSite(t, HTTPOptions{Transport: "http"})
	long := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("a", largestBody) + `"}}`
	if resp := w.do("POST", w.url, long, nil); resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %s, want 413", resp.Status)
	}
	w.session() // and it still serves
}

func TestTokenFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state", "token")
	w := startSite(t, HTTPOptions{Transport: "http", TokenFile: file})
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("token file: %v, %v; want mode 0600", info, err)
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(w.log.String(), w.token); n != 1 {
		t.Errorf("the token is printed %d times, want once:\n%s", n, w.log)
	}
	again := startSite(t, HTTPOptions{Transport: "http", TokenFile: file})
	if again.token != w.token {
		t.Error("a second start made another token")
	}
	if err := again.stop(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(again.log.String(), w.token) {
		t.Error("the second start printed the token again")
	}
	for why, bad := range map[string]struct {
		text string
		mode os.FileMode
	}{"others can read it": {"0123456789abcdef0123", 0o644}, "too short": {"short\n", 0o600}, "empty": {"", 0o600}, "two words": {"0123456789abcdef 0123", 0o600}} {
		file := filepath.Join(dir, "bad")
		os.Remove(file)
		if err := os.WriteFile(file, []byte(bad.text), bad.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, bad.mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		if _, _, err := loadToken(file); err == nil {
			t.Errorf("%s: accepted", why)
		}
	}
}

func TestSSESaysThatItIsDeprecated(t *testing.T) {
	w := startSite(t, HTTPOptions{Transport: "sse"})
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.log.String(), "deprecated") {
		t.Error(w.log)
	}
	if err := ServeHTTP(t.Context(), New(newFake(), Options{Log: io.Discard}), HTTPOptions{Transport: "websocket"}); err == nil || !strings.Contains(err.Error(), "stdio, http, sse") {
		t.Error(err)
	}
}

// TestSessions: a hundred sessions at once, each with its own run, and nothing
// of them is left when the server ends.
func TestSessions(t *testing.T) {
	w := startSite(t, HTTPOptions{Transport: "http"})
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			id := w.session()
			m := w.call(id, call(1, "bisect_start", fmt.Sprintf(`{"bench_cmd":"b%d"}`, i)))
			run := structured(t, m)["run_id"]
			m = w.call(id, call(2, "bisect_status", fmt.Sprintf(`{"run_id":%q,"wait_s":0}`, run)))
			if got := structured(t, m)["run_id"]; got != run {
				t.Errorf("session %d sees run %v, want %v", i, got, run)
			}
		})
	}
	group.Wait()
	if n := w.runs(); n != 100 {
		t.Errorf("%d runs, want 100", n)
	}
}

// TestShutdownDuringAWait: the end of the server ends a wait, and not the run.
func TestShutdownDuringAWait(t *testing.T) {
	w := startSite(t, HTTPOptions{Transport: "http"})
	id := w.session()
	w.call(id, call(1, "bisect_start", `{"bench_cmd":"b"}`))
	waiting := make(chan struct{})
	go func() {
		defer close(waiting)
		req, _ := http.NewRequest("POST", w.url, strings.NewReader(callWithToken(2, "bisect_status", `{"run_id":"r1"}`)))
		req.Header.Set("Authorization", "Bearer "+w.token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Mcp-Session-Id", id)
		resp, err := http.DefaultClient.Do(req) // returns with the first progress
		if err != nil {
			t.Error(err)
			return
		}
		waiting <- struct{}{}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}()
	<-waiting
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	<-waiting
	if st, _ := w.fake.Status(t.Context(), "r1"); st.State != "measuring" {
		t.Errorf("the run is %s, want it untouched", st.State)
	}
}

// TestDisconnect: a client that goes away in a wait does not touch the run.
func TestDisconnect(t *testing.T) {
	w := startSite(t, HTTPOptions{Transport: "http"})
	id := w.session()
	w.call(id, call(1, "bisect_start", `{"bench_cmd":"b"}`))
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "POST", w.url, strings.NewReader(callWithToken(2, "bisect_status", `{"run_id":"r1"}`)))
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Mcp-Session-Id", id)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	resp.Body.Close()
	for range fakeSteps {
		w.fake.advance("r1")
	}
	m := w.call(id, call(3, "bisect_status", `{"run_id":"r1"}`))
	if got := structured(t, m)["state"]; got != "completed" {
		t.Errorf("the run is %v, want completed", got)
	}
}

func TestEventStoreForgets(t *testing.T) {
	s := newEventStore(100)
	ctx := t.Context()
	var first, last string
	for i := range 50 {
		id, err := s.StoreEvent(ctx, "s", "stream", json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = id
		}
		last = id
	}
	s.StoreEvent(ctx, "s", "other", json.RawMessage(`{}`))
	if _, err := s.ReplayEventsAfter(ctx, "s", first, nil); err == nil {
		t.Error("the oldest event is still there")
	}
	stream, err := s.ReplayEventsAfter(ctx, "s", last, func(string, json.RawMessage) error { t.Error("another stream's event"); return nil })
	if err != nil || stream != "stream" {
		t.Error(stream, err)
	}
	if l := s.logs["s"]; l.bytes > 100 {
		t.Errorf("%d bytes kept, want at most 100", l.bytes)
	}
	s.PurgeSession(ctx, "s")
	if len(s.logs) != 0 {
		t.Error("a purged session is kept")
	}
}
