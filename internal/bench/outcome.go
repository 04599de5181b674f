package bench

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"perfbisect/internal/proc"
)

// Outcome is how a build or a run ended. The values are those of the journal.
// NoMetric is given by whoever reads the metric, never by this package.
type Outcome string

const (
	OK          Outcome = "ok"
	BuildFailed Outcome = "build_failed"
	RunFailed   Outcome = "run_failed"
	Timeout     Outcome = "timeout"
	NoMetric    Outcome = "no_metric"
	GPUFault    Outcome = "gpu_fault"
)

// Exit codes with a meaning of their own. 126 and 127 are those of a POSIX shell
// (XCU 2.8.2); 125 is skip and 128 upwards an abort for `git bisect run`.
const (
	lastVerdict   = 125
	notExecutable = 126
	notFound      = 127
)

// outcomeOf judges a run by its end alone. exitMetric is Config.ExitMetric; what
// 1 to 125 then mean is the caller's to say.
func outcomeOf(r proc.Result, exitMetric bool) (Outcome, *Fault) {
	ended := r.StartError == "" && r.Signal == "" && !r.TimedOut
	switch {
	case ended && r.ExitCode == 0:
		return OK, nil
	case r.StartError != "":
		return RunFailed, nil
	}
	if f := findFault(r.Stderr, r.Stdout); f != nil {
		return GPUFault, f
	}
	switch {
	case r.TimedOut:
		return Timeout, nil
	case ended && exitMetric && r.ExitCode > 0 && r.ExitCode <= lastVerdict:
		return OK, nil
	}
	return RunFailed, nil
}

// commandMissing reports whether the command, or one that its shell was told to
// run, was not there or not executable. Such a run says nothing about the commit.
func commandMissing(r proc.Result) bool {
	return r.StartError != "" || !r.TimedOut && (r.ExitCode == notFound || r.ExitCode == notExecutable)
}

// missingHint is what the user can do about it.
func missingHint(r proc.Result) string {
	switch {
	case r.StartError != "" && !r.NotFound:
		return "command could not be started: check its permissions and that it is built for this machine"
	case r.ExitCode == notExecutable:
		return "command not executable (exit 126): check its permissions, PATH, venv, conda"
	case r.ExitCode == notFound:
		return "command not found (exit 127): check PATH, venv, conda"
	}
	return "command not found: check PATH, venv, conda; a file of the checkout may not exist at this commit"
}

// describe says in one line how a command ended, for logs and errors.
func describe(r proc.Result) string {
	switch {
	case r.StartError != "":
		return r.StartError
	case r.TimedOut:
		return fmt.Sprintf("no end after %v", r.Elapsed.Round(10_000_000))
	case r.Signal == "SIGKILL":
		return "ended by SIGKILL (out of memory?)" // we send it after a timeout only
	case r.Signal != "":
		return "ended by " + r.Signal
	}
	return fmt.Sprintf("exit %d", r.ExitCode)
}

// tailLines and tailBytes bound what a result quotes of the output.
const (
	tailLines = 40
	tailBytes = 8 << 10
)

// tailOf returns the last lines of a capture as plain text: no escape sequence
// reaches a terminal or a report by way of it.
func tailOf(c proc.Capture) string {
	b := c.Tail
	if len(b) < tailBytes {
		b = c.Bytes()
	}
	b = bytes.TrimRight(b[max(0, len(b)-tailBytes):], "\n")
	lines := strings.Split(plain(b), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// escape matches the control sequences of ECMA-48 (colours, cursor movements).
var escape = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]`)

// plain makes output fit to be shown: UTF-8 without control characters.
func plain(b []byte) string {
	return strings.Map(printable, escape.ReplaceAllString(strings.ToValidUTF8(string(b), "\uFFFD"), ""))
}

func printable(r rune) rune {
	if r == '\n' || r == '\t' || !unicode.IsControl(r) {
		return r
	}
	return -1
}
