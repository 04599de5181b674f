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

// ancestors returns p and its ancestors among the candidates.
func (g *branches) ancestors(p int) []int {
	if !g.in[p] {
		return nil
	}
	g.stamp++
	g.mark[p] = g.stamp
	found := []int{p}
	for i := 0; i < len(found); i++ {
		for _, parent := range g.parentsOf(found[i]) {
			if q := int(parent); g.in[q] && g.mark[q] != g.stamp {
				g.mark[q] = g.stamp
				found = append(found, q)
			}
		}
	}
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
		g.in[p] = false
	}
	g.n -= len(set)
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

// contradicts: a bad commit that a good one descends from, or a good one that
// the known bad one is an ancestor of (the bad one itself is the case here).
func (g *branches) contradicts(p int, bad bool) bool {
	if bad {
		return !g.in[p] && p < g.high && g.above(p)
	}
	return p == g.high || !g.in[p] && g.descends(p, g.high)
}

// above reports whether p is an ancestor of the known bad commit.
func (g *branches) above(p int) bool { return g.descends(g.high, p) }

// descends reports whether a is p or descends from it, in the whole range.
func (g *branches) descends(a, p int) bool {
	seen := map[int]bool{a: true}
	for queue := []int{a}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == p {
			return true
		}
		for _, parent := range g.parentsOf(queue[0]) {
			if q := int(parent); q >= p && !seen[q] {
				seen[q] = true
				queue = append(queue, q)
			}
		}
	}
	return false
}

func (g *branches) narrow(p int, bad bool) {
	if !g.in[p] {
		return
	}
	if !bad {
		g.drop(g.ancestors(p))
		return
	}
	g.keep(g.ancestors(p))
	g.high = p
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
