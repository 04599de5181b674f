// Package prompts is what an agent is told: the server's instructions and three
// prompts, as Markdown files that are built into the program.
//
// It holds words only and never calls anything.
package prompts

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

//go:embed *.md
var files embed.FS

// prompt is one entry of the prompt list. Its text is the file NAME.md, in
// which {argument} stands for what the user gave.
type prompt struct {
	name        string
	title       string
	description string
	arguments   []argument
}

type argument struct {
	name        string
	description string
	need        bool
	otherwise   string // what an argument that was not given reads as
}

// all lists the prompts. The order of the arguments of the first is the one of
// /bisect-perf-regression GOOD [BAD] -- BENCH: clients fill them by position.
func all() []prompt {
	return []prompt{
		{"bisect-perf-regression", "Find the commit that made it slow", "Find the commit that made a GPU kernel or another benchmark slow, prove it, explain it.", []argument{
			{"good", "a fast commit, tag or branch", true, ""},
			{"bad", "a slow one (default HEAD)", false, "HEAD"},
			{"bench_cmd", "command that prints the number", true, ""},
		}},
		{"isa-resource-diff", "Compare the machine code of two builds", "Compare registers, spills, LDS and occupancy of AMD GPU kernels before and after a change.", []argument{
			{"before", "folder, file or snapshot before, or a commit", true, ""},
			{"after", "folder, file or snapshot after, or a commit", true, ""},
			{"kernel", "only this kernel", false, "all kernels"},
		}},
		{"explain-commit", "Explain why a commit is slow", "Explain why a commit, or the culprit of a run, made a kernel slow.", []argument{
			{"commit", "commit to explain (default: the culprit of run_id)", false, "the culprit of the run"},
			{"run_id", "a run of perfbisect (default: the newest)", false, "the newest run"},
		}},
	}
}

// Instructions is the text that clients show the model before any tool is
// known, at most 1,000 characters.
func Instructions() string { return strings.TrimSpace(read("instructions.md")) }

// ReadOnlyInstructions is the same for a server that runs no command.
func ReadOnlyInstructions() string { return strings.TrimSpace(read("instructions_readonly.md")) }

// Register adds the prompts to a server.
func Register(s *server.MCPServer) {
	for _, p := range all() {
		s.AddPrompt(p.listed(), p.get)
	}
}

func (p prompt) listed() mcp.Prompt {
	options := []mcp.PromptOption{mcp.WithPromptDescription(p.description)}
	for _, a := range p.arguments {
		one := []mcp.ArgumentOption{mcp.ArgumentDescription(a.description)}
		if a.need {
			one = append(one, mcp.RequiredArgument())
		}
		options = append(options, mcp.WithArgument(a.name, one...))
	}
	listed := mcp.NewPrompt(p.name, options...)
	listed.Title = p.title
	return listed
}

// get fills the prompt in. mcp-go does not enforce required arguments, so what
// is missing becomes an instruction to ask the user.
func (p prompt) get(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := strings.TrimSpace(read(p.name + ".md"))
	pairs := make([]string, 0, 2*len(p.arguments))
	for _, a := range p.arguments {
		value := strings.TrimSpace(req.Params.Arguments[a.name])
		switch {
		case value != "":
		case a.need:
			value = fmt.Sprintf("(not given: ask the user for %s)", a.description)
		default:
			value = a.otherwise
		}
		pairs = append(pairs, "{"+a.name+"}", value)
	}
	// One pass: what a user gave is never read as a placeholder.
	text = strings.NewReplacer(pairs...).Replace(text)
	return mcp.NewGetPromptResult(p.description, []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text)),
	}), nil
}

func read(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("prompt file: %v", err)) // built in: cannot be missing
	}
	return string(text)
}
