package enginetest_test

import (
	"math/rand/v2"
	"testing"

	"perfbisect/engine/enginetest"
	"perfbisect/engine/search"
)

// The weights that a hunt gives: two commits of three touch only texts.
const (
	priorLow, priorHigh = 0.4, 2.0
	priorTrials         = 80
)

// A prior may help and must not hurt: the largest ratio in favour of the wrong
// commits costs a few runs, and no right answer.
func TestWrongPriorCostsLittle(t *testing.T) {
	kinds := map[string]func(culprit int, rng *rand.Rand, i int) float64{
		"uniform": func(int, *rand.Rand, int) float64 { return 1 },
		"right": func(culprit int, rng *rand.Rand, i int) float64 {
			if i == culprit || rng.IntN(3) == 0 {
				return priorHigh
			}
			return priorLow
		},
		"wrong": func(culprit int, _ *rand.Rand, i int) float64 {
			if i == culprit {
				return priorLow
			}
			return priorHigh
		},
		"noise": func(_ int, rng *rand.Rand, _ int) float64 { return priorLow + rng.Float64()*(priorHigh-priorLow) },
	}
	for _, d := range []float64{2, 5, 20} {
		mean := map[string]float64{}
		for name, weight := range kinds {
			runs, right := 0, 0
			for seed := range uint64(priorTrials) {
				w := enginetest.NewWorld(enginetest.Problem{N: 128, D: d, Noise: enginetest.Gauss, Options: enginetest.DefaultOptions()}, seed)
				rng := rand.New(rand.NewPCG(seed, 1))
				w.Prior = make([]float64, w.N+1)
				for i := range w.Prior {
					w.Prior[i] = weight(w.Culprits[0], rng, i)
				}
				h, err := enginetest.Hunt(w, search.Adaptive{})
				if err != nil {
					t.Fatal(err)
				}
				runs += h.Runs
				if w.Right(h.Finding) {
					right++
				}
			}
			mean[name] = float64(runs) / priorTrials
			t.Logf("d'=%v, %s prior: %.1f runs, right in %d of %d", d, name, mean[name], right, priorTrials)
			if right < priorTrials*97/100 {
				t.Errorf("d'=%v, %s prior: right in %d of %d hunts", d, name, right, priorTrials)
			}
		}
		if mean["wrong"] > 1.35*mean["uniform"] {
			t.Errorf("d'=%v: a wrong prior costs %.1f runs instead of %.1f", d, mean["wrong"], mean["uniform"])
		}
		if mean["right"] > mean["uniform"] {
			t.Errorf("d'=%v: a right prior costs %.1f runs instead of %.1f", d, mean["right"], mean["uniform"])
		}
	}
}
