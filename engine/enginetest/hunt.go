package enginetest

import (
	"fmt"
	"slices"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// Hunted is how one simulated hunt ended.
type Hunted struct {
	Finding *search.Finding
	Runs    int // counted runs, over all workers
	Builds  int
	Warmups int
	Rounds  int // decisions that measured something
	State   *engine.State
}

// Hunt lets a planner loose on a world, through the same State and Fold as the
// product, answering every question with "continue" where that is an
// option and with its default elsewhere.
func Hunt(w *World, p search.Planner) (Hunted, error) {
	d := &driver{world: w, state: &engine.State{}}
	d.apply(engine.Event{Kind: engine.EventPlanned, Plan: w.plan()})
	const limit = 100_000
	for range limit {
		next := d.state.Next(p)
		switch next.Kind {
		case search.Done:
			d.out.Finding, d.out.State = next.Finding, d.state
			return d.out, d.err
		case search.Ask:
			d.apply(engine.Event{Kind: engine.EventAnswered, QuestionID: next.Question.ID, Answer: reply(next.Question)})
		case search.Measure:
			d.out.Rounds++
			d.measure(next)
		}
		if d.err != nil {
			return d.out, d.err
		}
	}
	return d.out, fmt.Errorf("hunting: no answer after %d decisions", limit)
}

// reply is what a user who wants an answer says.
func reply(q *search.Question) string {
	if slices.Contains(q.Options, "continue") {
		return "continue"
	}
	return q.Default
}

// driver is the shell around the planner.
type driver struct {
	world *World
	state *engine.State
	out   Hunted
	now   float64
	at    map[int]int // where each worker stands
	visit map[int]int
	err   error
}

func (d *driver) apply(e engine.Event) {
	e.V, e.Seq, e.AtS = engine.JournalVersion, d.state.Seq+1, d.now
	if err := d.state.Apply(e); err != nil && d.err == nil {
		d.err = err
	}
}

// measure does the batches; workers work at the same time.
func (d *driver) measure(next search.Decision) {
	if len(next.Batches) == 0 {
		d.err = fmt.Errorf("hunting: a decision to measure without a batch")
		return
	}
	start, end := d.now, d.now
	for w, steps := range next.Batches {
		d.now = start
		for _, s := range steps {
			if s.Runs < 1 || s.Position < 0 || s.Position > d.world.N {
				d.err = fmt.Errorf("hunting: a step of %d runs at %d", s.Runs, s.Position)
				return
			}
			if !d.step(w, s, next.Phase) {
				break
			}
		}
		end = max(end, d.now)
	}
	d.now = end
}

// step visits one position; false when it could not be built.
func (d *driver) step(worker int, s search.Step, phase search.Phase) bool {
	if !d.state.View.Places[s.Position].Built && !d.build(s.Position) {
		return false
	}
	if d.at == nil {
		d.at, d.visit = map[int]int{}, map[int]int{}
	}
	if at, ok := d.at[worker]; !ok || at != s.Position {
		d.at[worker], d.visit[worker] = s.Position, d.state.NextVisit()
	}
	for range s.Warmup {
		d.run(worker, s, phase, true)
	}
	for range s.Runs {
		d.run(worker, s, phase, false)
	}
	return true
}

func (d *driver) build(pos int) bool {
	d.out.Builds++
	d.now += d.world.Build
	outcome := search.OK
	if d.world.broken[pos] {
		outcome = search.BuildFailed
	}
	d.apply(engine.Event{Kind: engine.EventBuilt, Position: pos, Outcome: outcome, ElapsedS: d.world.Build})
	return outcome == search.OK
}

func (d *driver) run(worker int, s search.Step, phase search.Phase, warmup bool) {
	fact := &engine.RunFact{
		Warmup: warmup, Value: d.world.Measure(s.Position, worker), StartS: d.now,
		Visit: d.visit[worker], Worker: worker, Phase: phase, Why: s.Why,
	}
	d.now++
	if warmup {
		d.out.Warmups++
	} else {
		d.out.Runs++
	}
	d.apply(engine.Event{Kind: engine.EventRan, Position: s.Position, Outcome: search.OK, ElapsedS: 1, Run: fact})
}
