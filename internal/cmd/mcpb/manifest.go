package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// server is what a server says about itself.
type server struct {
	Info struct {
		Name, Title, Version, Description string
	} `json:"serverInfo"`
	Instructions string
	Tools        []tool
}

type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// questions are a whole session: the server answers what it was asked when its
// input ends, and ends.
const questions = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcpb","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`

// ask starts the server as the bundle's client would.
func ask(launcher string) (*server, error) {
	dir, err := os.MkdirTemp("", "mcpb-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("/bin/sh", launcher, "serve", "--state-dir", dir, "--cache-dir", dir)
	cmd.Stdin, cmd.Stderr = strings.NewReader(questions), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var s server
	for line := range bytes.Lines(out) {
		answer := struct{ Result *server }{&s} // fields that an answer lacks stay
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	if s.Info.Name == "" || len(s.Tools) == 0 {
		return nil, errors.New("it has no name or no tools")
	}
	return &s, nil
}

// manifestOf is the manifest of a bundle, format 0.3.
func manifestOf(s *server) map[string]any {
	return map[string]any{
		"manifest_version": "0.3",
		"name":             s.Info.Name,
		"display_name":     s.Info.Title,
		"version":          s.Info.Version,
		"description":      s.Info.Description,
		"long_description": s.Instructions,
		"author":           map[string]any{"name": "The perfbisect authors"},
		"license":          "Apache-2.0",
		"server": map[string]any{
			"type":        "binary",
			"entry_point": "server/launch.sh",
			"mcp_config": map[string]any{
				"command": "/bin/sh",
				"args":    []string{"${__dirname}/server/launch.sh", "serve"},
			},
		},
		"tools":             s.Tools,
		"prompts_generated": true,
		"compatibility":     map[string]any{"platforms": []string{"linux"}},
	}
}
