package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMessagesOf(t *testing.T) {
	tests := []struct {
		why, line string
		want      []string
	}{
		{"the rule", `{"a":1}` + "\n", []string{`{"a":1}`}},
		{"a client on Windows", "\ufeff" + `{"a":1}` + "\r\n", []string{`{"a":1}`}},
		{"nothing", " \r\n", nil},
		{"no newline between", `{"a":1}{"a":2} {"a":3}`, []string{`{"a":1}`, `{"a":2}`, `{"a":3}`}},
		{"a batch", `[{"a":1}, {"a":2}]`, []string{`{"a":1}`, `{"a":2}`}},
		{"an empty batch is no message", `[]`, []string{`[]`}},
		{"a batch of numbers", `[1,[2]]`, []string{`1`, `[2]`}},
		{"no JSON", "hello {", []string{"hello {"}},
		{"the rest", `{"a":1} hello`, []string{`{"a":1}`, "hello"}},
		{"half a message", `{"a":`, []string{`{"a":`}},
		{"not UTF-8", "\xff\xfe", []string{"\xff\xfe"}},
	}
	for _, tt := range tests {
		var got []string
		for _, m := range messagesOf([]byte(tt.line)) {
			got = append(got, string(m))
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.why, d)
		}
	}
}

func FuzzMessagesOf(f *testing.F) {
	for _, seed := range []string{"", "{}", "[[],{}]", "{}{", "\ufeff1 2", "[1,2]x"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, m := range messagesOf(line) {
			if len(m) == 0 {
				t.Errorf("an empty message in %q", line)
			}
			h := headOf(m)
			if s := shield(m, &h); json.Valid(m) != json.Valid(s) {
				t.Errorf("%q became %q", m, s)
			}
		}
	})
}

// TestIDsComeBack: whatever id a client gives, it reads the same in the answer,
// after mcp-go has had it as any.
func TestIDsComeBack(t *testing.T) {
	s := New(newFake(), Options{})
	defer s.Close()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(
			rapid.Map(rapid.Int64(), func(n int64) string { return fmt.Sprint(n) }),
			rapid.StringMatching(`-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?`),
			rapid.Map(rapid.String(), func(s string) string { text, _ := json.Marshal(s); return string(text) }),
		).Draw(t, "id")
		in := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)
		h := headOf(in)
		var seen struct{ ID any }
		if err := json.Unmarshal(shield(in, &h), &seen); err != nil {
			t.Fatal(err)
		}
		back, _ := json.Marshal(seen.ID)
		out := s.polish(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"text":"\"id\":\"exact number 5\""}}`, back))
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"text":"\"id\":\"exact number 5\""}}`, id); string(out) != want {
			t.Errorf("%s came back in %s", id, out)
		}
	})
}

// TestOddFraming: every request is answered under its own id, however it came.
func TestOddFraming(t *testing.T) {
	ping := func(id string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id) }
	tests := []struct {
		why, line string
		ids       []string
	}{
		{"nanoseconds", ping("1790000000123456789"), []string{"1790000000123456789"}},
		{"an exponent", ping("1e3"), []string{"1e3"}},
		{"text", ping(`"a"`), []string{`"a"`}},
		{"a batch", "[" + ping("11") + "," + ping("12") + "]", []string{"11", "12"}},
		{"two in a row", ping("13") + ping("14"), []string{"13", "14"}},
		{"a byte order mark", "\ufeff" + ping("15"), []string{"15"}},
		{"a carriage return", ping("16") + "\r\n\r\n", []string{"16"}},
		{"an answer to nothing, then its id", `{"jsonrpc":"2.0","id":17,"error":{"code":1,"message":"no"}}` + "\n" + ping("17"), []string{"17"}},
		{"too long, the id first", `{"jsonrpc":"2.0","id":18,"method":"ping","params":{"x":"` + strings.Repeat("y", longestLine) + `"}}`, []string{"18"}},
		{"too long, the id last", `{"method":"ping","params":{"x":"` + strings.Repeat("y", longestLine) + `"},"jsonrpc":"2.0","id":"z"}`, []string{`"z"`}},
	}
	p := startPeer(t, newFake(), Options{})
	p.handshake()
	for _, tt := range tests {
		p.send(tt.line)
		want := map[string]bool{}
		for _, id := range tt.ids {
			want[id] = true
		}
		for range tt.ids {
			m := p.next()
			id, _ := json.Marshal(m["id"])
			if long := strings.HasPrefix(tt.why, "too long"); !want[string(id)] || long != (m["error"] != nil) {
				t.Errorf("%s: got %v, want an answer to each of %v", tt.why, m, tt.ids)
			}
			delete(want, string(id))
		}
	}
}

// TestTooLongSaysTheLimit: a client hears under its own id what to do about a
// message that is too long.
func TestTooLongSaysTheLimit(t *testing.T) {
	tests := []struct{ why, ends, id string }{
		{"first", `{ "id": 5, "method": "x", "params": {"a":"…"}}`, "5"},
		{"after the method", `{"jsonrpc":"2.0","method":"x","id":"a b","params":`, `"a b"`},
		{"last", `{"method":"x","params":{…},"jsonrpc":"2.0","id":7}` + "\n", "7"},
		{"last but one", `{"method":"x","params":{…},"id":7,"jsonrpc":"2.0"}`, "7"},
		{"another object's", `{"method":"x","params":{"a":{},"id":7}}`, "null"},
		{"in a text", `{"method":"x","params":"\"id\":5,"}`, "null"},
		{"none", `xxxx`, "null"},
	}
	for _, tt := range tests {
		if got := string(tooLong([]byte(tt.ends))); !strings.Contains(got, `"id":`+tt.id+`,`) || !strings.Contains(got, "8388608 bytes") {
			t.Errorf("%s: %s", tt.why, got)
		}
	}
}

func TestNoSuchTool(t *testing.T) {
	s := New(newFake(), Options{})
	defer s.Close()
	for name, want := range map[string]string{
		"bisect_strat": "bisect_start", "mcp__perfbisect__bisect_status": "bisect_status", "bisect-mark": "bisect_mark",
		"bisect_wait": "bisect_status", "bisect_result": "bisect_report", "cancel": "bisect_stop", "read_file": "", "": "",
	} {
		got := s.noSuchTool(name)
		if hint := fmt.Sprintf("did you mean %q?", want); strings.Contains(got, "did you mean") != (want != "") || want != "" && !strings.Contains(got, hint) || !strings.Contains(got, "isa_diff") {
			t.Errorf("%q: %s", name, got)
		}
	}
	for _, other := range otherTools {
		if !contains(s.toolNames(), other) {
			t.Errorf("there is no %s", other)
		}
	}
	out := s.polish([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"tool 'a\"b' not found: tool not found"}}` + "\n"))
	var m message
	if err := json.Unmarshal(out, &m); err != nil || !strings.Contains(string(out), `no tool is called \"a\\\"b\"`) {
		t.Errorf("%s, %v", out, err)
	}
}

// TestNumbersOfOneCall: a call whose id and progress token are times in
// nanoseconds hears its progress, and can be cancelled.
func TestNumbersOfOneCall(t *testing.T) {
	const id, token = "1790000000123456789", "1790000000123456790"
	p := startPeer(t, newFake(), Options{})
	p.handshake()
	p.send(call(1, "bisect_start", `{"bench_cmd":"b"}`))
	p.answer(1)
	p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"bisect_status","arguments":{"run_id":"r1"},"_meta":{"progressToken":` + token + `}}}`)
	m := p.until(func(m message) bool { return m["method"] == "notifications/progress" })
	text, _ := json.Marshal(m["params"])
	if !strings.Contains(string(text), `"progressToken":1790000000123456`) || strings.Contains(string(text), numberPrefix) {
		t.Errorf("progress of %s", text) // the test reads numbers as float64 itself
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	if m := p.until(message.response); m.id() != id {
		t.Errorf("the cancelled call ends as %v", m)
	}
	s := New(newFake(), Options{})
	defer s.Close()
	note := []byte(`{"method":"notifications/progress","params":{"progressToken":"exact number ` + token + `","message":"\"progressToken\":\"exact number 5\""}}`)
	if got, want := string(s.polish(note)), `{"method":"notifications/progress","params":{"progressToken":`+token+`,"message":"\"progressToken\":\"exact number 5\""}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
