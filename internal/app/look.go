package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/metric"
	"perfbisect/internal/session"
)

// Status says where a run stands. It only reads.
func (a *App) Status(ctx context.Context, id string) (*Status, error) {
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	worked := a.worked(run) // before the journal is read: an end may come in between
	q, state, damage := read(run)
	st := a.view(run, q, state)
	if damage != nil {
		st.showDamage(damage)
		return st, nil
	}
	if st.State == engine.Paused && state.Status != engine.Paused && worked {
		st.State, st.Reason = engine.Measuring, "" // it ended just now: the next look tells how
		st.Summary, st.Next = summary(st, q), next(st, q)
	}
	if !worked && a.holdsCheckout(ctx, run, q, state) {
		st.Summary += fmt.Sprintf(" The checkout %s is still as the hunt left it: going on gives it back at the end, `perfbisect stop %s` (tool bisect_stop, action finish) now.", q.Spec.Repo, run.ID)
	}
	return st, nil
}

// holdsCheckout reports whether a run that nobody works on was killed while it had
// the user's checkout in its hands.
func (a *App) holdsCheckout(ctx context.Context, run *session.Run, q asked, s *engine.State) bool {
	if q.Spec.Checkout != string(gitrepo.ModeInPlace) || s.Status.Ended() || gitrepo.CheckoutIn(treeSteps(s.Events())) == "" {
		return false
	}
	left, err := gitrepo.Left(ctx, q.Spec.Repo, "", run.ID)
	return err == nil && left[gitrepo.ModeInPlace] != ""
}

// List is every run, newest first, without those that work for another one.
func (a *App) List(ctx context.Context) ([]Brief, error) {
	ids, err := a.store.IDs()
	if err != nil {
		return nil, err
	}
	briefs := make([]Brief, 0, len(ids))
	for _, id := range ids {
		run, err := a.store.Open(id)
		if err != nil {
			continue // removed meanwhile
		}
		if q, err := readAsked(run); err == nil && q.Inside {
			continue // its parent tells of it
		}
		briefs = append(briefs, a.brief(ctx, run))
	}
	return briefs, nil
}

func (a *App) brief(ctx context.Context, run *session.Run) Brief {
	b := Brief{RunID: run.ID, Started: run.Started().Format(time.RFC3339)}
	q, _ := readAsked(run) // Status tells that it cannot be read
	b.Repo, b.Good, b.Bad = q.Spec.Repo, q.Spec.Good, q.Spec.Bad
	s, err := a.Status(ctx, run.ID)
	if err != nil {
		b.State, b.Summary = engine.Failed, err.Error()
		return b
	}
	b.State, b.Summary = s.State, s.Summary
	if s.Result != nil {
		b.Culprit = s.Result.Culprit
	}
	_, b.Live = run.Live()
	return b
}

// hearEvery is the longest silence of a Wait: clients that hear nothing for a
// minute hang up.
const hearEvery = 10 * time.Second

// lookEvery is how often a Wait looks whether the journal grew.
const lookEvery = 50 * time.Millisecond

// Wait returns when the run's state changes, when it is not being measured, or
// after most. Ending a Wait never ends the run.
func (a *App) Wait(ctx context.Context, id string, most time.Duration, hear WaitFunc) (*Status, error) {
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(most)
	var size int64 = -1
	var last time.Time
	for {
		grown := journalSize(run)
		if grown != size || time.Since(last) >= hearEvery {
			s, err := a.Status(ctx, id)
			if err != nil {
				return nil, err
			}
			if hear != nil {
				hear(s)
			}
			if s.State != engine.Measuring || !time.Now().Before(deadline) || !a.worked(run) {
				return a.Status(ctx, id)
			}
			size, last = grown, time.Now()
		}
		if err := sleep(ctx, min(lookEvery, max(time.Until(deadline), time.Millisecond))); err != nil {
			return nil, err
		}
		if !time.Now().Before(deadline) || !a.worked(run) {
			return a.Status(ctx, id)
		}
	}
}

// worked reports whether some process works on the run.
func (a *App) worked(run *session.Run) bool {
	a.mu.Lock()
	mine := a.hunts[run.ID] != nil
	a.mu.Unlock()
	if mine {
		return true
	}
	_, live := run.Live()
	return live
}

func journalSize(run *session.Run) int64 {
	info, err := os.Stat(filepath.Join(run.Dir, "journal.jsonl"))
	if err != nil {
		return 0
	}
	return info.Size()
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// view builds the status of a replayed run.
func (a *App) view(run *session.Run, q asked, s *engine.State) *Status {
	st := &Status{
		RunID: run.ID, State: s.Status, Question: s.Question, Result: s.Result, Reason: s.Reason, Warnings: s.Warnings,
		Range: Range{Repo: q.Spec.Repo, Good: q.Good, Bad: q.Bad},
	}
	if st.State == "" {
		st.State = engine.Measuring // being prepared
	}
	if st.State == engine.Measuring && !a.worked(run) {
		st.State, st.Reason = engine.Paused, cmp.Or(a.lostWhy(run.ID), "the process that worked on it is gone")
	}
	if st.State == engine.Paused && s.Question != nil {
		st.State, st.Reason = engine.NeedsInput, "" // the answer is what makes it go on
	}
	if s.Plan != nil {
		p := s.Plan.Positions
		st.Range.Good, st.Range.Bad = p[0].Commit, q.Bad
		if q.Spec.Ladder != "" { // searched is the largest step of the staircase
			st.Range.Bad = p[len(p)-1].Commit
		}
		st.Range.Commits, st.Range.Positions = commits(s.Plan), len(p)-1
	}
	if s.Result != nil {
		st.Report = s.Result.ReportPath
	}
	st.Progress = progress(s)
	st.Summary, st.Next = summary(st, q), next(st, q)
	return st
}

// commits counts the commits after good.
func commits(p *engine.Plan) int {
	n := len(p.Positions) - 1
	for _, q := range p.Positions {
		n += len(q.Same)
	}
	return n
}

func progress(s *engine.State) Progress {
	p := Progress{Runs: s.Runs, Builds: s.Builds, ElapsedS: s.AtS, Now: now(s)}
	if s.Plan == nil || s.Status.Ended() {
		return p
	}
	d := s.Next(engine.New(s.Plan.Options))
	p.Phase, p.StepsDone, p.Why = d.Phase, d.Progress.StepsDone, d.Progress.Explanation
	p.Left = max(0, d.Progress.High-d.Progress.Low)
	p.Probability, p.LikeliestP = d.Progress.Probability, d.Progress.LikeliestP
	if i := d.Progress.Likeliest; i > 0 && i < len(s.Plan.Positions) {
		p.Likeliest = s.Plan.Positions[i].Commit
	}
	if d.Progress.RunsLeft > 0 {
		built := s.Builds > 0
		p.LeftS = d.Progress.RunsLeft*s.View.RunS + d.Progress.BuildsLeft*s.View.BuildS
		p.Cost = costText(d.Progress.BuildsLeft, d.Progress.RunsLeft, s.View.BuildS, s.View.RunS, built)
	}
	return p
}

// now says what the newest facts are about, for example
// "step 3 a1b2c3d: run 2, 1.43 ms".
func now(s *engine.State) string {
	events := s.Events()
	for i := len(events) - 1; i >= 0; i-- {
		switch e := events[i]; e.Kind {
		case engine.EventRan:
			if e.Outcome != search.OK {
				return fmt.Sprintf("%s: %s", short(e.Commit), e.Outcome)
			}
			return fmt.Sprintf("step %d %s: %s", len(s.Visits), short(e.Commit), metric.Format(e.Run.Value, unit(s)))
		case engine.EventBuilt:
			return fmt.Sprintf("%s: build %s", short(e.Commit), e.Outcome)
		case engine.EventEffect:
			if e.Effect.Note != "" {
				return e.Effect.Note
			}
		}
	}
	return ""
}

func unit(s *engine.State) string {
	if s.Plan == nil {
		return ""
	}
	return s.Plan.Unit
}

// summary is what the status says in one to three sentences.
func summary(s *Status, q asked) string {
	switch s.State {
	case engine.NeedsInput:
		return "The hunt waits for an answer: " + s.Question.Text
	case engine.Completed:
		return resultSummary(s.Result)
	case engine.Failed:
		return "The hunt failed: " + s.Reason
	case engine.Stopped:
		return "The hunt was stopped: " + s.Reason
	case engine.Paused:
		return fmt.Sprintf("The hunt is paused (%s) after %d runs.", s.Reason, s.Progress.Runs)
	}
	if s.Range.Positions == 0 {
		return "The hunt is being prepared: the first checkout, build and run."
	}
	text := fmt.Sprintf("Measuring %d commits (%s phase): %d runs and %d builds so far, %d commits left.", s.Range.Commits,
		s.Progress.Phase, s.Progress.Runs, s.Progress.Builds, s.Progress.Left)
	if s.Progress.Cost != "" {
		text += " Still to come: " + s.Progress.Cost + "."
	}
	return text
}

// next names the call that goes on from here, and its twin on the command line.
func next(s *Status, q asked) string {
	switch s.State {
	case engine.NeedsInput:
		return fmt.Sprintf("ask the user, then call bisect_answer with run_id %q, question_id %q and the answer, or run `perfbisect answer %s ANSWER`", s.RunID, s.Question.ID, s.RunID)
	case engine.Completed:
		return fmt.Sprintf("call bisect_report with run_id %q for the whole report", s.RunID)
	case engine.Failed, engine.Stopped:
		return "call bisect_start again when the cause is removed"
	case engine.Paused:
		if q.Spec.Mode == "step" {
			return fmt.Sprintf("call bisect_step with run_id %q, or run `perfbisect resume %s`", s.RunID, s.RunID)
		}
		return fmt.Sprintf("call bisect_start with the same arguments, or run `perfbisect resume %s`", s.RunID)
	}
	return fmt.Sprintf("call bisect_status with run_id %q (it waits), or run `perfbisect wait %s` in the background", s.RunID, s.RunID)
}

// Mine reports whether this process works on the run.
func (a *App) Mine(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hunts[id] != nil
}
