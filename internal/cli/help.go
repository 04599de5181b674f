package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfbisect/internal/app"
)

// The order in which commands are added tells more than the alphabet; cobra has no
// other place to say so.
func init() { cobra.EnableCommandSorting = false }

// named is a flag whose help has a placeholder in place of a type.
type named struct {
	pflag.Value
	placeholder string
}

// Type implements pflag.Value.
func (n named) Type() string { return n.placeholder }

// placeholders gives flags that take text the words that help shows behind them.
func placeholders(flags *pflag.FlagSet, words map[string]string) {
	for name, word := range words {
		flag := flags.Lookup(name)
		flag.Value = named{flag.Value, word}
	}
}

// usageHint says how a command is called.
func usageHint(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " --help lists its commands"
	}
	return "usage: " + cmd.UseLine()
}

// takes checks the number of arguments, which words names.
func takes(n int, words string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s takes %s; got %s", cmd.Name(), words, argumentsText(len(args)))
		}
		return nil
	}
}

func argumentsText(n int) string {
	switch n {
	case 0:
		return "no argument"
	case 1:
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// addGroup adds commands under a title of their own in the help, in this order.
func addGroup(root *cobra.Command, title string, cmds ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, cmd := range cmds {
		cmd.GroupID = title
		root.AddCommand(cmd)
	}
}

// settle makes a wrong number of arguments a usage error, and keeps the order of
// flags, for a command and those below it.
func settle(cmd *cobra.Command) {
	check := cmd.Args
	if check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return &exitErr{exitUsage, &app.HintError{Err: err, Hints: []string{usageHint(cmd)}}}
			}
			return nil
		}
	}
	cmd.Flags().SortFlags = false // the order in which they are declared tells more
	for _, sub := range cmd.Commands() {
		settle(sub)
	}
}
