package search

// Planner decides what to measure next. Decide is pure: the same view gives the
// same decision, so a replayed journal continues where it stopped.
type Planner interface {
	Decide(v *View) Decision
}

// Kind says which fields of a Decision count.
type Kind int

// The kinds of decision.
const (
	Measure Kind = iota // run Batches, then decide again
	Ask                 // wait for an answer to Question
	Done                // Finding is the answer
)

// Phase names the part of the hunt, for people.
type Phase string

// The phases in the order in which they usually come.
const (
	PhaseEnds     Phase = "ends"
	PhaseSearch   Phase = "search"
	PhaseConfirm  Phase = "confirm"
	PhaseResidual Phase = "residual"
	PhaseDone     Phase = "done"
)

// Decision is what a planner wants next.
type Decision struct {
	Kind     Kind
	Phase    Phase
	Batches  [][]Step  // Batches[w] is worker w's schedule, in order
	Question *Question // Ask
	Finding  *Finding  // Done
	Progress Progress
}

// Step is a visit: check a position out, build it unless it is built, run.
type Step struct {
	Position int
	Runs     int    // counted runs, ≥ 1
	Warmup   int    // runs before them that are thrown away
	Why      string // plain words, for example "halves what is left" or "reference"
}

// Question is something only the user can decide. Its ID is stable: the same
// state asks with the same ID, so that an answer in the journal is found again.
type Question struct {
	ID       string   `json:"id"`
	Text     string   `json:"text"`
	Options  []string `json:"options,omitempty"`  // allowed answers; empty: free text
	Default  string   `json:"default,omitempty"`  // what --yes answers
	Argument string   `json:"argument,omitempty"` // the flag or argument that answers it beforehand
}

// Progress is what is known in the middle of a hunt.
type Progress struct {
	Low, High   int     // the step lies in (Low, High] with probability Probability
	Probability float64 // in [0,1]
	Likeliest   int     // the likeliest position of the step; -1 when unknown
	LikeliestP  float64 // its probability
	StepsDone   int     // positions visited, ends not counted
	RunsLeft    float64 // expected further runs; 0 when unknown
	BuildsLeft  float64 // expected further builds
	Separation  float64 // d' = gap / scatter; 0 when unknown
	Explanation string  // one plain sentence: why this step
}

// FindingOutcome is how a hunt ended.
type FindingOutcome string

// The outcomes of a hunt. Only the first two name commits.
const (
	Found              FindingOutcome = "found"
	FoundAmong         FindingOutcome = "found_among"
	NoRegression       FindingOutcome = "no_regression"
	Swapped            FindingOutcome = "swapped"
	GapTooSmall        FindingOutcome = "gap_too_small"
	Unstable           FindingOutcome = "unstable"
	SameCode           FindingOutcome = "same_code"
	EnvironmentChanged FindingOutcome = "environment_changed"
	Undecided          FindingOutcome = "undecided"
	Measured           FindingOutcome = "measured" // a comparison, not a search
)

// Level summarises the runs at one end or one position.
type Level struct {
	Value float64 `json:"value"` // median, SI base units
	N     int     `json:"n"`     // runs
	CV    float64 `json:"cv"`    // robust scatter / median; 0 when N < 2
}

// Finding is a planner's answer.
type Finding struct {
	Outcome      FindingOutcome
	Culprit      int         // first slow position; -1 when none is named
	LastGood     int         // last fast position; -1 when none
	Candidates   []int       // positions that can be the culprit, ascending; one when Outcome is Found
	Probability  float64     // that the step is in Candidates; 0 when the strategy states none
	Good, Bad    Level       // at LastGood and Culprit when named, else at the ends
	EndGood      Level       // at position 0
	EndBad       Level       // at position N
	GapPct       float64     // change from EndGood to EndBad in percent, + = worse
	ChangePct    float64     // change from Good to Bad in percent, + = worse
	ExplainedPct float64     // share of the gap that the named steps explain
	Steps        []StepFound // every step named, largest first (with Options.All)
	Levels       map[int]Level
	Verdicts     map[int]Verdict // by strategies that call commits good or bad; else nil
	Differ       bool            // Measured: the ends differ by more than their scatter explains
	Reason       string          // one or two plain sentences: what was seen
	Advice       string          // what the user can do; "" when nothing
	Warnings     []Warning
}

// StepFound is one step of a staircase.
type StepFound struct {
	Culprit, LastGood int
	Candidates        []int
	Probability       float64
	ChangePct         float64 // + = worse
	Good, Bad         Level
}

// Warning is something that did not stop the hunt but lowers trust in it.
type Warning struct {
	Code   string `json:"code"` // stable, snake_case
	Text   string `json:"text"`
	Commit string `json:"commit,omitempty"`
}
