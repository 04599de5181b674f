package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"

	"perfbisect/engine"
)

// Schema is the version of the JSON report. A field is added without a new
// version; one is renamed, removed or given another meaning only with one.
const Schema = 1

// JSON writes the report for programs: one object, indented. Lists are never
// null, and nothing is shortened or cleaned, since JSON escapes what it must.
func JSON(w io.Writer, d *Document) error {
	full := *d
	if full.Files == nil {
		full.Files = []FileStat{}
	}
	if full.Marks == nil {
		full.Marks = []Mark{}
	}
	if full.Sections == nil {
		full.Sections = []Section{}
	}
	if full.Commits == nil {
		full.Commits = map[string]Commit{}
	}
	if d.Brief {
		result := *d.Result
		result.Steps = []engine.ResultStep{}
		full.Result = &result
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(struct {
		Schema  int    `json:"schema"`
		Tool    string `json:"tool"`
		Summary string `json:"summary"`
		*Document
	}{Schema, "perfbisect", Summary(d), &full}); err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	return write(w, escapeControls(&b), "JSON")
}

// escapeControls escapes the characters that JSON may hold as they are and that
// a terminal obeys all the same. They stand in strings only.
func escapeControls(b *bytes.Buffer) *bytes.Buffer {
	var out bytes.Buffer
	for _, r := range b.String() {
		if r == '\n' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) {
			out.WriteRune(r)
			continue
		}
		fmt.Fprintf(&out, `\u%04x`, r)
	}
	return &out
}
