package tools

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"perfbisect/amdgpu"
	"perfbisect/internal/app"
)

// saying is a fake app that fails with one error.
type saying struct {
	*fake
	err error
}

func (f saying) Start(context.Context, app.Spec) (*app.Status, error) { return nil, f.err }

func (f saying) Compare(context.Context, app.CompareRequest) (*app.Status, error) { return nil, f.err }

func (f saying) Preview(context.Context, app.PreviewRequest) (*app.Preview, error) {
	return nil, f.err
}

// answerTo calls a tool and returns all that a client without structured content sees.
func answerTo(t *testing.T, s *Server, tool string, args any) string {
	t.Helper()
	for _, st := range s.all() {
		if st.Tool.Name != tool {
			continue
		}
		var req mcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = tool, args
		r, err := st.Handler(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return textOf(r)
	}
	t.Fatalf("no tool %s", tool)
	return ""
}

// TestAdvice: what a wrong call is answered with leads to the right one.
func TestAdvice(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	type args = map[string]any
	tests := []struct {
		why  string
		err  string // what the app says
		tool string
		args any
		want string
		not  string
	}{
		{"no repo, and the server runs elsewhere", `opening repository "/x": not a git repository`, "bisect_start", args{}, "Without it the server's folder is meant, \"" + here + "\"", ""},
		{"a relative repo", `opening repository: stat /x/rx: no such file or directory`, "bisect_start", args{"repo": "rx"}, "A relative one starts at the server's folder, \"" + here + "\"", ""},
		{"an absolute repo", `opening repository: stat /x: no such file or directory`, "bisect_start", args{"repo": "/x"}, "the absolute path of a folder in a git repository on this machine.", here},
		{"flags that are arguments", "exit 127; what a build makes needs --build, an uncommitted file needs --overlay", "bisect_start", args{"bench_cmd": "b"}, `Here --build is build_cmd, --overlay goes into options as "overlay=SRC[:DEST]".`, ""},
		{"flags of a tool that has options only", "needs --build", "baseline_measure", args{"repo": ".", "commits": []any{"a"}, "bench_cmd": "b"}, `Here --build goes into options as "build=CMD".`, ""},
		{"flags that are no arguments", "see git log --oneline", "bisect_start", args{"bench_cmd": "b"}, "see git log", "Here"},
		{"a command in the wrong folder", "exit 127: not found", "metric_preview", args{"command": "./b"}, "give repo, an absolute path", ""},
		{"a command in the right folder", "exit 127: not found", "metric_preview", args{"repo": "/x", "command": "./b"}, "exit 127", "give repo"},
		{"two commits in one text", "", "baseline_measure", args{"repo": ".", "commits": "v1.0..HEAD", "bench_cmd": "b"}, `must be a list, such as ["v1.0", "HEAD"]`, ""},
		{"paths and commits", "", "isa_diff", args{"before": "a", "after": "b", "repo": "/x", "dump_cmd": "d"}, "leave before and after out to compare commits", ""},
		{"another name of an argument", "", "bisect_status", args{"id": "r1"}, `did you mean "run_id"?`, ""},
		{"another name, of which a tool has a part", "", "isa_diff", args{"before_commit": "a", "after_commit": "b"}, `did you mean "before_rev"?`, ""},
	}
	for _, tt := range tests {
		s := New(saying{newFake(), errors.New(tt.err)}, Options{Log: io.Discard})
		got := answerTo(t, s, tt.tool, tt.args)
		if !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: %s\nwant %q, without %q", tt.why, got, tt.want, tt.not)
		}
		s.Close()
	}
}

// TestArgumentsAsClientsWriteThem: no arguments, and null, in every way that has
// been seen.
func TestArgumentsAsClientsWriteThem(t *testing.T) {
	for why, arguments := range map[string]any{
		"none": nil, "an empty map of PHP": []any{}, "an empty text": "", "in a text": `{"wait_s":0}`, "null in a text": "null",
		"null": map[string]any{"run_id": nil, "wait_s": nil}, "a word": map[string]any{"wait_s": "None"}, "another word": map[string]any{"wait_s": " NULL"},
	} {
		a := statusArgs{WaitS: -1}
		if err := decode(arguments, &a); err != nil || a.RunID != "" || a.WaitS > 0 {
			t.Errorf("%s: %+v, %v", why, a, err)
		}
	}
	for _, arguments := range []any{"x", "[1]", []any{1.0}, 7.0} {
		if err := decode(arguments, &statusArgs{}); err == nil {
			t.Errorf("%v is taken for arguments", arguments)
		}
	}
	a := startDefaults()
	if err := decode(map[string]any{"better": "None", "num_runs": "null", "good": "none"}, &a); err != nil || a.Better != "" || a.NumRuns != app.DefaultSpec().NumRuns || a.Good != "none" {
		t.Errorf("%+v, %v: want a branch to be called none, and the others not given", a, err)
	}
}

// TestMissingPaths: who gives commits as paths hears so.
func TestMissingPaths(t *testing.T) {
	problems := []amdgpu.Problem{{Class: amdgpu.InputMissing}}
	if got := missingAdvice(problems, "v1.0", "/b"); !strings.Contains(got, `/v1.0" "/b"]`) || !strings.Contains(got, "before_rev") {
		t.Error(got)
	}
	if got := missingAdvice([]amdgpu.Problem{{Class: amdgpu.NoISAFound}}, "a", "b"); got != "" {
		t.Error(got)
	}
}

// TestReadOnlyNamesNoToolItHasNot: or says that it has it not.
func TestReadOnlyNamesNoToolItHasNot(t *testing.T) {
	full, f := New(newFake(), Options{}), newFake()
	defer full.Close()
	s := New(f, Options{ReadOnly: true})
	defer s.Close()
	var missing []string
	for _, name := range full.toolNames() {
		if !contains(s.toolNames(), name) {
			missing = append(missing, name)
		}
	}
	if !slices.Equal(missing, slices.Sorted(slices.Values(writing))) {
		t.Errorf("writing is %q, want %q", writing, missing)
	}
	if got := answerTo(t, s, "bisect_status", map[string]any{"run_id": "r9"}); !strings.Contains(got, "bisect_start makes one. This server is read-only") {
		t.Error(got)
	}
	if _, err := f.Start(t.Context(), app.DefaultSpec()); err != nil {
		t.Fatal(err)
	}
	for _, args := range []any{nil, map[string]any{"run_id": "r1", "wait_s": 0.0}} {
		if got := answerTo(t, s, "bisect_status", args); strings.Contains(got, "read-only") {
			t.Errorf("nothing is missing: %s", got)
		}
	}
	waits := app.DefaultSpec()
	waits.Metric = "ask"
	if _, err := f.Start(t.Context(), waits); err != nil {
		t.Fatal(err)
	}
	if got := answerTo(t, s, "bisect_status", map[string]any{"run_id": "r2", "wait_s": 0.0}); !strings.Contains(got, "bisect_answer") || !strings.Contains(got, "This server is read-only") {
		t.Error(got)
	}
}

// busy is a fake app that takes a while to find a run or make it.
type busy struct {
	*fake
	now, most atomic.Int32
}

func (f *busy) Start(ctx context.Context, spec app.Spec) (*app.Status, error) {
	f.most.Store(max(f.most.Load(), f.now.Add(1)))
	defer f.now.Add(-1)
	time.Sleep(time.Second) // of the bubble
	return f.fake.Start(ctx, spec)
}

// TestStartsTakeTurns: of clients that ask for the same hunt at once, one makes
// it and the others find it.
func TestStartsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &busy{fake: newFake()}
		s := New(f, Options{Log: io.Discard})
		defer s.Close()
		gone, leave := context.WithCancel(t.Context())
		for i := range 20 {
			ctx := t.Context()
			if i == 0 {
				ctx = gone
			}
			go startHunt(ctx, s, startDefaults())
		}
		leave()
		synctest.Wait()
		time.Sleep(time.Minute)
		if n := f.most.Load(); n != 1 || len(f.runs) != 1 {
			t.Errorf("%d starts at once, %d runs", n, len(f.runs))
		}
	})
}
