package metric

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// outputDir holds one file for each format; its README.md says how they work.
const outputDir = "../../testdata/output"

// outputCase is one file of outputDir.
type outputCase struct {
	name string
	out  Output
	want []string
}

func outputCases(tb testing.TB) []outputCase {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(outputDir, "*.txtar"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no cases in %s: %v", outputDir, err)
	}
	var cases []outputCase
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		c := outputCase{name: strings.TrimSuffix(filepath.Base(f), ".txtar")}
		for _, part := range txtar.Parse(data).Files {
			switch part.Name {
			case "want":
				c.want = strings.Split(strings.TrimSpace(string(part.Data)), "\n")
			case "stdout":
				c.out.Stdout = section(string(part.Data))
			case "stderr":
				c.out.Stderr = section(string(part.Data))
			default:
				tb.Fatalf("%s: unknown part %q", f, part.Name)
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// TestOutput checks every line "SPEC => VALUE UNIT BETTER" of every format.
func TestOutput(t *testing.T) {
	for _, c := range outputCases(t) {
		t.Run(c.name, func(t *testing.T) {
			if len(c.want) == 0 {
				t.Fatal("no expectations")
			}
			for _, line := range c.want {
				spec, want, ok := strings.Cut(line, " => ")
				if !ok {
					t.Fatalf("line %q has no =>", line)
				}
				checkSpec(t, c.out, spec, strings.Fields(want))
			}
		})
	}
}

// checkSpec compares what a spec extracts with "VALUE UNIT BETTER", where "-"
// is an empty unit or polarity, or with "ask", "none" or "nan".
func checkSpec(t *testing.T, out Output, spec string, want []string) {
	t.Helper()
	s, err := Parse(spec)
	if err != nil {
		t.Errorf("%s: %v", spec, err)
		return
	}
	got, err := s.Extract(out)
	var no *NoMetricError
	errors.As(err, &no)
	switch want[0] {
	case "ask":
		if no == nil || !no.Ambiguous {
			t.Errorf("%s: got %v %v, want a question", spec, got, err)
		}
		return
	case "none":
		if no == nil || no.Ambiguous {
			t.Errorf("%s: got %v %v, want no metric", spec, got, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", spec, err)
		return
	}
	value, perr := strconv.ParseFloat(want[0], 64)
	if perr != nil || len(want) != 3 {
		t.Fatalf("%s: bad expectation %q", spec, want)
	}
	if math.Abs(got.Value-value) > 1e-9*math.Abs(value) {
		t.Errorf("%s: value %g, want %g", spec, got.Value, value)
	}
	if dash(got.Unit) != want[1] || dash(string(got.Better)) != want[2] {
		t.Errorf("%s: unit %q, %q is better; want %q, %q", spec, got.Unit, got.Better, want[1], want[2])
	}
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// TestCandidateSpec checks that the spec of every candidate extracts its value.
func TestCandidateSpec(t *testing.T) {
	for _, c := range outputCases(t) {
		for _, cand := range Candidates(c.out) {
			s, err := Parse(cand.Spec)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			v, err := s.Extract(c.out)
			if err != nil || v.Value != cand.Value.Value || v.Unit != cand.Value.Unit || v.Better != cand.Value.Better {
				t.Errorf("%s: %s gives %v %v, want %v", c.name, cand.Spec, v, err, cand.Value)
			}
		}
	}
}
