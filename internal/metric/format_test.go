package metric

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	tests := []struct {
		v          float64
		unit, want string
	}{
		{1.43e-3, "s", "1.43 ms"},
		{824e9, "B/s", "824 GB/s"},
		{9.6e12, "FLOP/s", "9.6 TFLOPS"},
		{63.26, "1/s", "63.26 /s"},
		{1600.12, "1/s", "1.6 k/s"},
		{0, "s", "0 s"},
		{-2.5e-6, "s", "-2.5 µs"},
		{999.99e-6, "s", "1 ms"},     // rounds to the next prefix
		{999.94e-6, "s", "999.9 µs"}, // just does not
		{7200, "s", "7200 s"},
		{33.3333, "%", "33.33%"},
		{1.5, "x", "1.5x"},
		{1024, "", "1024"},
		{7618123, "", "7618123"},          // a count is exact
		{1 << 53, "", "9007199254740992"}, // the last that a float64 counts
		{1 << 54, "", "1.801e+16"},        // beyond, neighbours are not told apart
		{1234567.5, "", "1235000"},        // not a count
		{7618123, "insn", "7618123 insn"}, // nor is the unit known
		{7618123, "B", "7.618 MB"},        // a scaled unit is rounded
		{250, "W", "250 W"},
	}
	for _, tt := range tests {
		if got := Format(tt.v, tt.unit); got != tt.want {
			t.Errorf("Format(%g, %q) = %q, want %q", tt.v, tt.unit, got, tt.want)
		}
	}
}

// What Format prints is read back as the same value within its rounding.
func TestFormatRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"s", "B/s", "FLOP/s", "B", "J", "W"}).Draw(t, "unit")
		v := rapid.Float64Range(1, 10).Draw(t, "mantissa") * math.Pow(10, float64(rapid.IntRange(-9, 14).Draw(t, "exponent")))
		text := Format(v, unit)
		got, err := nameSpec("x").Extract(Text("x: "+text+"\n", ""))
		if err != nil {
			t.Fatalf("%g is %q: %v", v, text, err)
		}
		if got.Unit != unit || math.Abs(got.Value-v) > 0.6e-3*v {
			t.Fatalf("%g %s is %q, read as %g %s", v, unit, text, got.Value, got.Unit)
		}
	})
}

// Labels do not change when the numbers do, and a label found in one run finds
// the number in another whose unit has another scale.
func TestLabelsAreStable(t *testing.T) {
	lines := []string{
		"Latency: %s", "fwd pass took %s on average", "%s elapsed", "[rank0] step 12 time=%s", "a/b p50 = %s (n=12)",
		"{'kernel': 'mha', 'latency': '%s'}", "| gemm | %s |", "2026-11-30 10:11:12,345 INFO core: decode time %s, done",
	}
	scales := []struct {
		unit  string
		scale float64
	}{{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom(lines).Draw(t, "line")
		print := func(name string) (string, float64) {
			n := rapid.IntRange(1001, 999_999).Draw(t, name)
			u := rapid.SampledFrom(scales).Draw(t, name+" unit")
			text := round(float64(n)/1000) + " " + u.unit
			f, _ := lexNumber(text, 0, true)
			return strings.Replace(line, "%s", text, 1), f.value * u.scale
		}
		a, va := print("first")
		b, vb := print("second")
		ca, cb := Candidates(Text(a, "")), Candidates(Text(b, ""))
		if len(ca) == 0 || len(cb) == 0 || ca[0].Label != cb[0].Label {
			t.Fatalf("%q gives %+v\n%q gives %+v", a, ca, b, cb)
		}
		s, err := Parse(ca[0].Spec)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Extract(Text(b, ""))
		if err != nil || math.Abs(got.Value-vb) > 1e-9*vb || math.Abs(ca[0].Value.Value-va) > 1e-9*va {
			t.Fatalf("%s on %q: %+v %v, want %g", ca[0].Spec, b, got, err, vb)
		}
	})
}
