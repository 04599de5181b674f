package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/session"
	"perfbisect/internal/testenv"
)

func TestHunt(t *testing.T) {
	a := newApp(t)
	s, hashes := fakeSpec(t, testenv.Plant{N: 9, Culprit: 6})
	s.BuildCmd = "cp speed built"
	st := over(t, a, start(t, a, s).RunID)
	if st.State != engine.Completed || st.Result.Culprit != hashes[6] {
		t.Fatalf("%s: %s\n%s", st.State, st.Summary, journal(t, a, st.RunID))
	}
	empty(t, a.cfg.CacheDir)
	var report strings.Builder
	if err := a.Report(t.Context(), st.RunID, "markdown", "diff", &report); err != nil || !strings.Contains(report.String(), hashes[6][:10]) {
		t.Errorf("report: %v\n%s", err, &report)
	}
	if again := start(t, a, s); again.RunID == st.RunID {
		t.Error("an ended run was found again")
	}
}

// TestQuestions asks one after the other for all that is missing, over restarts
// of the process, and takes the answers in any order of restart and answer.
func TestQuestions(t *testing.T) {
	dir := t.TempDir()
	s, hashes := fakeSpec(t, testenv.Plant{N: 6, Culprit: 3})
	s.Good, s.BenchCmd = "", ""
	a := appIn(t, dir)
	st := asking(t, a, start(t, a, s).RunID, "bench_cmd")
	if _, err := a.Answer(t.Context(), st.RunID, "good", "x"); err == nil || !strings.Contains(err.Error(), "bench_cmd") {
		t.Errorf("the answer to another question: %v", err)
	}
	if _, err := a.Answer(t.Context(), st.RunID, "", fakeBench); err != nil {
		t.Fatal(err)
	}
	asking(t, a, st.RunID, "good")
	if err := a.Close(); err != nil { // the process ends while the question is open
		t.Fatal(err)
	}
	b := appIn(t, dir)
	if st = start(t, b, s); st.State == engine.Completed {
		t.Fatal("the question is gone")
	}
	asking(t, b, st.RunID, "good")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	c := appIn(t, dir)
	st, err := c.Status(t.Context(), st.RunID)
	if err != nil || st.State != engine.NeedsInput || st.Question == nil || !strings.Contains(st.Next, "perfbisect answer "+st.RunID) {
		t.Errorf("a question that nobody works on: %+v, %v", st, err)
	}
	if _, err := c.Answer(t.Context(), st.RunID, "good", hashes[0]); err != nil { // nobody works on it
		t.Fatal(err)
	}
	if st = over(t, c, st.RunID); st.State != engine.Completed || st.Result.Culprit != hashes[3] {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
}

func TestAccept(t *testing.T) {
	q := &search.Question{Options: []string{"swap", "stop", "go"}, Default: "stop"}
	for _, test := range []struct{ why, answer, want string }{
		{"an option", "swap", "swap"},
		{"an unambiguous beginning", "g", "go"},
		{"an ambiguous beginning", "s", ""},
		{"nothing: the default", " ", "stop"},
		{"something else", "maybe", ""},
	} {
		got, err := accept(q, test.answer)
		if got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s: %q, %v; want %q", test.why, got, err, test.want)
		}
	}
	if got, err := accept(&search.Question{}, "any\x00thing"); err == nil {
		t.Errorf("a NUL byte: %q", got)
	}
	if got, err := accept(&search.Question{ID: "build"}, " "); err == nil || !strings.Contains(err.Error(), `question "build" is empty`) {
		t.Errorf("accept of nothing = %q, %v", got, err)
	}
	if got, err := accept(&search.Question{}, "anything"); got != "anything" || err != nil {
		t.Errorf("free text: %q, %v", got, err)
	}
}

func TestStepMode(t *testing.T) {
	a := newApp(t)
	s, hashes := fakeSpec(t, testenv.Plant{N: 12, Culprit: 5})
	s.Mode = "step"
	st := start(t, a, s)
	resting := func(s *Status) bool { return s.State == engine.Paused && strings.Contains(s.Reason, "step") }
	first := until(t, a, st.RunID, resting)
	if first.Progress.Runs == 0 {
		t.Error("resting before the first step")
	}
	if !strings.Contains(first.Next, "bisect_step") || !strings.Contains(first.Next, "perfbisect resume "+st.RunID) {
		t.Errorf("next is %q", first.Next)
	}
	if _, err := a.Step(t.Context(), st.RunID, 1); err != nil {
		t.Fatal(err)
	}
	second := until(t, a, st.RunID, func(s *Status) bool { return resting(s) && s.Progress.Runs > first.Progress.Runs })
	if second.State == engine.Completed {
		t.Error("one step did it all")
	}
	if _, err := a.Step(t.Context(), st.RunID, 0); err != nil {
		t.Fatal(err)
	}
	if st = over(t, a, st.RunID); st.State != engine.Completed || st.Result.Culprit != hashes[5] {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
	if _, err := a.Step(t.Context(), st.RunID, -1); err == nil {
		t.Error("-1 steps")
	}
}

// TestMarkUndo: the user's word counts, and can be taken back, also when nobody
// works on the run.
func TestMarkUndo(t *testing.T) {
	a := newApp(t)
	s, hashes := fakeSpec(t, testenv.Plant{N: 12, Culprit: 5})
	s.Mode = "step"
	id := start(t, a, s).RunID
	until(t, a, id, in(engine.Paused))
	if _, err := a.Mark(t.Context(), id, hashes[8], "good"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(journal(t, a, id), `"event":"marked"`) {
		t.Errorf("the mark is not journaled:\n%s", journal(t, a, id))
	}
	if _, err := a.Mark(t.Context(), id, hashes[8], "nice"); err == nil {
		t.Error("an unknown verdict")
	}
	if _, err := a.Mark(t.Context(), id, "nosuch", "bad"); err == nil {
		t.Error("an unknown commit")
	}
	if _, err := a.Stop(t.Context(), id, "pause"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Undo(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Undo(t.Context(), id); err == nil {
		t.Error("undone twice")
	}
	if _, err := a.Step(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	if st := over(t, a, id); st.State != engine.Completed || st.Result.Culprit != hashes[5] {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
}

func TestBudget(t *testing.T) {
	a := newApp(t)
	s, _ := fakeSpec(t, testenv.Plant{N: 40, Culprit: 5})
	s.MaxRuns = 4
	st := over(t, a, start(t, a, s).RunID)
	if st.State != engine.Completed || st.Result.Outcome != search.Undecided || st.Result.Runs > 5 {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
}

// TestPauseInTheMiddle pauses a benchmark and a build that would never end.
func TestPauseInTheMiddle(t *testing.T) {
	for _, what := range []string{"run", "build"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			s, hashes := fakeSpec(t, testenv.Plant{N: 6, Culprit: 3})
			gate := filepath.Join(t.TempDir(), "gate")
			wait := "test -e " + gate + " || exec sleep 600"
			if what == "build" {
				s.BuildCmd = wait
			} else {
				s.BenchCmd = "(" + wait + "); " + fakeBench
			}
			id := start(t, a, s).RunID
			testenv.Eventually(func() bool { return strings.Contains(journal(t, a, id), `"step":"`+what+`"`) })
			st, err := a.Stop(t.Context(), id, "pause")
			if err != nil || st.State != engine.Paused {
				t.Fatalf("paused: %v, %v", st, err)
			}
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Resume(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			if st = over(t, a, id); st.State != engine.Completed || st.Result.Culprit != hashes[3] {
				t.Errorf("%s: %s", st.State, st.Summary)
			}
		})
	}
}

// TestProcessGone: a journal that ends in the middle belongs to a process that
// died; a run that was stopped before anything was made leaves nothing.
func TestProcessGone(t *testing.T) {
	a := newApp(t)
	s, _ := fakeSpec(t, testenv.Plant{N: 6, Culprit: 3})
	q, err := a.resolve(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.make(q)
	if err != nil {
		t.Fatal(err)
	}
	st, err := a.Status(t.Context(), run.ID)
	if err != nil || st.State != engine.Paused || !strings.Contains(st.Reason, "gone") {
		t.Errorf("%+v, %v", st, err)
	}
	if st, err = a.Stop(t.Context(), run.ID, "finish"); err != nil || st.State != engine.Stopped {
		t.Errorf("stopped: %+v, %v", st, err)
	}
	if st, err = a.Stop(t.Context(), run.ID, "finish"); err != nil || st.State != engine.Stopped {
		t.Errorf("stopped again: %+v, %v", st, err)
	}
	empty(t, a.cfg.CacheDir)
}

// TestManyHunts runs twenty hunts at once in one process.
func TestManyHunts(t *testing.T) {
	a := newApp(t)
	var wg sync.WaitGroup
	for i := range 20 {
		culprit := 1 + i%3
		s, hashes := fakeSpec(t, testenv.Plant{N: 3, Culprit: culprit})
		wg.Go(func() {
			st, err := a.Start(t.Context(), s)
			if err != nil {
				t.Error(err)
				return
			}
			for st.State == engine.Measuring && err == nil {
				st, err = a.Wait(t.Context(), st.RunID, time.Minute, nil)
			}
			if err != nil || st.State != engine.Completed || st.Result.Culprit != hashes[culprit] {
				t.Errorf("hunt %d: %v: %+v", i, err, st)
			}
		})
	}
	wg.Wait()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	empty(t, a.cfg.CacheDir)
	empty(t, a.store.Locks())
}

// TestSameRepository: the same arguments find the run that is being worked on,
// others are told who has the repository, and leave nothing.
func TestSameRepository(t *testing.T) {
	dir := t.TempDir()
	a, b := appIn(t, dir), appIn(t, dir)
	s, _ := fakeSpec(t, testenv.Plant{N: 6, Culprit: 3})
	s.BenchCmd = "exec sleep 600"
	id := start(t, a, s).RunID
	for i, other := range []*App{a, b} {
		if st := start(t, other, s); st.RunID != id {
			t.Errorf("app %d: the same arguments made run %s beside %s", i, st.RunID, id)
		}
		s2 := s
		s2.NumRuns = 5
		_, err := other.Start(t.Context(), s2)
		var locked *session.LockedError
		if !errors.As(err, &locked) || !strings.Contains(err.Error(), id) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
			t.Errorf("app %d: other arguments: %v", i, err)
		}
	}
	if runs, err := a.List(t.Context()); err != nil || len(runs) != 1 || !runs[0].Live {
		t.Errorf("runs: %+v, %v", runs, err)
	}
	if _, err := b.Stop(t.Context(), id, "finish"); err != nil { // through the inbox
		t.Fatal(err)
	}
	if st := over(t, a, id); st.State != engine.Stopped {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
	empty(t, a.cfg.CacheDir)
}

// TestLost: when the journal cannot be written any more, the run is paused, and
// this process says why; nothing that was measured is lost.
func TestLost(t *testing.T) {
	a := newApp(t)
	s, hashes := fakeSpec(t, testenv.Plant{N: 6, Culprit: 3})
	s.Mode = "step"
	id := start(t, a, s).RunID
	until(t, a, id, in(engine.Paused))
	a.mu.Lock()
	h := a.hunts[id]
	a.mu.Unlock()
	if err := h.journal.Close(); err != nil { // as good as a disk that has gone
		t.Fatal(err)
	}
	run, err := a.store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Send(session.Request{Action: "step", Steps: 0}); err != nil {
		t.Fatal(err)
	}
	st := until(t, a, id, func(s *Status) bool { return !a.Mine(id) })
	if st.State != engine.Paused {
		t.Errorf("%s: %s", st.State, st.Reason)
	}
	if _, err := a.Step(t.Context(), id, 0); err != nil {
		t.Fatal(err)
	}
	if st := over(t, a, id); st.State != engine.Completed || st.Result.Culprit != hashes[3] {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
}

// TestEnded holds against facts in a journal that come after the end.
func TestEnded(t *testing.T) {
	a := newApp(t)
	s, hashes := fakeSpec(t, testenv.Plant{N: 5, Culprit: 3})
	id := over(t, a, start(t, a, s).RunID).RunID
	if _, err := a.Mark(t.Context(), id, hashes[4], "good"); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("a mark after the end: %v", err)
	}
	run, err := a.store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	j, _, err := run.Lock()
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Append(engine.Event{Kind: engine.EventMarked, Position: 4, Commit: hashes[4], Mark: &search.Mark{Verdict: search.VerdictGood}})
	if err := errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	st, err := a.Resume(t.Context(), id)
	if err != nil || st.State != engine.Completed || st.Result.Culprit != hashes[3] {
		t.Errorf("resumed after the end: %v, %+v", err, st)
	}
}
