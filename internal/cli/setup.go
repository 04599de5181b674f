package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"perfbisect/tools"
)

func (c *command) setupCmd() *cobra.Command {
	var install, dryRun bool
	cmd := &cobra.Command{
		Use: "setup CLIENT", Short: "Print how an MCP client is told about this server, or tell it",
		Long: "Prints what to run, or what to put into a file, so that CLIENT knows this server.\nCLIENT is one of: " + strings.Join(tools.Clients(), ", ") + `.
With --install it goes into the client's file; what else is there stays as it is.`,
		Args: takes(1, "CLIENT"), ValidArgs: tools.Clients(),
		RunE: func(_ *cobra.Command, args []string) error { return c.setup(args[0], install, dryRun) },
	}
	cmd.Flags().BoolVar(&install, "install", false, "write it into the client's file")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "with --install: print what the file would be")
	return cmd
}

func (c *command) setup(client string, install, dryRun bool) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	snippet, where, err := tools.ClientSnippet(client, program)
	if err != nil {
		return &exitErr{exitUsage, err}
	}
	if install || dryRun {
		return c.installSetup(client, snippet, dryRun)
	}
	fmt.Fprintf(c.Stderr, "%s:\n", where)
	fmt.Fprint(c.Stdout, snippet)
	return nil
}

// installSetup merges the snippet into the client's file.
func (c *command) installSetup(client, snippet string, dryRun bool) error {
	file, err := c.clientFile(client)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // a link stays one
	}
	before, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("reading the settings of %s: %w", client, err)
	}
	merge := mergeJSON
	if filepath.Ext(file) == ".toml" {
		merge = mergeTOML
	}
	after, err := merge(string(before), snippet)
	switch {
	case err != nil:
		return fmt.Errorf("adding perfbisect to %q: %w; nothing was changed, add this by hand:\n%s", file, err, snippet)
	case dryRun:
		fmt.Fprintf(c.Stderr, "%s would be:\n", file)
		fmt.Fprint(c.Stdout, after)
		return nil
	case after == string(before):
		fmt.Fprintf(c.Stderr, "%s has it already\n", file)
		return nil
	}
	if err := replaceFile(file, after); err != nil {
		return fmt.Errorf("adding perfbisect to %q: %w", file, err)
	}
	fmt.Fprintf(c.Stderr, "added perfbisect to %s; restart the client\n", file)
	return nil
}

// clientFile is where the client keeps its servers.
func (c *command) clientFile(client string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the settings of %s: %w", client, err)
	}
	switch client {
	case "codex":
		if dir := c.Env("CODEX_HOME"); dir != "" {
			return filepath.Join(dir, "config.toml"), nil
		}
		return filepath.Join(home, ".codex", "config.toml"), nil
	case "vscode": // of the current workspace
		return filepath.Abs(filepath.Join(".vscode", "mcp.json"))
	case "cursor":
		return filepath.Join(home, ".cursor", "mcp.json"), nil
	case "gemini":
		return filepath.Join(home, ".gemini", "settings.json"), nil
	case "claude-desktop":
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "Claude", "claude_desktop_config.json"), err
	}
	return "", usage("%s has no file to write; run what `perfbisect setup %s` prints", client, client)
}
