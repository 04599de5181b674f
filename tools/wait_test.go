package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"perfbisect/engine"
	"perfbisect/internal/app"
)

// slowFake knows the range of a run only after a while, and counts waits.
type slowFake struct {
	*fake
	after time.Duration
	begun time.Time
	waits atomic.Int32
}

func (f *slowFake) Wait(ctx context.Context, id string, most time.Duration, hear app.WaitFunc) (*app.Status, error) {
	f.waits.Add(1)
	end := time.Now().Add(most)
	for {
		st, err := f.fake.Status(ctx, id)
		if err != nil {
			return nil, err
		}
		if time.Since(f.begun) < f.after {
			st.Range = app.Range{}
		}
		hear(st)
		if st.State != engine.Measuring || !time.Now().Before(end) {
			return st, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// TestStartAnswersInTime: bisect_start says the range when it is known soon, and
// does not wait for it when it is not.
func TestStartAnswersInTime(t *testing.T) {
	for name, tt := range map[string]struct {
		after   time.Duration
		commits int
	}{"soon": {300 * time.Millisecond, 128}, "late": {time.Minute, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &slowFake{fake: newFake(), after: tt.after, begun: time.Now()}
				s := New(f, Options{Log: io.Discard})
				defer s.Close()
				st, err := f.Start(t.Context(), app.DefaultSpec())
				if err != nil {
					t.Fatal(err)
				}
				st.Range = app.Range{}
				got := s.settle(t.Context(), st)
				if took := time.Since(f.begun); took > 2*time.Second {
					t.Errorf("took %v, want at most 2 s", took)
				}
				if got.Range.Commits != tt.commits {
					t.Errorf("%d commits, want %d", got.Range.Commits, tt.commits)
				}
			})
		})
	}
}

// TestStartTwice: the same arguments are the same run.
func TestStartTwice(t *testing.T) {
	p := startPeer(t, newFake(), Options{})
	p.handshake()
	p.send(call(1, "bisect_start", `{"bench_cmd":"b"}`))
	first := structured(t, p.answer(1))["run_id"]
	p.send(call(2, "bisect_start", `{"bench_cmd":"b","bad":"","num_runs":"3"}`)) // the defaults, said
	if second := structured(t, p.answer(2))["run_id"]; first != second {
		t.Errorf("two runs: %v, %v", first, second)
	}
	p.send(call(3, "bisect_start", `{"bench_cmd":"c"}`))
	if third := structured(t, p.answer(3))["run_id"]; first == third {
		t.Error("another benchmark is the same run")
	}
}

// TestWatchingAWaitingRun: a run that waits for its user is not asked about in
// a tight loop.
func TestWatchingAWaitingRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &slowFake{fake: newFake(), begun: time.Now()}
		s := New(f, Options{Log: io.Discard})
		spec := app.DefaultSpec()
		spec.Metric = "ask"
		st, err := f.Start(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		s.subscribe(t.Context(), subscriber{session: quietSession{}, uri: "run://" + st.RunID + "/report"})
		time.Sleep(time.Minute)
		s.Close()
		if n := f.waits.Load(); n < 2 || n > 40 {
			t.Errorf("asked %d times in a minute", n)
		}
	})
}

// TestModernHTTPSubscription: over HTTP the updates come on the stream of the
// subscription, with its id.
func TestModernHTTPSubscription(t *testing.T) {
	w := startSite(t, HTTPOptions{Transport: "http"})
	if _, err := w.fake.Start(t.Context(), app.DefaultSpec()); err != nil {
		t.Fatal(err)
	}
	listen := `{"jsonrpc":"2.0","id":"s1","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["run://r1/report"]},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	resp := w.do("POST", w.url, listen, func(r *http.Request) {
		r.Header.Set("MCP-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "subscriptions/listen")
	})
	stream := bufio.NewReader(resp.Body)
	for _, method := range []string{"notifications/subscriptions/acknowledged", "notifications/resources/updated"} {
		line, err := stream.ReadString('\n')
		for ; err == nil && !strings.Contains(line, method); line, err = stream.ReadString('\n') {
		}
		var m message
		if err != nil || json.Unmarshal([]byte(strings.TrimPrefix(strings.TrimSpace(line), "data:")), &m) != nil {
			t.Fatalf("no %s on the stream: %v %q", method, err, line)
		}
		if id := m["params"].(map[string]any)["_meta"].(map[string]any)["io.modelcontextprotocol/subscriptionId"]; id != "s1" {
			t.Errorf("%s carries subscription %v", method, id)
		}
		w.fake.advance("r1")
	}
}
