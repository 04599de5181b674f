package report

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

func TestSureIsNeverOverstated(t *testing.T) {
	tests := map[float64]string{
		0: "", 0.5: "50.0 % sure", 0.992: "99.2 % sure", 0.9949: "99.4 % sure", 0.99949: "99.9 % sure", 0.9995: "more than 99.9 % sure", 1: "more than 99.9 % sure",
	}
	for p, want := range tests {
		if got := sure(p); got != want {
			t.Errorf("sure(%v) = %q, want %q", p, got, want)
		}
	}
}

func TestChangeIsInTheWordsOfTheUnit(t *testing.T) {
	tests := []struct {
		unit string
		pct  float64
		want string
	}{
		{"s", 39.63, "39.6 % slower"}, {"s", -12, "12.0 % faster"}, {"B/s", 5, "5.0 % slower"}, {"", 100, "100.0 % worse"}, {"B", -0.123, "0.12 % better"}, {"s", 0, "unchanged"},
	}
	for _, test := range tests {
		if got := change(&engine.Result{Unit: test.unit}, test.pct, search.Level{Value: 1, N: 3}, search.Level{Value: 2, N: 3}); got != test.want {
			t.Errorf("%v in %q: %q, want %q", test.pct, test.unit, got, test.want)
		}
	}
}

// TestChangeOfOddValues: of zero there is no percentage, and the words follow the
// metric's direction below zero too.
func TestChangeOfOddValues(t *testing.T) {
	tests := []struct {
		why       string
		unit      string
		better    search.Polarity
		good, bad float64
		want      string
	}{
		{"from zero", "", search.Lower, 0, 4, "worse, from 0 to 4"},
		{"from zero to the better", "s", search.Lower, 0, -0.25, "faster, from 0 s to -250 ms"},
		{"a rate from zero", "B/s", search.Higher, 0, 4e9, "faster, from 0 B/s to 4 GB/s"},
		{"zero stays zero", "", search.Lower, 0, 0, "unchanged"},
		{"to zero", "", search.Lower, 4, 0, "100.0 % better"},
		{"below zero, lower is better", "s", search.Lower, -0.1, -0.2, "100.0 % faster"},
		{"below zero, higher is better", "", search.Higher, -100, -200, "100.0 % worse"},
		{"towards zero", "s", search.Lower, -0.2, -0.1, "50.0 % slower"},
		{"across zero", "s", search.Lower, -0.1, 0.1, "200.0 % slower"},
	}
	for _, test := range tests {
		good, bad := search.Level{Value: test.good, N: 3}, search.Level{Value: test.bad, N: 3}
		r := &engine.Result{Unit: test.unit, Better: test.better}
		if got := change(r, search.ChangePct(test.better, test.good, test.bad), good, bad); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

// TestReportFromZero: no report of a step from zero gives a percentage of it.
func TestReportFromZero(t *testing.T) {
	d := foundDocument()
	d.Result.Unit, d.Result.ChangePct, d.Result.GapPct = "", 100, 100
	d.Result.Good, d.Result.Bad = search.Level{N: 3}, search.Level{Value: 4, N: 3}
	d.Result.EndGood, d.Result.EndBad = d.Result.Good, d.Result.Bad
	text := Summary(d) + render(t, "txt", d)
	for _, want := range []string{"made the benchmark worse: 0 before, 4 after", "worse, from 0 to 4", "0 to 4, worse", "0 (3 runs)\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "100.0 %") {
		t.Errorf("a percentage of zero in\n%s", text)
	}
}

func TestElapsed(t *testing.T) {
	tests := map[float64]string{0: "0s", 0.0123: "12ms", 4.26: "4.3s", 59.94: "59.9s", 60: "1m", 220: "3m40s", 3600: "1h0m", 1e300: "277777h46m40s"}
	for seconds, want := range tests {
		if got := elapsed(seconds); got != want {
			t.Errorf("elapsed(%v) = %q, want %q", seconds, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"a colour", "a\x1b[1;31mred\x1b[0m", "ared"},
		{"the name of the window", "a\x1b]0;title\x07b", "ab"},
		{"a link of the terminal", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"a string that does not end takes all", "a\x1bPq", "a"},
		{"an escape at the end", "a\x1b", "a"},
		{"a C1 control", "a\u009b31mb", "a31mb"},
		{"backspaces", "good\b\b\b\bbad", "goodbad"},
		{"a carriage return hides nothing", "bad\rgood", "badgood"},
		{"Windows line ends", "a\r\nb", "a\nb"},
		{"the direction of text", "a\u202eb\u2066c", "abc"},
		{"broken UTF-8", "a\xffb", "a\uFFFDb"},
		{"other scripts stay", "größe 大きさ", "größe 大きさ"},
	}
	for _, test := range tests {
		if got := clean(test.in); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestCodeSpans(t *testing.T) {
	tests := map[string]string{
		"a": "`a`", "a`b": "``a`b``", "`a`": "`` `a` ``", "a``b": "```a``b```", "": "", "a\nb": "`a b`",
	}
	for in, want := range tests {
		if got := code(in); got != want {
			t.Errorf("code(%q) = %q, want %q", in, got, want)
		}
	}
	if got, want := codeCell("a|b"), "`a\\|b`"; got != want {
		t.Errorf("codeCell: %q, want %q", got, want)
	}
}

// Whatever was measured, every mark lies on the canvas and no number is NaN.
func TestChartOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &engine.Result{Outcome: search.Found, Culprit: "c1", Unit: rapid.SampledFrom([]string{"s", "B/s", ""}).Draw(t, "unit")}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			p := rapid.IntRange(0, 200).Draw(t, "position")
			step := engine.ResultStep{Position: p, Commit: "c" + string(rune('0'+p%10)), Outcome: search.OK, Label: rapid.SampledFrom([]string{"good", "bad", "between", ""}).Draw(t, "label")}
			step.Values = rapid.SliceOfN(rapid.Float64(), 0, 4).Draw(t, "values")
			if len(step.Values) == 0 {
				step.Outcome = search.Timeout
			}
			r.Steps = append(r.Steps, step)
		}
		d := &Document{Result: r}
		got := drawing(d).String()
		if strings.Contains(got, "NaN") || strings.Contains(got, "Inf\"") {
			t.Fatal(got)
		}
		for _, s := range newChart(r).slots {
			for _, v := range s.values {
				if at := newChart(r).scale.at(v); !(at >= 0 && at <= 1) {
					t.Fatalf("%v lies at %v", v, at)
				}
			}
		}
	})
}

// One value at the end of the range leaves no room above it.
func TestScaleOfTheLargest(t *testing.T) {
	for _, v := range []float64{math.MaxFloat64, -math.MaxFloat64} {
		for _, tick := range newScale(v, v).ticks() {
			if math.IsInf(tick, 0) || math.IsNaN(tick) {
				t.Errorf("%v has a tick at %v", v, tick)
			}
		}
	}
}

func TestTicksAreRound(t *testing.T) {
	tests := []struct {
		low, high float64
		want      []float64
	}{
		{0, 10, []float64{0, 2, 4, 6, 8, 10}}, {130, 210, []float64{140, 160, 180, 200}}, {-1, 1, []float64{-1, -0.5, 0, 0.5, 1}},
	}
	for _, test := range tests {
		got := scale{low: test.low, high: test.high}.ticks()
		if len(got) != len(test.want) {
			t.Errorf("%v to %v: %v, want %v", test.low, test.high, got, test.want)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-test.want[i]) > 1e-9 {
				t.Errorf("%v to %v: %v, want %v", test.low, test.high, got, test.want)
			}
		}
	}
}

// What was found to be faster is called an improvement, looked for or not.
func TestImprovements(t *testing.T) {
	for _, outcome := range []search.FindingOutcome{search.Found, search.FoundAmong} {
		d := foundDocument()
		d.Result.Outcome, d.Result.ChangePct = outcome, -34.36
		text := render(t, "txt", d)
		for _, want := range []string{"PERFORMANCE IMPROVEMENT BISECT RESULT", "Improvement introduced by", "34.4 % faster"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", outcome, want, text)
			}
		}
	}
	d := foundDocument()
	d.Plan.Options.Find, d.Result.Outcome = "improvement", search.NoRegression
	if s := Summary(d); !strings.HasPrefix(s, "No improvement between v0.2.0 and HEAD.") {
		t.Error(s)
	}
}

// Long lists are cut for people, and say so.
func TestLongLists(t *testing.T) {
	d := foundDocument()
	d.Result.Outcome, d.Result.Culprit = search.FoundAmong, ""
	for range 500 {
		d.Result.Candidates = append(d.Result.Candidates, hash("7777777"))
		d.Files = append(d.Files, FileStat{Path: "x", Added: 1})
	}
	text := render(t, "txt", d)
	if strings.Count(text, "7777777") > mostCommits || !strings.Contains(text, "and 451 more, listed in the JSON") || !strings.Contains(text, "and 452 more files") || !strings.Contains(text, "502 files, +523 -22 lines") {
		t.Error(text)
	}
	if js := render(t, "json", d); strings.Count(js, hash("7777777")) != 500 {
		t.Error("the JSON is cut too")
	}
}
