package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/app"
	"perfbisect/internal/term"
)

// narrator tells what happens while a run is followed: finished steps as lines,
// the running one as a status line.
type narrator struct {
	c      *command
	app    *app.App
	id     string
	json   bool
	status *term.Status
	told   int // steps that were told
	begun  bool
	err    error // the first of stdout: an answer that nobody got is none
}

func (c *command) narrator(a *app.App, id string, o followOptions) *narrator {
	file, ok := c.Stderr.(*os.File)
	if !ok || o.json {
		file, _ = os.Open(os.DevNull)
	}
	return &narrator{c: c, app: a, id: id, json: o.json, status: term.NewStatus(file)}
}

func (n *narrator) println(text string) {
	if n.status.Live() {
		n.status.Println(text)
		return
	}
	fmt.Fprintln(n.c.Stderr, text)
}

// hear is called by Wait.
func (n *narrator) hear(s *app.Status) {
	n.begin(s)
	steps, err := n.app.Steps(context.Background(), n.id, n.told)
	if err != nil {
		return // the next look tells, or Wait says what is wrong
	}
	if s.State == engine.Measuring && len(steps) > 0 {
		steps = steps[:len(steps)-1] // still going on
	}
	for _, step := range steps {
		n.step(step)
		n.told++
	}
	if !n.json {
		n.status.Set(statusLine(s.Progress))
	}
}

// statusLine leaves out what is not known yet.
func statusLine(p app.Progress) string {
	left := ""
	if p.Left > 0 {
		left = fmt.Sprintf("%d left", p.Left)
	}
	parts := slices.DeleteFunc([]string{p.Now, left, p.Cost}, func(s string) bool { return s == "" })
	return strings.Join(parts, " · ")
}

// begin tells once what is searched.
func (n *narrator) begin(s *app.Status) {
	single := s.Range.Good == s.Range.Bad && s.Progress.Runs > 0 // one commit is measured
	if n.begun || s.Range.Positions == 0 && !single {
		return
	}
	n.begun = true
	if n.json {
		n.object(map[string]any{"type": "start", "run_id": s.RunID, "range": s.Range})
		return
	}
	n.println(fmt.Sprintf("run     %s", s.RunID))
	n.println(rangeLine(s.Range))
	for _, w := range s.Warnings {
		if w.Code == app.NoEffect || w.Code == app.Foreign || w.Code == app.Checkout {
			n.println("note    " + w.Text)
		}
	}
}

// rangeLine says what is measured: a range, or one commit.
func rangeLine(r app.Range) string {
	switch r.Commits {
	case 0:
		return "commit  " + engine.Short(r.Good)
	case 1:
		return fmt.Sprintf("range   1 commit, %s..%s", engine.Short(r.Good), engine.Short(r.Bad))
	}
	return fmt.Sprintf("range   %d commits, %s..%s", r.Commits, engine.Short(r.Good), engine.Short(r.Bad))
}

func (n *narrator) step(s app.StepLine) {
	if n.json {
		n.object(s)
		return
	}
	text := s.Shown
	if s.Outcome != search.OK {
		text = string(s.Outcome)
	}
	phase := s.Phase
	if phase == "" {
		phase = search.PhaseSearch
	}
	n.println(stepLine(phase, engine.Short(s.Commit), text, s.Why))
}

// stepLine keeps columns, and a space after the longest phase.
func stepLine(phase search.Phase, commit, text, why string) string {
	return fmt.Sprintf("%-7s %s  %s  %s", phase, commit, text, why)
}

func (n *narrator) object(v any) {
	if n.err != nil {
		return
	}
	if err := json.NewEncoder(n.c.Stdout).Encode(v); err != nil {
		n.err = fmt.Errorf("writing to stdout: %w", err)
	}
}

// react does what a state calls for. It reports true when there is no more to
// follow.
func (c *command) react(ctx context.Context, a *app.App, s *app.Status, n *narrator, o followOptions) (bool, error) {
	n.hear(s)
	n.status.Clear()
	switch s.State {
	case engine.NeedsInput:
		return c.question(ctx, a, s, n, o)
	case engine.Completed:
		c.tellCheckout(s)
		return true, c.answerOf(ctx, a, s, n, o)
	case engine.Failed:
		c.tellForget(ctx, a, s.RunID)
		if o.json {
			n.object(map[string]any{"type": "error", "run_id": s.RunID, "error": s.Reason})
		}
		return true, errors.New(s.Reason)
	case engine.Stopped:
		n.without(s, o, "stopped")
		fmt.Fprintf(c.Stderr, "stopped: %s\n", s.Reason)
		c.tellForget(ctx, a, s.RunID)
		return true, exit(exitNoAnswer)
	case engine.Paused:
		n.without(s, o, "stopped")
		fmt.Fprintf(c.Stderr, "paused: %s\nhint: perfbisect resume %s\n", s.Reason, s.RunID)
		return true, exit(exitNoAnswer)
	}
	return false, nil
}

// tellForget says what a run in place that has no report left behind.
func (c *command) tellForget(ctx context.Context, a *app.App, id string) {
	if s, err := a.Status(ctx, id); err == nil {
		c.tellCheckout(s)
	}
	if command := a.Forget(ctx, id); command != "" {
		fmt.Fprintf(c.Stderr, "note: what was saved of your checkout stays until an in-place run at least 30 days later; this deletes it now: %s\n", command)
	}
}

// tellCheckout says what of the user's checkout is not as it was.
func (c *command) tellCheckout(s *app.Status) {
	for _, w := range s.Warnings {
		if w.Code == app.Checkout {
			fmt.Fprintf(c.Stderr, "note: %s\n", w.Text)
		}
	}
}

// answerOf prints the result: the report for people, or the last JSON object.
func (c *command) answerOf(ctx context.Context, a *app.App, s *app.Status, n *narrator, o followOptions) error {
	if o.json {
		n.object(s.Result)
		if n.err != nil {
			return n.err
		}
	} else if err := a.Report(ctx, s.RunID, "text", "summary", c.Stdout); err != nil {
		return err
	}
	switch s.Result.Outcome {
	case search.Found, search.FoundAmong, search.Measured:
		return nil
	}
	return exit(exitNoAnswer)
}

// without prints, as JSON, the result of a run that has none: why there is no
// answer, and the question if one waits.
func (n *narrator) without(s *app.Status, o followOptions, outcome string) {
	if !o.json {
		return
	}
	object := map[string]any{"type": "result", "run_id": s.RunID, "outcome": outcome, "candidates": []string{}, "reason": s.Summary}
	if s.Question != nil {
		object["question"] = s.Question
	}
	n.object(object)
}

// question asks at the terminal. Off it a harmless default is taken and told;
// anything else leaves the run waiting.
func (c *command) question(ctx context.Context, a *app.App, s *app.Status, n *narrator, o followOptions) (bool, error) {
	q := s.Question
	switch {
	case o.yes && q.Default != "":
		return false, c.reply(ctx, a, s, q.Default)
	case c.Interactive && !o.json:
		err := c.prompt(ctx, a, s)
		if ctx.Err() != nil {
			return true, c.interrupted(a, s.RunID, o)
		}
		return false, err
	case q.Default == "continue" && harmless(q.ID):
		n.println("note    " + q.Text + " Going on: nobody is there to ask.")
		return false, c.reply(ctx, a, s, q.Default)
	}
	n.without(s, o, "needs_input")
	fmt.Fprintf(c.Stderr, "question: %s\n", q.Text)
	if len(q.Options) > 0 {
		fmt.Fprintf(c.Stderr, "answers: %s\n", strings.Join(q.Options, ", "))
	}
	if q.Argument != "" {
		fmt.Fprintf(c.Stderr, "hint: give --%s\n", strings.ReplaceAll(flagName(q.Argument), "_", "-"))
	}
	fmt.Fprintf(c.Stderr, "hint: perfbisect answer %s ANSWER\n", s.RunID)
	if o.foreground {
		if _, err := a.Stop(ctx, s.RunID, "pause"); err != nil {
			return true, err
		}
	}
	return true, exit(exitNoAnswer)
}

// harmless reports whether going on without an answer costs time at most: the
// range is long, or (with --skip-on-fail) several commits could not be tested.
func harmless(id string) bool {
	name, _, _ := strings.Cut(id, ":")
	return name == "many_commits" || name == "failures"
}

// flagName is the flag for an argument of bisect_start.
func flagName(argument string) string {
	if argument == "build_cmd" {
		return "build"
	}
	return argument
}

func (c *command) reply(ctx context.Context, a *app.App, s *app.Status, answer string) error {
	_, err := a.Answer(ctx, s.RunID, s.Question.ID, answer)
	if err == nil {
		return nil
	}
	// With --yes the hunt answers by itself, and may have done so meanwhile.
	now, lookErr := a.Status(ctx, s.RunID)
	if lookErr == nil && (now.Question == nil || now.Question.ID != s.Question.ID) {
		return nil
	}
	return err
}

// prompt asks until the answer is one of the options, or ctx ends.
func (c *command) prompt(ctx context.Context, a *app.App, s *app.Status) error {
	q := s.Question
	fmt.Fprintln(c.Stderr, q.Text)
	in := bufio.NewReader(c.Stdin)
	for {
		fmt.Fprintf(c.Stderr, "%s> ", promptHint(q))
		line, err := readLine(ctx, in)
		if err != nil {
			return usage("reading the answer to %q: %w", q.ID, err)
		}
		if _, err := a.Answer(ctx, s.RunID, q.ID, strings.TrimSpace(line)); err != nil {
			fmt.Fprintf(c.Stderr, "error: %v\n", err)
			continue
		}
		return nil
	}
}

// readLine reads a line, or stops waiting for it when ctx ends: a terminal hands
// out nothing until the line is complete.
func readLine(ctx context.Context, in *bufio.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		line, err := in.ReadString('\n')
		read <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case r := <-read:
		return r.line, r.err
	}
}

func promptHint(q *search.Question) string {
	text := strings.Join(q.Options, "/")
	if q.Default != "" {
		text += " [" + q.Default + "]"
	}
	return strings.TrimSpace(text)
}
