package tools

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestManyCalls: a thousand calls at once on one pipe are all answered, each
// with its own id.
func TestManyCalls(t *testing.T) {
	p := startPeer(t, newFake(), Options{})
	p.handshake()
	p.send(call(1, "bisect_start", `{"bench_cmd":"b"}`))
	p.answer(1)
	const n = 1000
	go func() {
		for i := range n {
			io.WriteString(p.in, call(1000+i, "bisect_status", `{"run_id":"r1","wait_s":0}`)+"\n")
		}
	}()
	seen := map[string]bool{}
	for len(seen) < n {
		m := p.next()
		if m.response() {
			if seen[m.id()] {
				t.Fatalf("request %s is answered twice", m.id())
			}
			if structured(t, m)["run_id"] != "r1" {
				t.Fatalf("request %s got %v", m.id(), m)
			}
			seen[m.id()] = true
		}
	}
}

// TestWaitsDoNotBlockOthers: as many waits as there are workers but one, and
// the rest of the protocol still answers at once.
func TestWaitsDoNotBlockOthers(t *testing.T) {
	f := newFake()
	p := startPeer(t, f, Options{})
	p.handshake()
	p.send(call(1, "bisect_start", `{"bench_cmd":"b"}`))
	p.answer(1)
	for i := range workers - 1 {
		p.send(callWithToken(100+i, "bisect_status", `{"run_id":"r1"}`))
	}
	waiting := map[any]bool{}
	for len(waiting) < workers-1 {
		m := p.until(func(m message) bool { return m["method"] == "notifications/progress" })
		waiting[m["params"].(map[string]any)["progressToken"]] = true
	}
	p.send(call(2, "bisect_status", `{}`), `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	p.until(func(m message) bool { return m.id() == "2" || m.id() == "3" })
	p.until(func(m message) bool { return m.id() == "2" || m.id() == "3" })
	for range fakeSteps {
		f.advance("r1")
	}
	for range workers - 1 {
		m := p.until(func(m message) bool { return m.response() })
		if got := structured(t, m)["state"]; got != "completed" {
			t.Errorf("a wait ended with %v, want completed", got)
		}
	}
}

// TestBadInput: nothing a client writes ends the server or blocks it.
func TestBadInput(t *testing.T) {
	tests := []struct {
		why, line string
		answered  bool
	}{
		{"no JSON", "hello", true},
		{"half a message", `{"jsonrpc":"2.0","id":5,`, true},
		{"a batch, which the protocol dropped", `[{"jsonrpc":"2.0","id":5,"method":"ping"}]`, true},
		{"a number", "7", true},
		{"null", "null", true},
		{"an empty line", "", false},
		{"bytes that are no UTF-8", "\xff\xfe\x00", true},
		{"no method", `{"jsonrpc":"2.0","id":5}`, true},
		{"the wrong version", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, true},
		{"params of the wrong type", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[1]}`, true},
		{"arguments of the wrong type", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"bisect_status","arguments":"x"}}`, true},
		{"a number as name", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":7}}`, true},
		{"deep nesting", `{"jsonrpc":"2.0","id":5,"method":"ping","params":` + strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000) + "}", true},
		{"an answer nobody waits for", `{"jsonrpc":"2.0","id":99,"result":{}}`, false},
		{"a cancellation of nothing", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, false},
		{"30 MB in one line", `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"` + strings.Repeat("a", 30<<20) + `"}}`, true},
	}
	p := startPeer(t, newFake(), Options{})
	p.handshake()
	for i, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			p.t = t
			probe := 1000 + i
			p.send(tt.line, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, probe))
			answers := 0
			for done := false; !done; {
				m := p.next()
				if done = m.id() == fmt.Sprint(probe); !done {
					answers++
				}
			}
			if tt.answered && answers == 0 {
				p.next() // requests are answered in any order
			}
		})
	}
	p.t = t
}

// TestLongLinesAreNotKept: a client that never ends its line costs no more than
// the limit.
func TestLongLinesAreNotKept(t *testing.T) {
	p := startPeer(t, newFake(), Options{})
	p.handshake()
	chunk := strings.Repeat("x", 1<<20)
	for range 200 {
		io.WriteString(p.in, chunk)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 100<<20 {
		t.Errorf("%d MB of heap after 200 MB of one line", m.HeapAlloc>>20)
	}
	p.send("", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.answer(1)
}

// TestCancelledWait: cancelling a wait ends the call and not the run.
func TestCancelledWait(t *testing.T) {
	f := newFake()
	p := startPeer(t, f, Options{})
	p.handshake()
	p.send(call(1, "bisect_start", `{"bench_cmd":"b"}`))
	p.answer(1)
	p.send(callWithToken(2, "bisect_status", `{"run_id":"r1"}`))
	p.until(func(m message) bool { return m["method"] == "notifications/progress" })
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	p.answer(2)
	for range fakeSteps {
		f.advance("r1")
	}
	p.send(call(3, "bisect_status", `{"run_id":"r1"}`))
	if got := structured(t, p.answer(3))["state"]; got != "completed" {
		t.Errorf("the run is %v, want completed", got)
	}
}

// TestImpatientClient: a client that gives every call up after a moment, as
// Codex does at its limit, still sees the hunt through.
func TestImpatientClient(t *testing.T) {
	f := newFake()
	p := startPeer(t, f, Options{})
	p.handshake()
	p.send(call(1, "bisect_start", `{"bench_cmd":"b"}`))
	p.answer(1)
	for i := 2; i < 50; i++ {
		p.send(callWithToken(i, "bisect_status", `{"run_id":"r1"}`))
		p.until(func(m message) bool { // a late word of the call before does not count
			params, _ := m["params"].(map[string]any)
			return m["method"] == "notifications/progress" && params["progressToken"] == fmt.Sprintf("t%d", i)
		})
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		result := p.answer(i)["result"].(map[string]any)
		if result["isError"] == nil { // answered before it was cancelled: the run has ended
			if got := structured(t, message{"result": result})["state"]; got != "completed" || i < fakeSteps {
				t.Errorf("call %d ended with %v", i, got)
			}
			return
		}
		f.advance("r1")
	}
	t.Error("the hunt never ended")
}

// TestTimeoutIsNormal: a wait that ran out says so as a state, not an error,
// and names what waits without polling.
func TestTimeoutIsNormal(t *testing.T) {
	p := startPeer(t, newFake(), Options{MaxWait: 20 * time.Millisecond})
	p.handshake()
	p.send(call(1, "bisect_start", `{"bench_cmd":"b"}`))
	p.answer(1)
	p.send(call(2, "bisect_status", `{"run_id":"r1","wait_s":50}`))
	m := p.answer(2)
	got := structured(t, m)
	if m["result"].(map[string]any)["isError"] != nil || got["state"] != "measuring" || !strings.Contains(got["next"].(string), "perfbisect wait r1") {
		t.Errorf("a wait that ran out answers %v", got)
	}
}

func TestMaxWaitFromEnv(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": defaultMaxWait, "10": 10 * time.Second, "0.5": 500 * time.Millisecond, "1500": longestMaxWait,
		"-1": defaultMaxWait, "0": defaultMaxWait, "NaN": defaultMaxWait, "1e9": defaultMaxWait, "soon": defaultMaxWait,
	} {
		t.Setenv("PERFBISECT_MAX_WAIT_S", value)
		if got := MaxWaitFromEnv(); got != want {
			t.Errorf("PERFBISECT_MAX_WAIT_S=%q gives %v, want %v", value, got, want)
		}
	}
}

// TestSubscription: a subscriber hears of every change of its run, not of
// others, and nothing after it has gone.
func TestSubscription(t *testing.T) {
	f := newFake()
	p := startPeer(t, f, Options{})
	p.handshake()
	p.send(call(1, "bisect_start", `{"bench_cmd":"a"}`))
	p.answer(1) // calls that run at once begin in any order
	p.send(call(2, "bisect_start", `{"bench_cmd":"b"}`))
	p.answer(2)
	p.send(`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"run://r1/report"}}`)
	p.answer(3)
	updated := func(m message) bool { return m["method"] == "notifications/resources/updated" }
	f.advance("r2")
	for range 3 {
		f.advance("r1")
		m := p.until(updated)
		if uri := m["params"].(map[string]any)["uri"]; uri != "run://r1/report" {
			t.Errorf("told of %v", uri)
		}
	}
	p.send(`{"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"run://r1/report"}}`)
	p.answer(4)
	f.advance("r1")
	p.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	if m := p.next(); updated(m) {
		t.Error("told after unsubscribing")
	}
}

// TestModernSubscription: protocol 2026-07-28 subscribes by a stream whose id
// every notification carries.
func TestModernSubscription(t *testing.T) {
	f := newFake()
	p := startPeer(t, f, Options{})
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bisect_start","arguments":{"bench_cmd":"b"},%s}}`, meta))
	p.answer(1)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["run://r1/report"]},%s}}`, meta))
	p.until(func(m message) bool { return m["method"] == "notifications/subscriptions/acknowledged" })
	f.advance("r1")
	m := p.until(func(m message) bool { return m["method"] == "notifications/resources/updated" })
	params := m["params"].(map[string]any)
	if id := params["_meta"].(map[string]any)["io.modelcontextprotocol/subscriptionId"]; id != "listen" {
		t.Errorf("the update carries subscription %v", id)
	}
}

// TestNobodyReads: a client that never reads, and then ends, does not keep the
// server, whatever it wrote before.
func TestNobodyReads(t *testing.T) {
	for why, last := range map[string]string{
		"requests":           `{"jsonrpc":"2.0","id":5,"method":"ping"}`,
		"a message too long": `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"` + strings.Repeat("y", longestLine) + `"}}`,
		"no JSON":            "hello",
	} {
		t.Run(why, func(t *testing.T) {
			s := New(newFake(), Options{Log: io.Discard, stopWithin: time.Second})
			defer s.Close()
			outR, outW := io.Pipe()
			defer outR.Close()
			in := strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n", 5) + last + "\n")
			done := make(chan error, 1)
			go func() { done <- ServeStdio(t.Context(), s, in, outW) }()
			select {
			case err := <-done:
				if !errors.Is(err, errHung) {
					t.Errorf("ended with %v, want it to say that something hung", err)
				}
			case <-time.After(patience):
				t.Error("the server hangs")
			}
		})
	}
}
