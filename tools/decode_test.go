package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"perfbisect/internal/app"
)

type sample struct {
	samplePart
	Count  int      `json:"count" desc:"d"`
	Share  float64  `json:"share" desc:"d"`
	On     bool     `json:"on" desc:"d"`
	Mode   string   `json:"mode" enum:"auto,step" desc:"d"`
	Labels []string `json:"labels" desc:"d"`
}

type samplePart struct {
	Name string `json:"name" need:"true" desc:"d"`
}

func TestDecode(t *testing.T) {
	whole := sample{samplePart{"n"}, 3, 0.5, true, "step", []string{"a", "b"}}
	with := func(change func(*sample)) sample {
		s := sample{samplePart: samplePart{"n"}, Count: 7, Mode: "auto"}
		change(&s)
		return s
	}
	tests := []struct {
		why  string
		json string
		want sample
		err  string // a part of the error; "" for none
	}{
		{"exact types", `{"name":"n","count":3,"share":0.5,"on":true,"mode":"step","labels":["a","b"]}`, whole, ""},
		{"models quote numbers and switches", `{"name":"n","count":"3","share":"0.5","on":"true","mode":"step","labels":["a","b"]}`, whole, ""},
		{"a list in a string", `{"name":"n","count":3,"share":0.5,"on":"True","mode":"step","labels":"[\"a\",\"b\"]"}`, whole, ""},
		{"one string for a list", `{"name":"n","labels":"a"}`, with(func(s *sample) { s.Labels = []string{"a"} }), ""},
		{"an object for a list of settings", `{"name":"n","labels":{"b":2,"a":true}}`, with(func(s *sample) { s.Labels = []string{"a=true", "b=2"} }), ""},
		{"absent, null and empty keep the default", `{"name":"n","count":null,"mode":""}`, with(func(*sample) {}), ""},
		{"an all-digit tag is a number in JSON", `{"name":1234567}`, with(func(s *sample) { s.Name = "1234567" }), ""},
		{"zero is a value", `{"name":"n","count":0}`, with(func(s *sample) { s.Count = 0 }), ""},
		{"3.0 is whole", `{"name":"n","count":3.0}`, with(func(s *sample) { s.Count = 3 }), ""},
		{"missing", `{}`, sample{}, "name is missing"},
		{"empty is missing", `{"name":""}`, sample{}, "name is missing"},
		{"near miss", `{"name":"n","cuont":3}`, sample{}, `unknown argument "cuont" (did you mean "count"?); the arguments are: name, count`},
		{"no near name", `{"name":"n","zzzzzz":3}`, sample{}, `unknown argument "zzzzzz"; the arguments`},
		{"not whole", `{"name":"n","count":2.5}`, sample{}, "count is 2.5, must be a whole number"},
		{"beyond int32", `{"name":"n","count":1e300}`, sample{}, "count is 1e+300, must be a whole number"},
		{"not a number", `{"name":"n","share":"many"}`, sample{}, `share is "many", must be a number`},
		{"NaN is no number", `{"name":"n","share":"NaN"}`, sample{}, `share is "NaN", must be a number`},
		{"not a switch", `{"name":"n","on":"maybe"}`, sample{}, `on is "maybe", must be true or false`},
		{"not one of", `{"name":"n","mode":"fast"}`, sample{}, `mode is "fast", must be one of: auto, step`},
		{"a list of lists", `{"name":"n","labels":[["a"]]}`, sample{}, `labels is [["a"]], must be a list of strings`},
		{"a list for a string", `{"name":["n"]}`, sample{}, `name is ["n"], must be a string`},
		{"no object", `[1]`, sample{}, "arguments are [1], must be an object"},
		{"everything wrong is said at once", `{"count":"x","mode":"y"}`, sample{}, "name is missing\ncount is \"x\", must be a whole number\nmode is"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			var arguments any
			if err := json.Unmarshal([]byte(tt.json), &arguments); err != nil {
				t.Fatal(err)
			}
			got := sample{Count: 7, Mode: "auto"}
			err := decode(arguments, &got)
			switch {
			case tt.err != "":
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want one with %q", err, tt.err)
				}
			case err != nil:
				t.Error(err)
			default:
				if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(sample{})); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			}
		})
	}
}

// TestUnknownArgumentsSayWhere: an argument that a tool does not have says what
// it is called there, or how it goes into options.
func TestUnknownArgumentsSayWhere(t *testing.T) {
	start, preview, baseline := any(&startArgs{}), any(&previewArgs{}), any(&baselineArgs{})
	tests := []struct {
		why  string
		into any
		json string
		want string
	}{
		{"a flag", start, `{"overlay":"bench.py"}`, `unknown argument "overlay" (put it into options: ["overlay=bench.py"])`},
		{"near another argument too", start, `{"find":"improvement"}`, `(put it into options: ["find=improvement"])`},
		{"with -", start, `{"first-parent":false}`, `(put it into options: ["first_parent=false"])`},
		{"a number", start, `{"max_runs":40}`, `(put it into options: ["max_runs=40"])`},
		{"several values", start, `{"skip":["a","b"]}`, `(put it into options: ["skip=a", "skip=b"])`},
		{"an object", start, `{"env":{"A":1}}`, `(put it into options: ["env=A=1"])`},
		{"no value", start, `{"confidence":null}`, `(put it into options: ["confidence=quick|normal|strict"])`},
		{"a switch without a value", start, `{"all":[]}`, `(put it into options: ["all=true"])`},
		{"a long value", start, `{"patch":"` + strings.Repeat("x", 5000) + `"}`, `(put it into options: ["patch=FILE"])`},
		{"an argument with -", start, `{"bench-cmd":"x"}`, `(did you mean "bench_cmd"?)`},
		{"the name elsewhere", start, `{"command":"x"}`, `(did you mean "bench_cmd"?)`},
		{"the name of the flag", start, `{"build":"make"}`, `(did you mean "build_cmd"?)`},
		{"the name of the flag", start, `{"timeout":9}`, `(did you mean "timeout_s"?)`},
		{"another word", start, `{"repository":"."}`, `(did you mean "repo"?)`},
		{"the name elsewhere", preview, `{"bench_cmd":"x"}`, `(did you mean "command"?)`},
		{"no options here", preview, `{"overlay":"x"}`, `unknown argument "overlay"; the arguments are`},
		{"an argument only elsewhere", baseline, `{"build_cmd":"make && make install"}`, `(put it into options: ["build=make && make install"])`},
		{"a list is shown", start, `{"options":[{"a":1}]}`, `must be a list of strings, such as ["first_parent=false"]`},
	}
	for _, tt := range tests {
		var arguments any
		if err := json.Unmarshal([]byte(tt.json), &arguments); err != nil {
			t.Fatal(err)
		}
		if err := decode(arguments, tt.into); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %s: error %v, want one with %q", tt.why, tt.json, err, tt.want)
		}
	}
}

// TestDecodeAnything: no argument, however odd, panics or is taken silently.
func TestDecodeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(
			rapid.Just[any](nil), rapid.Map(rapid.Float64(), box), rapid.Map(rapid.String(), box), rapid.Map(rapid.Bool(), box),
			rapid.Map(rapid.SliceOf(rapid.Map(rapid.String(), box)), func(l []any) any { return l }),
		)
		arguments := rapid.MapOf(rapid.SampledFrom([]string{"name", "count", "share", "on", "mode", "labels", "x"}), value).Draw(t, "arguments")
		var s sample
		if err := decode(arguments, &s); err == nil && (s.Name == "" || arguments["x"] != nil) {
			t.Fatalf("accepted %v", arguments)
		}
	})
}

func box[T any](v T) any { return v }

func FuzzDecode(f *testing.F) {
	f.Add(`{"name":"n","count":"3"}`)
	f.Add(`{"labels":"[1,[2]]"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var arguments any
		if json.Unmarshal([]byte(text), &arguments) != nil {
			return
		}
		var s startArgs
		if err := decode(arguments, &s); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}

func TestSetOptions(t *testing.T) {
	tests := []struct {
		why     string
		options []string
		want    func(*app.Spec)
		err     string
	}{
		{"name=value", []string{"min_gap=5"}, func(s *app.Spec) { s.MinGapPct = 5 }, ""},
		{"as a flag", []string{"--min-gap=5", "--first-parent=false"}, func(s *app.Spec) { s.MinGapPct, s.FirstParent = 5, false }, ""},
		{"a bare switch is on", []string{"all"}, func(s *app.Spec) { s.All = true }, ""},
		{"a value with =", []string{"env=A=B"}, func(s *app.Spec) { s.Env = []string{"A=B"} }, ""},
		{"repeated", []string{"path=a", "path=b"}, func(s *app.Spec) { s.Path = []string{"a", "b"} }, ""},
		{"the argument's name", []string{"build_cmd=make"}, func(s *app.Spec) { s.BuildCmd = "make" }, ""},
		{"a bare name that needs a value", []string{"checkout"}, nil, "needs a value: checkout=clone|worktree|in-place"},
		{"near miss", []string{"confidnce=strict"}, nil, `unknown option "confidnce" (did you mean "confidence"?)`},
		{"unknown", []string{"qqqqqqqq=1"}, nil, "the options are: repo, good"},
		{"bad value", []string{"jobs=many"}, nil, `jobs is "many", must be a whole number`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, want := app.DefaultSpec(), app.DefaultSpec()
			err := setOptions(&got, app.UseSearch, tt.options)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			tt.want(&want)
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
		})
	}
}

// TestOptionsOfUses: each tool takes the options that have an effect on what it does.
func TestOptionsOfUses(t *testing.T) {
	tests := []struct {
		why    string
		use    app.Use
		option string
		err    string
	}{
		{"a comparison repeats its runs", app.UseCompare, "num_runs=5", ""},
		{"a comparison searches nothing", app.UseCompare, "confidence=strict", `option "confidence" has an effect on a search only; the options are: repo, bench_cmd`},
		{"a dump is built", app.UseDump, "build_cmd=make", ""},
		{"a dump runs no benchmark", app.UseDump, "metric=time", `option "metric" has an effect on a search only`},
		{"near miss of what counts here", app.UseDump, "artefact=x", `unknown option "artefact" (did you mean "artifact"?)`},
	}
	for _, tt := range tests {
		spec := app.DefaultSpec()
		err := setOptions(&spec, tt.use, []string{tt.option})
		if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: error %v, want one with %q", tt.why, err, tt.err)
		}
	}
}

// TestArgumentsWithoutEffect: what a tool would not look at is refused.
func TestArgumentsWithoutEffect(t *testing.T) {
	s := New(newFake(), Options{})
	defer s.Close()
	_, err := measureBaseline(t.Context(), s, baselineArgs{RunID: "r1", Options: []string{"num_runs=5"}})
	if err == nil || !strings.Contains(err.Error(), "leave out commits, bench_cmd and options") {
		t.Errorf("baseline_measure of a run: %v", err)
	}
	_, err = diffISA(t.Context(), s, isaDiffArgs{isaDiffPathArgs: isaDiffPathArgs{Before: "a", After: "b"}, Options: []string{"build=make"}})
	if err == nil || !strings.Contains(err.Error(), "options have no effect on before and after") {
		t.Errorf("isa_diff of paths: %v", err)
	}
}

// TestOtherNames: an argument's other name is understood, and loses against its own.
func TestOtherNames(t *testing.T) {
	var a hintsArgs
	if err := decode(map[string]any{"from": "v1", "to": "v2"}, &a); err != nil || a.BeforeRev != "v1" || a.AfterRev != "v2" {
		t.Errorf("%+v, %v", a, err)
	}
	if err := decode(map[string]any{"before_rev": "v3", "from": "v1"}, &a); err != nil || a.BeforeRev != "v3" {
		t.Errorf("%+v, %v", a, err)
	}
}
