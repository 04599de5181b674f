package gitrepo

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// branchLine begins the line of the snapshot's message that names the branch.
const branchLine = "Branch: "

// LostError says that an in-place journal cannot be read, so that the checkout
// cannot be put back by itself. All that was in it is under Ref.
type LostError struct {
	Root    string // of the checkout
	Journal string // folder
	Ref     string // as in RestoreError; a pattern when the run is not known
	Branch  string // that was checked out, "" if none was or it is not known
	Err     error
}

func (p *inPlace) lost(err error) error {
	e := &LostError{Root: p.repo.root, Journal: p.dir, Ref: saveRefs + "RUN", Err: err}
	if o := readOwner(p.path(ownerFile)); o.Run != "" {
		e.Ref = saveRefs + refName(o.Run)
	}
	if body, err := p.git().line(context.Background(), "log", "-1", "--format=%b", e.Ref); err == nil {
		e.Branch = strings.TrimSpace(strings.TrimPrefix(body, branchLine))
	}
	return e
}

func (e *LostError) Error() string {
	return fmt.Sprintf("in-place journal %q cannot be read: %v; nothing is lost, %s has every file of the checkout %q (without rights other than execution), but it must be put back by hand", e.Journal, e.Err, e.Ref, e.Root)
}

func (e *LostError) Unwrap() error { return e.Err }

// Hints are the commands that put the checkout back.
func (e *LostError) Hints() []string {
	git := "git -C " + shellQuote(e.Root)
	index := shellQuote(filepath.Join(e.Journal, userIndex))
	commands := []string{
		git + " checkout --force --detach " + e.Ref + "^1",
		git + " read-tree --reset -u " + e.Ref,
		"cp " + index + " " + shellQuote(filepath.Join(filepath.Dir(e.Journal), "index")),
	}
	if e.Branch != "" {
		commands = append(commands, git+" symbolic-ref HEAD "+shellQuote(e.Branch))
	}
	return []string{
		"look first: git -C " + shellQuote(e.Root) + " for-each-ref refs/perfbisect/",
		strings.Join(append(commands, "rm -r "+shellQuote(e.Journal)), " && "),
	}
}

// shellQuote makes a word of any text.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
