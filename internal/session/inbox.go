package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// Request is what another process asks of the one that works on a run.
type Request struct {
	Action     string `json:"action"` // mark, undo, answer, pause, finish, step
	Commit     string `json:"commit,omitempty"`
	Verdict    string `json:"verdict,omitempty"`
	QuestionID string `json:"question_id,omitempty"`
	Answer     string `json:"answer,omitempty"`
	Steps      int    `json:"steps,omitempty"`
}

// Send leaves a request for the process that works on the run.
// Obeyed tells by the file that is returned when that is done.
func (r *Run) Send(q Request) (file string, err error) {
	data, err := json.Marshal(q)
	if err != nil {
		return "", fmt.Errorf("asking run %s: %w", r.ID, err)
	}
	file = filepath.Join(r.path("inbox"), fmt.Sprintf("%020d-%s.json", time.Now().UnixNano(), randomHex(4)))
	if err := renameio.WriteFile(file, data, 0o600); err != nil {
		return "", fmt.Errorf("asking run %s: %w", r.ID, err)
	}
	return file, nil
}

// taken is the end of the name of a request that is being obeyed.
const taken = ".taken"

// Receive takes the requests out of the inbox, oldest first, and hands each to
// obey. It ends at the first error of obey; what is behind it stays for the next
// time. A request is obeyed once at most: one that we were killed over is gone,
// and its sender sees that nothing has changed. What is not a request is removed.
func (r *Run) Receive(obey func(Request) error) error {
	half, _ := filepath.Glob(filepath.Join(globEscape(r.path("inbox")), "*"+taken))
	for _, f := range half {
		_ = os.Remove(f) // left by a killed process
	}
	files, err := r.inbox()
	for _, f := range files {
		if err := r.receive(f, obey); err != nil {
			return err
		}
	}
	return err
}

func (r *Run) receive(file string, obey func(Request) error) error {
	q, ok := readRequest(file)
	if err := os.Rename(file, file+taken); err != nil {
		return fmt.Errorf("reading the inbox of run %s: %w", r.ID, err)
	}
	var err error
	if ok {
		err = obey(q)
	}
	if rerr := os.Remove(file + taken); rerr != nil && err == nil {
		err = fmt.Errorf("reading the inbox of run %s: %w", r.ID, rerr)
	}
	return err
}

// Obeyed reports whether the request that Send put into file was obeyed, or is
// gone.
func Obeyed(file string) bool {
	for _, f := range []string{file, file + taken} {
		if _, err := os.Stat(f); err == nil {
			return false
		}
	}
	return true
}

// Peek returns the requests in the inbox and leaves them there.
func (r *Run) Peek() []Request {
	var requests []Request
	files, _ := r.inbox() // unreadable: Receive says so
	for _, f := range files {
		if q, ok := readRequest(f); ok {
			requests = append(requests, q)
		}
	}
	return requests
}

// inbox lists the files of the inbox, oldest first: their names begin with the
// time, and Glob sorts.
func (r *Run) inbox() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(globEscape(r.path("inbox")), "*.json"))
	if err != nil {
		return nil, fmt.Errorf("reading the inbox of run %s: %w", r.ID, err)
	}
	return files, nil
}

func readRequest(file string) (Request, bool) {
	var q Request
	data, err := os.ReadFile(file)
	return q, err == nil && json.Unmarshal(data, &q) == nil
}

// globEscape makes path stand for itself in a pattern.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
