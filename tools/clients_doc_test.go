package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// generated is a snippet in docs/CLIENTS.md: a marker, and perhaps what -update
// put behind it.
var generated = regexp.MustCompile("<!-- ([a-z-]+) -->\n(?s:\n[^\n]*:\n\n```[a-z]+\n.*?```\n)?")

// TestClientsDocument holds the snippets of docs/CLIENTS.md to what setup prints.
func TestClientsDocument(t *testing.T) {
	file := filepath.Join("..", "docs", "CLIENTS.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range Clients() {
		if n := strings.Count(string(text), "<!-- "+client+" -->"); n != 1 {
			t.Errorf("%s is there %d times", client, n)
		}
	}
	golden(t, file, generated.ReplaceAllFunc(text, func(old []byte) []byte {
		client := string(generated.FindSubmatch(old)[1])
		snippet, where, err := ClientSnippet(client, "perfbisect")
		if err != nil {
			t.Fatal(err)
		}
		lang := "sh"
		switch snippet[0] {
		case '{':
			lang = "json"
		case '[':
			lang = "toml"
		}
		return fmt.Appendf(nil, "<!-- %s -->\n\n%s%s:\n\n```%s\n%s```\n", client, strings.ToUpper(where[:1]), where[1:], lang, snippet)
	}))
}
