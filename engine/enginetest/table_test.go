package enginetest_test

import (
	"math"
	"testing"

	"perfbisect/engine/enginetest"
	"perfbisect/engine/search"
)

func simulate(t *testing.T, p enginetest.Problem, trials int) enginetest.Cell {
	t.Helper()
	if p.Options.Better == "" {
		p.Options = enginetest.DefaultOptions()
	}
	c, err := enginetest.Simulate(p, "adaptive", func(*enginetest.World) search.Planner { return search.Adaptive{} }, trials, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A few trials of the tables in docs/METHOD.md, with the same seeds: a change that
// makes the planner wrong, or lavish, shows here first.
func TestTable(t *testing.T) {
	workers := enginetest.DefaultOptions()
	workers.Workers = 4
	for _, c := range []struct {
		why     string
		p       enginetest.Problem
		runs    float64 // mean, at most
		rounds  float64
		builds  float64
		mayMiss int // trials without an answer
	}{
		{"a clear gap", enginetest.Problem{N: 128, D: 20, Noise: enginetest.Gauss}, 16, 99, 10, 0},
		{"the usual gap", enginetest.Problem{N: 128, D: 5, Noise: enginetest.Gauss}, 22, 99, 11, 0},
		{"a sticky slow clock", enginetest.Problem{N: 128, D: 5, Noise: enginetest.Bimodal}, 24, 99, 12, 0},
		{"outliers", enginetest.Problem{N: 128, D: 5, Noise: enginetest.Outlier}, 29, 99, 12, 0},
		{"warm-up", enginetest.Problem{N: 128, D: 5, Noise: enginetest.Warm}, 24, 99, 12, 0},
		{"commits with offsets", enginetest.Problem{N: 128, D: 20, Noise: enginetest.Jitter}, 50, 99, 16, 1},
		{"broken blocks", enginetest.Problem{N: 128, D: 5, Noise: enginetest.Gauss, Broken: 0.3}, 26, 99, 17, 0},
		{"dear builds", enginetest.Problem{N: 1024, D: 5, Noise: enginetest.Gauss, Build: 20}, 42, 99, 13, 0},
		{"four workers", enginetest.Problem{N: 1024, D: 5, Noise: enginetest.Gauss, Options: workers}, 50, 10, 26, 0},
	} {
		got := simulate(t, c.p, 30)
		if got.Right != got.Named || got.Trials-got.Named > c.mayMiss {
			t.Errorf("%s: right %d, named %d of %d (wrong seeds %v)", c.why, got.Right, got.Named, got.Trials, got.Wrong)
		}
		if got.Runs > c.runs || got.Rounds > c.rounds || got.Builds > c.builds {
			t.Errorf("%s: %.1f runs, %.1f rounds, %.1f builds; at most %v, %v, %v", c.why, got.Runs, got.Rounds, got.Builds, c.runs, c.rounds, c.builds)
		}
	}
}

// Without a step nobody is named, whatever the noise.
func TestNoStepNobodyNamed(t *testing.T) {
	for _, noise := range enginetest.Noises {
		if c := simulate(t, enginetest.Problem{N: 64, D: 0, Noise: noise}, 20); c.Named > 0 {
			t.Errorf("%s: %d of %d trials named a commit, outcomes %v", noise, c.Named, c.Trials, c.Outcomes)
		}
	}
}

// Both steps of a staircase are named with --all.
func TestTwoSteps(t *testing.T) {
	o := enginetest.DefaultOptions()
	o.All = true
	if c := simulate(t, enginetest.Problem{N: 128, D: 20, Noise: enginetest.Gauss, TwoStep: true, Options: o}, 20); c.Both < 19 {
		t.Errorf("both steps named in %d of %d trials", c.Both, c.Trials)
	}
}

// The bound of the tables: log2 N bits at what a run can tell.
func TestBound(t *testing.T) {
	for _, c := range []struct{ d, want float64 }{{2, 14.4}, {5, 7.2}, {20, 7}} {
		if got := enginetest.Bound(128, c.d); math.Abs(got-c.want) > 0.15 {
			t.Errorf("d'=%v: %.2f runs, want %v", c.d, got, c.want)
		}
	}
}

// Every family has a standard deviation of 1 that is meant to; outliers, drift and
// warm-up come on top.
func TestNoiseFamilies(t *testing.T) {
	for _, noise := range enginetest.Noises {
		w := enginetest.NewWorld(enginetest.Problem{N: 2, D: 5, Noise: noise, Options: enginetest.DefaultOptions()}, 3)
		const n = 40_000
		var sum, squares float64
		for range n {
			y := w.Measure(0, 0) - w.Levels[0]
			sum, squares = sum+y/n, squares+y*y/n
		}
		sd := math.Sqrt(squares - sum*sum)
		switch noise {
		case enginetest.Outlier, enginetest.Drift, enginetest.Warm, enginetest.T3: // t3: the estimate itself is heavy-tailed
			continue
		}
		if math.Abs(sd-1) > 0.05 {
			t.Errorf("%s: standard deviation %.3f", noise, sd)
		}
	}
}

// The peers find a noiseless culprit, so that the tables compare working ones.
func TestPeersWithoutNoise(t *testing.T) {
	for seed := range uint64(10) {
		w := enginetest.NewWorld(enginetest.Problem{N: 50, D: 5, Noise: enginetest.Clean, Options: enginetest.DefaultOptions()}, seed)
		for name, p := range map[string]search.Planner{
			"git": enginetest.GitBisect{Runs: 1, Threshold: w.Threshold()}, "git5": enginetest.GitBisect{Runs: 5, Threshold: w.Threshold()},
			"bayes": enginetest.Bayes{Threshold: w.Threshold(), Stop: 0.95, MaxRuns: 200},
		} {
			h, err := enginetest.Hunt(w, p)
			if err != nil || h.Finding.Culprit != w.Culprits[0] {
				t.Errorf("%s seed %d: %v, found %+v, want %d", name, seed, err, h.Finding, w.Culprits[0])
			}
		}
	}
}
