package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfbisect/internal/app"
)

// specFlag lets an app.Option be a flag.
type specFlag struct {
	spec   *app.Spec
	option app.Option
}

func (f specFlag) String() string {
	if f.spec == nil {
		return ""
	}
	return f.option.Get(f.spec)
}
func (f specFlag) Set(v string) error { return f.option.Set(f.spec, v) }

// Type is what help shows behind the flag; pflag knows that a bool needs no value.
func (f specFlag) Type() string {
	if f.option.Value == "" {
		return "bool"
	}
	return f.option.Value
}

// addSpecFlags makes every option that has an effect on use a flag.
func addSpecFlags(flags *pflag.FlagSet, spec *app.Spec, use app.Use) {
	for _, o := range app.OptionsFor(use) {
		text := o.Usage
		if o.Repeatable {
			text += " (repeatable)"
		}
		flag := flags.VarPF(specFlag{spec, o}, o.Name, o.Short, text)
		if o.Value == "" {
			flag.NoOptDefVal = "true"
		}
	}
}

// exitCodesOfRun is what the help of commands that end like run says.
const exitCodesOfRun = "The exit codes are those of perfbisect run."

func (c *command) runCmd() *cobra.Command {
	spec := app.DefaultSpec()
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run --good REV [--bad REV] [flags] -- BENCH…",
		Short: "Find the commit that made a benchmark slow",
		Long: `Finds the first slow commit between a good (fast) and a bad (slow) one. The
benchmark is any command that prints a number; it runs in a clone of our own.

Exit codes: 0 culprit found, 1 error, 2 usage, 3 no answer (no regression,
undecided, paused, a question that nobody answered), 4 locked by another run,
130 interrupted.`,
		Example: `  perfbisect run --good v1.4 -- ./bench.sh
  perfbisect run --good v1.4 --bad main --build 'make -j8' --metric json:kernel.ms -- ./bench --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				spec.BenchArgv = args
			}
			if err := spec.Validate(); err != nil {
				return &exitErr{exitUsage, err}
			}
			return c.with(func(a *app.App) error { return c.run(cmd.Context(), a, spec, asJSON) })
		},
	}
	addSpecFlags(cmd.Flags(), &spec, app.UseSearch)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line; the last has type \"result\"")
	return cmd
}

func (c *command) run(ctx context.Context, a *app.App, spec app.Spec, asJSON bool) error {
	s, err := a.Start(ctx, spec)
	if err != nil {
		if asJSON {
			c.narrator(a, "", followOptions{json: true}).object(map[string]any{"type": "error", "error": err.Error()})
		}
		return err
	}
	return c.follow(ctx, a, s.RunID, followOptions{json: asJSON, yes: spec.Yes, foreground: true})
}

func (c *command) resumeCmd() *cobra.Command {
	var o followOptions
	cmd := &cobra.Command{
		Use: "resume RUN", Short: "Go on with a run that was paused or killed", Args: takes(1, "RUN"),
		Long: "Goes on with a run that was paused, interrupted or killed, where it was.\n" + exitCodesOfRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(func(a *app.App) error {
				s, err := a.Resume(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				o.foreground = true
				return c.follow(cmd.Context(), a, s.RunID, o)
			})
		},
	}
	o.flags(cmd)
	return cmd
}

func (c *command) waitCmd() *cobra.Command {
	var o followOptions
	cmd := &cobra.Command{
		Use: "wait RUN", Short: "Wait until a run has ended or asks something", Args: takes(1, "RUN"),
		Long: "Waits until a run that another process works on has ended, is paused or asks\nsomething, and prints what perfbisect run would. " + exitCodesOfRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(func(a *app.App) error {
				s, err := a.Status(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return c.follow(cmd.Context(), a, s.RunID, o)
			})
		},
	}
	o.flags(cmd)
	return cmd
}

// followOptions say how a run is watched.
type followOptions struct {
	json       bool
	yes        bool
	foreground bool // this process works on the run, and pauses it when it is interrupted
}

func (o *followOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "one JSON object a line; the last has type \"result\"")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "take the default answer of every question")
}

// follow narrates a run until it ends, asks what it asks, and prints the answer.
func (c *command) follow(ctx context.Context, a *app.App, id string, o followOptions) error {
	n := c.narrator(a, id, o)
	defer n.status.Clear()
	for {
		s, err := a.Wait(ctx, id, 24*time.Hour, n.hear)
		if ctx.Err() != nil {
			return c.interrupted(a, id, o)
		}
		if err != nil {
			return err
		}
		done, err := c.react(ctx, a, s, n, o)
		if done || err != nil {
			return err
		}
	}
}

// interrupted pauses a run of this process and says how to go on.
func (c *command) interrupted(a *app.App, id string, o followOptions) error {
	if o.foreground {
		if _, err := a.Stop(context.Background(), id, "pause"); err != nil {
			return err
		}
		fmt.Fprintf(c.Stderr, "paused; go on with: perfbisect resume %s\n", id)
	}
	return exit(exitInterrupted)
}
