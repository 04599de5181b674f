package search

import (
	"fmt"
	"maps"
	"slices"
)

// region is the set of commits that can still be the culprit. Its last member
// is the one that is known to be bad.
type region interface {
	// pick returns the commit to judge next and why; −1 when none is testable.
	pick() (p int, why string)
	// narrow takes in that p is bad, or that it is good. What p cannot add is ignored.
	narrow(p int, bad bool)
	// skip takes in that p is untestable.
	skip(p int)
	// contradicts reports whether the verdict on p is against what is known.
	contradicts(p int, bad bool) bool
	// bounds returns low and high: all candidates lie in (low, high].
	bounds() (low, high int)
	// size is the number of candidates.
	size() int
	// candidates returns them, ascending.
	candidates() []int
	// before returns the last good commit when p is the culprit.
	before(p int) int
}

func newRegion(v *View, good, bad int) region {
	if v.Parents == nil {
		return newLine(good, bad)
	}
	return newBranches(v.Parents, good, bad)
}

// line is a region of a history without branches: the commits in (low, high].
type line struct {
	low, high int
	up        bool // the last verdict was good, so a middle between two commits is rounded up
	broken    map[int]bool
}

func newLine(low, high int) *line { return &line{low: low, high: high, broken: map[int]bool{}} }

func (l *line) bounds() (int, int) { return l.low, l.high }
func (l *line) size() int          { return l.high - l.low }
func (l *line) before(int) int     { return l.low }
func (l *line) skip(p int)         { l.broken[p] = true }

func (l *line) contradicts(p int, bad bool) bool {
	return bad && p <= l.low || !bad && p >= l.high
}

func (l *line) narrow(p int, bad bool) {
	if p <= l.low || p >= l.high {
		return
	}
	l.up = !bad
	if bad {
		l.high = p
		return
	}
	l.low = p
}

func (l *line) candidates() []int {
	all := make([]int, 0, l.size())
	for p := l.low + 1; p <= l.high; p++ {
		all = append(all, p)
	}
	return all
}

func (l *line) pick() (int, string) {
	inner := l.high - l.low - 1
	if inner <= 0 {
		return -1, ""
	}
	middle := (l.low + l.high) / 2
	if l.up {
		middle = (l.low + l.high + 1) / 2
	}
	if !l.broken[middle] {
		return middle, fmt.Sprintf("halves the %s left", commits(inner))
	}
	next := middle + 1
	if next < l.high && !l.broken[next] && l.brokenAround(middle) == 1 {
		return next, fmt.Sprintf("next to %s, which could not be measured", Name(middle))
	}
	p := middleOfWidest(l.low, l.high, middle, l.brokenInside())
	return p, fmt.Sprintf("jumps out of the %s around %s that could not be measured", commits(l.brokenAround(middle)), Name(middle))
}

// brokenAround counts the broken commits in a row that p is one of.
func (l *line) brokenAround(p int) int {
	n := 1
	for q := p - 1; l.broken[q]; q-- {
		n++
	}
	for q := p + 1; l.broken[q]; q++ {
		n++
	}
	return n
}

func (l *line) brokenInside() []int {
	var inside []int
	for _, p := range sortedKeys(l.broken) {
		if p > l.low && p < l.high {
			inside = append(inside, p)
		}
	}
	return inside
}

// middleOfWidest returns the middle of the widest stretch of (low, high) that
// holds no member of broken (ascending), of equal ones the nearest to middle.
// It is −1 when there is none. So every failure in a row doubles the jump away
// from the block, and the search comes back when the outside is used up.
func middleOfWidest(low, high, middle int, broken []int) int {
	best, width := -1, 0
	from := low + 1
	for _, to := range append(slices.Clone(broken), high) {
		if w, p := to-from, (from+to-1)/2; w > width || w == width && w > 0 && abs(p-middle) < abs(best-middle) {
			best, width = p, w
		}
		from = to + 1
	}
	return best
}

func abs(n int) int { return max(n, -n) }

func commits(n int) string {
	if n == 1 {
		return "1 commit"
	}
	return fmt.Sprintf("%d commits", n)
}

func sortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }
