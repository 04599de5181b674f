package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The name of the one form field of a question, and of the one input request
// of a round trip.
const (
	answerField = "answer"
	askID       = "question"
)

// asked is the state that a client carries back with the user's answer. It says
// no more than a caller of bisect_answer could say too, so it needs no seal.
type asked struct {
	RunID      string `json:"run_id"`
	QuestionID string `json:"question_id"`
}

// ask returns the request to ask the user the pending question of a result
// through the client, or nil when there is none, the client cannot, or the user
// would not answer it before.
//
// Note: with an older client mcp-go itself sends the elicitation and calls the
// handler again; on SSE it cannot, so canAsk is false there.
func (s *Server) ask(ctx context.Context, result any) *mcp.CallToolResult {
	r, ok := result.(*run)
	if !ok || r.Question == nil || s.opt.ReadOnly || !canAsk(ctx) || s.asks.has(r.RunID, r.Question.ID) {
		return nil
	}
	state, err := json.Marshal(asked{r.RunID, r.Question.ID})
	if err != nil {
		return nil
	}
	return server.NewInputRequestBuilder(string(state)).Elicit(askID, mcp.ElicitationParams{
		Mode:            mcp.ElicitationModeForm,
		Message:         r.Question.Text,
		RequestedSchema: r.Question.form(),
	}).ToolResult()
}

// form is the schema of the question: one field.
func (q *question) form() map[string]any {
	f := map[string]any{"type": "string", "title": "Answer"}
	if len(q.Options) > 0 {
		f["enum"] = q.Options
	}
	if q.Default != "" {
		f["default"] = q.Default
	}
	return map[string]any{"type": "object", "properties": map[string]any{answerField: f}, "required": []string{answerField}}
}

// answered handles what the user did with the question of a call that comes
// back. It reports whether the run has the answer; the result is the run's state
// then, or the next question.
func (s *Server) answered(ctx context.Context, req mcp.CallToolRequest) (_ *mcp.CallToolResult, ok bool) {
	var a asked
	if err := json.Unmarshal([]byte(req.Params.RequestState), &a); err != nil || a.RunID == "" || s.opt.ReadOnly {
		return mcp.NewToolResultError(fmt.Sprintf("requestState is %q, which is not from this server; call the tool again without it", req.Params.RequestState)), false
	}
	e := server.ElicitationResponse(req.Params.InputResponses, askID)
	if e == nil || e.Action != mcp.ElicitationResponseActionAccept {
		return s.unanswered(ctx, a, e), false
	}
	answer := answerOf(e)
	if answer == "" {
		return s.unanswered(ctx, a, nil), false // a form sent off empty
	}
	st, err := s.svc.Answer(ctx, a.RunID, a.QuestionID, answer)
	if err != nil {
		return s.fail(ctx, "answering "+a.QuestionID, a.RunID, err), false
	}
	r := runOf(s.settle(ctx, st))
	if next := s.ask(ctx, r); next != nil {
		return next, false
	}
	return reply("bisect_answer", r, 0), true
}

// answerOf takes the answer out of the form. Clients fill it in by hand, so it
// may be a number or a switch.
func answerOf(e *mcp.ElicitationResult) string {
	content, _ := e.Content.(map[string]any)
	text, _ := stringOf(content[answerField])
	return text
}

// unanswered says that the user would not answer. The run goes on waiting, and
// the same question is not put to the user through the client again.
func (s *Server) unanswered(ctx context.Context, a asked, e *mcp.ElicitationResult) *mcp.CallToolResult {
	how := "did not answer"
	if e != nil && e.Action == mcp.ElicitationResponseActionDecline {
		how = "declined to answer"
	}
	s.asks.add(a.RunID, a.QuestionID)
	r, err := statusOf(s.svc.Status(ctx, a.RunID))
	if err != nil {
		return s.fail(ctx, "asking "+a.QuestionID, a.RunID, err)
	}
	r.Summary = fmt.Sprintf("The user %s; the run waits. %s", how, r.Summary)
	return reply("bisect_answer", r, 0)
}

// canAsk reports whether the client of this request takes form elicitations and
// the transport can carry them.
func canAsk(ctx context.Context) bool {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.ClientCapabilities != nil && takesForms(info.ClientCapabilities.Elicitation)
	}
	session := server.ClientSessionFromContext(ctx)
	if _, carries := session.(server.SessionWithElicitation); !carries {
		return false
	}
	client, ok := session.(server.SessionWithClientInfo)
	return ok && takesForms(client.GetClientCapabilities().Elicitation)
}

// takesForms reads the capability: an empty one means forms.
func takesForms(c *mcp.ElicitationCapability) bool {
	return c != nil && (c.Form != nil || c.URL == nil)
}

// declined remembers which questions the user would not answer, so that a
// polling agent does not put the same form up again and again.
type declined struct {
	mu  sync.Mutex
	set map[asked]bool
}

func (d *declined) add(runID, questionID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.set == nil || len(d.set) > 1000 {
		d.set = map[asked]bool{}
	}
	d.set[asked{runID, questionID}] = true
}

func (d *declined) has(runID, questionID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.set[asked{runID, questionID}]
}
