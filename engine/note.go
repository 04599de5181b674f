package engine

// Note is something that was found out beside the search: what machine code
// changed, what a proof measured, what code identity saved. A hunt has at most
// one of a kind; a later one replaces it.
type Note struct {
	Kind  string     `json:"kind"` // stable, snake_case
	Title string     `json:"title"`
	Prose []string   `json:"prose,omitempty"`
	Head  []string   `json:"head,omitempty"` // of the columns of Rows
	Rows  [][]string `json:"rows,omitempty"`
	Pre   string     `json:"pre,omitempty"`
	// Kernels is what a comparison of machine code saw, one entry a kernel that
	// changed.
	Kernels []KernelChange `json:"kernels,omitempty"`
	Blind   bool           `json:"blind,omitempty"` // there was nothing to see
}

// KernelChange is the resource use of one kernel before and after; the keys are
// columns of package amdgpu.
type KernelChange struct {
	Kernel string             `json:"kernel"`
	Before map[string]float64 `json:"before"`
	After  map[string]float64 `json:"after"`
}

// Inner is the commit of another repository that a culprit brought in by moving
// a submodule or a pin.
type Inner struct {
	Kind        string   `json:"kind"` // submodule or pin
	Path        string   `json:"path"` // of the submodule, or of the file with the pin
	Repo        string   `json:"repo"` // where the commits are
	Culprit     string   `json:"culprit,omitempty"`
	LastGood    string   `json:"last_good,omitempty"`
	Candidates  []string `json:"candidates"`
	Probability float64  `json:"probability"`
}

// Proof is a measurement that could have refuted the culprit.
type Proof struct {
	Kind string `json:"kind"` // revert or fix-on
	// RecoveredPct is the share of the gap between the ends that is gone: 100
	// when bad without the culprit is as fast as good. It is absent when the
	// proof could not be made; Reason then says why.
	RecoveredPct *float64 `json:"recovered_pct,omitempty"`
	Reason       string   `json:"reason"`
}

// Note returns the note of a kind, or nil.
func (s *State) Note(kind string) *Note {
	for i := range s.Notes {
		if s.Notes[i].Kind == kind {
			return &s.Notes[i]
		}
	}
	return nil
}

// applyNoted adds a note, or replaces the one of its kind.
func (s *State) applyNoted(n Note) {
	if old := s.Note(n.Kind); old != nil {
		*old = n
		return
	}
	s.Notes = append(s.Notes, n)
}
