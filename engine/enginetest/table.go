package enginetest

import (
	"math"
	"slices"
	"sync"

	"perfbisect/engine/search"
	"perfbisect/engine/stats"
)

// Cell is a row of the simulation tables.
type Cell struct {
	Problem  Problem
	Planner  string
	Trials   int
	Named    int     // trials that named a commit, or a set that cannot be told apart
	Right    int     // and named a true one
	Both     int     // trials that named both steps
	Runs     float64 // mean
	P95      float64
	Builds   float64
	Rounds   float64
	Stated   float64 // mean probability over the named
	Bound    float64 // runs that no method can beat
	Outcomes map[search.FindingOutcome]int
	Points   []Point
	Wrong    []uint64 // seeds that named a wrong one
}

// Point is one named commit: how sure it was, and whether it was right.
type Point struct {
	Stated float64
	Right  bool
}

// MakePlanner makes the planner for one world (a peer is told the threshold).
type MakePlanner func(*World) search.Planner

// Simulate runs a family with one planner on j goroutines.
func Simulate(p Problem, name string, mk MakePlanner, trials int, seed uint64, j int) (Cell, error) {
	results := make([]Hunted, trials)
	worlds := make([]*World, trials)
	errs := make([]error, trials)
	var wg sync.WaitGroup
	for k := range max(j, 1) {
		wg.Go(func() {
			for i := k; i < trials; i += max(j, 1) {
				worlds[i] = NewWorld(p, seed+uint64(i))
				results[i], errs[i] = Hunt(worlds[i], mk(worlds[i]))
				results[i].State = nil
			}
		})
	}
	wg.Wait()
	c := Cell{Problem: p, Planner: name, Trials: trials, Bound: Bound(p.N, p.D), Outcomes: map[search.FindingOutcome]int{}}
	runs := make([]float64, 0, trials)
	for i, h := range results {
		if errs[i] != nil {
			return c, errs[i]
		}
		runs = append(runs, float64(h.Runs))
		c.add(worlds[i], h, seed+uint64(i))
	}
	c.finish(runs)
	return c, nil
}

func (c *Cell) add(w *World, h Hunted, seed uint64) {
	n := float64(c.Trials)
	c.Builds += float64(h.Builds) / n
	c.Rounds += float64(h.Rounds) / n
	c.Outcomes[h.Finding.Outcome]++
	if h.Finding.Outcome != search.Found && h.Finding.Outcome != search.FoundAmong {
		return
	}
	c.Named++
	right := w.Right(h.Finding)
	if right {
		c.Right++
	} else {
		c.Wrong = append(c.Wrong, seed)
	}
	if namesAll(w, h.Finding) {
		c.Both++
	}
	c.Stated += h.Finding.Probability
	c.Points = append(c.Points, Point{h.Finding.Probability, right})
}

// namesAll reports whether every true step is among the named ones.
func namesAll(w *World, f *search.Finding) bool {
	for _, culprit := range w.Culprits {
		named := false
		for _, s := range f.Steps {
			named = named || slices.Contains(s.Candidates, culprit)
		}
		if !named {
			return false
		}
	}
	return len(w.Culprits) > 0
}

func (c *Cell) finish(runs []float64) {
	slices.Sort(runs)
	for _, r := range runs {
		c.Runs += r / float64(len(runs))
	}
	c.P95 = stats.Quantile(runs, 0.95)
	c.Stated /= math.Max(float64(c.Named), 1)
}

// Achieved is the share of the named that were right; 1 when none was named.
func (c Cell) Achieved() float64 {
	if c.Named == 0 {
		return 1
	}
	return float64(c.Right) / float64(c.Named)
}

// Silent is the share of trials without an answer.
func (c Cell) Silent() float64 { return 1 - float64(c.Named)/float64(c.Trials) }

// Bound is the number of runs that no method can beat on average: the bits that
// say which of n candidates it is, over the most that one run of separation d
// can tell when the levels are known.
func Bound(n int, d float64) float64 {
	return math.Log2(float64(n)) / math.Max(stats.MutualInformation(0.5, d), 1e-12)
}
