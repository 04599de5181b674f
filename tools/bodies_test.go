package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// post sends a body in a session and returns the ids that are answered, in order,
// as they stand in JSON.
func (w *site) post(session, body string) (code int, ids []string) {
	w.t.Helper()
	resp := w.do("POST", w.url, body, func(r *http.Request) { r.Header.Set("Mcp-Session-Id", session) })
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(line, "data: ")
		if h := headOf([]byte(line)); h.response() {
			ids = append(ids, string(h.ID))
		}
	}
	return resp.StatusCode, ids
}

func TestBodies(t *testing.T) {
	ping := func(id string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id) }
	const note = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	tests := []struct {
		why, body string
		code      int
		ids       []string
	}{
		{"the rule", ping("1"), 200, []string{"1"}},
		{"nanoseconds", ping("1790000000123456789"), 200, []string{"1790000000123456789"}},
		{"a batch, legal in 2025-03-26", "[" + ping("1") + "," + note + "," + ping(`"b"`) + "]", 200, []string{"1", `"b"`}},
		{"a batch with a stream in it", "[" + ping("1") + "," + callWithToken(2, "bisect_start", `{"bench_cmd":"b"}`) + "," + ping("3") + "]", 200, []string{"1", "2", "3"}},
		{"a batch of notifications", "[" + note + "," + note + "]", 202, nil},
		{"two in a row", ping("1") + "\n" + ping("2"), 200, []string{"1", "2"}},
		{"a byte order mark", "\ufeff" + ping("1"), 200, []string{"1"}},
		{"nothing", "", 400, nil},
	}
	w := startSite(t, HTTPOptions{Transport: "http"})
	session := w.session()
	for _, tt := range tests {
		code, ids := w.post(session, tt.body)
		if d := cmp.Diff(tt.ids, ids); d != "" || code != tt.code {
			t.Errorf("%s: status %d, want %d; ids (-want +got):\n%s", tt.why, code, tt.code, d)
		}
	}
	if code, ids := w.post("unknown", "["+ping("1")+","+ping("2")+"]"); code != http.StatusNotFound || ids != nil {
		t.Errorf("a batch of an unknown session: status %d, ids %v", code, ids)
	}
}

// TestOtherPaths: who has the address nearly right gets in, or hears where.
func TestOtherPaths(t *testing.T) {
	w := startSite(t, HTTPOptions{Transport: "http"})
	for path, want := range map[string]int{"/mcp": 200, "/mcp/": 200, "/": 404, "/sse": 404} {
		resp := w.do("POST", w.base+path, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`, nil)
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want || want == 404 && !strings.Contains(string(text), "/mcp") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, text)
		}
	}
}

// TestBrokenStreamGoesOn: a wait whose connection breaks goes on, and the client
// that asks for the rest of the stream gets its answer, not a cancellation.
func TestBrokenStreamGoesOn(t *testing.T) {
	w := startSite(t, HTTPOptions{Transport: "http"})
	session := w.session()
	w.call(session, call(1, "bisect_start", `{"bench_cmd":"b"}`))
	ctx, breakIt := context.WithCancel(t.Context())
	open := func(ctx context.Context, method, body, lastEvent string) *bufio.Reader {
		req, _ := http.NewRequestWithContext(ctx, method, w.url, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+w.token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Session-Id", session)
		if lastEvent != "" {
			req.Header.Set("Last-Event-ID", lastEvent)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return bufio.NewReader(resp.Body)
	}
	event := ""
	for r := open(ctx, "POST", callWithToken(1790000000123456789, "bisect_status", `{"run_id":"r1"}`), ""); event == ""; {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		event, _ = strings.CutPrefix(strings.TrimSpace(line), "id: ")
		if event == strings.TrimSpace(line) {
			event = ""
		}
	}
	breakIt()
	within, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := open(within, "GET", "", event)
	for range fakeSteps {
		w.fake.advance("r1")
	}
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if h := headOf([]byte(data)); ok && h.response() {
			var m message
			_ = json.Unmarshal([]byte(data), &m)
			if got := structured(t, m)["state"]; got != "completed" || string(h.ID) != "1790000000123456789" {
				t.Errorf("the resumed stream ends with %s", data)
			}
			return
		}
	}
}

// TestOutlive: a request ends with its server, not with its connection, unless
// its protocol says so; nobody waits for ever.
func TestOutlive(t *testing.T) {
	s := New(newFake(), Options{})
	for _, tt := range []struct {
		why, protocol string
		want          bool // whether it ends with its connection
	}{{"before the header", "", false}, {"with sessions", "2025-11-25", false}, {"stateless", "2026-07-28", true}} {
		connection, breakIt := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(connection, "POST", "/mcp", nil)
		r.Header.Set("Mcp-Protocol-Version", tt.protocol)
		r, done := s.outlive(r)
		breakIt()
		if ended := r.Context().Err() != nil; ended != tt.want {
			t.Errorf("%s: ended %v, want %v", tt.why, ended, tt.want)
		}
		done()
	}
	r, _ := http.NewRequestWithContext(t.Context(), "POST", "/mcp", nil)
	r, done := s.outlive(r)
	defer done()
	s.Close()
	select {
	case <-r.Context().Done():
	case <-time.After(patience):
		t.Error("the request outlives its server")
	}
}
