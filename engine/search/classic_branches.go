package search

import (
	"fmt"
	"slices"
)

// branchSample is the number of commits whose ancestors are counted to find the
// middle of a history with branches. Counting is linear, so this bounds a pick
// in a range of 80,000 commits to ten million steps.
const branchSample = 128

// branches is a region of a history with branches: the ancestors of high that are
// not ancestors of a good commit.
type branches struct {
	parents [][]int32
	high    int
	in      []bool // the candidates, by position
	n       int    // of them
	broken  map[int]bool
	mark    []int // scratch of ancestors: the stamp of the walk that saw a position
	stamp   int
	found   []int // scratch of walk
}

func newBranches(parents [][]int32, good, bad int) *branches {
	g := &branches{parents: parents, high: bad, in: make([]bool, len(parents)), broken: map[int]bool{}, mark: make([]int, len(parents))}
	for p := range parents {
		g.in[p] = true
	}
	g.n = len(parents)
	g.keep(g.ancestors(bad))
	g.drop(g.ancestors(good))
	return g
}

// parentsOf returns the parents of p; nil in the table means the one before.
func (g *branches) parentsOf(p int) []int32 {
	if g.parents[p] == nil && p > 0 {
		return []int32{int32(p - 1)}
	}
	return g.parents[p]
}

// ancestors returns p and its ancestors among the candidates. A candidate's
// path to another leads through candidates only, so others end the walk.
func (g *branches) ancestors(p int) []int {
	if !g.in[p] {
		return nil
	}
	return g.walk(p, func(q int) bool { return g.in[q] })
}

// lineage returns p and all its ancestors in the range.
func (g *branches) lineage(p int) []int {
	return g.walk(p, func(int) bool { return true })
}

// walk goes from p to the parents that enter lets in. The next walk reuses what
// this one returns.
func (g *branches) walk(p int, enter func(int) bool) []int {
	g.stamp++
	g.mark[p] = g.stamp
	found := append(g.found[:0], p)
	for i := 0; i < len(found); i++ {
		for _, parent := range g.parentsOf(found[i]) {
			if q := int(parent); g.mark[q] != g.stamp && enter(q) {
				g.mark[q] = g.stamp
				found = append(found, q)
			}
		}
	}
	g.found = found
	return found
}

func (g *branches) keep(set []int) {
	clear(g.in)
	for _, p := range set {
		g.in[p] = true
	}
	g.n = len(set)
}

func (g *branches) drop(set []int) {
	for _, p := range set {
		if g.in[p] {
			g.in[p] = false
			g.n--
		}
	}
}

func (g *branches) size() int  { return g.n }
func (g *branches) skip(p int) { g.broken[p] = true }

func (g *branches) bounds() (int, int) { return max(0, slices.Index(g.in, true)-1), g.high }

func (g *branches) candidates() []int {
	all := make([]int, 0, g.n)
	for p, in := range g.in {
		if in {
			all = append(all, p)
		}
	}
	return all
}

// contradicts reports a bad commit that a good one contains, and a good one
// that contains the known bad one.
func (g *branches) contradicts(p int, bad bool) bool {
	if bad {
		return !g.in[p] && slices.Contains(g.lineage(g.high), p)
	}
	return slices.Contains(g.lineage(p), g.high)
}

// narrow drops what a good commit contains, wherever it stands, and all that a
// bad candidate does not contain. Another bad commit adds nothing.
func (g *branches) narrow(p int, bad bool) {
	switch {
	case !bad:
		g.drop(g.lineage(p))
	case g.in[p]:
		g.keep(g.ancestors(p))
		g.high = p
	}
}

// before is the first parent, which is good when p is the culprit.
func (g *branches) before(p int) int {
	if parents := g.parentsOf(p); len(parents) > 0 {
		return int(parents[0])
	}
	return 0
}

// pick returns the testable candidate whose ancestors come nearest to half of
// the candidates; after failures, the one farthest from all that is decided.
func (g *branches) pick() (int, string) {
	best, bestScore := -1, -1
	taken := []int{0, g.n}
	for p := range g.broken {
		if g.in[p] {
			taken = append(taken, len(g.ancestors(p)))
		}
	}
	for _, p := range g.sample() {
		score := g.n
		weight := len(g.ancestors(p))
		for _, t := range taken {
			score = min(score, abs(weight-t))
		}
		if score > bestScore {
			best, bestScore = p, score
		}
	}
	if len(taken) > 2 {
		return best, fmt.Sprintf("away from the %s that could not be measured", commits(len(taken)-2))
	}
	return best, fmt.Sprintf("halves the %s left", commits(g.n-1))
}

// sample returns the testable candidates; of very many, those in the upper half
// of the order (a commit has no more ancestors than commits before it) evenly.
func (g *branches) sample() []int {
	var all []int
	for p, in := range g.in {
		if in && p != g.high && !g.broken[p] {
			all = append(all, p)
		}
	}
	if len(all) <= 4*branchSample {
		return all
	}
	upper := all[len(all)/2-len(all)/16:]
	sampled := make([]int, 0, branchSample)
	for i := range branchSample {
		sampled = append(sampled, upper[i*len(upper)/branchSample])
	}
	return sampled
}
