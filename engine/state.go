package engine

import (
	"errors"
	"fmt"
	"math"

	"perfbisect/engine/search"
)

// Status is where a hunt stands.
type Status string

// The states of a hunt.
const (
	NeedsInput Status = "needs_input"
	Measuring  Status = "measuring"
	Paused     Status = "paused"
	Completed  Status = "completed"
	Failed     Status = "failed"
	Stopped    Status = "stopped"
)

// Ended reports whether nothing more will happen by itself or on resume.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Stopped }

// State is everything that follows from a journal. The zero value is the state
// of an empty one.
type State struct {
	Status   Status
	Plan     *Plan
	View     search.View
	Question *search.Question // pending, when Status is NeedsInput
	Result   *Result          // once Completed
	Reason   string           // why it was paused, failed or stopped
	Warnings []search.Warning
	Visits   []Visit // in order, warm-ups included in none
	Nested   []Nested
	Notes    []Note
	Runs     int // counted runs
	Builds   int // builds that were started and ended
	AtS      float64
	Seq      int

	events                 []Event
	buildS, runS           float64
	buildsTimed, runsTimed int
	visitBase              int // number of the newest visit
}

// Visit is a row of the log: consecutive runs at one position.
type Visit struct {
	Number   int
	Position int
	Phase    search.Phase
	Why      string
	Values   []float64      // of the ok runs, SI
	Outcome  search.Outcome // ok, or the failure that ended it
	Tail     string         // last lines of what failed
	Log      string
	ElapsedS float64
}

// Fold replays events from an empty state.
func Fold(events []Event) (*State, error) {
	s := &State{}
	for _, e := range events {
		if err := s.Apply(e); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Apply adds one fact. On error the state is unchanged.
func (s *State) Apply(e Event) error {
	if err := s.check(e); err != nil {
		return fmt.Errorf("replaying event %d (%s): %w", e.Seq, e.Kind, err)
	}
	if e.Kind == EventUndone {
		return s.undo(e)
	}
	s.apply(e)
	return nil
}

// NextVisit is the number for the visit that is about to begin.
func (s *State) NextVisit() int { return s.visitBase + 1 }

// Events returns the facts folded so far, without those that were taken back.
// The caller must not change them.
func (s *State) Events() []Event { return s.events }

func (s *State) check(e Event) error {
	switch {
	case e.V > JournalVersion:
		return fmt.Errorf("version %d, this program reads up to %d", e.V, JournalVersion)
	case e.Seq != s.Seq+1:
		return fmt.Errorf("sequence number after %d", s.Seq)
	case !finite(e.AtS) || !finite(e.ElapsedS):
		return fmt.Errorf("times %v and %v s", e.AtS, e.ElapsedS)
	case e.Kind == EventPlanned:
		return s.checkPlan(e.Plan)
	case s.Plan == nil && e.Kind.needsPlan():
		return errors.New("no plan before it")
	case e.Kind.needsPlan() && (e.Position < 0 || e.Position >= len(s.Plan.Positions)):
		return fmt.Errorf("position %d of %d", e.Position, len(s.Plan.Positions))
	}
	return e.complete()
}

func (s *State) checkPlan(p *Plan) error {
	if p == nil {
		return errors.New("no plan in it")
	}
	if s.Plan != nil {
		return errors.New("a second plan; a plan never changes")
	}
	return p.Validate()
}

// needsPlan reports whether a fact of kind k speaks of a position.
func (k EventKind) needsPlan() bool {
	return k == EventBuilt || k == EventRan || k == EventMarked
}

// complete reports the part that a fact of this kind must have and e lacks.
func (e *Event) complete() error {
	missing := map[EventKind]bool{
		EventRan: e.Run == nil, EventMarked: e.Mark == nil, EventAsked: e.Question == nil,
		EventWarned: e.Warning == nil, EventFinished: e.Result == nil, EventNested: e.Nested == nil, EventNoted: e.Note == nil,
		EventEffect: e.Effect == nil, EventAnswered: e.QuestionID == "",
	}
	if missing[e.Kind] {
		return errors.New("its content is missing")
	}
	if e.Kind == EventRan && e.Outcome == search.OK && !finite(e.Run.Value) {
		return fmt.Errorf("value %v", e.Run.Value)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
