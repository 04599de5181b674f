package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"perfbisect/tools"
)

func (c *command) setupCmd() *cobra.Command {
	return &cobra.Command{
		Use: "setup CLIENT", Short: "Print how an MCP client is told about this server",
		Long: "Prints what to run or to put into a file for CLIENT, which is one of: " + strings.Join(tools.Clients(), ", ") + ".",
		Args: cobra.ExactArgs(1), ValidArgs: tools.Clients(),
		RunE: func(_ *cobra.Command, args []string) error {
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("finding this program: %w", err)
			}
			snippet, where, err := tools.ClientSnippet(args[0], program)
			if err != nil {
				return &exitErr{exitUsage, err}
			}
			fmt.Fprintf(c.Stderr, "%s:\n", where)
			fmt.Fprint(c.Stdout, snippet)
			return nil
		},
	}
}
