package hints

import (
	"slices"
	"strings"
)

// Two lines are a pair if at least this share of their tokens is common.
const minSimilar = 0.5

// maxCells bounds the table of an alignment; larger runs are aligned in a band.
const maxCells = 1 << 16

// align pairs the lines of a run. A run whose two sides are the same tokens, only
// cut into other lines, becomes empty: it changes the format, not the code.
func (r *run) align() {
	if len(r.old) > 0 && len(r.new) > 0 && sameTokens(r.old, r.new) {
		r.old, r.new = nil, nil
		return
	}
	r.judged = map[*srcLine]bool{}
	n, m := len(r.old), len(r.new)
	if n == 0 || m == 0 {
		r.oldOnly, r.newOnly = r.old, r.new
		return
	}
	a, b := bags(r.old), bags(r.new)
	if n*m > maxCells {
		r.greedy(a, b)
	} else {
		r.optimal(a, b)
	}
}

// optimal is Needleman-Wunsch with the similarity as the gain of a match.
func (r *run) optimal(a, b [][]uint32) {
	n, m := len(a), len(b)
	best, sim := grid{make([]float32, (n+1)*(m+1)), m + 1}, grid{make([]float32, n*m), m}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			s := similarity(a[i], b[j])
			if n == 1 && m == 1 && (s > 0.2 || sameNamespace(r.old[0], r.new[0])) {
				s = max(s, minSimilar) // nothing else either line could belong to
			}
			v := max(*best.at(i+1, j), *best.at(i, j+1))
			if s >= minSimilar {
				v = max(v, s+*best.at(i+1, j+1))
			}
			*sim.at(i, j), *best.at(i, j) = s, v
		}
	}
	i, j := 0, 0
	for i < n && j < m {
		s, v := *sim.at(i, j), *best.at(i, j)
		switch {
		case s >= minSimilar && v == s+*best.at(i+1, j+1):
			r.pairUp(i, j)
			i++
			j++
		case v == *best.at(i+1, j):
			r.oldOnly = append(r.oldOnly, r.old[i])
			i++
		default:
			r.newOnly = append(r.newOnly, r.new[j])
			j++
		}
	}
	r.oldOnly = append(r.oldOnly, r.old[i:]...)
	r.newOnly = append(r.newOnly, r.new[j:]...)
}

// A grid is a table of numbers, row by row.
type grid struct {
	cells []float32
	width int
}

func (g grid) at(i, j int) *float32 { return &g.cells[i*g.width+j] }

// sameNamespace tells whether two lines start with members of one enumeration or
// namespace: Scheduler::Intrawave, Scheduler::Interwave.
func sameNamespace(a, b *srcLine) bool {
	x, y := a.toks[0].text, b.toks[0].text
	i, j := strings.LastIndex(x, "::"), strings.LastIndex(y, "::")
	return i > 0 && i == j && x[:i] == y[:j]
}

// greedy looks for each new line's partner in a band around its place.
func (r *run) greedy(a, b [][]uint32) {
	const band = 12
	from := 0
	for j := range b {
		hit := -1
		var top float32
		mid := j * len(a) / len(b)
		for i := max(from, mid-band); i < min(len(a), mid+band); i++ {
			if s := similarity(a[i], b[j]); s >= minSimilar && s > top {
				hit, top = i, s
			}
		}
		if hit < 0 {
			r.newOnly = append(r.newOnly, r.new[j])
			continue
		}
		r.oldOnly = append(r.oldOnly, r.old[from:hit]...)
		r.pairUp(hit, j)
		from = hit + 1
	}
	r.oldOnly = append(r.oldOnly, r.old[min(from, len(r.old)):]...)
}

func (r *run) pairUp(i, j int) {
	r.pairs = append(r.pairs, pair{r.old[i], r.new[j]})
	r.old[i].twin, r.new[j].twin = r.new[j], r.old[i]
}

// bags gives each line the sorted hashes of its tokens. All numbers count as
// half the same, so that "M = 64" and "M = 32" are near.
func bags(ls []*srcLine) [][]uint32 {
	out := make([][]uint32, len(ls))
	for i, l := range ls {
		b := make([]uint32, 0, len(l.toks)+2)
		for _, t := range l.toks {
			h := uint32(2166136261) ^ uint32(t.kind)
			for k := range len(t.text) {
				h = (h ^ uint32(t.text[k])) * 16777619
			}
			b = append(b, h)
			if t.kind == tokNumber {
				b = append(b, 1)
			}
		}
		slices.Sort(b)
		out[i] = b
	}
	return out
}

// similarity is the Dice coefficient of two bags, in [0, 1].
func similarity(a, b []uint32) float32 {
	i, j, common := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if len(a)+len(b) == 0 {
		return 0
	}
	return 2 * float32(common) / float32(len(a)+len(b))
}

// same tells whether two tokens are equal wherever they stand.
func (t token) same(u token) bool { return t.text == u.text && t.kind == u.kind }

// sameTokens compares two groups of lines as one stream of tokens each.
func sameTokens(a, b []*srcLine) bool { return slices.EqualFunc(flatten(a), flatten(b), token.same) }

func flatten(ls []*srcLine) []token {
	var all []token
	for _, l := range ls {
		all = append(all, l.toks...)
	}
	out := all[:0:0]
	for i := range all {
		if !insignificant(all, i) {
			out = append(out, all[i])
		}
	}
	return out
}

// A tokenDiff is what two token lists do not share, in order.
type tokenDiff struct{ gone, came []token }

// diffTokens trims what is equal at both ends and takes the longest common
// subsequence of the rest; a rest too long for that is all different.
func diffTokens(a, b []token) tokenDiff {
	for len(a) > 0 && len(b) > 0 && a[0].same(b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].text == b[len(b)-1].text {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)*len(b) > maxCells || len(a) == 0 || len(b) == 0 {
		return tokenDiff{a, b}
	}
	return uncommon(a, b)
}

// uncommon is what is not part of the longest common subsequence of two lists.
func uncommon(a, b []token) tokenDiff {
	n, m := len(a), len(b)
	t := grid{make([]float32, (n+1)*(m+1)), m + 1}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i].same(b[j]) {
				*t.at(i, j) = *t.at(i+1, j+1) + 1
			} else {
				*t.at(i, j) = max(*t.at(i+1, j), *t.at(i, j+1))
			}
		}
	}
	var d tokenDiff
	i, j := 0, 0
	for i < n && j < m {
		switch {
		case a[i].same(b[j]):
			i++
			j++
		case *t.at(i+1, j) >= *t.at(i, j+1):
			d.gone = append(d.gone, a[i])
			i++
		default:
			d.came = append(d.came, b[j])
			j++
		}
	}
	d.gone, d.came = append(d.gone, a[i:]...), append(d.came, b[j:]...)
	return d
}
