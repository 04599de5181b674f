package metric

import (
	"fmt"
	"strings"
)

// NoMetricError says that a run left no value for a spec, and what it left
// instead. It is the outcome no_metric; such a run is neither fast nor slow.
type NoMetricError struct {
	Spec Spec
	// Why is the reason in a few words.
	Why string
	// Near are labels that the output has, the most likely first; at most 5.
	Near []Candidate
	// Ambiguous is true when a spec fits several numbers equally well. The
	// user has to say which one is meant.
	Ambiguous bool
	// Tail is the end of the output as text, at most 400 bytes.
	Tail string
	// TailOf is the stream that Tail is from.
	TailOf string
}

// Error returns the reason, the nearest labels and the end of the output.
func (e *NoMetricError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "metric %q: %s", e.Spec.String(), e.Why)
	for i, c := range e.Near {
		if i == 0 {
			b.WriteString("; the output has ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q = %s", c.Label, Format(c.Value.Value, c.Value.Unit))
	}
	if len(e.Near) == 0 && e.Tail != "" {
		fmt.Fprintf(&b, "; %s ends with %q", e.TailOf, e.Tail)
	}
	return b.String()
}

// absentError says that a stream holds nothing that fits a spec; the other
// stream may. What fits and is no finite number is another error, because then
// the metric was found and is bad.
type absentError struct {
	why  string
	near []Candidate
}

func (e *absentError) Error() string { return e.why }

// noMetric makes the error and looks at the output for it.
func noMetric(s Spec, out Output, why string) *NoMetricError {
	e := &NoMetricError{Spec: s, Why: why}
	for _, st := range out.streams() {
		n := min(st.r.Size(), 400)
		buf := make([]byte, n)
		if _, err := st.r.ReadAt(buf, st.r.Size()-n); err == nil || n > 0 {
			e.Tail = strings.ToValidUTF8(strings.TrimSpace(string(stripControls(buf))), "?")
		}
		if e.Tail != "" {
			e.TailOf = st.name
			break
		}
	}
	return e
}
