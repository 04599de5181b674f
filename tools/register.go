package tools

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"perfbisect/internal/app"
)

// tool is one entry of the tool list: A are its arguments (see field), R is its
// structured result.
type tool[A, R any] struct {
	name        string
	title       string
	description string // ≤ 600 characters: what, cost, what to call before or after
	reads       bool   // changes nothing anywhere
	again       bool   // saying it twice is the same as once
	limit       int    // bytes of the result; 0: typicalBytes
	defaults    func() A
	handle      func(ctx context.Context, s *Server, a A) (*R, error)
}

// outcome is what every result knows about itself.
type outcome interface {
	// text stands alone, for clients that show no structured content.
	text() string
	// shortened records what fit cut.
	shortened(cut []string)
}

// bind returns the tool as mcp-go registers it.
func (t tool[A, R]) bind(s *Server) server.ServerTool {
	return server.ServerTool{Tool: t.definition(), Handler: func(ctx context.Context, req mcp.CallToolRequest) (r *mcp.CallToolResult, err error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.life, cancel)() // some transports outlive their requests
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic in a tool", "tool", t.name, "panic", p, "stack", string(debug.Stack()))
				r, err = mcp.NewToolResultError(fmt.Sprintf("%s: internal error: %v; this is a fault of perfbisect, the run itself goes on", t.name, p)), nil
			}
		}()
		return t.call(ctx, s, req), nil
	}}
}

// call answers one call. It never returns an error of the protocol: models see
// those badly, and they say nothing about what to do.
func (t tool[A, R]) call(ctx context.Context, s *Server, req mcp.CallToolRequest) *mcp.CallToolResult {
	if len(req.Params.InputResponses) > 0 {
		if r, answered := s.answered(ctx, req); !answered || !t.reads {
			return r // what changes something must not be done twice
		}
	}
	var a A
	if t.defaults != nil {
		a = t.defaults()
	}
	if err := decode(req.Params.Arguments, &a); err != nil {
		return s.refuse(t.name, err)
	}
	ctx, quiet := s.speak(ctx, t.name, req)
	r, err := t.handle(ctx, s, a)
	quiet()
	if err != nil {
		return s.failWith(ctx, t.name, runIDOf(req), err, s.adviceFor(req, names(fieldsOf(reflect.TypeFor[A]())), err))
	}
	if next := reflect.ValueOf(r).Elem().FieldByName("Next"); next.Kind() == reflect.String {
		next.SetString(next.String() + s.elsewhere(next.String()))
	}
	if ask := s.ask(ctx, any(r)); ask != nil {
		return ask
	}
	return reply(t.name, r, t.limit)
}

// reply makes the answer: the structured object, which is all that some clients
// show the model, and a text, which is all that others show.
func reply[R any](name string, r *R, limit int) *mcp.CallToolResult {
	if limit == 0 {
		limit = typicalBytes
	}
	o, ok := any(r).(outcome)
	if !ok {
		panic(fmt.Sprintf("result of %s has no text", name))
	}
	cut, err := fit(r, limit)
	if err != nil {
		return mcp.NewToolResultError(fmt.Sprintf("%s: writing the result: %v", name, err))
	}
	if cut != nil {
		o.shortened(cut)
	}
	return mcp.NewToolResultStructured(r, o.text())
}

// definition is the tool as clients list it. All four hints are explicit:
// mcp-go's defaults say destructive and open-world, which makes clients refuse.
func (t tool[A, R]) definition() mcp.Tool {
	d := mcp.NewToolWithRawSchema(t.name, t.description, inputSchema(fieldsOf(reflect.TypeFor[A]())))
	no := false
	d.Title = t.title
	d.Annotations = mcp.ToolAnnotation{
		Title: t.title, ReadOnlyHint: &t.reads, DestructiveHint: &no, IdempotentHint: &t.again, OpenWorldHint: &no,
	}
	d.RawOutputSchema = outputSchema(reflect.TypeFor[R]())
	return d
}

// refuse answers a call whose arguments are wrong.
func (s *Server) refuse(name string, err error) *mcp.CallToolResult {
	return mcp.NewToolResultError(fmt.Sprintf("%s was not run:\n%s\nCorrect the arguments and call %s again.", name, bullets(err), name))
}

// fail answers a call about run id (or "") that went wrong, with what to try.
// failWith knows something to try unless the error or the end of the call do.
func (s *Server) fail(ctx context.Context, name, id string, err error) *mcp.CallToolResult {
	return s.failWith(ctx, name, id, err, "")
}

func (s *Server) failWith(ctx context.Context, name, id string, err error, next string) *mcp.CallToolResult {
	var n *nextError
	switch {
	case errors.As(err, &n):
		next = n.next
	case ctx.Err() != nil:
		next = "The call was cancelled; runs go on. bisect_status shows them."
	case next == "" && id != "":
		next = s.newest(ctx, id, err)
	}
	return mcp.NewToolResultError(strings.TrimSpace(fmt.Sprintf("%s: %v\n%s", name, err, next+s.elsewhere(next))))
}

// runIDOf is the run that a call named.
func runIDOf(req mcp.CallToolRequest) string {
	id, _ := stringOf(req.GetArguments()["run_id"])
	return id
}

// newest lists the newest runs when id is none of them, which is the commonest
// mistake of a model whose context was compacted, and the error does not.
func (s *Server) newest(ctx context.Context, id string, cause error) string {
	runs, err := s.svc.List(ctx)
	if err != nil || len(runs) > 0 && strings.Contains(cause.Error(), runs[0].RunID) || slices.ContainsFunc(runs, func(r app.Brief) bool { return r.RunID == id }) {
		return ""
	}
	if len(runs) == 0 {
		return "There are no runs; bisect_start makes one."
	}
	var ids []string
	for _, r := range runs[:min(len(runs), 5)] {
		ids = append(ids, fmt.Sprintf("%s (%s)", r.RunID, r.State))
	}
	return "Newest runs: " + strings.Join(ids, ", ") + ". bisect_status without run_id lists all."
}

// nextError is an error that knows the call which helps.
type nextError struct {
	err  error
	next string
}

func (e *nextError) Error() string { return e.err.Error() }
func (e *nextError) Unwrap() error { return e.err }

// bullets puts joined errors one on a line.
func bullets(err error) string {
	return "- " + strings.ReplaceAll(err.Error(), "\n", "\n- ")
}
