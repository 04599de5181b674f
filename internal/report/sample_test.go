package report

import (
	"fmt"
	"time"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// hash is a full hash that starts as the recipe's sample session has it.
func hash(start string) string {
	return start + "abcdef1234567890abcdef1234567890abcdef123"[len(start)-1:]
}

// session is the recipe's sample session: 23 commits, 142.3 to 198.7 us.
var session = []struct {
	position int
	commit   string
	values   []float64 // µs
}{
	{0, "a1b2c3d", []float64{142.1, 142.3, 142.6}},
	{23, "f4e5d6c", []float64{198.2, 198.7, 199.1}},
	{11, "7890abc", []float64{142.9, 143.1, 143.4}},
	{17, "1234def", []float64{196.8, 197.2, 197.9}},
	{13, "0ddba11", nil},
	{14, "5678abc", []float64{145.2, 145.8, 146.9}},
	{16, "9012def", []float64{196.1, 196.5, 197.0}},
	{15, "3456abc", []float64{195.2, 195.9, 196.3}},
}

// sample is the document of the sample session with the given finding.
func sample(f *search.Finding) *Document {
	plan := &engine.Plan{Metric: "auto", Unit: "s", FirstParent: true, Options: search.Options{Strategy: "adaptive", Better: search.Lower}}
	for i := range 24 {
		plan.Positions = append(plan.Positions, engine.Position{Commit: hash(fmt.Sprintf("%07x", 0xbead00+i))})
	}
	events := []engine.Event{{Kind: engine.EventPlanned, Plan: plan}}
	for visit, s := range session {
		plan.Positions[s.position].Commit = hash(s.commit)
		phase, why := search.PhaseSearch, "halves what is left"
		if s.position == 0 || s.position == 23 {
			phase, why = search.PhaseEnds, "end of the range"
		}
		for _, v := range s.values {
			events = append(events, engine.Event{Kind: engine.EventRan, Position: s.position, Outcome: search.OK, ElapsedS: 2, Run: &engine.RunFact{Value: v * 1e-6, Visit: visit + 1, Phase: phase, Why: why}})
		}
		if s.values == nil {
			events = append(events, engine.Event{Kind: engine.EventBuilt, Position: s.position, Outcome: search.BuildFailed, Tail: "error: no member named 'lds'"})
		}
	}
	for i := range events {
		events[i].Seq, events[i].AtS = i+1, float64(10*i)
	}
	state, err := engine.Fold(events)
	if err != nil {
		panic(err)
	}
	level := func(us float64) search.Level { return search.Level{Value: us * 1e-6, N: 3, CV: 0.0021} }
	f.EndGood, f.EndBad, f.GapPct = level(142.3), level(198.7), 39.63
	if f.Outcome == search.Found || f.Outcome == search.FoundAmong {
		f.Good, f.Bad, f.ChangePct, f.ExplainedPct = level(145.8), level(195.9), 34.36, 89
	}
	return &Document{
		Result: engine.NewResult(state, f), Plan: plan, RunID: "20260301-kv-4f2a", Repo: "~/src/aiter", Good: "v0.2.0", Bad: "HEAD",
		Command: "python bench_pa.py --batch 32", Log: "runs/20260301-kv-4f2a/logs", Commits: commits(plan),
	}
}

func commits(plan *engine.Plan) map[string]Commit {
	known := map[string]Commit{}
	for i, p := range plan.Positions {
		known[p.Commit] = Commit{
			Hash: p.Commit, Author: "A. Author", Email: "developer@example.com", Date: time.Date(2026, 2, 1+i, 9, 30, 0, 0, time.FixedZone("", 3600)),
			Subject: fmt.Sprintf("attention: change number %d", i),
		}
	}
	c := known[hash("3456abc")]
	c.Subject, c.Body = "refactor: split KV loop into separate key and value phases", "Makes the two phases testable by themselves.\n\nNo change in results."
	known[hash("3456abc")] = c
	return known
}

func foundDocument() *Document {
	d := sample(&search.Finding{
		Outcome: search.Found, Culprit: 15, LastGood: 14, Candidates: []int{15}, Probability: 0.9925,
		Reason: "Run alternately, commit #15 was slower than commit #14 in 6 of 6 pairs.", Warnings: []search.Warning{{Code: "untestable", Text: "1 commit could not be measured"}},
	})
	d.Files = []FileStat{{Path: "aiter/pa_decode_gluon.py", Added: 23, Deleted: 22}, {Path: "tests/data.bin", Binary: true}}
	d.PatchPath = "runs/20260301-kv-4f2a/culprit.patch"
	d.Sections = []Section{{
		Title: "Machine code", Prose: []string{"Kernel pa_decode uses more registers, so fewer waves fit."},
		Head: []string{"Column", "Before", "After"}, Rows: [][]string{{"vgpr", "128", "172"}, {"occupancy", "4", "2"}},
	}, {Title: "Likely causes", Pre: "pa_decode_gluon.py:88  removed prefetch\n"}}
	return d
}

// evilText means something to a terminal, to Markdown and to a browser.
const evilText = "\x1b[31m<script>alert(1)</script> |`$x`|**b** @bob #1 [l](http://e.x) \u202eevil\x07\x00\u009b1m & \"q\" 'p'"

// hostileDocument has evil wherever text can come in.
func hostileDocument(evil string) *Document {
	d := foundDocument()
	culprit := d.Result.Culprit
	d.Commits = map[string]Commit{culprit: {Hash: culprit, Author: evil, Email: evil, Subject: evil + "\n# heading", Body: evil + "\n```\n</pre>\n| a | b |\n" + evil}}
	d.Files = []FileStat{{Path: evil + "\n/etc", Added: 1}}
	d.RunID, d.Repo, d.Good, d.Bad, d.Command, d.Log, d.PatchPath, d.Forget = evil, evil, evil, evil, evil, evil, evil, evil
	d.Sections = []Section{{Title: evil, Prose: []string{evil}, Head: []string{evil, "b"}, Rows: [][]string{{evil}, {evil, evil, evil}}, Pre: evil + "\n```\n" + evil}}
	d.Nested = []engine.Nested{{Run: evil, Kind: evil}}
	d.Marks = []Mark{{Commit: culprit, Verdict: search.Verdict(evil), By: evil}}
	r := d.Result
	r.Metric, r.Unit, r.Reason, r.Advice = evil, "s", evil, evil
	r.Warnings = []search.Warning{{Code: evil, Text: evil, Commit: evil}}
	for i := range r.Steps {
		r.Steps[i].Why, r.Steps[i].Tail = evil, evil
	}
	return d
}

// outcomes has a document for each way in which a hunt can end.
func outcomes() map[string]*Document {
	end := func(o search.FindingOutcome, reason, advice string) *Document {
		return sample(&search.Finding{Outcome: o, Culprit: -1, LastGood: -1, Reason: reason, Advice: advice})
	}
	all := map[string]*Document{
		"found": foundDocument(),
		"found_among": sample(&search.Finding{
			Outcome: search.FoundAmong, Culprit: -1, LastGood: 12, Candidates: []int{13, 14, 15}, Probability: 0.97,
			Reason: "commit #13 and commit #14 do not build.", Advice: "Make them build (--patch) and run again.",
		}),
		"no_regression":       end(search.NoRegression, "The ends differ by 0.2 %, and their runs overlap.", "Measure where the slowdown was seen."),
		"swapped":             end(search.Swapped, "The bad end is 28.4 % better than the good end.", "Exchange good and bad."),
		"gap_too_small":       end(search.GapTooSmall, "It would take 400 runs per commit.", "Lengthen the benchmark."),
		"unstable":            end(search.Unstable, "The runs fall into two groups 8 % apart.", "Pin the clocks."),
		"same_code":           end(search.SameCode, "Both ends have device code 9f2c.", "Compare the drivers."),
		"environment_changed": end(search.EnvironmentChanged, "The good end was 142.3 us and is 171.0 us now.", "Wait until the machine is idle."),
		"undecided": sample(&search.Finding{
			Outcome: search.Undecided, Culprit: -1, LastGood: 14, Candidates: []int{15, 16}, Probability: 0.9,
			Reason: "The budget of 20 runs is spent.", Advice: "Begin again with a larger budget (--max-runs).",
		}),
		"measured": sample(&search.Finding{
			Outcome: search.Measured, Culprit: -1, LastGood: -1, Differ: true, ChangePct: 39.63, Reason: "It is 39.6 % worse, 40 times the uncertainty.",
			Levels: map[int]search.Level{0: {Value: 142.3e-6, N: 3, CV: 0.002}, 23: {Value: 198.7e-6, N: 3, CV: 0.003}},
		}),
		"staircase": foundDocument(),
		"marked":    foundDocument(),
		"hostile":   hostileDocument(evilText),
	}
	all["swapped"].Result.GapPct = -28.4
	all["no_regression"].Result.GapPct = 0.2
	all["marked"].Forget = "git update-ref -d refs/perfbisect/save/r20260301-kv-4f2a"
	all["marked"].Marks = []Mark{
		{Commit: hash("0ddba11"), Verdict: search.VerdictSkip, At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), By: "--skip"},
		{Commit: hash("5678abc"), Verdict: search.VerdictGood, At: time.Date(2026, 3, 1, 9, 12, 30, 0, time.UTC), By: "mark"},
	}
	steps := all["staircase"].Result
	steps.Found = []engine.ResultFound{
		{Culprit: hash("3456abc"), LastGood: hash("5678abc"), Candidates: []string{hash("3456abc")}, Probability: 0.99, ChangePct: 34.36, Good: steps.Good, Bad: steps.Bad},
		{LastGood: hash("a1b2c3d"), Candidates: []string{hash("0ddba11"), hash("5678abc")}, Probability: 0.95, ChangePct: 2.4, Good: steps.EndGood, Bad: steps.Good},
	}
	steps.ExplainedPct = 97
	return all
}
