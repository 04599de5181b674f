package hints

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

// Confidence of a hint, from the evidence that the diff shows.
const (
	High   = "high"   // the change is of a known kind and its surroundings confirm it
	Medium = "medium" // of a known kind, but something that matters lies outside the hunk
	Low    = "low"    // would speed up, or lies in test code, or is only weakly of that kind
)

// A Hint is one change in a diff that matches a known cause of slow kernels.
type Hint struct {
	// Pattern is the name of a row of [Patterns].
	Pattern string `json:"pattern"`
	// File is the path on the new side, or on the old side of a deleted file.
	File string `json:"file"`
	// Line is the line on the new side, from 1; 0 if the change is a removal.
	Line int `json:"line"`
	// OldLine and NewLine are the lines of Before and After; 0 if there is none.
	OldLine int `json:"old_line"`
	NewLine int `json:"new_line"`
	// Before and After are the changed lines, trimmed, at most 200 bytes.
	// One of them is empty if a line was only added or only removed.
	Before string `json:"before"`
	After  string `json:"after"`
	// Cause says how such a change makes a kernel slow.
	Cause string `json:"cause"`
	// Confidence is High, Medium or Low; Reason says why.
	Confidence string `json:"confidence"`
	Reason     string `json:"reason"`
	// Score orders hints; larger is more likely. It has no unit.
	Score float64 `json:"-"`
}

// A SkippedFile is a file of the diff that was not read, with the reason.
type SkippedFile struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// A Report is all that a diff gave.
type Report struct {
	// Hints is sorted, the most likely first. It is empty, never nil.
	Hints []Hint `json:"hints"`
	// FilesRead counts files whose hunks were searched.
	FilesRead int `json:"files_read"`
	// FilesSkipped lists at most 50 of the others; SkippedCount counts them all.
	FilesSkipped []SkippedFile `json:"files_skipped"`
	SkippedCount int           `json:"skipped_count"`
	// Note says in words what an empty or cut report means.
	Note string `json:"note,omitempty"`
	// Omitted counts hints beyond Options.Max and beyond three of a kind in a file.
	Omitted int `json:"omitted"`
	// Truncated is set if a limit on memory was met, so that hints may be missing
	// or a moved line may have been taken for a new one.
	Truncated bool `json:"truncated"`
}

// An ISAChange is the resource use of one kernel before and after the diff.
// The keys are the names of columns of package amdgpu (vgpr, occupancy,
// lds_static_bytes, vgpr_spill, scratch_bytes and so on), the values in the
// column's unit. A column that is not known on both sides is not compared.
type ISAChange struct {
	Kernel        string
	Before, After map[string]float64
}

// Options of FromDiff. The zero value is usable.
type Options struct {
	// Max is the largest number of hints; 0 and less mean 20.
	Max int
	// ISA, where known, moves hints that it contradicts down and those that it
	// confirms up, and says so in Reason.
	ISA []ISAChange
}

// FromDiff reads a unified diff, as git diff or git show writes it, and returns
// its hints. Any input is accepted: what is no diff yields an empty report whose
// Note says so. The only errors are those of reading diff. Memory is bounded
// whatever the size of the input (tens of megabytes).
func FromDiff(diff io.Reader, o Options) (*Report, error) {
	if o.Max <= 0 {
		o.Max = 20
	}
	c := newCollector()
	p := newParser(diff, c.file)
	if err := p.run(); err != nil {
		return nil, err
	}
	return c.report(p, o), nil
}

// sortHints orders by score, then by place, so that equal input gives equal output.
func sortHints(h []candidate) {
	slices.SortStableFunc(h, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.OldLine, b.OldLine), strings.Compare(a.Pattern, b.Pattern))
	})
}
