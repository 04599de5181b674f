package tools

import "context"

type stepArgs struct {
	RunID string `json:"run_id" need:"true" desc:"the run"`
	Steps int    `json:"steps" desc:"commits to measure, default 1; 0: go on to the end by itself"`
}

var bisectStep = tool[stepArgs, run]{
	name:        "bisect_step",
	title:       "Measure the next commits",
	description: "Lets a run that was started with mode step, or is paused, measure some more commits, or (steps 0) go on to the answer. Returns at once; call bisect_status for what was measured.",
	defaults:    func() stepArgs { return stepArgs{Steps: 1} },
	handle: func(ctx context.Context, s *Server, a stepArgs) (*run, error) {
		return statusOf(s.svc.Step(ctx, a.RunID, a.Steps))
	},
}
