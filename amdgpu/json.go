package amdgpu

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// Schema is the version of both JSON documents.
const Schema = 1

// toolName is the "tool" of our documents.
const toolName = "perfbisect"

type snapshotJSON struct {
	Schema   int       `json:"schema"`
	Tool     string    `json:"tool"`
	Verdict  Verdict   `json:"verdict"`
	ExitCode int       `json:"exit_code"`
	Kernels  []Kernel  `json:"kernels"`
	Problems []Problem `json:"problems"`
	Warnings []string  `json:"warnings"`
	Skipped  []Skip    `json:"skipped"`
	Omitted  int       `json:"omitted_kernels,omitempty"`
}

// MarshalJSON writes the document of "isa summarize --json".
func (s *Snapshot) MarshalJSON() ([]byte, error) {
	j := snapshotJSON{Schema, toolName, s.Verdict(), s.ExitCode(), slices.Clone(s.Kernels), orEmpty(s.Problems), orEmpty(s.Warnings), orEmpty(s.Skipped), s.Omitted}
	for i := range j.Kernels {
		k := &j.Kernels[i]
		k.Notes, k.Problems = orEmpty(k.Notes), orEmpty(k.Problems)
	}
	j.Kernels = orEmpty(j.Kernels)
	return json.Marshal(j)
}

// WriteJSON writes the document, indented, with a newline at the end. The
// error is that of w.
func (s *Snapshot) WriteJSON(w io.Writer) error { return writeJSON(w, s) }

// WriteJSON writes the document, indented, with a newline at the end. The
// error is that of w.
func (d *Diff) WriteJSON(w io.Writer) error { return writeJSON(w, d) }

func writeJSON(w io.Writer, v json.Marshaler) error {
	raw, err := v.MarshalJSON()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = w.Write(b.Bytes())
	return err
}

// orEmpty makes nil an empty JSON list.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// values is a side of a row: {COLUMN: number or null}.
type values struct{ m *Metrics }

// MarshalJSON writes null for a side without the kernel.
func (v values) MarshalJSON() ([]byte, error) {
	if v.m == nil {
		return []byte("null"), nil
	}
	return marshalColumns(func(c Column) (any, bool) {
		if cell := v.m[c]; cell.Known() {
			return cell.Value, true
		}
		return nil, true
	})
}

type deltas map[Column]int64

// MarshalJSON writes the columns that moved, in column order.
func (d deltas) MarshalJSON() ([]byte, error) {
	return marshalColumns(func(c Column) (any, bool) { v, ok := d[c]; return v, ok })
}

type units struct{}

// MarshalJSON writes {COLUMN: unit}.
func (units) MarshalJSON() ([]byte, error) {
	return marshalColumns(func(c Column) (any, bool) { return c.Unit(), true })
}

type occupancyJSON struct {
	Before        *int64  `json:"before"`
	After         *int64  `json:"after"`
	LimiterBefore Limiter `json:"limiter_before"`
	LimiterAfter  Limiter `json:"limiter_after"`
}

type rowJSON struct {
	Key         string        `json:"key"`
	Name        string        `json:"name"`
	DisplayName string        `json:"display_name"`
	Side        *string       `json:"side"`
	Target      string        `json:"target"`
	Before      values        `json:"before"`
	After       values        `json:"after"`
	Delta       deltas        `json:"delta"`
	Worsened    []string      `json:"worsened"`
	Improved    []string      `json:"improved"`
	Severity    Severity      `json:"severity"`
	Occupancy   occupancyJSON `json:"occupancy"`
	SpillsTo    []string      `json:"spills_to,omitempty"`
	Cause       string        `json:"cause"`
	Advice      string        `json:"advice"`
	Blocked     []Class       `json:"blocked"`
	Partial     []string      `json:"partial,omitempty"`
}

// MarshalJSON writes one row of the document of "isa diff --json".
func (r Row) MarshalJSON() ([]byte, error) {
	j := rowJSON{
		Key: r.Key, Name: r.Name, DisplayName: r.DisplayName, Target: r.Target, Before: values{r.Before}, After: values{r.After},
		Delta: r.Delta, Worsened: columnStrings(r.Worsened), Improved: columnStrings(r.Improved), Severity: r.Severity,
		Occupancy: occupancyJSON{r.Before.number(Occupancy), r.After.number(Occupancy), r.Limiters[0], r.Limiters[1]},
		SpillsTo:  r.SpillsTo, Cause: r.Cause, Advice: r.Advice, Blocked: orEmpty(r.Blocked),
	}
	if r.Side != "" {
		j.Side = &r.Side
	}
	if len(r.Partial) > 0 {
		j.Partial = columnStrings(r.Partial)
	}
	return json.Marshal(j)
}

// number is a pointer to a known value, nil otherwise.
func (m *Metrics) number(c Column) *int64 {
	if m == nil || !m[c].Known() {
		return nil
	}
	return &m[c].Value
}

func columnStrings(list []Column) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = c.String()
	}
	return out
}

type diffJSON struct {
	Schema    int       `json:"schema"`
	Tool      string    `json:"tool"`
	Verdict   Verdict   `json:"verdict"`
	ExitCode  int       `json:"exit_code"`
	Compared  int       `json:"compared"`
	Total     int       `json:"total"`
	Unchanged int       `json:"unchanged"`
	Worsened  int       `json:"worsened"`
	Improved  int       `json:"improved"`
	Partial   int       `json:"partial"`
	Units     units     `json:"units"`
	Rows      []Row     `json:"rows"`
	Problems  []Problem `json:"problems"`
	Warnings  []string  `json:"warnings"`
	Notes     []string  `json:"notes"`
	Renames   []Rename  `json:"renames,omitempty"`
	Omitted   int       `json:"omitted_rows,omitempty"`
}

// MarshalJSON writes the document of "isa diff --json".
func (d *Diff) MarshalJSON() ([]byte, error) {
	return json.Marshal(diffJSON{
		Schema, toolName, d.Verdict, d.ExitCode, d.Compared, d.Total, d.Unchanged, d.Worsened, d.Improved, d.Partial,
		units{},
		orEmpty(d.Rows), orEmpty(d.Problems), orEmpty(d.Warnings), orEmpty(d.Notes), d.Renames, d.Omitted,
	})
}
