package tools

import (
	"fmt"
	"strings"
	"testing"
)

// TestQuestionsThatFail: whatever a client makes of a question, the call that
// asked says which run waits and how to answer it.
func TestQuestionsThatFail(t *testing.T) {
	tests := []struct{ why, reply string }{
		{"declined", `"result":{"action":"decline"}`},
		{"cancelled", `"result":{"action":"cancel"}`},
		{"an action that does not exist", `"result":{"action":"maybe"}`},
		{"nothing", `"result":{}`},
		{"an empty form", `"result":{"action":"accept","content":{}}`},
		{"no form", `"result":{"action":"accept"}`},
		{"a form of another kind", `"result":{"action":"accept","content":["lower"]}`},
		{"a capability that is not there", `"error":{"code":-32601,"message":"Method not found"}`},
		{"a user interface that is not there", `"error":{"code":-32603,"message":"no window"}`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			p := startPeer(t, newFake(), Options{})
			p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`)
			p.answer(0)
			p.send(call(1, "bisect_start", `{"metric":"ask"}`))
			asked := p.until(func(m message) bool { return m["method"] == "elicitation/create" })
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, asked.id(), tt.reply))
			r := structured(t, p.answer(1))
			if next, _ := r["next"].(string); r["run_id"] != "r1" || r["state"] != "needs_input" || !strings.Contains(next, "bisect_answer") {
				t.Errorf("the call ends with %v", r)
			}
			if p.server.svc.(*fake).answers != nil {
				t.Error("the run was answered")
			}
		})
	}
}

// TestLateError: a client that cancels a call and then refuses its question hears
// of neither under an id that may be its own by then.
func TestLateError(t *testing.T) {
	p := startPeer(t, newFake(), Options{})
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`)
	p.answer(0)
	p.send(call(5, "bisect_start", `{"metric":"ask"}`))
	id := p.until(func(m message) bool { return m["method"] == "elicitation/create" }).id()
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	p.answer(5)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, id), `{"jsonrpc":"2.0","id":77,"method":"ping"}`)
	if m := p.next(); m.id() != "77" {
		t.Errorf("the refusal is answered: %v", m)
	}
}
