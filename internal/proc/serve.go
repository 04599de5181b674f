package proc

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// subcommand is the hidden first argument that turns the program into a supervisor.
const subcommand = "__perfbisect-supervisor"

// Files that supervisors hold have the numbers from firstHeld on.
const (
	firstHeld = 3
	maxHeld   = 4
)

// marker is set in the environment of supervisors (not of commands): a program
// that forgot to dispatch is caught there instead of starting itself for ever.
const marker = "PERFBISECT_SUPERVISOR"

// IsSupervisor reports whether args, which is os.Args, asks for [SupervisorMain].
func IsSupervisor(args []string) bool { return len(args) == 2 && args[1] == subcommand }

// SupervisorMain serves commands on stdin and stdout until stdin ends, and exits
// the process. It must run before anything else of the program does.
func SupervisorMain() {
	runtime.LockOSThread() // childAttr says why
	for fd := firstHeld; fd < firstHeld+maxHeld; fd++ {
		syscall.CloseOnExec(fd) // held for as long as we live, not the command
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "perfbisect supervisor:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve runs one command after the other until in ends.
func serve(in io.Reader, out io.Writer) error {
	// Where the kernel refuses, what left the process group is out of reach, as it
	// is outside Linux; all the rest works.
	_ = adoptOrphans()
	sigchld := make(chan os.Signal, 1)
	signal.Notify(sigchld, syscall.SIGCHLD)
	shield()
	replies := json.NewEncoder(out)
	if err := replies.Encode(reply{Hello: true}); err != nil {
		return err
	}
	requests := make(chan request)
	go receive(in, requests)
	for r := range requests {
		if r.Run == nil {
			continue // cancel of a command that has ended meanwhile
		}
		j := &job{id: r.ID, command: r.Run.command(), requests: requests, sigchld: sigchld}
		if err := replies.Encode(j.serve(replies)); err != nil {
			return err
		}
	}
	return nil
}

// serve runs the job and returns the last reply. An error of the others means
// that the client is gone; the life line says so as well.
func (j *job) serve(replies *json.Encoder) reply {
	_ = replies.Encode(reply{ID: j.id, Taken: true})
	if err := j.prepare(); err != nil {
		return reply{ID: j.id, Error: err.Error()}
	}
	if j.startProcess() {
		_ = replies.Encode(reply{ID: j.id, Started: j.pid})
	}
	result := j.finish()
	return reply{ID: j.id, Result: &result}
}

// receive decodes requests until in ends, or is no JSON any more.
func receive(in io.Reader, requests chan<- request) {
	defer close(requests)
	for decoder := json.NewDecoder(in); ; {
		var r request
		if decoder.Decode(&r) != nil {
			return
		}
		requests <- r
	}
}

// shield lets the signals that end a session, or a write to a client that died,
// pass without effect: the life line alone decides. They are caught rather than
// ignored, because a command would inherit an ignored signal.
func shield() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
}
