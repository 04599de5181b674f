package search

import (
	"fmt"
)

// The questions that the planner asks, by their stable names.
const (
	questionSwapped   = "swapped"
	questionFailures  = "failures"
	questionFailed    = "failed" // with the position appended: the first failure, without skip_on_fail
	answerImprovement = "improvement"
	answerStop        = "stop"
	answerContinue    = "continue"
	answerSkip        = "skip"
)

// span finds the testable ends: when good or bad itself cannot be tested, its
// nearest testable neighbour stands for it. ok is false when there is no room
// left; then the decision says so.
func (p *problem) span() (w window, d Decision, ok bool) {
	w = window{0, p.n}
	for w.lo < w.hi && !p.testable(w.lo) {
		w.lo++
	}
	for w.hi > w.lo && !p.testable(w.hi) {
		w.hi--
	}
	if w.lo >= w.hi {
		f := p.finding(Undecided)
		f.Reason = "Nearly every commit of the range failed to build or to run, so no two could be compared."
		f.Advice = "Look at the first failure's output; give --build, --patch or --overlay what old commits need, or choose other ends."
		return w, p.done(f), false
	}
	p.movedEnds(w)
	return w, d, true
}

// movedEnds warns about ends that stand for others.
func (p *problem) movedEnds(w window) {
	if w.lo > 0 {
		p.warn("good_moved", fmt.Sprintf("good could not be tested (%s); %s stands for it, and a step before it would be missed", p.bad[0], Name(w.lo)))
	}
	if w.hi < p.n {
		p.warn("bad_moved", fmt.Sprintf("bad could not be tested (%s); %s stands for it, and a step after it would be missed", p.bad[p.n], Name(w.hi)))
	}
}

func (p *problem) warn(code, text string) {
	p.warnings = append(p.warnings, Warning{Code: code, Text: text})
}

// obstacles finds what must be said or asked before anything is measured.
func (p *problem) obstacles(w window) (Decision, bool) {
	v := p.v
	if v.Options.CodeIdentity {
		if a, b := v.Places[w.lo].Code, v.Places[w.hi].Code; a != "" && a == b {
			f := p.finding(SameCode)
			f.Reason = "Both ends compile to the same device code, so no commit between them can have made the kernel slower."
			f.Advice = "Look for the difference outside the kernel: driver, clocks, runtime, input data, or host code that this metric does not see."
			return p.done(f), true
		}
	}
	if q, ok := p.failureQuestion(w); ok {
		return Decision{Kind: Ask, Question: q, Phase: PhaseSearch, Progress: p.blank()}, true
	}
	if p.stopped() {
		return p.spent(Decision{Phase: PhaseSearch, Progress: p.blank()}), true
	}
	return Decision{}, false
}

// failureQuestion asks once when commits fail in a row, and without skip_on_fail
// at every failure.
func (p *problem) failureQuestion(w window) (*Question, bool) {
	failed := p.failed()
	if !p.v.Options.SkipOnFail {
		for _, i := range failed {
			id := fmt.Sprintf("%s-%d", questionFailed, i)
			if p.v.Answers[id] == "" {
				return &Question{
					ID: id, Options: []string{answerSkip, answerStop}, Default: answerSkip, Argument: "skip_on_fail",
					Text: fmt.Sprintf("%s could not be tested (%s). Skip it and go on, or stop here?", Name(i), p.bad[i]),
				}, true
			}
		}
		return nil, false
	}
	if p.v.Answers[questionFailures] != "" || p.inARow(failed) < failuresQuestion {
		return nil, false
	}
	return &Question{
		ID: questionFailures, Options: []string{answerContinue, answerStop}, Default: answerContinue,
		Text: fmt.Sprintf("%d commits in a row could not be tested. Go on and skip them, or stop here?", p.inARow(failed)),
	}, true
}

// failed lists the positions that failed (not those that the user skips).
func (p *problem) failed() []int {
	var out []int
	for _, i := range p.brokenIn(-1, p.n+1) {
		if m, ok := p.v.Marks[i]; !ok || m.Verdict != VerdictSkip {
			out = append(out, i)
		}
	}
	return out
}

// inARow is the largest number of failed positions with no tested one between.
func (p *problem) inARow(failed []int) int {
	most, row, next := 0, 0, 0
	for _, i := range failed {
		passed := false
		for next < len(p.visited) && p.visited[next] < i {
			next++
			passed = true
		}
		if passed {
			row = 0
		}
		row++
		most = max(most, row)
	}
	return most
}

// stopped reports whether the user chose to stop at a failure.
func (p *problem) stopped() bool {
	if p.v.Answers[questionFailures] == answerStop && p.inARow(p.failed()) >= failuresQuestion {
		return true
	}
	for _, i := range p.failed() {
		if p.v.Answers[fmt.Sprintf("%s-%d", questionFailed, i)] == answerStop {
			return true
		}
	}
	return false
}
