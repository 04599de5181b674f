// Mcpb makes an MCP bundle of a folder that scripts/mcpb.sh has filled: it asks
// the program in it for its name, version and tools, writes them into the
// manifest, and packs everything. It never builds anything and never talks to
// the network.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: mcpb OUT [URL]")
		os.Exit(2)
	}
	url := ""
	if len(os.Args) == 3 {
		url = os.Args[2]
	}
	if err := bundle(os.Args[1], url); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// bundle packs out/mcpb into out/perfbisect.mcpb, and writes out/server.json
// when url says where it will be.
func bundle(out, url string) error {
	stage, file := filepath.Join(out, "mcpb"), filepath.Join(out, "perfbisect.mcpb")
	s, err := ask(filepath.Join(stage, "server", "launch.sh"))
	if err != nil {
		return fmt.Errorf("asking the server about itself: %w", err)
	}
	if err := writeJSON(filepath.Join(stage, "manifest.json"), manifestOf(s)); err != nil {
		return err
	}
	if err := pack(stage, file); err != nil {
		return fmt.Errorf("packing %q: %w", stage, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	fmt.Printf("%s  %s\n", sum, file)
	if url == "" {
		return nil
	}
	return register(filepath.Join(out, "server.json"), url, sum)
}

// register writes the registry's entry with the bundle as its package.
func register(file, url, sum string) error {
	text, err := os.ReadFile("server.json")
	if err != nil {
		return err
	}
	var entry map[string]any
	if err := json.Unmarshal(text, &entry); err != nil {
		return fmt.Errorf("reading server.json: %w", err)
	}
	entry["packages"] = []any{map[string]any{
		"registryType": "mcpb", "identifier": url, "version": entry["version"], "fileSha256": sum,
		"transport": map[string]any{"type": "stdio"},
	}}
	return writeJSON(file, entry)
}

func writeJSON(file string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
