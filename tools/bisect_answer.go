package tools

import "context"

type answerArgs struct {
	RunID      string `json:"run_id" need:"true" desc:"the run"`
	QuestionID string `json:"question_id" desc:"question.id; default: the pending one"`
	Answer     string `json:"answer" need:"true" desc:"one of question.options, or free text if there are none"`
}

var bisectAnswer = tool[answerArgs, run]{
	name:        "bisect_answer",
	title:       "Answer a run's question",
	description: "Gives a run in state needs_input the user's answer to its question. Ask the user first; do not guess. The run goes on by itself; then call bisect_status.",
	handle: func(ctx context.Context, s *Server, a answerArgs) (*run, error) {
		return statusOf(s.svc.Answer(ctx, a.RunID, a.QuestionID, a.Answer))
	},
}
