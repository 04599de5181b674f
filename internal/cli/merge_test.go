package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"perfbisect/tools"
)

func snippetFor(t testing.TB, client, program string) string {
	t.Helper()
	snippet, _, err := tools.ClientSnippet(client, program)
	if err != nil {
		t.Fatal(err)
	}
	return snippet
}

func TestMergeJSON(t *testing.T) {
	snippet := snippetFor(t, "cursor", "/new/perfbisect")
	tests := []struct{ why, text, want string }{
		{"an empty file", " \n", snippet},
		{"an empty object", "{}\n", snippet},
		{
			"other settings stay, in their order and spacing", `{"theme":"dark",  "a": [1,2]}`,
			"{\n  \"mcpServers\": {\n    \"perfbisect\": {\n      \"args\": [\n        \"serve\"\n      ],\n      \"command\": \"/new/perfbisect\"\n    }\n  },\"theme\":\"dark\",  \"a\": [1,2]}",
		},
		{
			"other servers stay", "{\n  \"mcpServers\": {\n    \"x\": {\"url\": \"u\"}\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"perfbisect\": {\n      \"args\": [\n        \"serve\"\n      ],\n      \"command\": \"/new/perfbisect\"\n    },\n    \"x\": {\"url\": \"u\"}\n  }\n}\n",
		},
		{
			"of our own entry only the path is renewed", `{"mcpServers":{"perfbisect":{"command":"/old","args":["serve","--read-only"],"env":{"K":"v"}}}}`,
			`{"mcpServers":{"perfbisect":{"command":"/new/perfbisect","args":["serve","--read-only"],"env":{"K":"v"}}}}`,
		},
		{"nothing to do", snippet, snippet},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, err := mergeJSON(tt.text, snippet)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestMergeRefuses(t *testing.T) {
	tests := []struct{ why, client, text string }{
		{"comments", "vscode", "{\n // mine\n \"servers\": {}\n}"},
		{"no object", "cursor", "[]"},
		{"null", "cursor", "null"},
		{"cut off", "cursor", `{"mcpServers": {`},
		{"servers of another kind", "cursor", `{"mcpServers": ["x"]}`},
		{"an entry of another kind", "cursor", `{"mcpServers": {"perfbisect": "off"}}`},
		{"a key twice, of which readers differ on which one counts", "cursor", `{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}`},
		{"a table in another form", "codex", "[mcp_servers.\"perfbisect\"]\ncommand = \"x\"\n"},
		{"a key of the servers' table", "codex", "[mcp_servers]\nperfbisect = { command = \"x\" }\n"},
		{"servers in one line", "codex", "mcp_servers = { x = { command = \"x\" } }\n"},
		{"our table twice", "codex", strings.Repeat("[mcp_servers.perfbisect]\ncommand = \"x\"\n", 2)},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			merge := mergeJSON
			if tt.client == "codex" {
				merge = mergeTOML
			}
			if got, err := merge(tt.text, snippetFor(t, tt.client, "p")); err == nil {
				t.Errorf("made %q", got)
			}
		})
	}
}

func TestMergeTOML(t *testing.T) {
	snippet := snippetFor(t, "codex", "/new/perfbisect")
	old := snippetFor(t, "codex", "/old/$1")
	tests := []struct{ why, text, want string }{
		{"no file", "", snippet},
		{"other settings stay", "model = \"m\"\n[projects.\"/src/perfbisect\"]\ntrust_level = \"trusted\"", "model = \"m\"\n[projects.\"/src/perfbisect\"]\ntrust_level = \"trusted\"\n\n" + snippet},
		{"of our own table only the path is renewed", "a = 1\n" + strings.ReplaceAll(old, "300", "3600") + "enabled = true\n[b]\n", "a = 1\n" + strings.ReplaceAll(snippet, "300", "3600") + "enabled = true\n[b]\n"},
		{"nothing to do", snippet, snippet},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, err := mergeTOML(tt.text, snippet)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestMergeKeepsEverything: whatever the file holds, merging keeps it, and
// doing it again changes nothing.
func TestMergeKeepsEverything(t *testing.T) {
	snippet := snippetFor(t, "gemini", `/p "q"/perfbisect`)
	value := rapid.Custom(func(t *rapid.T) any {
		return rapid.OneOf(rapid.String().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny(), rapid.SliceOf(rapid.String()).AsAny()).Draw(t, "value")
	})
	object := rapid.MapOf(rapid.String(), value)
	rapid.Check(t, func(t *rapid.T) {
		file := map[string]any{}
		for k, v := range object.Draw(t, "settings") {
			file[k] = v
		}
		if rapid.Bool().Draw(t, "has servers") {
			file["mcpServers"] = object.Draw(t, "servers")
		}
		text, err := json.MarshalIndent(file, "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		once, err := mergeJSON(string(text), snippet)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := mergeJSON(once, snippet); err != nil || twice != once {
			t.Fatalf("again: %v\n%s\n%s", err, once, twice)
		}
		var before, after map[string]any
		if json.Unmarshal(text, &before) != nil || json.Unmarshal([]byte(once), &after) != nil {
			t.Fatal("not JSON")
		}
		servers := after["mcpServers"].(map[string]any)
		delete(servers, "perfbisect")
		if before["mcpServers"] == nil && len(servers) == 0 {
			delete(after, "mcpServers")
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatal(cmp.Diff(before, after))
		}
	})
}

// FuzzMerge: any text is refused, or kept byte for byte around what is added.
func FuzzMerge(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"mcpServers":{"x":{}}}`, `{"mcpServers":{"perfbisect":{"command":"a"}}}`,
		"[mcp_servers.perfbisect]\ncommand = \"a\"\n", "a = '''\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for client, merge := range map[string]func(string, string) (string, error){"gemini": mergeJSON, "codex": mergeTOML} {
			snippet := snippetFor(t, client, "/p/perfbisect")
			once, err := merge(text, snippet)
			if err != nil {
				continue
			}
			if twice, err := merge(once, snippet); err != nil || twice != once {
				t.Errorf("again: %v\n%q\n%q", err, once, twice)
			}
			if !strings.Contains(text, "perfbisect") && strings.TrimSpace(text) != "" && !contained(text, once) {
				t.Errorf("%q lost something: %q", text, once)
			}
		}
	})
}

// contained reports whether the bytes of text are in other, in their order.
func contained(text, other string) bool {
	i := 0
	for j := 0; i < len(text) && j < len(other); j++ {
		if text[i] == other[j] {
			i++
		}
	}
	return i == len(text)
}

// TestSetupInstall runs the command on files in a home of its own.
func TestSetupInstall(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Chdir(home)
	run := func(args ...string) (int, string) {
		var out, errs strings.Builder
		code := Run(t.Context(), append([]string{"setup"}, args...), World{Stdout: &out, Stderr: &errs, Env: os.Getenv})
		return code, out.String() + errs.String()
	}
	if code, out := run("claude-code", "--install"); code != exitUsage || !strings.Contains(out, "perfbisect setup claude-code") {
		t.Error(code, out)
	}
	for client, file := range map[string]string{
		"codex": ".codex/config.toml", "vscode": ".vscode/mcp.json", "cursor": ".cursor/mcp.json", "gemini": ".gemini/settings.json",
	} {
		if code, out := run(client, "--install", "--dry-run"); code != 0 || !strings.Contains(out, "would be") {
			t.Error(code, out)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("--dry-run wrote %s", file)
		}
		if code, out := run(client, "--install"); code != 0 {
			t.Error(out)
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != snippetFor(t, client, self) {
			t.Errorf("%v: %s", err, text)
		}
		if code, out := run(client, "--install"); code != 0 || !strings.Contains(out, "has it already") {
			t.Error(code, out)
		}
	}
	if err := os.WriteFile(".cursor/mcp.json", []byte("{ // mine\n}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out := run("cursor", "--install"); code != exitError || !strings.Contains(out, "nothing was changed") {
		t.Error(code, out)
	}
}

// TestSetupKeepsLinks: a settings file that is a link, as with dotfiles in a
// repository, stays one, and its target keeps its rights.
func TestSetupKeepsLinks(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	target, link := filepath.Join(home, "dotfiles.json"), filepath.Join(home, ".gemini", "settings.json")
	if err := os.WriteFile(target, []byte("{}"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(target, 0o640); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if code := Run(t.Context(), []string{"setup", "gemini", "--install"}, World{Stdout: &strings.Builder{}, Stderr: &strings.Builder{}, Env: os.Getenv}); code != 0 {
		t.Fatal(code)
	}
	info, err := os.Lstat(target)
	text, _ := os.ReadFile(target)
	if to, lerr := os.Readlink(link); err != nil || lerr != nil || to != target || info.Mode() != 0o640 || !strings.Contains(string(text), "perfbisect") {
		t.Error(to, lerr, info, err, string(text))
	}
}
