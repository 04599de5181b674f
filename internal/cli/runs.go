package cli

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"perfbisect/engine"
	"perfbisect/internal/app"
)

func (c *command) statusCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status [RUN]", Short: "Say where a run stands (without RUN: the newest)", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(func(a *app.App) error {
				id, err := c.newest(cmd, a, args)
				if err != nil {
					return err
				}
				s, err := a.Status(cmd.Context(), id)
				if err != nil {
					return err
				}
				return c.printStatus(s, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// newest is the run that args name, or else the newest one.
func (c *command) newest(cmd *cobra.Command, a *app.App, args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	runs, err := a.List(cmd.Context())
	if err != nil {
		return "", err
	}
	if len(runs) == 0 {
		return "", usage("there are no runs yet; begin one with perfbisect run")
	}
	return runs[0].RunID, nil
}

func (c *command) printStatus(s *app.Status, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(c.Stdout).Encode(s)
	}
	fmt.Fprintf(c.Stdout, "run    %s (%s)\n%s\n", s.RunID, s.State, s.Summary)
	if s.Progress.Why != "" {
		fmt.Fprintln(c.Stdout, s.Progress.Why)
	}
	if q := s.Question; q != nil {
		if len(q.Options) > 0 {
			fmt.Fprintf(c.Stdout, "answers: %s\n", strings.Join(q.Options, ", "))
		}
		fmt.Fprintf(c.Stdout, "hint: perfbisect answer %s ANSWER\n", s.RunID)
	}
	if next := nextCommand[s.State]; next != "" {
		fmt.Fprintf(c.Stdout, "hint: perfbisect %s %s\n", next, s.RunID)
	}
	return nil
}

// nextCommand is what leads on from a state.
var nextCommand = map[engine.Status]string{engine.Measuring: "wait", engine.Paused: "resume", engine.Completed: "report"}

func (c *command) listCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List all runs, newest first: id, state, range, culprit, repository", Args: takes(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.with(func(a *app.App) error {
				runs, err := a.List(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return json.NewEncoder(c.Stdout).Encode(runs)
				}
				tw := tabwriter.NewWriter(c.Stdout, 0, 0, 2, ' ', 0)
				for _, r := range runs {
					fmt.Fprintf(tw, "%s\t%s\t%s..%s\t%s\t%s\n", r.RunID, r.State, shortHash(r.Good), shortHash(r.Bad), cmp.Or(engine.Short(r.Culprit), "-"), r.Repo)
				}
				return tw.Flush()
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// shortHash shortens a full hash, and leaves other revisions as the user wrote them.
func shortHash(rev string) string {
	if len(rev) == 40 || len(rev) == 64 {
		if _, err := hex.DecodeString(rev); err == nil {
			return engine.Short(rev)
		}
	}
	return rev
}

func (c *command) markCmd() *cobra.Command {
	var undo bool
	cmd := &cobra.Command{
		Use: "mark RUN COMMIT good|bad|skip|clear", Short: "Give your own verdict on a commit, or take the last one back (--undo)",
		Long: `Gives your own verdict on a commit of a run that has not ended: good (before the
step), bad (behind it), skip (it cannot be tested), or clear (no verdict). It
counts beside what is measured, and the report lists it.

perfbisect mark RUN --undo takes the last mark or answer back.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != map[bool]int{false: 3, true: 1}[undo] {
				return fmt.Errorf("mark takes RUN COMMIT VERDICT, or RUN --undo; got %s", argumentsText(len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(func(a *app.App) error {
				if undo {
					s, err := a.Undo(cmd.Context(), args[0])
					return c.said(s, err)
				}
				s, err := a.Mark(cmd.Context(), args[0], args[1], args[2])
				if err != nil {
					return err
				}
				for _, w := range s.Warnings {
					if w.Code == "mark_contradicts" {
						fmt.Fprintf(c.Stderr, "warning: %s\n", w.Text)
					}
				}
				return c.printStatus(s, false)
			})
		},
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "take the last mark or answer back")
	return cmd
}

func (c *command) answerCmd() *cobra.Command {
	var o followOptions
	cmd := &cobra.Command{
		Use: "answer RUN ANSWER", Short: "Answer a run's question and go on with it", Args: takes(2, "RUN ANSWER"),
		Long: "Answers the question that a run waits with (perfbisect status shows it) and goes\non with the run. " + exitCodesOfRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(func(a *app.App) error {
				s, err := a.Answer(cmd.Context(), args[0], "", args[1])
				if err != nil {
					return err
				}
				o.foreground = a.Mine(s.RunID)
				return c.follow(cmd.Context(), a, s.RunID, o)
			})
		},
	}
	o.flags(cmd)
	return cmd
}

func (c *command) stopCmd() *cobra.Command {
	var pause bool
	cmd := &cobra.Command{
		Use: "stop RUN", Short: "End a run and remove what it made (--pause: only interrupt it)", Args: takes(1, "RUN"),
		Long: `Ends a run: its command is killed, its clone, builds and caches are removed, and a
checkout that it used in place is put back. What was measured stays.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			action := map[bool]string{false: "finish", true: "pause"}[pause]
			return c.with(func(a *app.App) error {
				s, err := a.Stop(cmd.Context(), args[0], action)
				if err == nil && !pause {
					defer c.tellForget(cmd.Context(), a, s.RunID)
				}
				return c.said(s, err)
			})
		},
	}
	cmd.Flags().BoolVar(&pause, "pause", false, "only interrupt it, so that perfbisect resume goes on")
	return cmd
}

func (c *command) said(s *app.Status, err error) error {
	if err != nil {
		return err
	}
	return c.printStatus(s, false)
}

func (c *command) reportCmd() *cobra.Command {
	var format, detail, output string
	cmd := &cobra.Command{
		Use: "report [RUN]", Short: "Print the report of a run (without RUN: the newest)", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format == "svg" && cmd.Flags().Changed("detail") {
				return usage("--detail has no effect on a chart")
			}
			return c.with(func(a *app.App) error {
				id, err := c.newest(cmd, a, args)
				if err != nil {
					return err
				}
				if output == "" {
					return a.Report(cmd.Context(), id, format, detail, c.Stdout)
				}
				var text bytes.Buffer // a report that cannot be made leaves the file as it was
				if err := a.Report(cmd.Context(), id, format, detail, &text); err != nil {
					return err
				}
				if err := os.WriteFile(output, text.Bytes(), 0o666); err != nil {
					return fmt.Errorf("writing the report: %w", err)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown, json, svg (the chart) or html")
	cmd.Flags().StringVar(&detail, "detail", "summary", "summary; steps: with every step; diff: with the culprit's difference, too")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of stdout")
	placeholders(cmd.Flags(), map[string]string{"format": "FORM", "detail": "HOW", "output": "FILE"})
	return cmd
}

func (c *command) compareCmd() *cobra.Command {
	spec := app.DefaultSpec()
	var o followOptions
	cmd := &cobra.Command{
		Use: "compare [flags] COMMIT [COMMIT] -- BENCH…", Short: "Measure one or two commits against each other, without a search",
		Long: `Measures two commits in turn and says whether they differ by more than their
scatter explains; with one commit it shows how much the benchmark scatters. It
works in a clone of our own, as run does.

Exit codes: 0 measured, whether they differ or not; else those of perfbisect run.`,
		Example: `  perfbisect compare v1.4 main -- ./bench.sh
  perfbisect compare --num-runs 10 HEAD -- ./bench.sh`,
		RunE: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash < 0 {
				dash = len(args)
			}
			commits := args[:dash]
			if len(commits) < 1 || len(commits) > 2 {
				return usage("compare takes one or two commits before --; got %s", argumentsText(len(commits)))
			}
			if bench := args[dash:]; len(bench) > 0 {
				spec.BenchArgv = bench
			}
			if err := spec.Validate(); err != nil {
				return &exitErr{exitUsage, err}
			}
			return c.with(func(a *app.App) error {
				s, err := a.Compare(cmd.Context(), app.CompareRequest{Commits: commits, Spec: spec})
				if err != nil {
					return err
				}
				o.foreground, o.yes = true, spec.Yes
				return c.follow(cmd.Context(), a, s.RunID, o)
			})
		},
	}
	addSpecFlags(cmd.Flags(), &spec, app.UseCompare)
	cmd.Flags().BoolVar(&o.json, "json", false, "one JSON object a line; the last has type \"result\"")
	return cmd
}
