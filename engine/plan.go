package engine

import (
	"fmt"
	"math"

	"perfbisect/engine/search"
)

// Plan says what is searched, where and how. It is the first fact of a journal
// and never changes during a hunt.
type Plan struct {
	Positions   []Position     `json:"positions"` // 0 = good … last = bad; at least two; one is enough to measure only
	FirstParent bool           `json:"first_parent"`
	Metric      string         `json:"metric"` // the spec, in the form of --metric
	Unit        string         `json:"unit"`   // SI unit of values; "" when unknown
	Options     search.Options `json:"options"`
	MaxRuns     int            `json:"max_runs,omitempty"`   // budget in runs; 0: none
	MaxTimeS    float64        `json:"max_time_s,omitempty"` // budget in seconds of work; 0: none
}

// comparison reports whether p measures commits without a search, for which one
// position is enough.
func (p *Plan) comparison() bool { return p.Options.Strategy == "compare" }

// Position is one distinguishable state of the code: a commit, and the later
// commits that leave the relevant paths as they are.
type Position struct {
	Commit  string   `json:"commit"`            // full hash; the commit that is measured and named
	Same    []string `json:"same,omitempty"`    // later commits with an equal relevant tree, oldest first
	Parents []int32  `json:"parents,omitempty"` // positions of the parents; nil: the position before
	Merge   bool     `json:"merge,omitempty"`
	Prior   float64  `json:"prior,omitempty"` // relative weight that the step is here; 0 means 1
}

// Validate reports the first thing in p that no hunt could work with.
func (p *Plan) Validate() error {
	if n := len(p.Positions); n < 1 || n < 2 && !p.comparison() {
		return fmt.Errorf("checking the plan: %d positions, at least good and bad are needed", len(p.Positions))
	}
	for i, q := range p.Positions {
		if q.Commit == "" {
			return fmt.Errorf("checking the plan: position %d has no commit", i)
		}
		if q.Prior < 0 || math.IsNaN(q.Prior) || math.IsInf(q.Prior, 0) {
			return fmt.Errorf("checking the plan: prior of position %d is %v", i, q.Prior)
		}
		for _, parent := range q.Parents {
			if parent < 0 || int(parent) >= i {
				return fmt.Errorf("checking the plan: position %d has parent %d, parents come before children", i, parent)
			}
		}
	}
	return nil
}

// IndexOf returns the position whose measurement stands for commit, or -1.
func (p *Plan) IndexOf(commit string) int {
	for i, q := range p.Positions {
		if q.Commit == commit {
			return i
		}
		for _, s := range q.Same {
			if s == commit {
				return i
			}
		}
	}
	return -1
}
