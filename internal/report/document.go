package report

import (
	"time"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// Document is all that a report can tell of a hunt. Result is required; what
// else is empty is left out.
type Document struct {
	Result  *engine.Result    `json:"result"`
	Plan    *engine.Plan      `json:"-"`       // for the size of the range and the kind of step
	RunID   string            `json:"run_id"`  // of the hunt
	Repo    string            `json:"repo"`    // as typed
	Good    string            `json:"good"`    // the good end as typed
	Bad     string            `json:"bad"`     // the bad end as typed
	Command string            `json:"command"` // the benchmark
	Commits map[string]Commit `json:"commits"` // by full hash: the culprit, the last good one, the candidates, the marked
	Files   []FileStat        `json:"files"`   // changed between the last good commit and the culprit
	Marks   []Mark            `json:"marks"`   // in the order in which they were given; not those that were taken back
	// PatchPath is a file with the whole difference, Log the folder with the
	// output of all commands; "" when there is none.
	PatchPath string          `json:"patch_path,omitempty"`
	Log       string          `json:"log,omitempty"`
	Nested    []engine.Nested `json:"nested,omitempty"` // hunts inside the culprit
	Forget    string          `json:"forget,omitempty"` // command that deletes what in-place mode saved; "" when nothing is kept
	Sections  []Section       `json:"sections"`         // what other parts found out: hints, machine code
	Patch     string          `json:"patch,omitempty"`  // the difference itself, when it is asked for
	Brief     bool            `json:"-"`                // leave the log of steps out
}

// Commit is what a report says of a commit.
type Commit struct {
	Hash    string    `json:"hash"`
	Author  string    `json:"author"`
	Email   string    `json:"email"`
	Date    time.Time `json:"date"` // of the author
	Subject string    `json:"subject"`
	Body    string    `json:"body,omitempty"` // without the subject
}

// FileStat is one changed file.
type FileStat struct {
	Path    string `json:"path"`
	Added   int    `json:"added"` // lines; 0 for binary files
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
}

// Section is a part of the report that another package wrote: plain sentences,
// a table, preformatted text, in this order. Each may be empty.
type Section struct {
	Title string     `json:"title"`
	Prose []string   `json:"prose,omitempty"`
	Head  []string   `json:"head,omitempty"` // of the columns of Rows
	Rows  [][]string `json:"rows,omitempty"`
	Pre   string     `json:"pre,omitempty"`
}

// commit returns what is known of hash; of one that is not, only the hash.
func (d *Document) commit(hash string) Commit {
	c := d.Commits[hash]
	c.Hash = hash
	return c
}

// improvement reports whether the hunt looked for a step to the better.
func (d *Document) improvement() bool {
	if d.Plan != nil && d.Plan.Options.Find == "improvement" {
		return true
	}
	named := d.Result.Outcome == search.Found || d.Result.Outcome == search.FoundAmong
	return named && d.Result.ChangePct < 0
}
