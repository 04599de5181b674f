package enginetest

import (
	"math/rand/v2"
	"strconv"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// Problem describes a family of hunts to simulate.
type Problem struct {
	N       int     // positions 1 … N are candidates
	D       float64 // d': gap between the ends in units of σ; 0: there is no step
	Noise   Noise
	Broken  float64 // share of commits that do not build, in blocks of mean length 4
	Build   float64 // cost of a build in runs
	TwoStep bool    // the gap comes in two steps, the first 30 to 70 % of it
	Parents [][]int32
	Options search.Options
	MaxRuns int
	Prior   []float64 // by position, 0 for 1; nil: uniform
}

// The simulated benchmark: a level of 100 with σ = 1, a run takes a second.
const (
	Level      = 100.0
	Sigma      = 1.0
	meanBlock  = 4.0
	jitterSize = 0.2 // of the gap
)

// World is one drawn problem: what is true, and the machine that measures it.
type World struct {
	Problem
	Culprits []int // positions of the steps, largest first; empty when d' = 0
	Levels   []float64
	broken   []bool
	machine  []*source // by worker
}

// NewWorld draws trial number seed of a family. The same seed gives the same
// truth and the same noise to every planner.
func NewWorld(p Problem, seed uint64) *World {
	rng := rand.New(rand.NewPCG(seed, 0xface))
	w := &World{Problem: p, Levels: make([]float64, p.N+1), broken: make([]bool, p.N+1)}
	first := 1 + rng.IntN(p.N)
	second, share := 1+rng.IntN(p.N), 0.3+0.4*rng.Float64()
	w.steps(first, second, share)
	w.jitter(rng)
	w.breakSome(rng)
	for i := range max(p.Options.Workers, 1) {
		w.machine = append(w.machine, newSource(p.Noise, seed+uint64(i)<<32))
	}
	return w
}

// jitter gives every commit an offset of its own; Inside spares the ends.
func (w *World) jitter(rng *rand.Rand) {
	if w.Noise != Jitter && w.Noise != Inside {
		return
	}
	for i := range w.Levels {
		offset := jitterSize * w.D * Sigma * rng.NormFloat64()
		if w.Noise == Jitter || i > 0 && i < w.N {
			w.Levels[i] += offset
		}
	}
}

// steps lays the levels.
func (w *World) steps(first, second int, share float64) {
	sizes := map[int]float64{first: 1}
	if w.TwoStep && second != first {
		sizes = map[int]float64{first: share, second: 1 - share}
	}
	for i := range w.Levels {
		w.Levels[i] = Level
		for at, size := range sizes {
			if w.slow(at, i) {
				w.Levels[i] += w.D * Sigma * size
			}
		}
	}
	if w.D > 0 {
		w.Culprits = []int{first}
		if w.TwoStep && second != first {
			w.Culprits = []int{first, second}
			if share < 0.5 {
				w.Culprits = []int{second, first}
			}
		}
	}
}

// slow reports whether position i has the change made at culprit.
func (w *World) slow(culprit, i int) bool {
	if w.Parents == nil || culprit == i {
		return culprit <= i
	}
	seen := map[int32]bool{}
	stack := []int32{int32(i)}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if int(at) == culprit {
			return true
		}
		for _, q := range w.Parents[at] {
			if !seen[q] {
				seen[q] = true
				stack = append(stack, q)
			}
		}
	}
	return false
}

// breakSome marks blocks of broken commits; the ends always work.
func (w *World) breakSome(rng *rand.Rand) {
	if w.Broken <= 0 {
		return
	}
	leave := 1 / meanBlock
	enter := leave * w.Broken / (1 - w.Broken)
	state := rng.Float64() < w.Broken
	for i := 1; i < w.N; i++ {
		w.broken[i] = state
		if state {
			state = rng.Float64() >= leave
		} else {
			state = rng.Float64() < enter
		}
	}
}

// Break makes positions fail to build.
func (w *World) Break(positions ...int) {
	for _, i := range positions {
		w.broken[i] = true
	}
}

// Measure makes one run at position pos on a worker's machine.
func (w *World) Measure(pos, worker int) float64 {
	return w.Levels[pos] + Sigma*w.machine[worker].next()
}

// Threshold is the true middle between fast and slow, which no one knows.
func (w *World) Threshold() float64 { return Level + w.D*Sigma/2 }

// Right reports whether a finding names a true culprit, alone or among others.
func (w *World) Right(f *search.Finding) bool {
	for _, c := range w.Culprits {
		for _, x := range f.Candidates {
			if x == c {
				return true
			}
		}
	}
	return false
}

// plan is what the hunt is told.
func (w *World) plan() *engine.Plan {
	p := &engine.Plan{
		Positions: make([]engine.Position, w.N+1), FirstParent: w.Parents == nil,
		Metric: "name:time", Unit: "s", Options: w.Options, MaxRuns: w.MaxRuns,
	}
	for i := range p.Positions {
		p.Positions[i].Commit = "c" + strconv.Itoa(i)
		if w.Prior != nil {
			p.Positions[i].Prior = w.Prior[i]
		}
		if w.Parents != nil {
			p.Positions[i].Parents = w.Parents[i]
		}
	}
	return p
}

// DefaultOptions are those of the command line.
func DefaultOptions() search.Options {
	return search.Options{
		Strategy: "adaptive", Better: search.Lower, Find: "regression", Confidence: "normal",
		MinGapPct: 1, NumRuns: 3, ThresholdPct: 30, SkipOnFail: true, Workers: 1,
	}
}
