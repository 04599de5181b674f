package search

import "slices"

// window is a part of the range whose ends are a faster and a slower level:
// the step is sought in (lo, hi], in a graph among the ancestors of hi that are
// not ancestors of lo.
type window struct{ lo, hi int }

// cells are the candidates of a window, grouped by what the visited positions
// say of them: two candidates in one cell make every visited position equally
// fast or slow, so no run so far tells them apart.
//
// In a chain the sites are sorted and cell k is (sites[k], sites[k+1]]; its
// culprit makes the sites after k slow. In a graph over[k] lists the slow sites.
type cells struct {
	w     window
	sites []int     // visited positions; the first is w.lo, the last w.hi
	prior []float64 // mass of each cell, sums to 1
	over  [][]int32 // nil: chain
	of    []int32   // graph: cell of each position, −1: no candidate; nil: chain
	graph *graph
}

// split makes the cells of a window.
func (p *problem) split(w window) *cells {
	if p.v.Parents != nil {
		return p.splitGraph(w)
	}
	c := &cells{w: w, sites: []int{w.lo}}
	from, _ := slices.BinarySearch(p.visited, w.lo+1)
	for _, s := range p.visited[from:] {
		if s >= w.hi {
			break
		}
		c.sites = append(c.sites, s)
	}
	c.sites = append(c.sites, w.hi)
	c.prior = make([]float64, len(c.sites)-1)
	total := p.weight(w.lo, w.hi)
	for k := range c.prior {
		if total > 0 {
			c.prior[k] = p.weight(c.sites[k], c.sites[k+1]) / total
		} else { // every candidate is ruled out by its code: trust the codes less
			c.prior[k] = float64(c.sites[k+1]-c.sites[k]) / float64(w.hi-w.lo)
		}
	}
	return c
}

// trim leaves out the sites of a chain that are further than keepSites from where
// the step can be, given P(slow) of each site: they have placed the levels and say nothing more. The cells
// between them are merged; those where the step can be stay as they are.
func (c *cells) trim(slow []float64, sites [][]float64) (*cells, [][]float64) {
	n := len(c.prior)
	if c.over != nil || n <= trimAbove {
		return c, sites
	}
	first, last := n-1, 0
	for k := range n {
		if slow[k+1]-slow[k] > trimMass {
			first, last = min(first, k), max(last, k)
		}
	}
	from, to := max(first-keepSites, 1), min(last+1+keepSites, n-1)
	if from > to {
		return c, sites
	}
	out := &cells{w: c.w, sites: append([]int{c.sites[0]}, c.sites[from:to+1]...)}
	out.sites = append(out.sites, c.sites[n])
	out.prior = append([]float64{sum(c.prior[:from])}, c.prior[from:to]...)
	out.prior = append(out.prior, sum(c.prior[to:]))
	values := append([][]float64{sites[0]}, sites[from:to+1]...)
	return out, append(values, sites[n])
}

// spread gives each site of c the P(slow) of the last site before it that a trimmed
// part of c has kept.
func (c *cells) spread(part *cells, slow []float64) []float64 {
	if len(part.sites) == len(c.sites) {
		return slow
	}
	out := make([]float64, len(c.sites))
	k := 0
	for i, pos := range c.sites {
		for k+1 < len(part.sites) && part.sites[k+1] <= pos {
			k++
		}
		out[i] = slow[k]
	}
	return out
}

func sum(xs []float64) float64 {
	total := 0.0
	for _, x := range xs {
		total += x
	}
	return total
}

// slowSites calls f for each site that is slow when the culprit is in cell k.
func (c *cells) slowSites(k int, f func(i int)) {
	if c.over == nil {
		for i := k + 1; i < len(c.sites); i++ {
			f(i)
		}
		return
	}
	for _, i := range c.over[k] {
		f(int(i))
	}
}

// site returns the index of pos among the sites, or -1.
func (c *cells) site(pos int) int {
	if c.over == nil {
		if i, ok := slices.BinarySearch(c.sites, pos); ok {
			return i
		}
		return -1
	}
	return slices.Index(c.sites, pos)
}
