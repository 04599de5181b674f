package search

import (
	"math"
	"slices"

	"perfbisect/engine/stats"
)

// option is a position that could be visited next.
type option struct {
	pos    int
	slow   float64                    // probability that it is slow
	by     [len(offsetShares)]float64 // the same, with each hypothesis on the offsets
	chance float64                    // probability that it builds and runs
	extra  float64                    // cost of getting there, in runs
	runs   int                        // usable runs that it has
	r      int                        // runs to make
	bits   float64                    // what they are expected to tell
	score  float64                    // bits per run of cost
}

// better compares scores so that rounding does not break ties.
func better(a, b float64) bool { return a > b*(1+tieTolerance) && a > 0 }

// choose returns the visit with the most information per cost; pos is -1 when
// nothing testable is left to say anything.
func (p *problem) choose(b *belief) option {
	in := stats.NewInformation()
	best := option{pos: -1}
	for _, o := range p.options(b) {
		for _, r := range runLadder {
			o.r = r
			o.bits = p.gain(in, b, o, r)
			o.score = o.chance * o.bits / (o.extra + float64(r))
			if better(o.score, best.score) {
				best = o
			}
			if b.separation*math.Sqrt(float64(r)) > separationCap {
				break
			}
		}
	}
	if best.pos >= 0 && best.runs == 0 && best.extra >= dearBuild {
		need := math.Ceil(math.Pow(dearSeparation/max(b.separation, 0.1), 2))
		best.r = max(best.r, int(min(max(need, 1), dearRunsMax)))
	}
	return best
}

// gain is the information of r more runs at o, under each hypothesis on the
// commits' own offsets. An offset does not average out, so the runs that a
// position has already leave less to learn from it, and other positions more.
func (p *problem) gain(in stats.Information, b *belief, o option, r int) float64 {
	sum := 0.0
	for i, share := range offsetShares {
		w := b.levels.own[i]
		if w < 1e-6 {
			continue
		}
		after, before := b.sight(o.runs+r, share), 0.0
		if o.runs > 0 {
			before = b.sight(o.runs, share)
		}
		sum += w * in.Bits(o.by[i]/w, min(math.Sqrt(max(after*after-before*before, 0)), separationCap))
	}
	return sum
}

// sight is the separation of fast and slow that n runs at one commit show when
// commits differ by themselves by a share of the gap.
func (b *belief) sight(n int, share float64) float64 {
	per := 1 / max(b.separation*b.separation*b.levels.lambda, 1e-12)
	return 1 / math.Sqrt(per/float64(n)+share*share)
}

// options lists what is worth a look: every visited inner position and, in every
// interval that matters, the testable positions around the even split.
func (p *problem) options(b *belief) []option {
	c := b.cells
	var out []option
	for i, pos := range c.sites {
		if pos != c.w.lo && pos != c.w.hi && p.testable(pos) {
			o := option{pos: pos, slow: b.slow[i], chance: 1, extra: p.revisitCost(pos), runs: len(p.runsAt[pos])}
			for j := range o.by {
				o.by[j] = b.by[j].slow[i]
			}
			out = append(out, o)
		}
	}
	if c.over != nil {
		return append(out, p.chooseGraph(b)...)
	}
	for k := range c.prior {
		if b.cell[k] > 1e-6 {
			out = p.inside(out, b, k)
		}
	}
	return out
}

// inside adds the options within cell k of a chain.
func (p *problem) inside(out []option, b *belief, k int) []option {
	c := b.cells
	a, z := c.sites[k], c.sites[k+1]
	if z-a < 2 {
		return out
	}
	broken := p.brokenIn(a, z)
	share := []float64{0.5}
	if len(broken) > 0 {
		share = []float64{0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9}
	}
	for _, s := range share {
		for _, pos := range p.around(a, z, (s-b.slow[k])/max(b.cell[k], 1e-300)) {
			if p.tells(a, pos, z) {
				out = append(out, p.newOption(b, k, pos, broken))
			}
		}
	}
	for _, pos := range p.built {
		if pos > a && pos < z && p.tells(a, pos, z) {
			out = append(out, p.newOption(b, k, pos, broken))
		}
	}
	return out
}

// revisitCost is the cost of going back to a visited position, in runs.
func (p *problem) revisitCost(pos int) float64 {
	switch {
	case p.current(0) == pos:
		return 0
	case p.v.Options.RevisitBuilds:
		return p.buildCost + p.warmCost
	}
	return p.warmCost
}

// tells reports whether pos splits the candidates of (a, z]. A position with the
// device code of a visited neighbour does not.
func (p *problem) tells(a, pos, z int) bool { return p.weight(a, pos) > 0 && p.weight(pos, z) > 0 }

// newOption describes an unvisited position of cell k.
func (p *problem) newOption(b *belief, k, pos int, broken []int) option {
	c := b.cells
	a, z := c.sites[k], c.sites[k+1]
	o := option{pos: pos, chance: p.chance(pos, broken), extra: p.buildCost + p.warmCost}
	share := p.shareUpTo(a, z, pos)
	o.slow = b.slow[k] + b.cell[k]*share
	for j := range o.by {
		o.by[j] = b.by[j].slow[k] + b.by[j].cell[k]*share
	}
	if p.v.Places[pos].Built {
		o.extra, o.chance = p.warmCost, 1
	}
	return o
}

// shareUpTo is the share of the prior of (a, z] that lies in (a, pos].
func (p *problem) shareUpTo(a, z, pos int) float64 {
	if total := p.weight(a, z); total > 0 {
		return p.weight(a, pos) / total
	}
	return float64(pos-a) / float64(z-a)
}

// around returns the testable positions of (a, z) at and next to the point below
// which a share of the interval's prior lies, at most one on each side.
func (p *problem) around(a, z int, share float64) []int {
	lo, hi := a+1, z // first position whose share is reached
	for lo < hi {
		mid := (lo + hi) / 2
		if p.shareUpTo(a, z, mid) < share {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	var out []int
	if lo < z && p.testable(lo) {
		out = append(out, lo)
	}
	for i := min(lo, z) - 1; i > a; i-- {
		if p.testable(i) {
			out = append(out, i)
			break
		}
	}
	for i := lo + 1; i < z; i++ {
		if p.testable(i) {
			return append(out, i)
		}
	}
	return out
}

// brokenIn returns the broken positions inside (a, z), ascending.
func (p *problem) brokenIn(a, z int) []int {
	var out []int
	for i := range p.bad {
		if i > a && i < z {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}

// chance is the probability that an untried position builds and runs. Broken
// commits come in blocks, and the longer a block is known to be the longer its
// rest is expected to be, so jumps out of it grow by themselves.
func (p *problem) chance(pos int, broken []int) float64 {
	chance := testableChance
	if len(broken) == 0 {
		return chance
	}
	i, _ := slices.BinarySearch(broken, pos)
	if i > 0 {
		chance *= 1 - stillBroken(pos-broken[i-1], blockLength(broken[:i]))
	}
	if i < len(broken) {
		chance *= 1 - stillBroken(broken[i]-pos, blockLength(broken[i:]))
	}
	return chance
}

// stillBroken is the chance that a block of known length goes on for d more.
func stillBroken(d, length int) float64 { return float64(length+1) / float64(length+1+d) }

// blockLength is the known length of a block of broken positions with no working
// one between them.
func blockLength(broken []int) int { return broken[len(broken)-1] - broken[0] + 1 }
