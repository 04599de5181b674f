package app

import (
	"perfbisect/engine"
	"perfbisect/engine/search"
)

// Status is a hunt as a user or an agent sees it at one moment.
type Status struct {
	Summary  string           `json:"summary"` // one to three sentences that stand alone
	RunID    string           `json:"run_id"`
	State    engine.Status    `json:"state"`
	Range    Range            `json:"range"`
	Progress Progress         `json:"progress"`
	Question *search.Question `json:"question,omitempty"` // pending, when State is needs_input
	Result   *engine.Result   `json:"result,omitempty"`   // once completed
	Reason   string           `json:"reason,omitempty"`   // why it was paused, failed or stopped
	Warnings []search.Warning `json:"warnings,omitempty"`
	Report   string           `json:"report_path,omitempty"`
	Next     string           `json:"next"` // the call or command that goes on from here
}

// Range is what is searched.
type Range struct {
	Repo      string `json:"repo"`
	Good      string `json:"good"` // full hash; "" while unknown
	Bad       string `json:"bad"`
	Commits   int    `json:"commits"`   // in good..bad
	Positions int    `json:"positions"` // of them, distinguishable
}

// Progress is how far it is.
type Progress struct {
	Phase       search.Phase `json:"phase,omitempty"`
	StepsDone   int          `json:"steps_done"`
	Left        int          `json:"commits_left"`          // that can still be the culprit
	Probability float64      `json:"probability,omitempty"` // that it is among them
	Likeliest   string       `json:"likeliest,omitempty"`   // full hash
	LikeliestP  float64      `json:"likeliest_probability,omitempty"`
	Runs        int          `json:"runs"`
	Builds      int          `json:"builds"`
	ElapsedS    float64      `json:"elapsed_s"`
	LeftS       float64      `json:"left_s,omitempty"` // expected
	Cost        string       `json:"cost,omitempty"`   // the estimate in words
	Now         string       `json:"now,omitempty"`    // for example "step 3 a1b2c3d: run 2 of 3, 1.43 ms"
	Why         string       `json:"why,omitempty"`    // why this step, in plain words
}

// Brief is one line of the list of runs.
type Brief struct {
	RunID   string        `json:"run_id"`
	State   engine.Status `json:"state"`
	Repo    string        `json:"repo"`
	Good    string        `json:"good"`
	Bad     string        `json:"bad"`
	Started string        `json:"started"` // RFC 3339
	Summary string        `json:"summary"`
	Culprit string        `json:"culprit,omitempty"`
	Live    bool          `json:"live"` // a process is working on it
}
