package engine

import (
	"time"

	"perfbisect/engine/search"
)

// JournalVersion is the v of every event. A reader refuses a larger one.
const JournalVersion = 1

// EventKind names a fact.
type EventKind string

// The facts of a journal.
const (
	EventPlanned  EventKind = "planned"  // Plan
	EventEffect   EventKind = "effect"   // Effect: something outside is about to be changed
	EventBuilt    EventKind = "built"    // Position, Outcome, ElapsedS, Code, Log, Tail
	EventRan      EventKind = "ran"      // Position, Run
	EventMarked   EventKind = "marked"   // Position, Mark
	EventUndone   EventKind = "undone"   // Undo: the sequence number of the fact taken back
	EventAsked    EventKind = "asked"    // Question
	EventAnswered EventKind = "answered" // QuestionID, Answer
	EventWarned   EventKind = "warned"   // Warning
	EventPaused   EventKind = "paused"   // Reason
	EventResumed  EventKind = "resumed"  //
	EventFinished EventKind = "finished" // Result
	EventFailed   EventKind = "failed"   // Reason
	EventStopped  EventKind = "stopped"  // Reason
	EventNested   EventKind = "nested"   // Nested: a hunt inside the culprit
	EventNoted    EventKind = "noted"    // Note: found out beside the search
)

// WarnedIdentityRefuted is the code of the warning after which equal device code
// no longer counts as equal speed in this hunt: a measurement said otherwise.
const WarnedIdentityRefuted = "identity_refuted"

// Event is one fact of a hunt, one line of its journal. Which fields are set
// depends on Kind; unset ones are left out of the JSON.
type Event struct {
	V    int       `json:"v"`
	T    time.Time `json:"t"`    // wall clock, for people; never used in a computation
	Seq  int       `json:"seq"`  // 1, 2, 3 … without gaps
	AtS  float64   `json:"at_s"` // seconds of work since the hunt began; pauses do not count, clock jumps do not matter
	Kind EventKind `json:"event"`

	Plan       *Plan            `json:"plan,omitempty"`
	Position   int              `json:"position,omitempty"`
	Commit     string           `json:"commit,omitempty"` // of Position, for people and for grep
	Outcome    search.Outcome   `json:"outcome,omitempty"`
	ElapsedS   float64          `json:"elapsed_s,omitempty"`
	Code       string           `json:"code,omitempty"` // hash of the device code a build made
	Log        string           `json:"log,omitempty"`  // file with the whole output, relative to the run's folder
	Tail       string           `json:"tail,omitempty"` // last lines of a failed command
	Run        *RunFact         `json:"run,omitempty"`
	Mark       *search.Mark     `json:"mark,omitempty"`
	Undo       int              `json:"undo,omitempty"`
	Question   *search.Question `json:"question,omitempty"`
	QuestionID string           `json:"question_id,omitempty"`
	Answer     string           `json:"answer,omitempty"`
	Effect     *Effect          `json:"effect,omitempty"`
	Warning    *search.Warning  `json:"warning,omitempty"`
	Reason     string           `json:"reason,omitempty"`
	Result     *Result          `json:"result,omitempty"`
	Nested     *Nested          `json:"nested,omitempty"`
	Note       *Note            `json:"note,omitempty"`
}

// RunFact is one execution of the benchmark command.
type RunFact struct {
	Warmup     bool         `json:"warmup,omitempty"` // journaled, never counted
	Value      float64      `json:"value"`            // SI; valid when the outcome is ok
	Raw        string       `json:"raw,omitempty"`    // as printed
	Resolution float64      `json:"resolution,omitempty"`
	StartS     float64      `json:"start_s"` // like AtS
	Visit      int          `json:"visit"`   // runs between two checkouts share it
	Worker     int          `json:"worker,omitempty"`
	Phase      search.Phase `json:"phase,omitempty"`
	Why        string       `json:"why,omitempty"`
	ExitCode   int          `json:"exit_code,omitempty"`
	Signal     string       `json:"signal,omitempty"`
	Numbers    []Number     `json:"numbers,omitempty"` // every labelled number of the output
	// Env is the environment (versions of driver, compilers, submodules): only
	// what changed since the run before, "" for what is gone.
	Env map[string]string `json:"env,omitempty"`
	// State is the machine around the run: load1, cpu_mhz, and for each GPU
	// temp_c, mhz, busy_pct, power_w, as far as something tells them.
	State map[string]float64 `json:"state,omitempty"`
}

// Number is one labelled number of a run's output, so that a second metric can
// be answered later without running again.
type Number struct {
	Label string  `json:"label"`
	Value float64 `json:"value"` // SI
	Unit  string  `json:"unit,omitempty"`
}

// Effect is written before the world outside the journal is changed, so that
// recovery knows what may be half done.
type Effect struct {
	Step string `json:"step"`           // for example "clone", "checkout", "save", "restore"
	Path string `json:"path,omitempty"` // what is about to be made, changed or removed
	Note string `json:"note,omitempty"`
}

// Nested is a run that works for a hunt: inside the culprit (kinds merge,
// submodule, pin), on another question (resource), or to measure a few commits
// (ladder, matrix, proof_revert, proof_fix_on). A hunt has at most one of a kind.
type Nested struct {
	Run    string  `json:"run"` // its run id
	Kind   string  `json:"kind"`
	Result *Result `json:"result,omitempty"` // once it has ended
}
