package hints

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes a report for people: one block per hint, the likeliest first.
// It returns the first error of w.
func WriteText(w io.Writer, r *Report) error {
	var b strings.Builder
	for i := range r.Hints {
		h := &r.Hints[i]
		fmt.Fprintf(&b, "%d. %s (%s)  %s:%d\n", i+1, h.Pattern, h.Confidence, printable(h.File), h.Line)
		if h.Before != "" {
			fmt.Fprintf(&b, "   - %s\n", printable(h.Before))
		}
		if h.After != "" {
			fmt.Fprintf(&b, "   + %s\n", printable(h.After))
		}
		fmt.Fprintf(&b, "   cause: %s\n   why:   %s\n", h.Cause, printable(h.Reason))
	}
	if r.Note != "" {
		fmt.Fprintf(&b, "%s\n", r.Note)
	}
	fmt.Fprintf(&b, "%d files read, %d skipped", r.FilesRead, r.SkippedCount)
	if r.Truncated {
		b.WriteString("; the diff is larger than the limits, so hints may be missing")
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// printable replaces control characters: what a diff holds must not steer a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}
