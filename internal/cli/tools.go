package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"perfbisect/internal/app"
	"perfbisect/internal/hints"
)

func (c *command) metricCmd() *cobra.Command {
	var r app.PreviewRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use: "metric [flags] [-- BENCH…]", Short: "Show every number of an output that could be the metric",
		Long: `Runs a benchmark once, where you are and as it is, or reads its output from
standard input ("-", or no command), and shows every number that could be the
metric, with the --metric that takes it. Exits 3 when there is none.`,
		Example: "  perfbisect metric -- ./bench\n  ./bench | perfbisect metric --metric 'regex:latency: ([0-9.]+)'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.Argv = args; len(args) == 1 && args[0] == "-" {
				r.Argv = nil
			}
			if len(r.Argv) == 0 {
				if cmd.Flags().Changed("repo") {
					return usage("--repo has no effect on an output from standard input")
				}
				text, err := io.ReadAll(c.Stdin)
				if err != nil {
					return fmt.Errorf("reading the output: %w", err)
				}
				if len(text) == 0 {
					return errors.New("reading the output: standard input is empty (a benchmark that writes to stderr needs 2>&1)")
				}
				r.Text = string(text)
			}
			return c.with(func(a *app.App) error {
				p, err := a.Preview(cmd.Context(), r)
				if err != nil {
					return err
				}
				return c.printPreview(p, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&r.Metric, "metric", "auto", "what to try, as for perfbisect run")
	cmd.Flags().StringVar(&r.Repo, "repo", ".", "folder to run in")
	placeholders(cmd.Flags(), map[string]string{"metric": "SPEC", "repo": "DIR"})
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func (c *command) printPreview(p *app.Preview, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(c.Stdout).Encode(p)
	}
	fmt.Fprintln(c.Stdout, p.Summary)
	for _, m := range p.Candidates {
		better := m.Better + " is better"
		if m.Better == "" {
			better = "better unknown"
		}
		fmt.Fprintf(c.Stdout, "  %-14s %-16s ×%-4d --metric %s\n", m.Shown, better, m.Count, app.Quote(m.Metric))
	}
	if p.Chosen == nil {
		return exit(exitNoAnswer)
	}
	return nil
}

func (c *command) hintsCmd() *cobra.Command {
	var r app.HintsRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use: "hints FROM..TO | -", Short: "Point at changes in a diff that usually cost speed", Args: takes(1, "FROM..TO or -"),
		Long: `Points at changes between two commits that usually cost speed: file, line, what
it was and is, the likely cause, and how sure. With "-" it reads a diff from
standard input instead, as git diff, git show or diff -u write it.

Hints are guesses from the text of the diff: to measure, use perfbisect compare.`,
		Example: "  perfbisect hints v1.4..main\n  git diff --cached | perfbisect hints -",
		RunE: func(cmd *cobra.Command, args []string) error {
			from, to, ok := strings.Cut(args[0], "..")
			switch {
			case args[0] == "-" && cmd.Flags().Changed("repo"):
				return usage("--repo has no effect on a diff from standard input")
			case args[0] == "-":
				r.Diff = c.Stdin
			case !ok || from == "" || to == "" || strings.HasPrefix(to, "."):
				return usage("range is %q, must be FROM..TO, or - for a diff on standard input", args[0])
			}
			r.From, r.To = from, to
			return c.with(func(a *app.App) error {
				report, err := a.Hints(cmd.Context(), r)
				if err != nil {
					return err
				}
				if asJSON {
					return json.NewEncoder(c.Stdout).Encode(report)
				}
				return hints.WriteText(c.Stdout, report)
			})
		},
	}
	cmd.Flags().StringVar(&r.Repo, "repo", ".", "repository")
	placeholders(cmd.Flags(), map[string]string{"repo": "DIR"})
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}
