package bench

import (
	"strings"
	"testing"
	"time"

	"perfbisect/internal/proc"
)

func TestOutcomeOf(t *testing.T) {
	text := func(s string) proc.Capture { return proc.Capture{Head: []byte(s), Total: int64(len(s))} }
	const fault = "Memory access fault by GPU node-1 (Agent handle: 0x1f829860) on address 0x7a8a4be00000. Reason: Page not present or supervisor privilege."
	tests := []struct {
		why     string
		result  proc.Result
		exit    bool
		want    Outcome
		missing bool
	}{
		{"ends well", proc.Result{}, false, OK, false},
		{"prints a fault and passes", proc.Result{Stdout: text("test: " + fault)}, false, OK, false},
		{"exit 1", proc.Result{ExitCode: 1}, false, RunFailed, false},
		{"exit 1 is the measurement", proc.Result{ExitCode: 1}, true, OK, false},
		{"exit 124 is the measurement", proc.Result{ExitCode: 124}, true, OK, false},
		{"exit 125, skip, is the caller's to read", proc.Result{ExitCode: 125}, true, OK, false},
		{"exit 125 means nothing else", proc.Result{ExitCode: 125}, false, RunFailed, false},
		{"exit 126", proc.Result{ExitCode: 126}, true, RunFailed, true},
		{"exit 127", proc.Result{ExitCode: 127}, false, RunFailed, true},
		{"exit 128 aborts git bisect run too", proc.Result{ExitCode: 128}, true, RunFailed, false},
		{"exit 255", proc.Result{ExitCode: 255}, true, RunFailed, false},
		{"signal", proc.Result{ExitCode: -1, Signal: "SIGSEGV"}, true, RunFailed, false},
		{"not there", proc.Result{ExitCode: -1, StartError: "x", NotFound: true}, false, RunFailed, true},
		{"not permitted", proc.Result{ExitCode: -1, StartError: "x"}, false, RunFailed, true},
		{"timeout", proc.Result{ExitCode: -1, Signal: "SIGTERM", TimedOut: true}, false, Timeout, false},
		{"timeout, although it then ended with 0", proc.Result{TimedOut: true}, false, Timeout, false},
		{"timeout, although it then ended with 127", proc.Result{ExitCode: 127, TimedOut: true}, true, Timeout, false},
		{"aborted by the runtime", proc.Result{ExitCode: -1, Signal: "SIGABRT", Stderr: text(fault + "\nAborted")}, false, GPUFault, false},
		{"the shell's 134, fault in stdout", proc.Result{ExitCode: 134, Stdout: text("1.5 ms\n" + fault)}, true, GPUFault, false},
		{"hang with a reason", proc.Result{ExitCode: -1, TimedOut: true, Stderr: text("HW Exception by GPU node-1 (Agent handle: 0x1b0fc990) reason :GPU Hang\n")}, false, GPUFault, false},
		{"python traceback", proc.Result{ExitCode: 1, Stderr: text("RuntimeError: HIP error: an illegal memory access was encountered\n")}, false, GPUFault, false},
		{"out of memory is no fault", proc.Result{ExitCode: 1, Stderr: text("torch.OutOfMemoryError: HIP out of memory.\n")}, false, RunFailed, false},
		{"built for another chip is no fault", proc.Result{ExitCode: 1, Stderr: text("HSA_STATUS_ERROR_INVALID_ISA: The instruction set architecture is invalid.\n")}, false, RunFailed, false},
	}
	for _, tt := range tests {
		got, f := outcomeOf(tt.result, tt.exit)
		if got != tt.want || (f != nil) != (got == GPUFault) || commandMissing(tt.result) != tt.missing {
			t.Errorf("%s: %s, evidence %v, missing %v; want %s, %v", tt.why, got, f, commandMissing(tt.result), tt.want, tt.missing)
		}
		if tt.missing && missingHint(tt.result) == "" {
			t.Errorf("%s: no hint", tt.why)
		}
	}
}

func TestFindFaultQuotesTheLine(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	c := proc.Capture{Tail: []byte("ok\n" + long + "\x1b[31mNVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.\x1b[0m " + long + "\nmore\n")}
	f := findFault(proc.Capture{}, c)
	if f == nil || f.Pattern != "GPU has fallen off the bus" && f.Pattern != "NVRM: Xid" {
		t.Fatalf("found %v", f)
	}
	if len(f.Line) > 600 || strings.ContainsAny(f.Line, "\n\x1b") || !strings.Contains(f.Line, "): 79, GPU") {
		t.Errorf("line of %d bytes: %q", len(f.Line), f.Line)
	}
}

func TestTailOf(t *testing.T) {
	many := strings.Repeat("line\n", 100)
	tests := []struct{ why, in, want string }{
		{"empty", "", ""},
		{"short", "a\nb\n", "a\nb"},
		{"escape sequences and bells go", "\x1b[1;31merror\x1b[0m: x\a\r\n\x1b[2K50%\n", "error: x\n50%"},
		{"bytes that are not UTF-8", "caf\xe9\n", "caf\uFFFD"},
		{"the last lines", "first\n" + many, strings.TrimSuffix(strings.Repeat("line\n", tailLines), "\n")},
	}
	for _, tt := range tests {
		if got := tailOf(proc.Capture{Head: []byte(tt.in), Total: int64(len(tt.in))}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	for want, r := range map[string]proc.Result{
		"exit 3":            {ExitCode: 3},
		"ended by SIGSEGV":  {Signal: "SIGSEGV"},
		"no end after 1.5s": {TimedOut: true, Elapsed: 1500 * time.Millisecond, Signal: "SIGTERM"},
		"no such thing":     {StartError: "no such thing"},
	} {
		if got := describe(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
