package cli

import (
	"encoding/json"
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
		Use: "metric [--metric SPEC] -- BENCH… (or < output.txt)", Short: "Show every number of an output that could be the metric",
		Example: "  perfbisect metric -- ./bench\n  ./bench | perfbisect metric --metric 'regex:latency: ([0-9.]+)'",
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Argv = args
			if len(args) == 0 {
				text, err := io.ReadAll(c.Stdin)
				if err != nil {
					return fmt.Errorf("reading the output: %w", err)
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
	cmd.Flags().StringVar(&r.Metric, "metric", "auto", "spec to try")
	cmd.Flags().StringVar(&r.Repo, "repo", ".", "folder to run in")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func (c *command) printPreview(p *app.Preview, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(c.Stdout).Encode(p)
	}
	fmt.Fprintln(c.Stdout, p.Summary)
	for _, m := range p.Candidates {
		better := m.Better
		if better == "" {
			better = "unknown which way is"
		}
		fmt.Fprintf(c.Stdout, "  %-14s %s better  ×%d  --metric %q\n", m.Shown, better, m.Count, m.Metric)
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
		Use: "hints FROM..TO", Short: "Point at changes in a diff that usually cost speed", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, to, ok := strings.Cut(args[0], "..")
			if !ok || from == "" || to == "" || strings.HasPrefix(to, ".") {
				return usage("range is %q, must be FROM..TO", args[0])
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}
