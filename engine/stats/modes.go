package stats

import (
	"math"
	"slices"
)

// Modes describes values that fall into two separate groups.
type Modes struct {
	Low, High float64 // medians of the two groups
	Share     float64 // share of the values in the upper group, in [0,1]
	Distance  float64 // between the medians, in units of the scatter inside a group
}

// Split divides xs into the two groups with the least scatter inside (2-means,
// exact in one dimension) and describes them. ok is false for fewer than eight
// values or when a group would hold less than minShare of them.
func Split(xs []float64, minShare float64) (m Modes, ok bool) {
	n := len(xs)
	if n < 8 {
		return Modes{}, false
	}
	sorted := slices.Clone(xs)
	slices.Sort(sorted)
	cut := bestCut(sorted)
	lo, hi := sorted[:cut], sorted[cut:]
	m = Modes{Low: Mid(lo), High: Mid(hi), Share: float64(len(hi)) / float64(n)}
	if m.Share < minShare || m.Share > 1-minShare {
		return m, false
	}
	inner := PooledScale(lo, hi)
	if inner > 0 {
		m.Distance = (m.High - m.Low) / inner
	} else if m.High > m.Low {
		m.Distance = math.MaxFloat64
	}
	return m, true
}

// bestCut returns the size of the lower group with the least sum of squares.
func bestCut(sorted []float64) int {
	n := len(sorted)
	total, base := 0.0, sorted[0]
	for _, x := range sorted {
		total += x - base
	}
	best, cut, sum := math.Inf(-1), 1, 0.0
	for i := 1; i < n; i++ {
		sum += sorted[i-1] - base
		a, b := float64(i), float64(n-i)
		// between-group sum of squares, up to a constant
		between := sum*sum/a + (total-sum)*(total-sum)/b
		if between > best {
			best, cut = between, i
		}
	}
	return cut
}
