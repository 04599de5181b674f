package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"perfbisect/internal/app"
	"perfbisect/internal/session"
)

// Exit codes. `isa diff` has its own meaning for 1 and 2, see isa.go.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitNoAnswer    = 3
	exitLocked      = 4
	exitInterrupted = 130
)

// World is what the program is given by its surroundings.
type World struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Interactive    bool // a person sits at Stdin and Stderr
	Env            func(string) string
	Version        string
	Supervisor     []string // argv of the process supervisor; nil: this executable
}

// exitError ends the program with a code; its text, if any, is printed.
type exitErr struct {
	code int
	err  error
}

func (e *exitErr) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}
func (e *exitErr) Unwrap() error { return e.err }

func exit(code int) error { return &exitErr{code: code} }

func usage(format string, args ...any) error {
	return &exitErr{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// Run executes the command line args (without the program's name) and returns
// the exit code.
func Run(ctx context.Context, args []string, w World) int {
	c := &command{World: w}
	root := c.root()
	root.SetArgs(args)
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	root.SetIn(w.Stdin)
	err := root.ExecuteContext(ctx)
	return c.finish(err)
}

// finish prints an error as "error:" and up to two "hint:" lines and maps it to
// an exit code. No other place does.
func (c *command) finish(err error) int {
	if err == nil {
		return exitOK
	}
	code := exitError
	var ex *exitErr
	var locked *session.LockedError
	var path *app.PathError
	switch {
	case errors.As(err, &path):
		code = exitUsage
	case errors.As(err, &ex):
		code = ex.code
		if ex.err == nil {
			return code
		}
	case errors.As(err, &locked):
		code = exitLocked
	case errors.Is(err, context.Canceled):
		code = exitInterrupted
	}
	fmt.Fprintf(c.Stderr, "error: %v\n", err) // a HintError's text has its hint lines
	for _, h := range hintsFor(err) {
		fmt.Fprintf(c.Stderr, "hint: %s\n", h)
	}
	return code
}

func hintsFor(err error) []string {
	var unknown *session.UnknownRunError
	var hinter interface{ Hints() []string }
	switch {
	case errors.As(err, &hinter):
		return hinter.Hints()
	case errors.As(err, &unknown):
		return []string{"perfbisect list"}
	}
	return nil
}

// command holds what all commands share.
type command struct {
	World
	stateDir, cacheDir string
	allowRoots         []string
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "perfbisect",
		Short: "Finds the commit that made a GPU kernel slow, and shows what changed in its machine code",
		Long: `Perfbisect finds the commit that made a GPU kernel slow, proves it, and shows what
changed in its AMDGPU machine code. It measures in a clone of its own: your
checkout is not touched.

Without arguments on a pipe it serves MCP on stdio, for agents.`,
		Example: `  perfbisect run --good v1.4 --build 'make -j' -- ./bench --json
  perfbisect isa diff before/ after/
  perfbisect demo`,
		SilenceErrors: true, SilenceUsage: true, Args: cobra.NoArgs, Version: c.Version,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.Interactive {
				return cmd.Help()
			}
			return c.serve(cmd.Context(), serveOptions{transport: "stdio"})
		},
	}
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&c.stateDir, "state-dir", "", "where runs are kept (default $PERFBISECT_STATE_DIR, else $XDG_STATE_HOME/perfbisect, else ~/.local/state/perfbisect)")
	root.PersistentFlags().StringVar(&c.cacheDir, "cache-dir", "", "where our clones are kept (default $PERFBISECT_CACHE_DIR, else $XDG_CACHE_HOME/perfbisect, else ~/.cache/perfbisect)")
	placeholders(root.PersistentFlags(), map[string]string{"state-dir": "DIR", "cache-dir": "DIR"})
	addGroup(root, "Find a commit:", c.runCmd(), c.compareCmd(), c.metricCmd(), c.demoCmd())
	addGroup(root, "Runs:", c.listCmd(), c.statusCmd(), c.waitCmd(), c.reportCmd(), c.answerCmd(), c.markCmd(), c.resumeCmd(), c.stopCmd())
	addGroup(root, "Causes:", c.isaCmd(), c.hintsCmd())
	addGroup(root, "Agents:", c.serveCmd(), c.setupCmd())
	settle(root)
	return root
}

// flagError says where the flags of a command are told, and of an unknown one
// whether it is one of run.
func flagError(cmd *cobra.Command, err error) error {
	hints := []string{cmd.CommandPath() + " --help shows its flags"}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		name := unknown.GetSpecifiedName()
		for _, o := range app.Options() {
			if name == o.Name || name == o.Short {
				hints = append([]string{fmt.Sprintf("--%s is a flag of perfbisect run; it would have no effect here", o.Name)}, hints...)
			}
		}
	}
	return &exitErr{exitUsage, &app.HintError{Err: err, Hints: hints}}
}

// app opens the state and cache folders.
func (c *command) app() (*app.App, error) {
	state, err1 := c.dir(c.stateDir, "PERFBISECT_STATE_DIR", "XDG_STATE_HOME", ".local/state")
	cache, err2 := c.dir(c.cacheDir, "PERFBISECT_CACHE_DIR", "XDG_CACHE_HOME", ".cache")
	if err := cmp.Or(err1, err2); err != nil {
		var hints []string
		if err1 != nil {
			hints = append(hints, "--state-dir DIR says where runs are kept")
		}
		if err2 != nil {
			hints = append(hints, "--cache-dir DIR says where our clones are kept")
		}
		return nil, &app.HintError{Err: err, Hints: hints}
	}
	return app.New(app.Config{StateDir: state, CacheDir: cache, AllowRoots: c.allowRoots, Supervisor: c.Supervisor, Version: c.Version})
}

// dir finds one of our folders: the flag, our variable, the XDG variable, the
// XDG default.
func (c *command) dir(flag, own, xdg, fallback string) (string, error) {
	for _, given := range []string{flag, c.Env(own)} {
		if given != "" {
			return filepath.Abs(given)
		}
	}
	if base := c.Env(xdg); filepath.IsAbs(base) {
		return filepath.Join(base, "perfbisect"), nil
	}
	home := c.Env("HOME")
	if home == "" {
		return "", fmt.Errorf("finding a folder for our files: neither HOME nor an absolute %s is set", xdg)
	}
	return filepath.Abs(filepath.Join(home, fallback, "perfbisect"))
}

// with opens the app for f and closes it afterwards: hunts of this process are
// paused and their children dead when with returns.
func (c *command) with(f func(*app.App) error) error {
	a, err := c.app()
	if err != nil {
		return err
	}
	return errors.Join(f(a), a.Close())
}
