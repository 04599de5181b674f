package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfbisect/amdgpu"
	"perfbisect/internal/app"
)

// Exit codes of `isa diff` and `isa summarize`: 0 clean, 1 a regression (a claim
// about the code), 2 not trustworthy (a claim about this answer). Whatever goes
// wrong is 2 and never 1.
const exitNotTrustworthy = 2

func (c *command) isaCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "isa", Short: "Registers, spills, scratch and LDS of compiled AMDGPU kernels", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.isaDiffCmd(), c.isaSummarizeCmd(), c.isaCaptureCmd())
	return cmd
}

// isaFlags are shared by diff and summarize.
type isaFlags struct {
	quiet   bool
	json    string
	allRows bool
}

func (c *command) isaDiffCmd() *cobra.Command {
	var f isaFlags
	spec := app.DefaultSpec()
	var r app.ISARequest
	cmd := &cobra.Command{
		Use: "diff (BEFORE AFTER | --before-rev REV --after-rev REV)", Short: "Compare two dumps, code objects, snapshots or commits kernel by kernel",
		Long: `Compares the resources of each kernel. BEFORE and AFTER are, in any mixture, dump
directories, files, code objects, bundles or JSON snapshots.

With --before-rev and --after-rev it compares two commits instead: each is
checked out in our own clone, built if --build is given, and dumped by the same
command into a fresh {dump_dir}; or its --artifact files are read. What a dump
command that writes nothing there left in the tree (clang --save-temps) is found.
All flags from --repo on are for that.

The last line of stdout is RESULT: OK (exit 0), RESULT: REGRESSION (exit 1) or
RESULT: NOT TRUSTWORTHY (exit 2).`,
		Example: `  perfbisect isa diff before/ after/
  perfbisect isa diff --before-rev v1.4 --after-rev main --dump 'make asm OUT={dump_dir}'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			commits := r.BeforeRev != "" || r.AfterRev != ""
			switch {
			case commits && len(args) > 0:
				return usage("isa diff compares two paths or two commits, not both")
			case !commits && len(args) != 2:
				return usage("isa diff takes BEFORE and AFTER, or --before-rev and --after-rev")
			case !commits:
				if err := dumpFlagGiven(cmd.Flags()); err != nil {
					return err
				}
				r.Before, r.After = args[0], args[1]
			}
			r.Repo, r.DumpCmd, r.Spec = spec.Repo, spec.Dump, spec
			return c.isaDiff(cmd, r, f)
		},
	}
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "only the count of untrustworthy items and the verdict")
	cmd.Flags().StringVar(&f.json, "json", "", "write the whole comparison to this file, too")
	cmd.Flags().BoolVar(&f.allRows, "all-rows", false, "unchanged kernels too")
	cmd.Flags().StringVar(&r.BeforeRev, "before-rev", "", "the commit before: tag, branch, hash, HEAD~30")
	cmd.Flags().StringVar(&r.AfterRev, "after-rev", "", "the commit after")
	placeholders(cmd.Flags(), map[string]string{"json": "FILE", "before-rev": "REV", "after-rev": "REV"})
	addSpecFlags(cmd.Flags(), &spec, app.UseDump)
	return cmd
}

// dumpFlagGiven refuses a flag that has no effect where nothing is dumped.
func dumpFlagGiven(flags *pflag.FlagSet) error {
	for _, o := range app.OptionsFor(app.UseDump) {
		if flags.Changed(o.Name) {
			return usage("--%s has no effect on two paths: it is for --before-rev and --after-rev", o.Name)
		}
	}
	return nil
}

func (c *command) isaDiff(cmd *cobra.Command, r app.ISARequest, f isaFlags) error {
	r.AllRows = f.allRows
	var d *amdgpu.Diff
	var err error
	if r.BeforeRev == "" && r.AfterRev == "" {
		d = amdgpu.ComparePaths(r.Before, r.After, amdgpu.Options{AllRows: r.AllRows}) // needs no folder of ours
	} else {
		err = c.with(func(a *app.App) (err error) {
			d, err = a.DiffISA(cmd.Context(), r)
			return err
		})
	}
	if err == nil {
		err = c.printDiff(d, f)
	}
	if err != nil {
		return c.untrusted(err)
	}
	if d.ExitCode != exitOK {
		return exit(d.ExitCode)
	}
	return nil
}

func (c *command) printDiff(d *amdgpu.Diff, f isaFlags) error {
	if f.json != "" {
		if err := writeFile(f.json, d.WriteJSON); err != nil {
			return err
		}
	}
	if err := amdgpu.WriteDiagnostics(c.Stderr, d.Problems, d.Warnings); err != nil {
		return err
	}
	return amdgpu.WriteTable(c.Stdout, d, amdgpu.TableOptions{Quiet: f.quiet})
}

// untrusted ends an isa command that could not do its work.
func (c *command) untrusted(err error) error {
	fmt.Fprintf(c.Stderr, "error: %v\n", err)
	fmt.Fprintln(c.Stdout, "RESULT: NOT TRUSTWORTHY")
	return exit(exitNotTrustworthy)
}

// writeFile writes through a closure and reports what closing says, too.
func writeFile(path string, write func(io.Writer) error) error {
	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return errors.Join(write(out), out.Close())
}

func (c *command) isaSummarizeCmd() *cobra.Command {
	var f isaFlags
	cmd := &cobra.Command{
		Use: "summarize PATH", Short: "Show the resources of every kernel of a dump, code object or snapshot",
		Long: `Shows the resources of every kernel in PATH: a dump directory, file, code object,
bundle, program, library or JSON snapshot.

The last line of stdout is RESULT: OK (exit 0), or RESULT: NOT TRUSTWORTHY (exit 2)
when something in PATH could not be read in a trustworthy way.`,
		Example: "  perfbisect isa summarize libkernels.so\n  perfbisect isa summarize --json before.json dump/",
		Args:    takes(1, "PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _ := amdgpu.Load(args[0]) // what cannot be read is a problem of s
			if f.json != "" {
				if err := writeFile(f.json, s.WriteJSON); err != nil {
					return c.untrusted(err)
				}
			}
			if err := amdgpu.WriteDiagnostics(c.Stderr, s.Problems, s.Warnings); err != nil {
				return c.untrusted(err)
			}
			if err := amdgpu.WriteSummary(c.Stdout, s, amdgpu.TableOptions{Quiet: f.quiet}); err != nil {
				return c.untrusted(err)
			}
			if s.ExitCode() != exitOK {
				return exit(s.ExitCode())
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "only the count of untrustworthy items and the verdict")
	cmd.Flags().StringVar(&f.json, "json", "", "write a snapshot to this file, too; isa diff takes it as a side")
	placeholders(cmd.Flags(), map[string]string{"json": "FILE"})
	return cmd
}

func (c *command) isaCaptureCmd() *cobra.Command {
	spec := app.DefaultSpec()
	r := app.CaptureRequest{}
	cmd := &cobra.Command{
		Use: "capture --at REV (--dump CMD | --artifact GLOB) --out DIR", Short: "Dump the machine code of a commit, in a clone of our own",
		Long: `Checks REV out in our own clone, builds it if --build is given, and runs the dump
command with a fresh folder in {dump_dir} and in the environment that FlyDSL,
Triton and hipcc look at. What it wrote is copied to DIR; with --artifact instead,
what the build made.`,
		Example: `  perfbisect isa capture --at v1.4 --dump 'make asm OUT={dump_dir}' --out before`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.Spec = spec
			r.DumpCmd = spec.Dump
			return c.with(func(a *app.App) error {
				out, err := a.Capture(cmd.Context(), r)
				if err != nil {
					return err
				}
				fmt.Fprintln(c.Stdout, out)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&r.Rev, "at", "", "the commit: tag, branch, hash, HEAD~30")
	cmd.Flags().StringVar(&r.Out, "out", "", "folder for what was dumped; must not exist, or be empty")
	placeholders(cmd.Flags(), map[string]string{"at": "REV", "out": "DIR"})
	addSpecFlags(cmd.Flags(), &spec, app.UseDump)
	return cmd
}
