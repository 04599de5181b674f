package stats

import "math"

// Slope fits y = a_group + slope·t by least squares, where every group has its
// own level, and returns the slope and its t statistic (slope / standard error).
// Both are 0 with fewer than four points more than groups or when time stands
// still. ys, ts and groups have equal length; groups are small integers ≥ 0.
func Slope(ys, ts []float64, groups []int) (slope, t float64) {
	k := 0
	for _, g := range groups {
		k = max(k, g+1)
	}
	n, my, mt := make([]float64, k), make([]float64, k), make([]float64, k)
	for i, g := range groups {
		n[g]++
		my[g] += (ys[i] - my[g]) / n[g]
		mt[g] += (ts[i] - mt[g]) / n[g]
	}
	used := 0.0
	for _, c := range n {
		if c > 0 {
			used++
		}
	}
	free := float64(len(ys)) - used - 1
	var sxx, sxy, syy float64
	for i, g := range groups {
		x, y := ts[i]-mt[g], ys[i]-my[g]
		sxx, sxy, syy = sxx+x*x, sxy+x*y, syy+y*y
	}
	if free < 3 || sxx <= 0 {
		return 0, 0
	}
	slope = sxy / sxx
	rest := max(syy-slope*sxy, 0)
	se := math.Sqrt(rest / free / sxx)
	if se == 0 {
		return 0, 0
	}
	return slope, slope / se
}
