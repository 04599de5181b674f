package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"perfbisect/engine"
	"perfbisect/internal/app"
	"perfbisect/internal/demo"
	"perfbisect/tools"
)

func (c *command) demoCmd() *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use: "demo", Short: "Find a planted slowdown in a small repository, as an agent would", Args: takes(0, "no argument"),
		Long: `Makes a git repository in a temporary folder, with a real program whose commits
change its real speed, and finds the planted slow one through an MCP client that
talks to this program. Needs git and Go; takes under two minutes.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.demo(cmd.Context(), keep) },
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the repository behind")
	return cmd
}

func (c *command) demo(ctx context.Context, keep bool) (err error) {
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			return &app.HintError{Err: fmt.Errorf("preparing the demo: %w", err), Hints: []string{"the demo needs git, and go to build its program"}}
		}
	}
	dir, err := os.MkdirTemp("", "perfbisect-demo-")
	if err != nil {
		return fmt.Errorf("preparing the demo: %w", err)
	}
	if !keep {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	repoDir := filepath.Join(dir, "gemm")
	if err := os.Mkdir(repoDir, 0o755); err != nil {
		return fmt.Errorf("preparing the demo: %w", err)
	}
	repo, err := demo.Make(ctx, repoDir)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "A repository with %d commits after %s, one of which made it slow: %s\n\n", repo.Commits, repo.Good, repo.Dir)
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	argv := []string{self, "serve", "--state-dir", filepath.Join(dir, "state"), "--cache-dir", filepath.Join(dir, "cache")}
	client, err := tools.Dial(ctx, argv, nil, c.Stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	return c.demoHunt(ctx, client, repo)
}

// reply is what the demo reads of a tool's result.
type reply struct {
	Summary  string         `json:"summary"`
	RunID    string         `json:"run_id"`
	State    engine.Status  `json:"state"`
	Result   *engine.Result `json:"result"`
	Next     string         `json:"next"`
	Report   string         `json:"report"`
	Question *struct {
		ID      string `json:"id"`
		Text    string `json:"text"`
		Default string `json:"default"`
	} `json:"question"`
}

func (c *command) demoHunt(ctx context.Context, client *tools.Client, repo *demo.Repo) error {
	call := func(tool string, args map[string]any) (reply, error) {
		var r reply
		shown, err := json.Marshal(args)
		if err != nil {
			return r, fmt.Errorf("calling %s: %w", tool, err)
		}
		fmt.Fprintf(c.Stdout, "agent  > %s %s\n", tool, shown)
		err = client.Call(ctx, tool, args, &r)
		if err == nil {
			fmt.Fprintf(c.Stdout, "server < %s\n", r.Summary)
		}
		return r, err
	}
	r, err := call("bisect_start", map[string]any{
		"repo": repo.Dir, "good": repo.Good, "bad": repo.Bad, "build_cmd": demo.Build, "bench_cmd": demo.Bench, "metric": "name:kernel time",
	})
	for err == nil && !r.State.Ended() {
		switch {
		case r.Question != nil:
			r, err = call("bisect_answer", map[string]any{"run_id": r.RunID, "question_id": r.Question.ID, "answer": r.Question.Default})
		case r.State == engine.Paused:
			return errors.New("the hunt paused: " + r.Summary)
		default:
			r, err = call("bisect_status", map[string]any{"run_id": r.RunID, "wait_s": 45})
		}
	}
	if err != nil {
		return err
	}
	report, err := call("bisect_report", map[string]any{"run_id": r.RunID, "format": "text"})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Stdout, "\n%s\n", report.Report)
	return c.judge(r.Result, repo)
}

// judge says whether the answer is the commit that was planted.
func (c *command) judge(r *engine.Result, repo *demo.Repo) error {
	if r == nil || r.Culprit != repo.Culprit {
		return fmt.Errorf("the planted commit is %s, and the hunt did not name it: this machine may be too noisy just now", engine.Short(repo.Culprit))
	}
	fmt.Fprintf(c.Stdout, "The planted commit was %s: found, in %d runs and %d builds.\n", engine.Short(repo.Culprit), r.Runs, r.Builds)
	return nil
}
