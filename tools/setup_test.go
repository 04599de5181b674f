package tools

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestClientSnippets(t *testing.T) {
	for _, client := range Clients() {
		t.Run(client, func(t *testing.T) {
			snippet, where, err := ClientSnippet(client, "perfbisect")
			if err != nil || where == "" {
				t.Fatal(where, err)
			}
			golden(t, filepath.Join("testdata", "setup", client+".txt"), []byte(where+"\n\n"+snippet))
			odd, _, err := ClientSnippet(client, `/opt/my "tools"/it's perfbisect`)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(odd, "{") && !json.Valid([]byte(odd)) {
				t.Errorf("not JSON: %s", odd)
			}
		})
	}
	if _, _, err := ClientSnippet("claude_code", "x"); err == nil || !strings.Contains(err.Error(), `did you mean "claude-code"`) {
		t.Error(err)
	}
}

// TestShellSnippet runs the one snippet that is a command, with a fake claude.
func TestShellSnippet(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "claude"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	program := `/opt/my "tools"/it's $HOME/perfbisect`
	snippet, _, err := ClientSnippet("claude-code", program)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", snippet)
	cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin"}
	out, err := cmd.Output()
	if want := "mcp\nadd\nperfbisect\n--\n" + program + "\nserve\n"; err != nil || string(out) != want {
		t.Errorf("%v: arguments %q, want %q", err, out, want)
	}
}
