package search

// Outcome is what one build or one run came to. The failures are kept apart
// because they mean different things; none of them means "slow".
type Outcome string

// The outcomes of a build or a run.
const (
	OK          Outcome = "ok"
	BuildFailed Outcome = "build_failed"
	RunFailed   Outcome = "run_failed"
	Timeout     Outcome = "timeout"
	NoMetric    Outcome = "no_metric"
	GPUFault    Outcome = "gpu_fault"
	Skipped     Outcome = "skipped" // the command asked to skip this commit (exit 125)
)

// Failed reports whether o is a failure, that is, says nothing about speed.
func (o Outcome) Failed() bool { return o != OK && o != "" }

// Polarity says which way a metric is better: Lower (a time) or Higher (a rate).
type Polarity string

// The two polarities.
const (
	Lower  Polarity = "lower"
	Higher Polarity = "higher"
)

// Run is one execution of the benchmark command that is not a warm-up.
type Run struct {
	Position int     // 0 = good … N = bad
	Outcome  Outcome // Value is valid for OK only
	Value    float64 // in SI base units
	StartS   float64 // seconds from the start of the hunt to the start of the run
	ElapsedS float64 // seconds the command took
	Visit    int     // runs between two checkouts share a visit number
	Worker   int     // 0 … Options.Workers-1
}

// Mark is the user's own verdict on a position.
type Mark struct {
	Verdict Verdict `json:"verdict"`
	Certain bool    `json:"certain,omitempty"` // true: the verdict is a fact, not evidence of 99:1
}

// Verdict is a user's word on a position.
type Verdict string

// The verdicts. Clear takes an earlier one back.
const (
	VerdictGood  Verdict = "good"
	VerdictBad   Verdict = "bad"
	VerdictSkip  Verdict = "skip"
	VerdictClear Verdict = "clear"
)

// Place is what is known of one position besides its runs.
type Place struct {
	Failure   Outcome // last failure that makes it untestable; "" when none
	Built     bool    // a build succeeded here, so another visit needs no build
	Code      string  // hash of the device code that its build made; "" when unknown
	Failures  int     // failed builds or runs so far
	SkipsDone int     // times the planner passed it over because of the failure
}

// View is all that a planner may know: a pure function of the journal.
// A planner must not change it or keep it.
type View struct {
	N         int               // positions 0 (good) … N (bad); N ≥ 1, or 0 with the planner Compare
	Parents   [][]int32         // parents of position i within the range; nil: position i's only parent is i-1
	Merge     func(int) bool    // whether a position is a merge commit; nil: none is
	Prior     []float64         // relative weight of "the step is at i", index 0 unused; nil: uniform
	Runs      []Run             // in order of start, all outcomes
	Places    map[int]Place     // only positions that were touched
	Marks     map[int]Mark      // only marked positions
	Answers   map[string]string // by question id
	BuildS    float64           // mean measured build time in seconds; 0 when nothing was built
	RunS      float64           // mean measured run time in seconds; 0 when nothing ran
	NowS      float64           // seconds from the start of the hunt to the newest fact
	Exhausted bool              // the budget is spent: answer now with the best bracket
	Options   Options
}

// Options are the planner's settings, with the names of the command line.
type Options struct {
	Strategy      string   `json:"strategy"`                 // "adaptive", "classic" or "compare"
	Better        Polarity `json:"better"`                   // which way the metric is better
	Find          string   `json:"find"`                     // "regression" or "improvement"
	Confidence    string   `json:"confidence"`               // "quick", "normal" or "strict" (adaptive)
	MinGapPct     float64  `json:"min_gap"`                  // smallest gap of interest in percent (adaptive)
	NumRuns       int      `json:"num_runs"`                 // runs per commit (classic, compare)
	ThresholdPct  float64  `json:"threshold_pct"`            // percent of the gap from good (classic)
	WarmupRuns    int      `json:"warmup_runs"`              // runs that are thrown away after each checkout
	SkipOnFail    bool     `json:"skip_on_fail"`             // false: ask at the first failure
	All           bool     `json:"all"`                      // go on until the whole gap is explained
	Workers       int      `json:"workers"`                  // parallel workers, ≥ 1
	Resolution    float64  `json:"resolution"`               // of the printed value, SI; 0: unknown
	Exact         bool     `json:"exact"`                    // the metric has no noise (resource counts)
	Reference     float64  `json:"reference,omitempty"`      // recorded value of good; 0: none
	RevisitBuilds bool     `json:"revisit_builds,omitempty"` // visiting a built position again costs a build too
	CodeIdentity  bool     `json:"code_identity"`            // equal Place.Code is equal speed (device-time metrics)
}
