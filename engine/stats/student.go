package stats

import (
	"math"
	"sync"
)

// Floor is the constant that FloorT adds to the density of Student's t with
// four degrees of freedom: a run far from both levels says the same of both,
// and one run never moves the odds by more than 1 + t4(0)/Floor = 49 to 1.
const Floor = t4Peak / 48

const t4Peak = 0.375 // density of t4 at 0: Γ(5/2)/(√(4π)·Γ(2)) = 3/8

// T4 is the density at z of Student's t distribution with four degrees of
// freedom: 3/8·(1+z²/4)^(−5/2).
func T4(z float64) float64 {
	q := 1 + z*z/4
	return t4Peak / (q * q * math.Sqrt(q))
}

const (
	tableStep = 64 // entries a unit of z; the interpolation error is below 1e-4
	tableEnd  = 32 // beyond it t4 is below 1e-6, a ten-thousandth of Floor
)

var logTable = sync.OnceValue(func() *[tableEnd*tableStep + 2]float64 {
	t := new([tableEnd*tableStep + 2]float64)
	for i := range t {
		t[i] = math.Log(T4(float64(i)/tableStep) + Floor)
	}
	return t
})

// FloorT computes ln(T4(z)+Floor) by a table.
type FloorT struct {
	table *[tableEnd*tableStep + 2]float64
}

// NewFloorT returns the function; the table is computed once in a process.
func NewFloorT() FloorT { return FloorT{logTable()} }

// At returns ln(T4(z)+Floor). A z that is not a number counts as far away.
func (f FloorT) At(z float64) float64 {
	x := math.Abs(z) * tableStep
	if !(x < tableEnd*tableStep) {
		return f.table[tableEnd*tableStep]
	}
	i := int(x)
	a := f.table[i]
	return a + (x-float64(i))*(f.table[i+1]-a)
}

// NormalUpper returns the probability that a standard normal exceeds z.
func NormalUpper(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
