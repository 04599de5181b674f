package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"perfbisect/internal/app"
)

type statusArgs struct {
	RunID string  `json:"run_id" desc:"omit for the list of runs"`
	WaitS float64 `json:"wait_s" desc:"seconds to wait for a change, 0 to 50; default 45; less if your calls time out"`
}

var bisectStatus = tool[statusArgs, run]{
	name:  "bisect_status",
	title: "State of a run",
	description: "Where a run stands: commits left, the likeliest one, time left, a pending question, or the answer. Waits up to wait_s until the run's state changes; " +
		"running out of time is no error and never disturbs the run. Without run_id: all runs on this machine, newest first.",
	reads: true, again: true,
	defaults: func() statusArgs { return statusArgs{WaitS: -1} },
	handle:   showStatus,
}

func showStatus(ctx context.Context, s *Server, a statusArgs) (*run, error) {
	if a.RunID == "" {
		return listRuns(ctx, s)
	}
	most := s.wait(a.WaitS)
	if most == 0 {
		return statusOf(s.svc.Status(ctx, a.RunID))
	}
	return statusOf(s.svc.Wait(ctx, a.RunID, most, func(st *app.Status) { say(ctx, sentence(st)) }))
}

// wait is how long a call may wait when a model asks for so many seconds;
// negative: as long as this server allows. More than it allows is no error:
// what the call says at the end of a shorter wait is as good.
func (s *Server) wait(seconds float64) time.Duration {
	if seconds < 0 || seconds > s.opt.MaxWait.Seconds() {
		return s.opt.MaxWait
	}
	return time.Duration(seconds * float64(time.Second))
}

// sentence is a status as a progress message.
func sentence(st *app.Status) string {
	if st.Progress.Now != "" {
		return st.Progress.Now
	}
	return st.Summary
}

func listRuns(ctx context.Context, s *Server) (*run, error) {
	runs, err := s.svc.List(ctx)
	if err != nil {
		return nil, err
	}
	for i := range runs {
		runs[i].Summary, _, _ = strings.Cut(runs[i].Summary, "\n") // the rest is for who asks about the run
	}
	r := &run{Summary: fmt.Sprintf("Runs on this machine: %d.", len(runs)), Runs: runs, Next: "call bisect_status with a run_id, or bisect_start to begin."}
	switch {
	case len(runs) == 0 && s.opt.ReadOnly:
		r.Next = "there is nothing to show yet; a server without --read-only or perfbisect run begins a hunt."
	case len(runs) == 0:
		r.Next = "call bisect_start."
	case s.opt.ReadOnly:
		r.Next = "call bisect_status with a run_id."
	}
	return r, nil
}
