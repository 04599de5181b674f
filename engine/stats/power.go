package stats

import "math"

// medianSE is the standard error of a median in units of σ/√n (√(π/2)).
const medianSE = 1.2533

// RunsForGap returns how many runs a side it takes until medians that differ by
// gap stand z standard errors apart, for scatter sigma. It is +Inf for no gap.
func RunsForGap(gap, sigma, z float64) float64 {
	if gap <= 0 {
		return math.Inf(1)
	}
	r := z * medianSE * sigma / gap
	return max(math.Ceil(2*r*r), 1)
}

// GapZ returns how many standard errors the difference of two medians of n runs
// each is, and that standard error. z is 0 when sigma or n is.
func GapZ(gap, sigma, n float64) (z, se float64) {
	if sigma <= 0 || n <= 0 {
		return 0, 0
	}
	se = sigma * medianSE * math.Sqrt(2/n)
	return gap / se, se
}
