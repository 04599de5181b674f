package engine

import (
	"fmt"

	"perfbisect/engine/search"
)

// apply folds a fact that check accepted.
func (s *State) apply(e Event) {
	s.events = append(s.events, e)
	s.Seq, s.AtS = e.Seq, max(s.AtS, e.AtS)
	s.View.NowS = s.AtS
	switch e.Kind {
	case EventPlanned:
		s.applyPlan(e.Plan)
	case EventBuilt:
		s.applyBuilt(e)
	case EventRan:
		s.applyRan(e)
	case EventMarked:
		s.applyMark(e)
	case EventAsked:
		s.applyAsked(e.Question)
	case EventAnswered:
		s.applyAnswer(e)
	case EventWarned:
		s.Warnings = append(s.Warnings, *e.Warning)
		if e.Warning.Code == WarnedIdentityRefuted {
			s.View.Options.CodeIdentity = false
		}
	case EventNested:
		s.applyNested(*e.Nested)
	case EventNoted:
		s.applyNoted(*e.Note)
	default:
		s.applyStatus(e)
	}
}

// applyStatus moves the hunt on, unless it has ended: an end is final, though
// warnings, effects and marks may follow it.
func (s *State) applyStatus(e Event) {
	if s.Status.Ended() {
		return
	}
	switch e.Kind {
	case EventPaused:
		s.Status, s.Reason = Paused, e.Reason
	case EventResumed:
		s.applyResumed()
	case EventFinished:
		s.Status, s.Result, s.Question = Completed, e.Result, nil
	case EventFailed:
		s.Status, s.Reason, s.Question = Failed, e.Reason, nil
	case EventStopped:
		s.Status, s.Reason, s.Question = Stopped, e.Reason, nil
	}
}

func (s *State) applyPlan(p *Plan) {
	s.Plan, s.Status = p, Measuring
	s.View = search.View{
		N: len(p.Positions) - 1, Options: p.Options, NowS: s.AtS,
		Places: map[int]search.Place{}, Marks: map[int]search.Mark{}, Answers: s.answers(),
		Merge: func(i int) bool { return p.Positions[i].Merge },
		Prior: p.priors(), Parents: p.parents(),
	}
}

// answers returns the answers so far; those given before the plan stay valid.
func (s *State) answers() map[string]string {
	if s.View.Answers != nil {
		return s.View.Answers
	}
	return map[string]string{}
}

func (p *Plan) priors() []float64 {
	uniform := true
	prior := make([]float64, len(p.Positions))
	for i, q := range p.Positions {
		prior[i] = q.Prior
		if q.Prior == 0 {
			prior[i] = 1
		}
		uniform = uniform && prior[i] == 1
	}
	if uniform {
		return nil
	}
	return prior
}

func (p *Plan) parents() [][]int32 {
	chain := true
	for _, q := range p.Positions {
		chain = chain && q.Parents == nil
	}
	if chain {
		return nil
	}
	parents := make([][]int32, len(p.Positions))
	for i, q := range p.Positions {
		parents[i] = q.Parents
	}
	return parents
}

func (s *State) applyBuilt(e Event) {
	s.Builds++
	place := s.View.Places[e.Position]
	if e.Outcome == search.OK {
		place.Built, place.Code, place.Failure = true, e.Code, ""
		s.buildS, s.buildsTimed = s.buildS+e.ElapsedS, s.buildsTimed+1
		s.View.BuildS = s.buildS / float64(s.buildsTimed)
	} else {
		place.Failure, place.Failures = e.Outcome, place.Failures+1
		s.visitBase++
		s.Visits = append(s.Visits, Visit{
			Number: s.visitBase, Position: e.Position,
			Outcome: e.Outcome, Tail: e.Tail, Log: e.Log, ElapsedS: e.ElapsedS,
		})
	}
	s.View.Places[e.Position] = place
}

func (s *State) applyRan(e Event) {
	begins := e.Run.Visit > s.visitBase
	s.visitBase = max(s.visitBase, e.Run.Visit)
	if e.Run.Warmup && e.Outcome == search.OK {
		return
	}
	s.Runs++
	s.View.Runs = append(s.View.Runs, search.Run{
		Position: e.Position, Outcome: e.Outcome, Value: e.Run.Value,
		StartS: e.Run.StartS, ElapsedS: e.ElapsedS, Visit: e.Run.Visit, Worker: e.Run.Worker,
	})
	place := s.View.Places[e.Position]
	if e.Outcome == search.OK {
		s.runS, s.runsTimed = s.runS+e.ElapsedS, s.runsTimed+1
		s.View.RunS = s.runS / float64(s.runsTimed)
		s.View.Options.Resolution = max(s.View.Options.Resolution, e.Run.Resolution)
	} else {
		place.Failure, place.Failures = e.Outcome, place.Failures+1
	}
	s.View.Places[e.Position] = place
	s.visit(e, begins)
}

// visit adds a run to the visit it belongs to, or begins one. It certainly
// begins one with a number that is larger than all before.
func (s *State) visit(e Event, begins bool) {
	i := -1
	if !begins {
		i = s.visitOf(e)
	}
	if i < 0 {
		i = len(s.Visits)
		s.Visits = append(s.Visits, Visit{Number: e.Run.Visit, Position: e.Position, Phase: e.Run.Phase, Why: e.Run.Why, Outcome: search.OK})
	}
	v := &s.Visits[i]
	v.ElapsedS += e.ElapsedS
	if e.Outcome == search.OK {
		v.Values = append(v.Values, e.Run.Value)
		return
	}
	v.Outcome, v.Tail, v.Log = e.Outcome, e.Tail, e.Log
}

// openVisits bounds how far back a visit is looked for that other workers'
// visits followed: one visit is open per worker.
const openVisits = 1024

// visitOf is the index of the visit that a run belongs to, or −1. It need not
// be the newest when several workers measure.
func (s *State) visitOf(e Event) int {
	for i := len(s.Visits) - 1; i >= max(0, len(s.Visits)-openVisits); i-- {
		if s.Visits[i].Number == e.Run.Visit && s.Visits[i].Position == e.Position {
			return i
		}
	}
	return -1
}

func (s *State) applyAsked(q *search.Question) {
	if s.Status.Ended() {
		return
	}
	s.Question = q
	if s.Status != Paused {
		s.Status = NeedsInput
	}
}

// dropQuestion withdraws a planner's question because a mark or an undo may
// have settled it. The planner asks it again, with the same ID, if it has not.
func (s *State) dropQuestion() {
	if s.Question == nil || s.Plan == nil {
		return
	}
	s.Question = nil
	if s.Status == NeedsInput {
		s.Status = Measuring
	}
}

func (s *State) applyMark(e Event) {
	s.dropQuestion()
	if e.Mark.Verdict == search.VerdictClear {
		delete(s.View.Marks, e.Position)
		return
	}
	s.View.Marks[e.Position] = *e.Mark
}

func (s *State) applyAnswer(e Event) {
	if s.View.Answers == nil {
		s.View.Answers = map[string]string{}
	}
	s.View.Answers[e.QuestionID] = e.Answer
	if s.Question != nil && s.Question.ID == e.QuestionID {
		s.Question = nil
		if s.Status == NeedsInput {
			s.Status = Measuring
		}
	}
}

func (s *State) applyResumed() {
	s.Reason = ""
	s.Status = Measuring
	if s.Question != nil {
		s.Status = NeedsInput
	}
}

// applyNested adds a nested hunt, or the result of one that is known.
func (s *State) applyNested(n Nested) {
	for i := range s.Nested {
		if s.Nested[i].Run == n.Run {
			s.Nested[i] = n
			return
		}
	}
	s.Nested = append(s.Nested, n)
}

// undo takes a mark, an answer or a measurement back by folding all the other
// facts again, so undo is an exact inverse by construction.
func (s *State) undo(e Event) error {
	kept := make([]Event, 0, len(s.events))
	found := false
	for _, old := range s.events {
		if old.Seq == e.Undo && old.Kind.undoable() {
			found = true
			continue
		}
		kept = append(kept, old)
	}
	if !found {
		return fmt.Errorf("replaying event %d: nothing to undo at %d", e.Seq, e.Undo)
	}
	fresh := &State{}
	for _, old := range kept {
		fresh.apply(old)
	}
	fresh.dropQuestion()
	fresh.events = append(fresh.events, e)
	fresh.Seq, fresh.AtS = e.Seq, max(s.AtS, e.AtS)
	fresh.View.NowS = fresh.AtS
	*s = *fresh
	return nil
}

func (k EventKind) undoable() bool {
	return k == EventMarked || k == EventAnswered || k == EventRan || k == EventBuilt
}

// LastUndoable returns the sequence number of the newest mark, or 0. Undo
// without a number takes back what the user did last, never a measurement.
func (s *State) LastUndoable() int {
	for i := len(s.events) - 1; i >= 0; i-- {
		if k := s.events[i].Kind; k == EventMarked || k == EventAnswered {
			return s.events[i].Seq
		}
	}
	return 0
}
