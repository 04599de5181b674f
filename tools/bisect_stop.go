package tools

import "context"

type stopArgs struct {
	RunID  string `json:"run_id" need:"true" desc:"the run"`
	Action string `json:"action" enum:"pause,finish" desc:"pause (default) can be resumed; finish ends the run and removes its clone"`
}

var bisectStop = tool[stopArgs, run]{
	name:        "bisect_stop",
	title:       "Pause or finish a run",
	description: "Pauses a run, or finishes it and cleans up. Measurements and report are kept. A paused run goes on with bisect_step or with the same bisect_start.",
	again:       true,
	defaults:    func() stopArgs { return stopArgs{Action: "pause"} },
	handle: func(ctx context.Context, s *Server, a stopArgs) (*run, error) {
		return statusOf(s.svc.Stop(ctx, a.RunID, a.Action))
	},
}
