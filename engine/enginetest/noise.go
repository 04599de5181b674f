package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Noise is a family of run-to-run scatter, in units of σ.
type Noise string

// The families. All but outlier, drift and warm have a standard deviation of 1.
const (
	Gauss   Noise = "gauss"   // normal
	Skew    Noise = "skew"    // lognormal of shape 0.8: a long slow tail
	Bimodal Noise = "bimodal" // a sticky slow clock: a quarter of the time 2.08σ slower, stays with 0.7
	Outlier Noise = "outlier" // one run in twenty is 10σ·(1+Exp) slower
	Drift   Noise = "drift"   // every run 0.02σ slower than the one before
	Warm    Noise = "warm"    // 3σ·(1−e^(−t/20)) slower after t runs
	T3      Noise = "t3"      // Student's t with 3 degrees of freedom
	Jitter  Noise = "jitter"  // every commit has a permanent offset of its own, sd a fifth of the gap
	Inside  Noise = "inside"  // jitter that spares the ends, so that these are d' apart exactly
	Clean   Noise = "clean"   // none
)

// Noises lists the families of the tables, in their order.
var Noises = []Noise{Gauss, Skew, Bimodal, Outlier, Drift, Warm, T3, Jitter}

// ParseNoises reads a comma-separated list of families; "all" is Noises.
func ParseNoises(list string) ([]Noise, error) {
	if list == "all" {
		return Noises, nil
	}
	var out []Noise
	for name := range strings.SplitSeq(list, ",") {
		n := Noise(name)
		if n != Clean && n != Inside && !contains(Noises, n) {
			return nil, fmt.Errorf("reading noise families: %q is none of %v", name, Noises)
		}
		out = append(out, n)
	}
	return out, nil
}

func contains(list []Noise, n Noise) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

// source draws the noise of consecutive runs on one machine.
type source struct {
	kind Noise
	rng  *rand.Rand
	run  int
	slow bool
}

func newSource(kind Noise, seed uint64) *source {
	s := &source{kind: kind, rng: rand.New(rand.NewPCG(seed, 0x5eed))}
	s.slow = s.rng.Float64() < 0.25
	return s
}

// next is the deviation of the next run in units of σ.
func (s *source) next() float64 {
	t := float64(s.run)
	s.run++
	z := s.rng.NormFloat64()
	switch s.kind {
	case Clean:
		return 0
	case Skew:
		const shape = 0.8
		sd := math.Sqrt((math.Exp(shape*shape) - 1) * math.Exp(shape*shape))
		return (math.Exp(shape*z) - 1) / sd
	case Bimodal:
		return s.bimodal(z)
	case Outlier:
		if s.rng.Float64() < 0.05 {
			return z + 10*(1+s.rng.ExpFloat64())
		}
	case Drift:
		return z + 0.02*t
	case Warm:
		return z + 3*(1-math.Exp(-t/20))
	case T3:
		a, b, c := s.rng.NormFloat64(), s.rng.NormFloat64(), s.rng.NormFloat64()
		return z / math.Sqrt((a*a+b*b+c*c)/3) / math.Sqrt(3)
	}
	return z
}

func (s *source) bimodal(z float64) float64 {
	const high, stay, enter = 2.08, 0.7, 0.1 // enter/(enter+1−stay) = 1/4 of the time
	inner := math.Sqrt(1 - 0.1875*high*high)
	if s.slow {
		s.slow = s.rng.Float64() < stay
	} else {
		s.slow = s.rng.Float64() < enter
	}
	if s.slow {
		return high + inner*z
	}
	return inner * z
}
