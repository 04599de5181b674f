package stats

import (
	"math"
	"sync"
)

// Information tells how much one observation says about a yes-or-no question.
// It is a table of the mutual information between a bit that is 1 with
// probability p and a normal observation whose mean differs by d standard
// deviations between 0 and 1.
type Information struct {
	table *[infoP + 1][infoD + 1]float64
}

const (
	infoP    = 64  // steps of p in [0, ½]
	infoD    = 100 // steps of d in [0, infoMaxD]
	infoMaxD = 5.0 // beyond it the bit is read off without error
)

var infoTable = sync.OnceValue(func() *[infoP + 1][infoD + 1]float64 {
	t := new([infoP + 1][infoD + 1]float64)
	for i := range t {
		for j := range t[i] {
			t[i][j] = MutualInformation(float64(i)/(2*infoP), float64(j)*infoMaxD/infoD)
		}
	}
	return t
})

// NewInformation returns the table; it is computed once in a process.
func NewInformation() Information { return Information{infoTable()} }

// Bits returns the information in bits, in [0,1]. d below 0 counts as 0.
func (in Information) Bits(p, d float64) float64 {
	p = max(min(p, 1-p), 0)
	x := p * 2 * infoP
	y := min(max(d, 0), infoMaxD) * infoD / infoMaxD
	i, j := min(int(x), infoP-1), min(int(y), infoD-1)
	fx, fy := x-float64(i), y-float64(j)
	t := in.table
	return (1-fx)*((1-fy)*t[i][j]+fy*t[i][j+1]) + fx*((1-fy)*t[i+1][j]+fy*t[i+1][j+1])
}

// Entropy is the information in bits of learning a bit of probability p.
func Entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}

// MutualInformation is what Information tabulates, for any d ≥ 0: the integral over
// the observation by the trapezoid rule.
func MutualInformation(p, d float64) float64 {
	const reach, steps = 6.0, 200
	h := (d + 2*reach) / steps
	sum := 0.0
	for k := 0; k <= steps; k++ {
		x := -reach + float64(k)*h
		f0 := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		f1 := math.Exp(-(x-d)*(x-d)/2) / math.Sqrt(2*math.Pi)
		mix := (1-p)*f0 + p*f1
		if mix > 0 {
			sum += h * mix * Entropy(p*f1/mix)
		}
	}
	return max(Entropy(p)-sum, 0)
}
