package prompts

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func text(t *testing.T, p prompt, arguments map[string]string) string {
	t.Helper()
	var req mcp.GetPromptRequest
	req.Params.Arguments = arguments
	r, err := p.get(t.Context(), req)
	if err != nil || len(r.Messages) != 1 {
		t.Fatal(r, err)
	}
	return r.Messages[0].Content.(mcp.TextContent).Text
}

// TestArgumentOrder: clients fill /bisect-perf-regression GOOD BAD BENCH by
// position.
func TestArgumentOrder(t *testing.T) {
	var got []string
	for _, a := range all()[0].listed().Arguments {
		got = append(got, a.Name)
	}
	if all()[0].name != "bisect-perf-regression" || strings.Join(got, " ") != "good bad bench_cmd" {
		t.Errorf("%s has the arguments %v", all()[0].name, got)
	}
}

func TestPrompts(t *testing.T) {
	placeholder := regexp.MustCompile(`\{[a-z_]+\}`)
	for _, p := range all() {
		t.Run(p.name, func(t *testing.T) {
			empty := text(t, p, nil)
			full := map[string]string{}
			for _, a := range p.arguments {
				if a.need && !strings.Contains(empty, "ask the user for "+a.description) {
					t.Errorf("a missing %s is not asked for", a.name)
				}
				full[a.name] = "<" + a.name + ">"
			}
			got := text(t, p, full)
			for _, a := range p.arguments {
				if !strings.Contains(got, "<"+a.name+">") {
					t.Errorf("%s does not appear", a.name)
				}
			}
			for _, left := range placeholder.FindAllString(got, -1) {
				if left != "{dump_dir}" { // what the user's command is given
					t.Errorf("%s is left in the text", left)
				}
			}
			if n := len(p.listed().Description); n == 0 || n > 200 {
				t.Errorf("description of %d characters", n)
			}
		})
	}
}

// TestArgumentsAreNotTemplates: what a user gives is not filled in again.
func TestArgumentsAreNotTemplates(t *testing.T) {
	if got := text(t, all()[0], map[string]string{"good": "{bench_cmd}", "bench_cmd": "x"}); !strings.Contains(got, "good (fast): {bench_cmd}\n") {
		t.Error(got)
	}
}

func TestInstructionsNameTheTools(t *testing.T) {
	for _, name := range []string{"bisect_start", "bisect_status", "bisect_answer", "bisect_report", "metric_preview", "diff_hints", "isa_diff", "perfbisect wait"} {
		if !strings.Contains(Instructions(), name) {
			t.Errorf("the instructions do not name %s", name)
		}
	}
	if strings.Contains(ReadOnlyInstructions(), "bisect_start") {
		t.Error("the read-only instructions name a tool that is not there")
	}
}
