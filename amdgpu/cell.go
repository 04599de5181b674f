package amdgpu

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// State says what a Cell holds. The zero State is NotApplicable.
type State uint8

const (
	// NotApplicable (n/a) is not 0: the quantity does not exist on this target,
	// or this kind of input does not report it. Reason says which.
	NotApplicable State = iota
	// Value means that Cell.Value was read or computed.
	Value
	// Unparsed (?) means that the input should say, and could not be read.
	// In a trigger it makes the comparison untrustworthy.
	Unparsed
)

var stateNames = [...]string{NotApplicable: "n/a", Value: "value", Unparsed: "unparsed"}

// String is the name of the state in JSON.
func (s State) String() string { return stateNames[s] }

// A Cell is one value of the table with where it came from.
type Cell struct {
	State State
	// Value is >= 0, in the unit of its column, and 0 unless State is Value.
	Value int64
	// Source names what was read, for example "metadata .vgpr_count".
	Source string
	// Reason says why there is no value; empty when State is Value.
	Reason string
}

func value(v int64, source string) Cell { return Cell{State: Value, Value: v, Source: source} }
func absent(reason string) Cell         { return Cell{State: NotApplicable, Reason: reason} }
func unparsed(reason string) Cell       { return Cell{State: Unparsed, Reason: reason} }

// Known reports whether the cell holds a value.
func (c Cell) Known() bool { return c.State == Value }

// String is the cell as a table shows it: the number, "n/a" or "?".
func (c Cell) String() string {
	switch c.State {
	case Value:
		return strconv.FormatInt(c.Value, 10)
	case Unparsed:
		return "?"
	}
	return "n/a"
}

type cellJSON struct {
	State  string `json:"state"`
	Value  *int64 `json:"value,omitempty"`
	Source string `json:"source,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// MarshalJSON writes {"state", "value", "source", "reason"}.
func (c Cell) MarshalJSON() ([]byte, error) {
	j := cellJSON{State: c.State.String(), Source: c.Source, Reason: c.Reason}
	if c.Known() {
		j.Value = &c.Value
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes and refuses a state it does not
// know, a value without a number and a negative number.
func (c *Cell) UnmarshalJSON(b []byte) error {
	var j cellJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	switch {
	case j.State == "n/a":
		*c = absent(j.Reason)
	case j.State == "unparsed":
		*c = unparsed(j.Reason)
	case j.State != "value":
		return fmt.Errorf("cell state %q, want value, n/a or unparsed", j.State)
	case j.Value == nil:
		return fmt.Errorf("cell in state value has no number")
	case *j.Value < 0:
		return fmt.Errorf("cell value %d is negative", *j.Value)
	default:
		*c = value(*j.Value, j.Source)
	}
	return nil
}

// Metrics holds one Cell for each Column.
type Metrics [NumColumns]Cell

// MarshalJSON writes an object keyed by column name, in column order.
func (m Metrics) MarshalJSON() ([]byte, error) {
	return marshalColumns(func(c Column) (any, bool) { return m[c], true })
}

// UnmarshalJSON reads an object keyed by column name. A column that is absent
// becomes unparsed, one that is unknown is ignored (a newer writer).
func (m *Metrics) UnmarshalJSON(b []byte) error {
	var cells map[string]json.RawMessage
	if err := json.Unmarshal(b, &cells); err != nil {
		return err
	}
	for c := range NumColumns {
		raw, ok := cells[c.String()]
		if !ok {
			m[c] = missingCell(c)
			continue
		}
		if err := m[c].UnmarshalJSON(raw); err != nil {
			m[c] = unparsed(fmt.Sprintf("snapshot column %s: %v", c, err))
		}
	}
	return nil
}

// missingCell is what a snapshot without column c means: "?" for ROCm's
// columns, n/a for the ones only we write.
func missingCell(c Column) Cell {
	if c >= VGPRAlloc {
		return absent("not in the snapshot")
	}
	return unparsed("not in the snapshot")
}

// marshalColumns writes {"column": value} in column order, without the columns
// that get declines.
func marshalColumns(get func(Column) (any, bool)) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for c := range NumColumns {
		v, ok := get(c)
		if !ok {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		j, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", c.String(), j)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
