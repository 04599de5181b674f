package search

import "testing"

func TestChange(t *testing.T) {
	for _, c := range []struct {
		name           string
		pct, good, bad float64
		want           string
	}{
		{"a percentage", 31.07, 1, 1.3107, "+31.07 %"},
		{"better", -5, 2, 1.9, "-5.00 %"},
		{"nothing is a percentage of zero", 100, 0, 4, "from 0 to 4"},
		{"both zero", 0, 0, 0, "+0.00 %"},
		{"a percentage without its many digits", 1e7, 1, 1e5, "+1e+07 %"},
	} {
		if got := Change(c.pct, c.good, c.bad); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
