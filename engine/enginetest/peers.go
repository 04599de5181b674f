package enginetest

import (
	"math"

	"perfbisect/engine/search"
	"perfbisect/engine/stats"
)

// GitBisect is `git bisect run` with a script that takes the median of Runs runs
// and is told the true threshold, which a user has to guess. It has no baselines
// and believes every verdict.
type GitBisect struct {
	Runs      int
	Threshold float64
}

// Decide implements search.Planner.
func (g GitBisect) Decide(v *search.View) search.Decision {
	values := map[int][]float64{}
	for _, r := range v.Runs {
		values[r.Position] = append(values[r.Position], r.Value)
	}
	lo, hi := 0, v.N
	for pos, ys := range values {
		if len(ys) < g.Runs {
			continue
		}
		if stats.Median(ys) > g.Threshold {
			hi = min(hi, pos)
		} else {
			lo = max(lo, pos)
		}
	}
	next := -1
	for i := lo + 1; i < hi; i++ {
		if v.Places[i].Failure.Failed() {
			continue
		}
		if next < 0 || math.Abs(float64(2*i-lo-hi)) < math.Abs(float64(2*next-lo-hi)) {
			next = i
		}
	}
	if next >= 0 {
		return measure(next, g.Runs)
	}
	f := &search.Finding{Outcome: search.Found, Culprit: hi, LastGood: lo, Probability: 1}
	for i := lo + 1; i <= hi; i++ {
		f.Candidates = append(f.Candidates, i)
	}
	if len(f.Candidates) > 1 {
		f.Outcome = search.FoundAmong
	}
	f.Steps = []search.StepFound{{Culprit: hi, LastGood: lo, Candidates: f.Candidates}}
	return search.Decision{Kind: search.Done, Finding: f}
}

func measure(pos, runs int) search.Decision {
	return search.Decision{
		Kind: search.Measure, Phase: search.PhaseSearch,
		Batches: [][]search.Step{{{Position: pos, Runs: runs, Why: "next"}}},
	}
}

// Bayes is a Beta–Bernoulli planner as in git_bayesect: every run is pass or fail
// by the true threshold; the failure rates before and after the change are
// unknown with Beta(0.05,0.95) and Beta(0.9,0.1) priors, its defaults; the next
// commit is the one with the least expected entropy; a commit that cannot be
// tested loses its prior; it stops at Stop.
type Bayes struct {
	Threshold float64
	Stop      float64
	MaxRuns   int
}

// Decide implements search.Planner.
func (g Bayes) Decide(v *search.View) search.Decision {
	n := v.N
	fail, pass := make([]float64, n+1), make([]float64, n+1)
	for _, r := range v.Runs {
		if r.Value > g.Threshold {
			fail[r.Position]++
		} else {
			pass[r.Position]++
		}
	}
	tested := func(i int) bool { return !v.Places[i].Failure.Failed() }
	m := newBetaModel(fail, pass, tested)
	top := 1
	for c := 1; c <= n; c++ {
		if m.p[c] > m.p[top] {
			top = c
		}
	}
	next := m.choose(tested)
	if m.p[top] >= g.Stop || len(v.Runs) >= g.MaxRuns || next < 0 {
		f := &search.Finding{
			Outcome: search.Found, Culprit: top, LastGood: top - 1, Candidates: []int{top}, Probability: m.p[top],
			Steps: []search.StepFound{{Culprit: top, LastGood: top - 1, Candidates: []int{top}, Probability: m.p[top]}},
		}
		if m.p[top] < g.Stop {
			f.Outcome = search.Undecided
		}
		return search.Decision{Kind: search.Done, Finding: f}
	}
	return measure(next, 1)
}

// betaModel is the posterior of Bayes: p[c] for the culprit c, and the chances
// that the next run fails before and after it.
type betaModel struct{ p, before, after []float64 }

func newBetaModel(fail, pass []float64, tested func(int) bool) *betaModel {
	const a0, b0, a1, b1 = 0.05, 0.95, 0.9, 0.1
	n := len(fail) - 1
	var totalF, totalP float64
	for i := range fail {
		totalF, totalP = totalF+fail[i], totalP+pass[i]
	}
	m := &betaModel{p: make([]float64, n+1), before: make([]float64, n+1), after: make([]float64, n+1)}
	f, q, top := 0.0, 0.0, math.Inf(-1)
	for c := 1; c <= n; c++ {
		f, q = f+fail[c-1], q+pass[c-1]
		m.p[c] = logBeta(a0+f, b0+q) + logBeta(a1+totalF-f, b1+totalP-q)
		if !tested(c) {
			m.p[c] = math.Inf(-1)
		}
		m.before[c] = (a0 + f) / (a0 + b0 + f + q)
		m.after[c] = (a1 + totalF - f) / (a1 + b1 + totalF - f + totalP - q)
		top = max(top, m.p[c])
	}
	sum := 0.0
	for c := 1; c <= n; c++ {
		m.p[c] = math.Exp(m.p[c] - top)
		sum += m.p[c]
	}
	for c := range m.p {
		m.p[c] /= sum
	}
	m.p[0] = 0
	return m
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// choose is the commit whose next run leaves the least expected entropy.
func (m *betaModel) choose(ok func(int) bool) int {
	best, at := math.Inf(1), -1
	for i := range m.p {
		if !ok(i) {
			continue
		}
		var pf, hf, hp float64
		for c := 1; c < len(m.p); c++ {
			r := m.before[c]
			if c <= i {
				r = m.after[c]
			}
			x, y := m.p[c]*r, m.p[c]*(1-r)
			pf += x
			hf, hp = hf+plogp(x), hp+plogp(y)
		}
		h := -hf + plogp(pf) - hp + plogp(1-pf)
		if h < best-1e-12 {
			best, at = h, i
		}
	}
	return at
}

func plogp(p float64) float64 {
	if p <= 0 {
		return 0
	}
	return p * math.Log(p)
}
