package tools

import (
	"context"
	"errors"
	"fmt"

	"perfbisect/internal/app"
)

type markArgs struct {
	RunID   string `json:"run_id" need:"true" desc:"the run"`
	Commit  string `json:"commit" desc:"a commit of the run's range"`
	Verdict string `json:"verdict" need:"true" enum:"good,bad,skip,clear,undo" desc:"clear: forget the verdict on commit; undo: take the last mark or answer back"`
}

var bisectMark = tool[markArgs, run]{
	name:        "bisect_mark",
	title:       "Mark a commit",
	description: "Tells a run what the user knows about a commit: it is good (fast), bad (slow), or cannot be tested (skip). The search goes on from there. Costs nothing; can be taken back.",
	handle: func(ctx context.Context, s *Server, a markArgs) (*run, error) {
		if a.Verdict != "undo" && a.Commit == "" {
			return nil, errors.New("commit is missing")
		}
		st, err := s.mark(ctx, a)
		if err == nil {
			r := runOf(st)
			r.Summary = a.done() + " " + r.Summary
			return r, nil
		}
		if old, e := s.svc.Status(ctx, a.RunID); e == nil && old.State.Ended() {
			err = &nextError{err, "bisect_start with the same arguments begins another run; mark its commits before it ends."}
		}
		return nil, err
	},
}

func (s *Server) mark(ctx context.Context, a markArgs) (*app.Status, error) {
	if a.Verdict == "undo" {
		return s.svc.Undo(ctx, a.RunID)
	}
	return s.svc.Mark(ctx, a.RunID, a.Commit, a.Verdict)
}

// done says that the run has it.
func (a *markArgs) done() string {
	switch a.Verdict {
	case "undo":
		return "The last mark or answer is taken back."
	case "clear":
		return fmt.Sprintf("The verdict on %s is forgotten.", a.Commit)
	}
	return fmt.Sprintf("%s is marked %s.", a.Commit, a.Verdict)
}
