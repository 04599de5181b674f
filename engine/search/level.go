package search

import (
	"math"

	"perfbisect/engine/stats"
)

// levelOf summarises values: the median, the count and the robust scatter
// (1.4826·MAD, which estimates σ under normal noise) relative to the median.
// The scatter is 0 for fewer than two values and for a median of 0.
func levelOf(values []float64) Level {
	l := Level{Value: stats.Median(values), N: len(values)}
	if l.N < 2 || l.Value == 0 {
		return l
	}
	deviations := make([]float64, len(values))
	for i, v := range values {
		deviations[i] = math.Abs(v - l.Value)
	}
	l.CV = finite(1.4826 * stats.Median(deviations) / math.Abs(l.Value))
	return l
}

// finite keeps a quotient of extreme values a number, which JSON needs.
func finite(x float64) float64 { return max(-math.MaxFloat64, min(x, math.MaxFloat64)) }

// ChangePct is the change from good to bad in percent of good, + when bad is
// worse. From zero there is no percentage: the answer is then ±100, so that it
// stays a number, and 0 when both are zero.
func ChangePct(better Polarity, good, bad float64) float64 {
	base := math.Abs(good)
	if base == 0 {
		base = math.Abs(bad)
	}
	if base == 0 {
		return 0
	}
	pct := finite(100 * (bad - good) / base)
	if better == Higher {
		return -pct
	}
	return pct
}
