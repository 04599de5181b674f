package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// patience is how long a test waits for what must come; the machine is shared.
const patience = 2 * time.Minute

// peer is the client's end of a stdio server. mcp-go keeps one session for all
// stdio servers of a process, so tests with a peer do not run in parallel.
type peer struct {
	t      *testing.T
	server *Server
	in     *io.PipeWriter
	got    chan message
	done   chan error // what ServeStdio returned
	cancel context.CancelFunc
	asked  string // id of the server's last request, in JSON
}

// message is one line of the server.
type message map[string]any

func (m message) id() string {
	if m["id"] == nil {
		return ""
	}
	return fmt.Sprint(m["id"])
}

// response reports whether m answers a request of the client.
func (m message) response() bool { return m["method"] == nil && m["id"] != nil }

func startPeer(t *testing.T, f *fake, o Options) *peer {
	t.Helper()
	o.Version, o.validate = "test", true
	if o.Log == nil {
		o.Log = io.Discard
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	p := &peer{t: t, server: New(f, o), in: inW, got: make(chan message, 10_000), done: make(chan error, 1), cancel: cancel}
	go func() {
		err := ServeStdio(ctx, p.server, inR, outW)
		inR.Close()
		outW.Close()
		p.done <- err
	}()
	go p.listen(outR)
	t.Cleanup(func() {
		cancel()
		inW.Close()
		p.server.Close()
		for range p.got { // until the server has closed its end
		}
	})
	return p
}

func (p *peer) listen(out io.Reader) {
	defer close(p.got)
	r := bufio.NewReader(out)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			var m message
			if e := json.Unmarshal(line, &m); e != nil {
				p.t.Errorf("the server wrote what is no message: %q", line)
			}
			if h := headOf(line); len(h.ID) > 0 && exact(h.ID) != nil {
				m["id"] = json.Number(h.ID) // larger than float64 can tell
			}
			p.got <- m
		}
		if err != nil {
			return
		}
	}
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

// next returns the next message of the server.
func (p *peer) next() message {
	p.t.Helper()
	select {
	case m, ok := <-p.got:
		if !ok {
			p.t.Fatal("the server has ended")
		}
		return m
	case <-time.After(patience):
		p.t.Fatal("the server says nothing")
	}
	return nil
}

// until returns the next message that fits, dropping the others.
func (p *peer) until(fits func(message) bool) message {
	p.t.Helper()
	for {
		if m := p.next(); fits(m) {
			return m
		}
	}
}

func (p *peer) answer(id int) message {
	p.t.Helper()
	return p.until(func(m message) bool { return m.response() && m.id() == fmt.Sprint(id) })
}

// handshake is done before the first call: until then mcp-go drops progress.
func (p *peer) handshake() {
	p.t.Helper()
	p.send(hello)
	p.answer(0)
	p.send(ready)
}

// ended waits for the end of the server.
func (p *peer) ended() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(patience):
		p.t.Fatal("the server does not end")
	}
	return nil
}

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// call is a tools/call request; arguments and meta are JSON.
func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func callWithToken(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{"progressToken":"t%d"}}}`, id, tool, arguments, id)
}

// structured is the structured content of a tool's answer.
func structured(t *testing.T, m message) map[string]any {
	t.Helper()
	result, _ := m["result"].(map[string]any)
	content, ok := result["structuredContent"].(map[string]any)
	if !ok {
		t.Fatalf("no structured content in %v", m)
	}
	return content
}

// TestWire replays the conversations in testdata/wire. A file alternates what
// the client writes and what the server must answer until it has answered every
// request, or asks something itself; notifications come first, then answers by
// id. -update writes the server's part.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := startPeer(t, newFake(), Options{ReadOnly: strings.Contains(string(archive.Comment), "read-only server")})
			for i := 0; i < len(archive.Files); i++ { // exchange may add a part
				if archive.Files[i].Name == "client" {
					p.exchange(archive, i)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// exchange plays client part i of a transcript and compares the part after it.
func (p *peer) exchange(a *txtar.Archive, i int) {
	p.t.Helper()
	requests := 0
	for line := range strings.Lines(string(a.Files[i].Data)) {
		p.send(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), `"$ASKED"`, p.asked))
		var m message
		if json.Unmarshal([]byte(line), &m) != nil || m["id"] != nil {
			requests++ // what is not JSON is answered too, and an answer of ours lets one of theirs through
		}
	}
	got := p.transcript(p.collect(requests))
	if *update {
		if i+1 == len(a.Files) || a.Files[i+1].Name != "server" {
			a.Files = slices.Insert(a.Files, i+1, txtar.File{Name: "server"})
		}
		a.Files[i+1].Data = []byte(got)
		return
	}
	if d := cmp.Diff(string(a.Files[i+1].Data), got); d != "" {
		p.t.Errorf("answer to client part %d (-want +got):\n%s", i/2+1, d)
	}
}

// collect reads until so many requests are answered. A question of the server
// stands for the answer that it holds up.
func (p *peer) collect(requests int) []message {
	p.t.Helper()
	var got []message
	for requests > 0 {
		m := p.next()
		got = append(got, m)
		if m["id"] != nil || m["error"] != nil {
			requests--
		}
	}
	slices.SortStableFunc(got, func(a, b message) int { return strings.Compare(a.id(), b.id()) })
	return got
}

// transcript writes messages as they are, but for what differs from run to run
// and what stands in a file of its own.
func (p *peer) transcript(messages []message) string {
	var b strings.Builder
	for _, m := range messages {
		if m["method"] != nil && m["id"] != nil {
			p.asked, m["id"] = m.id(), "$ASKED"
		}
		if params, ok := m["params"].(map[string]any); ok && params["progress"] != nil {
			params["progress"] = "(seconds)"
		}
		if result, ok := m["result"].(map[string]any); ok && result["instructions"] != nil {
			result["instructions"] = "(prompts/instructions.md)"
		}
		text, _ := json.MarshalIndent(m, "", " ") // came from JSON
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String()
}

// TestEndOfInput: calls under way are answered, waits end, the run goes on.
func TestEndOfInput(t *testing.T) {
	f := newFake()
	p := startPeer(t, f, Options{})
	p.handshake()
	p.send(call(1, "bisect_start", `{"good":"v1","bench_cmd":"b"}`))
	p.answer(1)
	p.send(call(2, "bisect_status", `{"run_id":"r1"}`))
	io.WriteString(p.in, call(3, "bisect_stop", `{"run_id":"r2"}`)) // no newline: cut off by the end
	p.in.Close()
	seen := map[string]bool{}
	for m := range p.got {
		seen[m.id()] = true
	}
	if err := p.ended(); err != nil {
		t.Error(err)
	}
	if !seen["3"] {
		t.Error("the last call was not answered")
	}
	if st, err := f.Status(t.Context(), "r1"); err != nil || st.State != "measuring" {
		t.Errorf("the run is %v (%v), want it to go on", st, err)
	}
}

// TestPipedScript: `printf ... | perfbisect serve` gets every answer.
func TestPipedScript(t *testing.T) {
	for range 20 {
		p := startPeer(t, newFake(), Options{})
		go func() {
			io.WriteString(p.in, strings.Join([]string{hello, ready, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, call(2, "bisect_start", `{"bench_cmd":"b"}`), call(3, "bisect_status", `{}`)}, "\n"))
			p.in.Close()
		}()
		answered := 0
		for m := range p.got {
			if m.response() {
				answered++
			}
		}
		if answered != 4 {
			t.Fatalf("%d answers, want 4", answered)
		}
	}
}

// TestCancelledServer: a signal (the context of main) ends a server whose client
// holds the pipe open and whose call waits.
func TestCancelledServer(t *testing.T) {
	p := startPeer(t, newFake(), Options{})
	p.handshake()
	p.send(call(1, "bisect_start", `{"bench_cmd":"b"}`))
	p.answer(1)
	p.send(callWithToken(2, "bisect_status", `{"run_id":"r1"}`))
	p.until(func(m message) bool { return m["method"] == "notifications/progress" })
	p.cancel()
	if err := p.ended(); err != nil {
		t.Error(err)
	}
}

// TestHungHandler: a handler that ignores its context cannot hold up the end.
func TestHungHandler(t *testing.T) {
	f := newFake()
	hung := &hungFake{fake: f, release: make(chan struct{})}
	inR, inW := io.Pipe()
	s := New(hung, Options{Log: io.Discard, stopWithin: 50 * time.Millisecond})
	done := make(chan error, 1)
	go func() { done <- ServeStdio(t.Context(), s, inR, io.Discard) }()
	io.WriteString(inW, hello+"\n"+call(1, "bisect_stop", `{"run_id":"r1"}`)+"\n")
	<-hung.entered()
	inW.Close()
	select {
	case err := <-done:
		if !errors.Is(err, errHung) {
			t.Errorf("error %v, want errHung", err)
		}
	case <-time.After(hardStop + patience):
		t.Error("the server does not end")
	}
	close(hung.release)
	s.Close()
}

// TestEndAnywhere cuts a conversation off at many places: the server ends by
// itself, without an error, wherever the client died.
func TestEndAnywhere(t *testing.T) {
	talk := strings.Join([]string{
		hello, ready, call(1, "bisect_start", `{"bench_cmd":"b","metric":"ask"}`), callWithToken(2, "bisect_answer", `{"run_id":"r1","answer":"lower"}`),
		`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"run://r1/report"}}`, call(4, "metric_preview", `{"command":"x"}`),
	}, "\n") + "\n"
	for cut := 0; cut <= len(talk); cut += 23 {
		p := startPeer(t, newFake(), Options{})
		go func() {
			io.WriteString(p.in, talk[:cut])
			p.in.Close()
		}()
		if err := p.ended(); err != nil {
			t.Fatalf("cut off after %d bytes: %v", cut, err)
		}
	}
}
