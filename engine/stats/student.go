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

// tables hold ln(T4(z)+Floor) and ln T4(z) at equal steps of z.
type tables struct {
	floor, plain [tableEnd*tableStep + 2]float64
}

var logTables = sync.OnceValue(func() *tables {
	t := new(tables)
	for i := range t.floor {
		z := float64(i) / tableStep
		t.floor[i] = math.Log(T4(z) + Floor)
		t.plain[i] = math.Log(T4(z))
	}
	return t
})

// FloorT computes ln(T4(z)+Floor), and other logs of T4, by a table.
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

// Tail returns ln(T4(z)/φ(0)): Student's density relative to a normal's peak, for
// an integral whose weights are those of a normal.
func (f FloorT) Tail(z float64) float64 {
	x := math.Abs(z) * tableStep
	if !(x < tableEnd*tableStep) {
		return logRoot2Pi + math.Log(t4Peak) - 5*math.Log(max(math.Abs(z), tableEnd)/2)
	}
	i := int(x)
	a := f.plain[i]
	return logRoot2Pi + a + (x-float64(i))*(f.plain[i+1]-a)
}

const logRoot2Pi = 0.9189385332046727
