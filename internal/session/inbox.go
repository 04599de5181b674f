package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
// The file that is returned is gone once the request was taken out.
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

// Receive takes the requests out of the inbox, oldest first. A file that is not
// a request is removed and left out.
func (r *Run) Receive() ([]Request, error) {
	var requests []Request
	files, err := r.inbox()
	for _, f := range files {
		q, ok := readRequest(f)
		if err := os.Remove(f); err != nil {
			return requests, fmt.Errorf("reading the inbox of run %s: %w", r.ID, err)
		}
		if ok {
			requests = append(requests, q)
		}
	}
	return requests, err
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
	files, err := filepath.Glob(filepath.Join(r.path("inbox"), "*.json"))
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
