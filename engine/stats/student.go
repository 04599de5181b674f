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

// tables hold ln(T4(z)+Floor) and Own(z) at equal steps of z.
type tables struct {
	floor, own [tableEnd*tableStep + 2]float64
}

var logTables = sync.OnceValue(func() *tables {
	t := new(tables)
	for i := range t.floor {
		z := float64(i) / tableStep
		t.floor[i] = math.Log(T4(z) + Floor)
		t.own[i] = math.Log((1-ownTail)*math.Exp(-z*z/2) + ownTail*root2Pi*T4(z))
	}
	return t
})

// FloorT computes ln(T4(z)+Floor) and Own(z) by a table.
type FloorT struct{ *tables }

// NewFloorT returns the function; the table is computed once in a process.
func NewFloorT() FloorT { return FloorT{logTables()} }

// At returns ln(T4(z)+Floor). A z that is not a number counts as far away.
func (f FloorT) At(z float64) float64 {
	x := math.Abs(z) * tableStep
	if !(x < tableEnd*tableStep) {
		return f.floor[tableEnd*tableStep]
	}
	i := int(x)
	a := f.floor[i]
	return a + (x-float64(i))*(f.floor[i+1]-a)
}

// Own returns the log density of what a commit has for itself, relative to a normal's
// peak: a standard normal, one in twenty from a t4. Purely normal offsets would make
// one odd commit a proof; t4 alone never tells an offset from the step.
func (f FloorT) Own(z float64) float64 {
	x := math.Abs(z) * tableStep
	if !(x < tableEnd*tableStep) {
		return math.Log(ownTail*root2Pi*t4Peak) - 5*math.Log(max(math.Abs(z), tableEnd)/2)
	}
	i := int(x)
	a := f.own[i]
	return a + (x-float64(i))*(f.own[i+1]-a)
}

const (
	ownTail = 0.05               // share of the offsets that come from a t4
	root2Pi = 2.5066282746310002 // √(2π)
)
