package stats

import (
	"math"
	"slices"
)

// Median returns the middle of xs, the mean of the two middle ones when their
// number is even, and 0 for no values. It does not change xs.
func Median(xs []float64) float64 {
	switch len(xs) {
	case 0:
		return 0
	case 1:
		return xs[0]
	case 2:
		return xs[0]/2 + xs[1]/2
	}
	part := slices.Clone(xs)
	n := len(part)
	upper := kth(part, n/2)
	if n%2 == 1 {
		return upper
	}
	return slices.Max(part[:n/2])/2 + upper/2 // halves first: the sum can overflow
}

// kth returns the k-th smallest of xs, from 0, and moves those not larger in front
// of it. Below insertion's reach sorting is as fast.
func kth(xs []float64, k int) float64 {
	const short = 24
	for len(xs) > short {
		p := pivot(xs)
		less, more := 0, len(xs)
		for i := 0; i < more; { // x < p, x = p (and NaN), x > p
			switch x := xs[i]; {
			case x < p:
				xs[less], xs[i] = x, xs[less]
				less, i = less+1, i+1
			case x > p:
				more--
				xs[more], xs[i] = x, xs[more]
			default:
				i++
			}
		}
		switch {
		case k < less:
			xs = xs[:less]
		case k >= more:
			xs, k = xs[more:], k-more
		default:
			return xs[k]
		}
	}
	slices.Sort(xs)
	return xs[k]
}

// pivot is the median of three.
func pivot(xs []float64) float64 {
	a, b, c := xs[0], xs[len(xs)/2], xs[len(xs)-1]
	return max(min(a, b), min(max(a, b), c))
}

// Mid is Median for values that are sorted already.
func Mid(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	if n%2 == 1 {
		return sorted[n/2]
	}
	return sorted[n/2-1]/2 + sorted[n/2]/2 // halves first: the sum can overflow
}

// Quantile returns the q-quantile of values that are sorted already, q in [0,1],
// linear between order statistics.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	f := at - float64(i)
	return sorted[i]*(1-f) + sorted[i+1]*f
}

// Factors of the scale estimate below.
const (
	meanAbsToSD = 1.25   // sqrt(π/2): standard deviation / mean absolute deviation of a normal
	madToSD     = 1.4826 // 1/Φ⁻¹(3/4): standard deviation / median absolute deviation of a normal
	smallSample = 12     // below this a median of deviations is too coarse
	tailShare   = 0.75   // share of the mean deviation that heavy tails may not fall below
)

// PooledScale estimates the standard deviation within groups of values, each
// around its own median. Groups of one value say nothing and are left out. It
// is 0 when no group has two values or all values of every group are equal.
//
// A few values: 1.25·Σ|deviation|/(n−1.1·groups); from twelve on the larger of
// the median absolute deviation and three quarters of the mean one, so that
// neither one outlier nor a second mode of a quarter of the runs rules.
func PooledScale(groups ...[]float64) float64 {
	var dev []float64
	k := 0.0
	for _, g := range groups {
		if len(g) < 2 {
			continue
		}
		m := Median(g)
		for _, x := range g {
			dev = append(dev, math.Abs(x-m))
		}
		k++
	}
	n := float64(len(dev))
	if n == 0 {
		return 0
	}
	sum := 0.0
	for _, d := range dev {
		sum += d
	}
	if n < smallSample {
		return meanAbsToSD * sum / (n - 1.1*k)
	}
	return max(madToSD*Median(dev)*math.Sqrt(n/(n-k)), tailShare*sum/(n-k))
}

// Lag1 returns the correlation of each residual with the one before it, with
// residuals clipped at ±clip first so that one outlier does not rule. It is 0
// for fewer than four residuals or when they do not vary.
func Lag1(residuals []float64, clip float64) float64 {
	if len(residuals) < 4 {
		return 0
	}
	var num, den, mean float64
	c := make([]float64, len(residuals))
	for i, r := range residuals {
		c[i] = min(max(r, -clip), clip)
		mean += c[i] / float64(len(residuals))
	}
	for i, r := range c {
		den += (r - mean) * (r - mean)
		if i > 0 {
			num += (r - mean) * (c[i-1] - mean)
		}
	}
	if den == 0 {
		return 0
	}
	return num / den
}
