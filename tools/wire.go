package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// messagesOf splits what a client wrote on one line, or in one body, into its
// messages. One is the rule. None is what some write to keep a pipe alive, a
// batch is legal in protocol 2025-03-26, and several in a row come from clients
// that write without a newline. The rest of what is not JSON is a message too,
// so that somebody answers it.
//
// Note: the messages of a batch are answered one by one. Clients match answers
// by their id.
func messagesOf(line []byte) [][]byte {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	var list [][]byte
	for len(line) > 0 {
		d := json.NewDecoder(bytes.NewReader(line))
		var one json.RawMessage
		if err := d.Decode(&one); err != nil {
			return append(list, line)
		}
		line = bytes.TrimSpace(line[d.InputOffset():])
		var batch []json.RawMessage
		if one[0] != '[' || json.Unmarshal(one, &batch) != nil || len(batch) == 0 {
			list = append(list, one)
			continue
		}
		for _, m := range batch {
			list = append(list, m)
		}
	}
	return list
}

// head is what tells a request from a response and a notification.
type head struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"` // of notifications/cancelled
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// headOf reads the head of a message; what is not there, or of another type than
// it should be, stays empty.
func headOf(m []byte) head {
	var h head
	_ = json.Unmarshal(m, &h) // whoever the message is for says what is wrong with it
	return h
}

func (h *head) hasID() bool   { return len(h.ID) > 0 && string(h.ID) != "null" }
func (h *head) request() bool { return h.Method != "" && h.hasID() }
func (h *head) response() bool {
	return h.Method == "" && h.hasID() && (h.Result != nil || h.Error != nil)
}

// numberPrefix begins an id that stands for a number.
const numberPrefix = "exact number "

// shield replaces the id of a message, the one that a cancellation names and a
// progress token by a string where it is a number that would come back otherwise:
// mcp-go keeps them as float64, so 9007199254740993, a time in nanoseconds for
// example, is answered as 9007199254740992, and its client waits for ever.
func shield(m []byte, h *head) []byte {
	m = replaced(m, exact(h.ID), "id")
	if h.Method == "notifications/cancelled" {
		m = replaced(m, exact(h.Params.RequestID), "params", "requestId")
	}
	return replaced(m, exact(h.Params.Meta.ProgressToken), "params", "_meta", "progressToken")
}

// replaced is the object m with another value at path; nil: as it is.
func replaced(m, value json.RawMessage, path ...string) json.RawMessage {
	var all map[string]json.RawMessage
	if value == nil || json.Unmarshal(m, &all) != nil || all == nil {
		return m
	}
	inner, found := all[path[0]]
	if !found {
		return m
	}
	if len(path) > 1 {
		value = replaced(inner, value, path[1:]...)
	}
	all[path[0]] = value
	out, err := json.Marshal(all)
	if err != nil {
		return m
	}
	return out
}

// softened makes a cancelled question of a client's error to what the server
// asked, which is a question or a ping. Of an error mcp-go would make a failure
// of the call that asked, with no word of the run; and one that comes when the
// call has ended it would answer with an error of its own, under the same id,
// which the client takes for the end of a request of its own.
func softened(m []byte, h *head) []byte {
	if !h.response() || h.Error == nil || string(h.Error) == "null" {
		return m
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"action":"cancel"}}`, h.ID)
}

// exact is the string that stands for a number; nil when the number stays what
// it is, and for what is no number.
func exact(id json.RawMessage) json.RawMessage {
	if len(id) == 0 || !strings.ContainsRune("-0123456789", rune(id[0])) {
		return nil
	}
	x, err := strconv.ParseFloat(string(id), 64)
	if err == nil {
		if back, err := json.Marshal(x); err == nil && bytes.Equal(back, id) {
			return nil
		}
	}
	return json.RawMessage(strconv.Quote(numberPrefix + string(id)))
}

var (
	shielded = regexp.MustCompile(`"(id|progressToken|` + regexp.QuoteMeta(mcp.MetaKeySubscriptionID) + `)":"` + numberPrefix + `(-?[0-9][-+.0-9eE]*)"`)
	noTool   = regexp.MustCompile(`"message":"tool '((?:[^"\\]|\\.)*)' not found: tool not found"`)
)

// polish makes of what mcp-go writes what the client is to read: ids as the
// client gave them, and an unknown tool with the names of those that exist. A
// quote inside a text has a backslash, so neither is ever found in one.
func (s *Server) polish(out []byte) []byte {
	if bytes.Contains(out, []byte(`":"`+numberPrefix)) {
		out = shielded.ReplaceAll(out, []byte(`"$1":$2`))
	}
	if bytes.Contains(out, []byte(`' not found: tool not found"`)) {
		out = noTool.ReplaceAllFunc(out, func(m []byte) []byte {
			var name string
			if json.Unmarshal([]byte(`"`+string(noTool.FindSubmatch(m)[1])+`"`), &name) != nil {
				return m
			}
			text, _ := json.Marshal(s.noSuchTool(name)) // a string cannot fail
			return append([]byte(`"message":`), text...)
		})
	}
	return out
}

// noSuchTool says what a wrong name of a tool should have been.
func (s *Server) noSuchTool(name string) string {
	names := s.toolNames()
	if s.opt.ReadOnly {
		return fmt.Sprintf("no tool is called %q here: the server was started with --read-only; the tools are: %s", name[:min(len(name), 64)], strings.Join(names, ", "))
	}
	return fmt.Sprintf("no tool is called %q%s; the tools are: %s", name[:min(len(name), 64)], toolMeant(name, names), strings.Join(names, ", "))
}

// otherTools are tools by the last word of a name that they have not.
var otherTools = map[string]string{
	"wait": "bisect_status", "poll": "bisect_status", "list": "bisect_status", "progress": "bisect_status", "run": "bisect_start", "resume": "bisect_start",
	"result": "bisect_report", "cancel": "bisect_stop", "pause": "bisect_stop", "finish": "bisect_stop", "abort": "bisect_stop", "next": "bisect_step",
	"good": "bisect_mark", "bad": "bisect_mark", "skip": "bisect_mark", "undo": "bisect_mark", "compare": "baseline_measure", "metric": "metric_preview",
}

// toolMeant is which tool somebody meant who got no more than two letters wrong,
// wrote a client's prefix before the name, or used another word.
func toolMeant(name string, names []string) string {
	plain := strings.ReplaceAll(name, "-", "_")
	for _, n := range names {
		if strings.HasSuffix(plain, n) || distance(plain, n) <= 2 {
			return didYouMean(n)
		}
	}
	if other, ok := otherTools[plain[strings.LastIndexByte(plain, '_')+1:]]; ok {
		return didYouMean(other)
	}
	return ""
}

func (s *Server) toolNames() []string {
	var list []string
	for _, t := range s.all() {
		list = append(list, t.Tool.Name)
	}
	return slices.Sorted(slices.Values(list))
}
