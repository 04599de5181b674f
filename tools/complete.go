package tools

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"perfbisect/internal/app"
)

// Completer is what an app.Service may have besides: values for the arguments
// of the prompts. Every method may return nothing.
type Completer interface {
	Refs(ctx context.Context, prefix string) []string // tags and branches of the repository in the current folder, newest first
	Kernels(ctx context.Context, prefix string) []string
}

// mostCompletions is the protocol's limit for one answer.
const mostCompletions = 100

// completer answers completion/complete for prompts and resource templates.
type completer struct{ svc app.Service }

func (c completer) CompletePromptArgument(ctx context.Context, _ string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	more, _ := c.svc.(Completer)
	switch {
	case a.Name == "run_id":
		return choices(c.runs(ctx), a.Value), nil
	case more == nil:
	case a.Name == "good" || a.Name == "bad" || a.Name == "commit":
		return choices(more.Refs(ctx, a.Value), a.Value), nil
	case a.Name == "kernel":
		return choices(more.Kernels(ctx, a.Value), a.Value), nil
	}
	return choices(nil, ""), nil
}

func (c completer) CompleteResourceArgument(ctx context.Context, _ string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	switch a.Name {
	case "id":
		return choices(c.runs(ctx), a.Value), nil
	case "format":
		return choices([]string{"text", "markdown", "json"}, a.Value), nil
	}
	return choices(nil, ""), nil
}

func (c completer) runs(ctx context.Context) []string {
	runs, err := c.svc.List(ctx)
	if err != nil {
		return nil
	}
	ids := make([]string, len(runs))
	for i, r := range runs {
		ids[i] = r.RunID
	}
	return ids
}

// choices are the values that begin with prefix.
func choices(values []string, prefix string) *mcp.Completion {
	out := &mcp.Completion{Values: []string{}}
	for _, v := range values {
		if strings.HasPrefix(v, prefix) {
			out.Total++
			if len(out.Values) < mostCompletions {
				out.Values = append(out.Values, v)
			}
		}
	}
	out.HasMore = out.Total > len(out.Values)
	return out
}
