package proc

import "time"

// The protocol is one JSON object a line: requests on the supervisor's stdin,
// replies on its stdout. End of file on stdin is the life line: the supervisor
// ends what runs and exits.

// request asks to run a command, or to cancel the one with the same ID.
type request struct {
	ID     int64        `json:"id"`
	Run    *wireCommand `json:"run,omitempty"`
	Cancel bool         `json:"cancel,omitempty"`
}

// reply is the greeting or, for the request with that ID, the receipt (from here
// on the command may have been started), the start notice, or the end.
type reply struct {
	ID      int64   `json:"id"`
	Hello   bool    `json:"hello,omitempty"`
	Taken   bool    `json:"taken,omitempty"`
	Started int     `json:"started,omitempty"` // process id, also process group id
	Result  *Result `json:"result,omitempty"`
	Error   string  `json:"error,omitempty"`
}

// wireCommand is a Command whose strings are bytes: paths, arguments and
// environment need not be UTF-8, and a JSON string would alter them.
type wireCommand struct {
	Argv, Env              [][]byte
	Dir                    []byte
	StdoutPath, StderrPath []byte
	MergeStderr            bool
	Timeout, Grace         time.Duration
	MaxBytes               int64
}

func toWire(c Command) *wireCommand {
	return &wireCommand{
		Argv: toBytes(c.Argv), Env: toBytes(c.Env), Dir: []byte(c.Dir),
		StdoutPath: []byte(c.StdoutPath), StderrPath: []byte(c.StderrPath),
		MergeStderr: c.MergeStderr, Timeout: c.Timeout, Grace: c.Grace, MaxBytes: c.MaxBytes,
	}
}

func (w *wireCommand) command() Command {
	return Command{
		Argv: toStrings(w.Argv), Env: toStrings(w.Env), Dir: string(w.Dir),
		StdoutPath: string(w.StdoutPath), StderrPath: string(w.StderrPath),
		MergeStderr: w.MergeStderr, Timeout: w.Timeout, Grace: w.Grace, MaxBytes: w.MaxBytes,
	}
}

func toBytes(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func toStrings(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}
