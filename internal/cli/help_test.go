package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestHelp: every command and flag of ours is told in words of the user's, not of
// the flag library's.
func TestHelp(t *testing.T) {
	c := &command{World: World{Env: func(string) string { return "" }}}
	root := c.root()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" {
			t.Errorf("%s: no short help", cmd.CommandPath())
		}
		if cmd.Parent() == root && cmd.GroupID == "" {
			t.Errorf("%s: in no group", cmd.CommandPath())
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			name, text := pflag.UnquoteUsage(f)
			if slices.Contains([]string{"string", "strings", "stringArray", "value"}, name) || text == "" {
				t.Errorf("%s --%s: placeholder %q, words %q", cmd.CommandPath(), f.Name, name, text)
			}
		})
		if usages := cmd.LocalFlags().FlagUsages(); strings.Contains(usages, "[=true]") || strings.Contains(usages, "default []") {
			t.Errorf("%s:\n%s", cmd.CommandPath(), usages)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
}
