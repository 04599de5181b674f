package app

import (
	"strings"
	"testing"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// forked is a range in which 1 and 2 are beside each other, and 3 merges them.
func forked() *engine.Plan {
	return &engine.Plan{Positions: []engine.Position{
		{Commit: "c0"}, {Commit: "c1"}, {Commit: "c2", Parents: []int32{0}}, {Commit: "c3", Parents: []int32{1, 2}}, {Commit: "c4"},
	}}
}

// TestCheckMark: a verdict that contradicts an end is refused.
func TestCheckMark(t *testing.T) {
	for _, row := range []struct {
		commit  string
		verdict search.Verdict
		ok      bool
	}{
		{"c0", search.VerdictBad, false},
		{"c4", search.VerdictGood, false},
		{"c0", search.VerdictGood, true},
		{"c4", search.VerdictBad, true},
		{"c0", search.VerdictClear, true},
		{"c2", search.VerdictBad, true},
	} {
		if err := checkMark(forked(), row.commit, row.verdict); (err == nil) != row.ok {
			t.Errorf("%s %s: %v", row.commit, row.verdict, err)
		}
	}
}

// TestContradictions: what speaks against a mark is told.
func TestContradictions(t *testing.T) {
	runs := []search.Run{
		{Position: 0, Outcome: search.OK, Value: 1},
		{Position: 4, Outcome: search.OK, Value: 2},
		{Position: 2, Outcome: search.OK, Value: 1.9},
		{Position: 1, Outcome: search.Timeout},
	}
	for _, row := range []struct {
		why, commit, want string
		verdict           search.Verdict
		marks             map[int]search.Mark
		runs              []search.Run
	}{
		{why: "nothing else is known", commit: "c3", verdict: search.VerdictGood},
		{why: "good behind bad", commit: "c3", verdict: search.VerdictGood, marks: map[int]search.Mark{1: {Verdict: search.VerdictBad}}, want: "behind one that is bad"},
		{why: "bad before good", commit: "c1", verdict: search.VerdictBad, marks: map[int]search.Mark{3: {Verdict: search.VerdictGood}}, want: "behind one that is bad"},
		{why: "beside each other", commit: "c2", verdict: search.VerdictGood, marks: map[int]search.Mark{1: {Verdict: search.VerdictBad}}},
		{why: "in order", commit: "c3", verdict: search.VerdictBad, marks: map[int]search.Mark{1: {Verdict: search.VerdictGood}}},
		{why: "its own older mark", commit: "c3", verdict: search.VerdictBad, marks: map[int]search.Mark{3: {Verdict: search.VerdictGood}}},
		{why: "skipped", commit: "c3", verdict: search.VerdictSkip, marks: map[int]search.Mark{1: {Verdict: search.VerdictBad}}},
		{why: "measured slow", commit: "c2", verdict: search.VerdictGood, runs: runs, want: "nearer to those of the bad end"},
		{why: "measured as said", commit: "c2", verdict: search.VerdictBad, runs: runs},
		{why: "failed only", commit: "c1", verdict: search.VerdictBad, runs: runs},
		{why: "ends that overlap", commit: "c2", verdict: search.VerdictGood, runs: append(runs[:3:3], search.Run{Position: 0, Outcome: search.OK, Value: 2.1})},
	} {
		s := &engine.State{Plan: forked(), View: search.View{Marks: row.marks, Runs: row.runs}}
		var texts []string
		for _, w := range contradictions(s, row.commit, row.verdict) {
			texts = append(texts, w.Text)
		}
		got := strings.Join(texts, "\n")
		if (got == "") != (row.want == "") || !strings.Contains(got, row.want) || len(texts) > 1 {
			t.Errorf("%s: %q, want %q", row.why, got, row.want)
		}
	}
}
