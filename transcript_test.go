package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/TRANSCRIPT.md with what the test sees")

// conversation writes down what a client and the program say to each other.
type conversation struct {
	t    *testing.T
	in   io.Writer
	out  *bufio.Reader
	id   int
	text bytes.Buffer
	gate string // the benchmark waits until a client has heard of progress
}

const transcriptHead = `# A hunt, word for word

What a client and ` + "`perfbisect serve`" + ` say to each other on stdio, protocol 2026-07-28, while a hunt goes from the question
to the report. The user had not said which commit was fast, so the server asks through the client (elicitation). Cut
out: ` + "`_meta`" + `, the text that repeats ` + "`structuredContent`" + `, fields and sections that say nothing new here, and answers that only
say "still running". A test has this conversation again and compares it, numbers and hashes aside.

`

// TestTranscript has the conversation of docs/TRANSCRIPT.md with the program.
func TestTranscript(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a hunt: left out with -short")
	}
	const file = "docs/TRANSCRIPT.md"
	got := hunt(t)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(masked(string(want)), masked(got)); d != "" {
		t.Errorf("%s (-want +got), rewrite with -update:\n%s", file, d)
	}
}

// varies is what depends on the machine's load and on the noise. Its order
// matters: a hash is not to be taken for a number.
var varies = []struct{ what, with string }{
	{`The last fast and the first slow commit differ by .*? lies between them\.`, `WHY`},
	{`"message": ".*",(\s*"progress":)`, `"message": "PROGRESS",$1`},
	{`"state": "(created|preparing|measuring|running)",(\s*)"summary": ".*"`, `"state": "RUNNING",$2"summary": "RUNNING"`},
	{`[-+]?\b\d+\.\d+\b`, `N`},
	{`\b[0-9a-f]{7,40}\b|\b\d{4}-[0-9a-f]{4}\b`, `HASH`},
	{`\b(\d+m)?\d+(\.\d+)?s\b`, `TIME`},
	{`\b(run|pair|build)s?\b`, `$1`},
	{`[-+]?\d+(\.\d+)?(e-?\d+)?`, `N`},
	{`(?m)^ *"cv": N,\n`, ``}, // not there after one run
	{`\(N run.*?\)`, `(N run)`},
}

// warnings are about the machine.
var warnings = regexp.MustCompile(`(?s)\nWarnings:\n.*?\n\n`)

// shown are the fields that stay in the document.
var shown = map[string][]string{
	"structuredContent": {"summary", "run_id", "state", "result", "next", "report_path"},
	"result":            {"outcome", "culprit", "last_good", "probability", "change_pct", "good", "bad", "unit", "better", "metric", "runs", "builds", "reason"},
}

// masked is a text without what differs from hunt to hunt.
func masked(text string) string {
	for _, v := range varies {
		text = regexp.MustCompile(v.what).ReplaceAllString(text, v.with)
	}
	return text
}

// hunt starts the program in a repository of twenty commits and hunts in it.
func hunt(t *testing.T) string {
	t.Helper()
	b := sandbox(t)
	gate := filepath.Join(t.TempDir(), "gate")
	cmd := exec.CommandContext(t.Context(), "perfbisect", "serve")
	cmd.Path = filepath.Join(programs(t), "perfbisect")
	cmd.Dir, cmd.Env = b.dir, append(b.env, "FAKEBENCH_NOISE=0.005", "FAKEBENCH_GATE="+gate)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &conversation{t: t, in: in, out: bufio.NewReader(out), gate: gate}
	c.talk()
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	home := filepath.Dir(b.dir)
	return transcriptHead + strings.NewReplacer(home+"/state", "/home/ada/.local/state", home, "/home/ada").Replace(c.text.String())
}

func (c *conversation) talk() {
	c.say("The client asks who is there.")
	c.write(c.request("server/discover", nil, ""))
	start := map[string]any{"name": "bisect_start", "arguments": map[string]any{"bench_cmd": "./bench.sh"}}
	c.say("The agent starts a hunt. The good commit is missing, and the answer is not a result but a question to the user.")
	r := c.write(c.request("tools/call", start, ""))
	state, _ := r["requestState"].(string)
	if r["resultType"] != "input_required" || state == "" {
		c.t.Fatalf("no question: %v", r)
	}
	c.say("The client shows the form, the user types a tag, and the call is made again with the answer.")
	start["requestState"] = state
	start["inputResponses"] = map[string]any{"question": map[string]any{"action": "accept", "content": map[string]any{"answer": "v1.0"}}}
	r = c.write(c.request("tools/call", start, ""))
	run := c.structured(r)
	id := run["run_id"]
	c.say("The agent waits. A call ends at the next change or after 45 seconds, whichever is first, and is made again.")
	status := map[string]any{"name": "bisect_status", "arguments": map[string]any{"run_id": id}}
	for line := c.note(c.request("tools/call", status, "hunt")); ; line = c.request("tools/call", status, "hunt") {
		progress, answer := c.send(line)
		if run = c.structured(answer); run["state"] != "completed" {
			continue
		}
		if len(progress) > 0 {
			c.note(progress[0])
			c.say("… more of these, and in the end:")
		}
		c.note(answer)
		break
	}
	c.say("What was measured, for people:")
	_, answer := c.send(c.note(c.request("tools/call", map[string]any{"name": "bisect_report", "arguments": map[string]any{"run_id": id}}, "")))
	report, _, _ := strings.Cut(fmt.Sprint(c.structured(answer)["report"]), "\nWhat is known")
	fmt.Fprintf(&c.text, "```text\n%s\n…\n```\n", strings.TrimSpace(warnings.ReplaceAllString(report, "")))
}

func (c *conversation) say(text string) { fmt.Fprintf(&c.text, "%s\n\n", text) }

// request is the next message of the client. What every message of this
// protocol carries in _meta is added when it is sent.
func (c *conversation) request(method string, params map[string]any, token string) map[string]any {
	c.id++
	m := map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method}
	all := map[string]any{}
	for k, v := range params {
		all[k] = v
	}
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{"form": map[string]any{}}},
	}
	if token != "" {
		meta["progressToken"] = token
	}
	all["_meta"] = meta
	m["params"] = all
	return m
}

// write sends a message and writes both sides down.
func (c *conversation) write(m map[string]any) map[string]any {
	_, answer := c.send(c.note(m))
	c.note(answer)
	result, _ := answer["result"].(map[string]any)
	return result
}

// send returns the notifications that came before the answer, and the answer.
func (c *conversation) send(m map[string]any) (before []map[string]any, answer map[string]any) {
	c.t.Helper()
	line, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		c.t.Fatal(err)
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(line, &got); err != nil {
			c.t.Fatalf("%q: %v", line, err)
		}
		if got["id"] == float64(m["id"].(int)) {
			return before, got
		}
		before = append(before, got)
		if got["method"] == "notifications/progress" {
			if err := os.WriteFile(c.gate, nil, 0o600); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}

// structured is what the model sees of a result.
func (c *conversation) structured(answer map[string]any) map[string]any {
	c.t.Helper()
	if result, ok := answer["result"].(map[string]any); ok {
		answer = result
	}
	s, ok := answer["structuredContent"].(map[string]any)
	if !ok || answer["isError"] == true {
		c.t.Fatalf("no result: %v", answer)
	}
	return s
}

// note writes a message down without what says nothing here.
func (c *conversation) note(m map[string]any) map[string]any {
	c.t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	var short map[string]any
	if err := json.Unmarshal(data, &short); err != nil {
		c.t.Fatal(err)
	}
	for _, part := range []string{"params", "result"} {
		if body, ok := short[part].(map[string]any); ok {
			for _, key := range []string{"_meta", "content", "ttlMs", "cacheScope", "instructions"} {
				delete(body, key)
			}
			if content, ok := body["structuredContent"].(map[string]any); ok {
				cut(content, shown["structuredContent"])
				if result, ok := content["result"].(map[string]any); ok {
					cut(result, shown["result"])
				}
			}
			if len(body) == 0 {
				delete(short, part)
			}
		}
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(short); err != nil {
		c.t.Fatal(err)
	}
	who := "server"
	if m["method"] != nil && m["id"] != nil {
		who = "client"
	}
	fmt.Fprintf(&c.text, "%s:\n\n```json\n%s```\n\n", who, text.String())
	return m
}

// cut leaves only the named keys.
func cut(m map[string]any, keys []string) {
	maps.DeleteFunc(m, func(k string, _ any) bool { return !slices.Contains(keys, k) })
}
