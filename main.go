// Perfbisect finds the commit that made a GPU kernel slow, proves it, and shows
// what changed in its AMDGPU machine code.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"perfbisect/internal/cli"
	"perfbisect/internal/proc"
	"perfbisect/internal/term"
)

// version is set when a release is linked; otherwise the build says what it is.
var version string

func main() {
	if proc.IsSupervisor(os.Args) {
		proc.SupervisorMain()
	}
	os.Exit(run())
}

// run makes the real world and runs the command line in it.
func run() int {
	ctx, stop := untilSignal()
	defer stop()
	return cli.Run(ctx, os.Args[1:], cli.World{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Interactive: term.Is(os.Stdin) && term.Is(os.Stderr),
		Env:         os.Getenv, Version: programVersion(),
	})
}

// untilSignal returns a context that the first signal ends, so that the journal
// is closed and children die in order. The second one ends the program at once;
// the supervisor then kills the children.
func untilSignal() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		cancel()
		fmt.Fprintln(os.Stderr, "interrupted: finishing; once more to stop at once")
		<-signals
		os.Exit(130)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
