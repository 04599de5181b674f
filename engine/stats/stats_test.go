package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"perfbisect/engine/stats"
)

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", name, got, want, tolerance)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want float64
		why  string
	}{
		{nil, 0, "no values"},
		{[]float64{3}, 3, "one"},
		{[]float64{4, 2}, 3, "the mean of two"},
		{[]float64{9, 1, 5}, 5, "unsorted"},
		{[]float64{1, 2, 3, 100}, 2.5, "even"},
		{[]float64{math.MaxFloat64, math.MaxFloat64}, math.MaxFloat64, "the sum would overflow"},
	} {
		if got := stats.Median(c.xs); got != c.want {
			t.Errorf("%s: Median(%v) = %v, want %v", c.why, c.xs, got, c.want)
		}
	}
	xs := []float64{3, 1, 2}
	stats.Median(xs)
	if !slices.Equal(xs, []float64{3, 1, 2}) {
		t.Errorf("Median changed its argument: %v", xs)
	}
}

// The scale of normal values is near their standard deviation. With two runs a
// group it errs on the high side, which asks for more runs; with many groups of a
// few the medians follow the values and it is a fifth low, which the grid of the
// inference covers. An outlier moves it little, and a group of one says nothing.
func TestPooledScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		groups, n int
		low, high float64
	}{{2, 2, 1.3, 1.7}, {2, 3, 1, 1.25}, {2, 10, 0.9, 1.1}, {20, 5, 0.75, 1}} {
		mean := 0.0
		const trials = 4000
		for range trials {
			groups := make([][]float64, c.groups)
			for i := range groups {
				for range c.n {
					groups[i] = append(groups[i], float64(10*i)+rng.NormFloat64())
				}
			}
			mean += stats.PooledScale(groups...) / trials
		}
		if mean < c.low || mean > c.high {
			t.Errorf("%d groups of %d normal values: mean scale %v, want %v to %v", c.groups, c.n, mean, c.low, c.high)
		}
	}
	near(t, "scale of single values", stats.PooledScale([]float64{1}, []float64{5}), 0, 0)
	xs := []float64{1000}
	for range 99 {
		xs = append(xs, rng.NormFloat64())
	}
	if s := stats.PooledScale(xs); s > 15 {
		t.Errorf("one outlier of 1000 makes the scale %v", s)
	}
}

func TestT4(t *testing.T) {
	sum := 0.0
	for z := -200.0; z <= 200; z += 0.01 {
		sum += 0.01 * stats.T4(z)
	}
	near(t, "integral of T4", sum, 1, 1e-4)
	near(t, "T4(0)", stats.T4(0), 0.375, 0)
}

// The tables are what they say, and one run moves the odds by 49:1 at most.
func TestFloorT(t *testing.T) {
	f := stats.NewFloorT()
	for _, z := range []float64{0, 0.3, -1.7, 5, 20, 31.9} {
		near(t, "FloorT.At", f.At(z), math.Log(stats.T4(z)+stats.Floor), 1e-3)
		near(t, "FloorT.Own", f.Own(z), math.Log(0.95*math.Exp(-z*z/2)+0.05*stats.T4(z)*math.Sqrt(2*math.Pi)), 1e-3)
	}
	for _, z := range []float64{1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		near(t, "FloorT.At far away", f.At(z), math.Log(stats.Floor), 1e-3)
	}
	near(t, "largest odds of a run", math.Exp(f.At(0)-f.At(1e9)), 49, 0.1)
}

func TestSlope(t *testing.T) {
	var ys, ts []float64
	var groups []int
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range 60 {
		g := i % 2
		ys = append(ys, float64(5*g)+0.02*float64(i)+0.1*rng.NormFloat64())
		ts = append(ts, float64(i))
		groups = append(groups, g)
	}
	slope, z := stats.Slope(ys, ts, groups)
	near(t, "slope", slope, 0.02, 0.004)
	if z < 10 {
		t.Errorf("t statistic %v of a clear slope", z)
	}
	if s, z := stats.Slope([]float64{1, 2, 3}, []float64{1, 2, 3}, []int{0, 0, 0}); s != 0 || z != 0 {
		t.Errorf("three points give slope %v", s)
	}
	if s, _ := stats.Slope(make([]float64, 9), make([]float64, 9), make([]int, 9)); s != 0 {
		t.Errorf("no time passes, slope %v", s)
	}
}

func TestLag1(t *testing.T) {
	var sticky, free []float64
	rng := rand.New(rand.NewPCG(3, 3))
	x := 0.0
	for range 500 {
		z := rng.NormFloat64()
		x = 0.8*x + 0.6*z
		sticky, free = append(sticky, x), append(free, z)
	}
	near(t, "autocorrelation of a sticky series", stats.Lag1(sticky, 10), 0.8, 0.08)
	near(t, "autocorrelation of independent values", stats.Lag1(free, 10), 0, 0.1)
	near(t, "autocorrelation of equal values", stats.Lag1(make([]float64, 9), 1), 0, 0)
}

func TestSplit(t *testing.T) {
	var two, one []float64
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range 80 {
		z := rng.NormFloat64()
		one = append(one, z)
		if i%4 == 0 {
			z += 12
		}
		two = append(two, z)
	}
	m, ok := stats.Split(two, 0.15)
	if !ok || m.Distance < 8 {
		t.Errorf("two modes 12 scatters apart: %+v %v", m, ok)
	}
	near(t, "share of the upper mode", m.Share, 0.25, 0.01)
	if m, _ := stats.Split(one, 0.15); m.Distance > 4 {
		t.Errorf("one mode is split at a distance of %v", m.Distance)
	}
}

// Known values: a bit read without error is one bit, with d' = 2 it is 0.486 bits
// (Cover & Thomas, the binary input Gaussian channel at amplitude 1).
func TestInformation(t *testing.T) {
	in := stats.NewInformation()
	near(t, "d'=0", in.Bits(0.5, 0), 0, 1e-6)
	near(t, "d'=2", in.Bits(0.5, 2), 0.486, 0.003)
	near(t, "d'=5", in.Bits(0.5, 5), 0.97, 0.02)
	near(t, "p=0.1, far apart", in.Bits(0.1, 5), stats.Entropy(0.1), 0.02)
	rapid.Check(t, func(t *rapid.T) {
		p, d := rapid.Float64Range(0, 1).Draw(t, "p"), rapid.Float64Range(-1, 9).Draw(t, "d")
		x := in.Bits(p, d)
		if x < 0 || x > stats.Entropy(p)+1e-3 || math.Abs(x-in.Bits(1-p, d)) > 1e-9 {
			t.Fatalf("Bits(%v, %v) = %v of %v", p, d, x, stats.Entropy(p))
		}
		if in.Bits(p, d+0.1) < x-1e-9 {
			t.Fatalf("less information at a larger separation")
		}
	})
}

func TestRunsForGap(t *testing.T) {
	// 2·(3·1.2533/2)² = 7.07
	near(t, "runs for a gap of 2σ at 3 standard errors", stats.RunsForGap(2, 1, 3), 8, 0)
	if !math.IsInf(stats.RunsForGap(0, 1, 3), 1) {
		t.Error("no gap takes finitely many runs")
	}
}

// No finite input gives NaN.
func TestLawFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-1e150, 1e150), 0, 40).Draw(t, "xs")
		groups := make([]int, len(xs))
		_, _ = stats.Split(xs, 0.15)
		a, b := stats.Slope(xs, xs, groups)
		for _, x := range []float64{stats.Median(xs), stats.PooledScale(xs), stats.Lag1(xs, 5), a, b} {
			if math.IsNaN(x) {
				t.Fatalf("NaN from %v", xs)
			}
		}
	})
}
