package engine

import "perfbisect/engine/search"

// Result is the answer of a hunt as others read it: positions have become full
// commit hashes. It is the object that --json prints last.
type Result struct {
	Type         string                `json:"type"` // "result"
	Run          string                `json:"run_id,omitempty"`
	Outcome      search.FindingOutcome `json:"outcome"`
	Culprit      string                `json:"culprit,omitempty"` // "" when Candidates has several
	LastGood     string                `json:"last_good,omitempty"`
	Candidates   []string              `json:"candidates"`
	Probability  float64               `json:"probability"` // in [0,1], that the step is in Candidates; 0 when the strategy states none
	Good         search.Level          `json:"good"`
	Bad          search.Level          `json:"bad"`
	EndGood      search.Level          `json:"end_good"`
	EndBad       search.Level          `json:"end_bad"`
	Unit         string                `json:"unit"`
	Metric       string                `json:"metric"`
	Better       search.Polarity       `json:"better"`
	Strategy     string                `json:"strategy"`
	ChangePct    float64               `json:"change_pct"` // + = worse
	GapPct       float64               `json:"gap_pct"`    // between the ends, + = worse
	ExplainedPct float64               `json:"explained_pct"`
	Runs         int                   `json:"runs"`
	Builds       int                   `json:"builds"`
	ElapsedS     float64               `json:"elapsed_s"`
	Reason       string                `json:"reason"`
	Advice       string                `json:"advice,omitempty"`
	Warnings     []search.Warning      `json:"warnings"`
	Steps        []ResultStep          `json:"steps"`
	Found        []ResultFound         `json:"found,omitempty"`  // every step named, largest first
	Levels       []ResultLevel         `json:"levels,omitempty"` // a comparison: every commit, in order
	Differ       *bool                 `json:"differ,omitempty"` // a comparison: the ends differ by more than their scatter explains
	Via          []string              `json:"via,omitempty"`    // merges that brought the culprit in, outermost first
	Inner        *Inner                `json:"inner,omitempty"`  // the commit behind a moved submodule or pin
	Proofs       []Proof               `json:"proofs,omitempty"` // what --prove measured
	ReportPath   string                `json:"report_path,omitempty"`
}

// ResultStep is a row of the log.
type ResultStep struct {
	Commit   string         `json:"commit"`
	Position int            `json:"position"` // 0 = good … N = bad
	Phase    search.Phase   `json:"phase,omitempty"`
	Median   float64        `json:"median"` // of Values; 0 when there is none
	Values   []float64      `json:"values"`
	Outcome  search.Outcome `json:"outcome"`
	Label    string         `json:"label,omitempty"` // "good", "bad" or "between", by the nearer end
	Why      string         `json:"why,omitempty"`
	Tail     string         `json:"tail,omitempty"` // last lines of what failed
}

// ResultFound is one step of a staircase.
type ResultFound struct {
	Culprit     string       `json:"culprit"`
	LastGood    string       `json:"last_good"`
	Candidates  []string     `json:"candidates"`
	Probability float64      `json:"probability"`
	ChangePct   float64      `json:"change_pct"`
	Good        search.Level `json:"good"`
	Bad         search.Level `json:"bad"`
}

// ResultLevel is what one commit of a comparison measured.
type ResultLevel struct {
	Commit string `json:"commit"`
	search.Level
}
