package search

import (
	"fmt"
	"math"
)

// Adaptive is the default planner: see the package comment for its method.
type Adaptive struct{}

// Decide implements Planner. It looks at nothing but the runs, the places, the
// marks and the answers of v, in whatever order and for whatever reason they
// were made, so a replayed journal, an undone fact or the values of another
// metric lead on from where the data stand.
func (Adaptive) Decide(v *View) Decision {
	p := newProblem(v)
	d := p.decide()
	d.Progress.StepsDone = p.stepsDone()
	if d.Kind == Measure && v.Exhausted {
		return p.spent(d)
	}
	return d
}

func (p *problem) decide() Decision {
	w, d, ok := p.span()
	if !ok {
		return d
	}
	if d, ok := p.obstacles(w); ok {
		return d
	}
	if p.exact(w) {
		return p.huntExact(w)
	}
	t := p.testEnds(w, p.minGap)
	if t.verdict != endsClear {
		return p.reportEnds(w, t)
	}
	if d, ok := p.overrun(w, t); ok {
		return d
	}
	return p.hunt(w, t)
}

// hunt searches the whole range and, when asked to, what its step leaves over.
func (p *problem) hunt(w window, t endTest) Decision {
	r := p.solve(w, PhaseSearch)
	if r.next != nil {
		return *r.next
	}
	if d, ok := p.proveGap(w, t, r); ok {
		return d
	}
	found := []answer{r}
	if r.named() && p.v.Options.All && p.v.Parents == nil {
		more, next := p.residual(w, r, t.gap)
		if next != nil {
			return *next
		}
		found = append(found, more...)
	}
	return p.report(w, t, found)
}

// proveGap asks for more of the ends than what the search began with before a step is
// named: where there is no gap, or a tiny one, chance may make two neighbours differ.
func (p *problem) proveGap(w window, t endTest, r answer) (Decision, bool) {
	if !r.named() || r.belief.separation >= weakSeparation {
		return Decision{}, false
	}
	z, threshold := t.gap/t.se, endZNamed*fewFactor(t.n)
	if z >= threshold {
		return Decision{}, false
	}
	if t.n >= endRunsMax {
		return p.tooSmall(w, t), true
	}
	t.more(z, threshold)
	return p.measureEnds(w, t), true
}

// answer is what a window came to: either more to do or a named suspect.
type answer struct {
	next    *Decision
	suspect suspect
	mass    float64 // posterior of the suspect
	odds    float64 // log odds of its pairs
	belief  *belief
}

func (a answer) named() bool { return len(a.suspect.among) > 0 }

// solve searches one window until a suspect is confirmed.
func (p *problem) solve(w window, phase Phase) answer {
	for range 4 * stepsMax {
		b := p.believe(w)
		l, several, ask := p.landing(b, middleZ)
		if several {
			w = p.largerJump(w, l)
			continue
		}
		if ask >= 0 {
			return answer{next: p.next(b, phase, p.steps([]int{ask}, "is this a level between?"),
				"a value between fast and slow: its neighbour tells whether that is a level of its own")}
		}
		if l, several, _ := p.landing(b, stuckZ); several && p.futile(b, p.choose(b)) {
			w = p.largerJump(w, l)
			continue
		}
		return p.conclude(b, phase)
	}
	b := p.believe(w)
	return p.conclude(b, phase)
}

// lastPass of believe, from 0.
const lastPass = 2

// believe places the levels and infers, three times, so that positions that
// have become sure help to place the levels. Only the last pass integrates. All but
// the first, which is coarse when there are many positions, look only at the part of the window where the step can still be.
func (p *problem) believe(w window) *belief {
	whole := p.split(w)
	raw := p.siteValues(whole, 0)
	c := whole
	var b *belief
	var slow []float64
	offset := 0.0
	for pass := range lastPass + 1 {
		lv, sites := p.estimate(whole, raw, slow, offset)
		if lv.gap() <= 0 {
			lv.b = lv.g + max(p.floor, 1e-9)
		}
		c = whole
		if pass > 0 {
			c, sites = whole.trim(slow, sites)
		}
		b = p.infer(c, sites, lv, pass)
		slow, offset = whole.spread(c, b.slow), b.levels.offset
	}
	return b
}

// conclude confirms the likeliest cell when it is likely enough and nothing in it
// is left to test; otherwise it looks for the most telling visit.
func (p *problem) conclude(b *belief, phase Phase) answer {
	conf := p.v.Options.Confidence
	s, settled := p.suspectOf(b.cells, b.top)
	mass := b.cell[b.top]
	if settled {
		pairs := p.pairs(s)
		odds := pairOdds(pairs, b.levels)
		if mass >= confirmMass(conf, b) && p.confirmed(b, pairs, odds) {
			return answer{suspect: s, mass: mass, odds: odds, belief: b}
		}
		if mass >= pairMass && !p.confirmed(b, pairs, odds) && len(pairs) < pairsMax && p.testable(s.fast) && p.testable(s.slow) {
			return answer{next: p.next(b, PhaseConfirm, p.pairUp(s, len(pairs), odds, b),
				"the last fast and the first slow commit in turn, to prove the step lies between")}
		}
	}
	o := p.choose(b)
	if p.futile(b, o) {
		if a, ok := p.concludeAmong(b); ok {
			return a
		}
	}
	if o.pos < 0 {
		return answer{belief: b} // nothing testable is left: the best bracket
	}
	return answer{next: p.next(b, phase, p.lookAt(b, o), p.explain(b, o))}
}

// futile reports whether telling the last few candidates apart would take more
// runs than the hunt so far: their own offsets are as large as the step, or the
// machine's states last longer than its runs.
func (p *problem) futile(b *belief, o option) bool {
	if o.pos < 0 {
		return true
	}
	bits := p.bits(b)
	runs := bits * float64(o.r) / max(o.bits, 1e-12)
	return bits < futileBits && runs > max(futileRuns, futileShare*float64(len(p.obs)))
}

// concludeAmong names the smallest set of neighbours that holds nearly all of the
// posterior, once pairs across the whole set have shown that the step is in it.
func (p *problem) concludeAmong(b *belief) (answer, bool) {
	among, mass := p.bracket(b, confirmMass(p.v.Options.Confidence, b))
	if len(among) == 0 || len(among) > amongMax || b.cells.over != nil || p.untried(among) {
		return answer{}, false
	}
	s := suspect{fast: among[0] - 1, slow: among[len(among)-1], among: among}
	pairs := p.pairs(s)
	odds := pairOdds(pairs, b.levels)
	if p.confirmed(b, pairs, odds) {
		return answer{suspect: s, mass: mass, odds: odds, belief: b}, true
	}
	if len(pairs) >= pairsMax || !p.testable(s.fast) || !p.testable(s.slow) {
		return answer{}, false
	}
	return answer{next: p.next(b, PhaseConfirm, p.pairUp(s, len(pairs), odds, b), "the commits on both sides of the last candidates in turn")}, true
}

// untried reports whether some member of a set could be tested and never was.
// Such a set says nothing about its members yet.
func (p *problem) untried(among []int) bool {
	ran := map[int]bool{}
	for _, r := range p.v.Runs {
		ran[r.Position] = true
	}
	for _, i := range among {
		if p.testable(i) && !ran[i] {
			return true
		}
	}
	return false
}

// confirmed reports whether pairs prove a step.
func (p *problem) confirmed(b *belief, pairs []float64, odds float64) bool {
	if p.v.Options.Confidence == "quick" {
		return len(pairs) >= pairsQuick && odds > 0
	}
	return len(pairs) >= pairsLeast(b) && odds >= confirmOdds(p.v.Options.Confidence, b)
}

// pairsLeast is the number of pairs, in turn, that a proof takes at least. A clock
// that switches and stays for two or three runs makes as many pairs look like a
// step, where its states are as far apart as the levels.
func pairsLeast(b *belief) int {
	switch {
	case b.separation >= pairOneFrom:
		return 1
	case b.separation >= pairTwoFrom:
		return 2
	}
	return 4
}

// pairUp schedules pairs in alternating order: as many as the odds still need,
// half of them at most before looking again.
func (p *problem) pairUp(s suspect, made int, odds float64, b *belief) []Step {
	per := max(math.Min(b.separation*b.separation/4, math.Log(48)), 0.05)
	n := int(math.Ceil((confirmOdds(p.v.Options.Confidence, b) - odds) / per / 2))
	n = min(max(n, 1, pairsLeast(b)-made), 4)
	at := p.current(0)
	var order []int
	for range n {
		first, second := s.fast, s.slow
		if at == s.slow {
			first, second = s.slow, s.fast
		}
		order = append(order, first, second)
		at = second
	}
	return p.steps(order, "confirms the step")
}

// lookAt turns an option into a schedule, with a run of a reference now and then.
func (p *problem) lookAt(b *belief, o option) []Step {
	why := "halves what is left"
	if o.runs > 0 {
		why = "not clear yet"
	}
	var order []int
	since := p.sinceReference(b.cells.w)
	row := 0
	for range o.r {
		if b.separation < referenceBelow && since >= b.referenceEvery() || row >= rowMax {
			order = append(order, p.nextReference(b.cells.w))
			since, row = 0, 0
		}
		order = append(order, o.pos)
		since, row = since+1, row+1
	}
	steps := p.steps(order, why)
	for i := range steps {
		if steps[i].Position != o.pos {
			steps[i].Why = "reference: has the machine changed?"
		}
	}
	return steps
}

// referenceEvery is the number of runs after which one goes to an end.
func (b *belief) referenceEvery() int {
	if b.separation < weakSeparation {
		return referenceWeak
	}
	return referenceEvery
}

// sinceReference counts the runs since the last run at an end.
func (p *problem) sinceReference(w window) int {
	n := 0
	for i := len(p.obs) - 1; i >= 0 && p.obs[i].pos != w.lo && p.obs[i].pos != w.hi; i-- {
		n++
	}
	return n
}

// nextReference is the end with fewer runs.
func (p *problem) nextReference(w window) int {
	if len(p.runsAt[w.lo]) <= len(p.runsAt[w.hi]) {
		return w.lo
	}
	return w.hi
}

// next wraps a schedule into a decision.
func (p *problem) next(b *belief, phase Phase, steps []Step, why string) *Decision {
	return &Decision{Kind: Measure, Phase: phase, Batches: p.batches(b, phase, steps), Progress: p.progress(b, why)}
}

func (p *problem) stepsDone() int {
	n := 0
	for _, pos := range p.visited {
		if pos > 0 && pos < p.n && len(p.runsAt[pos]) > 0 {
			n++
		}
	}
	return n
}

func (p *problem) explain(b *belief, o option) string {
	if o.runs > 0 {
		runs := fmt.Sprintf("%d runs", o.runs)
		if o.runs == 1 {
			runs = "1 run"
		}
		return fmt.Sprintf("%s has %s and is slow with probability %.0f %%: more runs tell most per minute", Name(o.pos), runs, 100*o.slow)
	}
	return fmt.Sprintf("%s is slow with probability %.0f %%: whatever it shows narrows the range most per minute", Name(o.pos), 100*o.slow)
}
