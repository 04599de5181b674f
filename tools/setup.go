package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// clientSetup is how one client is told to start this server.
type clientSetup struct {
	name    string // as the user says it
	title   string
	where   string // what to do with the snippet
	snippet func(program string) string
}

// clientSetups lists the clients in the order of the documentation. Formats are
// those of the clients' releases of autumn 2026.
var clientSetups = []clientSetup{
	{"claude-code", "Claude Code", "run in a terminal", func(program string) string {
		return "claude mcp add perfbisect -- " + quote(program) + " serve\n"
	}},
	{"codex", "Codex", "add to ~/.codex/config.toml", func(program string) string {
		return fmt.Sprintf("[mcp_servers.perfbisect]\ncommand = %s\nargs = [\"serve\"]\ntool_timeout_sec = 300\n", tomlString(program))
	}},
	{"vscode", "VS Code", "put into .vscode/mcp.json", jsonSetup("servers", "type", "stdio")},
	{"cursor", "Cursor", "put into ~/.cursor/mcp.json or .cursor/mcp.json", jsonSetup("mcpServers")},
	{"gemini", "Gemini CLI", "put into ~/.gemini/settings.json", jsonSetup("mcpServers")},
	{"claude-desktop", "Claude Desktop", "put into claude_desktop_config.json (Settings, Developer, Edit Config)", jsonSetup("mcpServers")},
}

// Clients are the names that ClientSnippet knows.
func Clients() []string {
	out := make([]string, len(clientSetups))
	for i, c := range clientSetups {
		out[i] = c.name
	}
	return out
}

// ClientSnippet returns what sets the client up to start program as its server,
// and where that belongs. program is a path or a name found in PATH.
func ClientSnippet(client, program string) (snippet, where string, err error) {
	i := slices.IndexFunc(clientSetups, func(c clientSetup) bool { return c.name == client })
	if i < 0 {
		return "", "", fmt.Errorf("unknown client %q%s; the clients are: %s", client, suggestion(client, Clients()), strings.Join(Clients(), ", "))
	}
	c := clientSetups[i]
	return c.snippet(program), c.where, nil
}

// jsonSetup is the usual JSON: {ROOT: {"perfbisect": {"command", "args"}}}.
func jsonSetup(root string, more ...string) func(string) string {
	return func(program string) string {
		entry := map[string]any{"command": program, "args": []string{"serve"}}
		for i := 0; i+1 < len(more); i += 2 {
			entry[more[i]] = more[i+1]
		}
		text, _ := json.MarshalIndent(map[string]any{root: map[string]any{Name: entry}}, "", "  ") // strings cannot fail
		return string(text) + "\n"
	}
}

// quote makes one word of a shell of s.
func quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%=", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// tomlString is s as a TOML basic string, whose escapes are those of JSON.
func tomlString(s string) string {
	text, _ := json.Marshal(s) // a string cannot fail
	return string(text)
}
