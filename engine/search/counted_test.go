package search_test

import (
	"testing"

	"perfbisect/engine/search"
)

// A small count that rises by little is exact: a few runs name the step.
func TestSmallCounts(t *testing.T) {
	for _, c := range []struct {
		why       string
		good, bad float64
	}{
		{"one more", 9, 10}, {"from nothing", 0, 4}, {"a large count, a small share", 7619103, 7625109},
	} {
		runs := 0
		v := &search.View{
			N: 64, Places: map[int]search.Place{}, Marks: map[int]search.Mark{}, Answers: map[string]string{},
			Options: search.Options{Strategy: "adaptive", Better: search.Lower, Find: "regression", Confidence: "normal", MinGapPct: 0.01, Workers: 1, SkipOnFail: true, Resolution: 1},
		}
		for {
			d := search.Adaptive{}.Decide(v)
			if d.Kind == search.Done {
				if d.Finding.Culprit != 40 {
					t.Errorf("%s: %+v", c.why, d.Finding)
				}
				break
			}
			if d.Kind != search.Measure || runs > 60 {
				t.Fatalf("%s: kind %v after %d runs", c.why, d.Kind, runs)
			}
			for _, step := range d.Batches[0] {
				value := c.good
				if step.Position >= 40 {
					value = c.bad
				}
				for range step.Runs {
					runs++
					v.Runs = append(v.Runs, search.Run{Position: step.Position, Outcome: search.OK, Value: value, StartS: float64(runs), ElapsedS: 1, Visit: runs})
				}
			}
		}
		if runs > 24 {
			t.Errorf("%s: %d runs", c.why, runs)
		}
	}
}
