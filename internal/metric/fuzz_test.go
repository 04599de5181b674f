package metric

import (
	"errors"
	"math"
	"testing"
)

// FuzzParse checks that what Parse accepts is printed as text that it reads as
// the same spec.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "auto", "auto@max", "time", "exit", "regex:a(b)@min", `regex:x\K\d+`, "regex:x@last@first", "json:a.b.#.c@mean",
		"csv:Mean;where Name=a@b;where x~y@geomean", "name:a / b@median", "isa:ns::k<int>:vgpr", "name:", "foo:bar", "regex:(", "csv:;where a=b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, s.String(), err)
		}
		if again.String() != s.String() || again.Kind != s.Kind || again.Arg != s.Arg || again.Pick != s.Pick || len(again.Where) != len(s.Where) {
			t.Fatalf("%q: %+v prints as %q, read as %+v", text, s, s.String(), again)
		}
	})
}

func addOutputs(f *testing.F) {
	f.Helper()
	for _, c := range outputCases(f) {
		for _, st := range c.out.streams() {
			b := make([]byte, st.r.Size())
			if _, err := st.r.ReadAt(b, 0); err != nil {
				f.Fatal(err)
			}
			f.Add(string(b))
		}
	}
	f.Add("a\rb\x1b[31mc\x1b]0;t\x07d\b\x00\xff: 1\n")
	f.Add("{\"a\":[1,NaN,{\"b\":\"1 ms\"}]}\n[[\n")
	f.Add("a | b\n--|--\n1 | 2\n | x\n")
}

// FuzzCandidates checks that no output panics, that every value is finite, that
// the result is bounded, and that the spec of the best candidate extracts it.
func FuzzCandidates(f *testing.F) {
	addOutputs(f)
	f.Fuzz(func(t *testing.T, text string) {
		out := Text(text, "")
		c := Candidates(out)
		if len(c) > MaxCandidates || len(Numbers(out)) > MaxNumbers {
			t.Fatalf("%d candidates", len(c))
		}
		for i, k := range c {
			if math.IsNaN(k.Value.Value) || math.IsInf(k.Value.Value, 0) || len(k.Label) > 2*maxLabelLen || k.Label == "" {
				t.Fatalf("candidate %+v", k)
			}
			if i > 3 {
				continue
			}
			s, err := Parse(k.Spec)
			if err != nil {
				t.Fatalf("spec %q: %v", k.Spec, err)
			}
			if v, err := s.Extract(out); err != nil || v.Value != k.Value.Value || v.Unit != k.Value.Unit {
				t.Fatalf("%q: %+v, %v; want %+v", k.Spec, v, err, k.Value)
			}
		}
		Choose(c)
	})
}

// FuzzExtract checks that a spec gives a finite value or a *NoMetricError.
func FuzzExtract(f *testing.F) {
	for _, c := range outputCases(f) {
		b := make([]byte, 0)
		for _, st := range c.out.streams() {
			buf := make([]byte, st.r.Size())
			if _, err := st.r.ReadAt(buf, 0); err != nil {
				f.Fatal(err)
			}
			b = append(b, buf...)
		}
		f.Add("regex:([0-9.,]+)", string(b))
		f.Add("json:benchmarks.#.real_time", string(b))
		f.Add("csv:us;where m=4096", string(b))
		f.Add("name:time", string(b))
	}
	f.Fuzz(func(t *testing.T, spec, text string) {
		s, err := Parse(spec)
		if err != nil || s.Kind == KindTime || s.Kind == KindExit || s.Kind == KindISA {
			return
		}
		v, err := s.Extract(Text("", text))
		var no *NoMetricError
		switch {
		case err != nil && !errors.As(err, &no):
			t.Fatalf("error %T: %v", err, err)
		case err != nil:
			_ = no.Error()
		case math.IsNaN(v.Value) || math.IsInf(v.Value, 0) || v.Matches < 1:
			t.Fatalf("value %+v", v)
		}
	})
}
