package metric

import (
	"math"
	"strconv"
)

// Format writes a value for people, with three or four significant digits and
// the scale that suits it: "1.43 ms", "824 GB/s", "9.6 TFLOPS", "63.26 /s".
func Format(v float64, unit string) string {
	switch unit {
	case "s":
		return scaled(v, "s", timeSteps)
	case "FLOP/s":
		return scaled(v, "FLOPS", rateSteps)
	case "OP/s":
		return scaled(v, "OPS", rateSteps)
	case "1/s":
		return scaled(v, "/s", rateSteps)
	case "B", "B/s", "bit", "bit/s", "FLOP", "OP", "Hz":
		return scaled(v, unit, rateSteps)
	case "W", "J":
		return scaled(v, unit, siSteps)
	case "%", "x":
		return round(v) + unit
	case "":
		return round(v)
	}
	return round(v) + " " + unit
}

type step struct {
	from   float64
	prefix string
}

var (
	timeSteps = []step{{1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}, {1e-12, "p"}}
	rateSteps = []step{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}
	siSteps   = []step{{1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}
)

// scaled writes v with the largest prefix that leaves it at least 1, after
// rounding.
func scaled(v float64, unit string, steps []step) string {
	a := math.Abs(v)
	for _, s := range steps {
		if a >= s.from*0.99995 && a > 0 {
			return round(v/s.from) + " " + s.prefix + unit
		}
	}
	return round(v) + " " + unit
}

// round writes v with four significant digits, without zeros at the end, and
// whole numbers in full as long as a float64 counts by one: the difference of two
// counts of instructions is often in their last digits.
func round(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) <= 1<<53 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		r = v
	}
	if a := math.Abs(r); a >= 1e-4 && a < 1e7 {
		return strconv.FormatFloat(r, 'f', -1, 64)
	}
	return strconv.FormatFloat(r, 'g', -1, 64)
}
