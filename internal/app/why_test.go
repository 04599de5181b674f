package app

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/metric"
)

func TestPathsWeight(t *testing.T) {
	tests := []struct {
		paths []string
		want  float64
		why   string
	}{
		{[]string{"README.md", "docs/index.html", ".github/workflows/ci.yml"}, weightDocs, "texts and CI run nowhere"},
		{[]string{"tests/test_gemm.py"}, weightDocs, "a test of a kernel is no kernel"},
		{[]string{"README.md", "src/main.c"}, weightOther, "the most relevant path counts"},
		{[]string{"python/triton/ops.py"}, weightKernel, "a folder of kernels"},
		{[]string{"a/b.HIP"}, weightKernel, "extensions in capitals"},
		{[]string{"CMakeLists.txt"}, weightKernel, "the build"},
		{[]string{"requirements-rocm.txt"}, weightKernel, "dependencies"},
		{[]string{"third_party/ck"}, weightKernel, "a submodule"},
		{[]string{"LICENSE"}, weightDocs, "a text without an extension"},
	}
	for _, tt := range tests {
		if got := pathsWeight(tt.paths, map[string]string{"third_party/ck": "x"}); got != tt.want {
			t.Errorf("%q weighs %v, want %v: %s", tt.paths, got, tt.want, tt.why)
		}
	}
	if priorRatio > 6 {
		t.Errorf("a wrong prior could cost %.1f bits", math.Log2(priorRatio))
	}
}

func TestDeviceTime(t *testing.T) {
	tests := []struct {
		spec string
		want bool
		why  string
	}{
		{"name:kernel_time", true, "a time of the device"},
		{"name:tflops", true, "a rate of the device"},
		{"time", false, "the wall time of the command"},
		{"exit", false, "a verdict on the program"},
		{"name:Output token throughput (tok/s)", false, "a server's rate"},
		{"json:host.ms", false, "says so itself"},
	}
	for _, tt := range tests {
		spec, err := metric.Parse(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := deviceTime(spec, ""); got != tt.want {
			t.Errorf("%s: %v, want %v: %s", tt.spec, got, tt.want, tt.why)
		}
	}
}

func TestPinPattern(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 2) + "01234567"
	tests := []struct{ text, want string }{
		{"triton @ git+https://x/y@" + long, long},
		{"GIT_TAG " + long + ")", long},
		{"sha: 'abcdef1'", "abcdef1"},
		{"ABCDEF1", ""},
		{"version 1.2.3", ""},
		{"x" + long, ""},
	}
	for _, tt := range tests {
		if got := strings.Join(pinPattern.FindAllString(tt.text, -1), ","); got != tt.want {
			t.Errorf("%q has the pin %q, want %q", tt.text, got, tt.want)
		}
	}
}

func level(commit string, value, cv float64) engine.ResultLevel {
	return engine.ResultLevel{Commit: commit, Level: search.Level{Value: value, N: 5, CV: cv}}
}

func TestProofOf(t *testing.T) {
	tests := []struct {
		name   string
		levels []engine.ResultLevel
		share  float64
		says   string
	}{
		{"all of it", []engine.ResultLevel{level("a", 10, 0.01), level("b", 10, 0.01), level("c", 14, 0.01)}, 100, "explains the gap"},
		{"half of it", []engine.ResultLevel{level("a", 10, 0), level("b", 12, 0), level("c", 14, 0)}, 50, "a part of the gap"},
		{"nothing", []engine.ResultLevel{level("a", 10, 0), level("b", 14, 0), level("c", 14, 0)}, 0, "next to nothing"},
		{"a rate, where more is better", []engine.ResultLevel{level("a", 14, 0), level("b", 14, 0), level("c", 10, 0)}, 100, "explains the gap"},
	}
	for _, tt := range tests {
		p := proofOf("revert", &engine.Result{Levels: tt.levels})
		if p.RecoveredPct == nil || math.Abs(*p.RecoveredPct-tt.share) > 1e-9 || !strings.Contains(p.Reason, tt.says) {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
	for name, levels := range map[string][]engine.ResultLevel{
		"a tree that does not build": {level("a", 10, 0), level("c", 14, 0)},
		"no gap this time":           {level("a", 10, 0), level("b", 10, 0), level("c", 10, 0)},
	} {
		if p := proofOf("revert", &engine.Result{Levels: levels}); p.RecoveredPct != nil || !strings.HasPrefix(p.Reason, "Not proved") {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestStaircaseNarrowsToTheLargestStep(t *testing.T) {
	p := &engine.Plan{Options: search.Options{Better: search.Lower, Find: "regression", MinGapPct: 1}}
	var rungs []rung
	var r engine.Result
	for i, v := range []float64{10, 9, 9.1, 14, 15} {
		name := string(rune('a' + i))
		for range 3 {
			p.Positions = append(p.Positions, engine.Position{Commit: name + string(rune('0'+len(p.Positions)))})
		}
		at := 3 * i
		rungs = append(rungs, rung{at, name})
		r.Levels = append(r.Levels, level(p.Positions[at].Commit, v, 0.002))
	}
	n, from, to := staircaseNote(p, rungs, &r)
	if from != 6 || to != 9 {
		t.Errorf("the largest step is searched in %d..%d, want 6..9", from, to)
	}
	if !strings.Contains(strings.Join(n.Prose, " "), "Between a and b it went the other way by 10.0 %") {
		t.Errorf("the improvement is not told: %q", n.Prose)
	}
	p.Options.Find = "improvement"
	if _, from, to = staircaseNote(p, rungs, &r); from != 0 || to != 3 {
		t.Errorf("the improvement is searched in %d..%d, want 0..3", from, to)
	}
}

func TestThinKeepsTheEnds(t *testing.T) {
	var rungs []rung
	for i := range 100 {
		rungs = append(rungs, rung{position: i})
	}
	got := thin(rungs, 4)
	if diff := cmp.Diff([]int{0, 33, 66, 99}, []int{got[0].position, got[1].position, got[2].position, got[3].position}); diff != "" {
		t.Error(diff)
	}
}

func TestWorstChange(t *testing.T) {
	kernels := []engine.KernelChange{
		{Kernel: "a", Before: map[string]float64{"vgpr": 64, "vgpr_spill": 0}, After: map[string]float64{"vgpr": 128, "vgpr_spill": 0}},
		{Kernel: "b", Before: map[string]float64{"vgpr_spill": 0, "occupancy": 8}, After: map[string]float64{"vgpr_spill": 128, "occupancy": 4}},
	}
	if kernel, column, words := worstChange(kernels); kernel != "b" || column != "vgpr_spill" || words != "vgpr_spill 0 to 128 in kernel b" {
		t.Errorf("worst is %s %s: %s", kernel, column, words)
	}
	better := []engine.KernelChange{{Kernel: "a", Before: map[string]float64{"occupancy": 4, "vgpr": 128}, After: map[string]float64{"occupancy": 8, "vgpr": 64}}}
	if kernel, _, _ := worstChange(better); kernel != "" {
		t.Errorf("an improvement counts as worse in %s", kernel)
	}
}
