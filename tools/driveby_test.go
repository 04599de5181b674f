package tools

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// TestDriveBy is what a web page could do to the SSE transport as mcp-go ships
// it: read the stream, post a tool call as text/plain, read the result. Here
// each step is refused, alone and with the others, and nothing runs.
func TestDriveBy(t *testing.T) {
	for _, transport := range []string{"sse", "http"} {
		t.Run(transport, func(t *testing.T) {
			w := startSite(t, HTTPOptions{Transport: transport})
			page := func(r *http.Request) {
				r.Header.Set("Origin", "http://evil.example")
				r.Header.Del("Authorization")
			}
			resp := w.do("GET", w.url, "", page)
			if resp.StatusCode != http.StatusForbidden || resp.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("a page may read the stream: %s, %v", resp.Status, resp.Header)
			}
			for _, path := range []string{"/message?sessionId=1", "/sse", "/mcp"} {
				for why, change := range map[string]func(*http.Request){
					"page":                 func(r *http.Request) { page(r); r.Header.Set("Content-Type", "text/plain") },
					"page without Origin":  func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("Content-Type", "text/plain") },
					"page with the token":  func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
					"text with the token":  func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
					"rebound with a token": func(r *http.Request) { r.Host = "evil.example" },
				} {
					if resp := w.do("POST", w.base+path, runIt, change); resp.StatusCode < 400 {
						t.Errorf("%s: POST %s is answered %s", why, path, resp.Status)
					}
				}
			}
			if n := w.runs(); n != 0 {
				t.Errorf("%d commands ran", n)
			}
		})
	}
}

// TestDriveByInChromium lets a real browser try it from a page of another
// origin, and first against mcp-go's bare handler, to know that the page can.
func TestDriveByInChromium(t *testing.T) {
	browser := chromium()
	if browser == "" {
		t.Skip("no chromium in PATH")
	}
	t.Run("bare", func(t *testing.T) {
		f := newFake()
		s := New(f, Options{Version: "test", Log: io.Discard})
		defer s.Close()
		sse := server.NewSSEServer(s.mcp)
		web := httptest.NewServer(sse)
		defer web.Close()
		defer sse.CloseSessions()
		log := ""
		for try := 0; try < 8 && f.ran() == 0; try++ { // a page that closes too soon takes its session along
			log = visit(t, browser, web.URL)
		}
		if !strings.Contains(log, "LEAK") || f.ran() == 0 {
			t.Errorf("the page does not attack, so it proves nothing: %d commands, %s", f.ran(), log)
		}
	})
	t.Run("guarded", func(t *testing.T) {
		w := startSite(t, HTTPOptions{Transport: "sse"})
		if log := visit(t, browser, w.base); strings.Contains(log, "LEAK") || w.runs() != 0 {
			t.Errorf("the page got through, %d commands ran: %s", w.runs(), log)
		}
	})
}

func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless_shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// visit opens the hostile page and returns what it wrote. The browser gives a
// page up by a clock of its own, which on a busy machine can be too soon.
func visit(t *testing.T, browser, base string) string {
	t.Helper()
	for left := 5; ; left-- {
		log, dom := visitOnce(t, browser, base)
		if strings.Contains(log, "tried everything") {
			return log
		}
		if left == 1 {
			t.Fatalf("the page did not finish: %s", dom)
		}
	}
}

func visitOnce(t *testing.T, browser, base string) (log, dom string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=10000", "--dump-dom", evilPage(t, base))
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s does not run here: %v", browser, err)
	}
	log, _, _ = strings.Cut(string(out), "</pre>")
	return log, string(out)
}

// evilPage serves a page that attacks base, and returns its address.
func evilPage(t *testing.T, base string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("testdata", "driveby.html"))
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write(bytes.ReplaceAll(script, []byte("BASE"), []byte(base)))
	})}
	go web.Serve(listener)
	t.Cleanup(func() { web.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return "http://localhost:" + port + "/"
}
