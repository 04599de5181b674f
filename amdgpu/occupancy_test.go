package amdgpu

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// TestOccupancySteps holds the table against the steps that llc 22 prints when
// every register count is forced through it: the most VGPRs for each number of
// waves, in a kernel without LDS and with one wave a group.
func TestOccupancySteps(t *testing.T) {
	for _, c := range []struct {
		processor string
		wave      int64
		steps     [][2]int64 // VGPRs, waves
	}{
		{"gfx906", 64, [][2]int64{{24, 10}, {28, 9}, {32, 8}, {36, 7}, {40, 6}, {48, 5}, {64, 4}, {84, 3}, {128, 2}, {256, 1}}},
		{"gfx942", 64, [][2]int64{{64, 8}, {72, 7}, {80, 6}, {96, 5}, {128, 4}, {168, 3}, {256, 2}, {512, 1}}},
		{"gfx1010", 32, [][2]int64{{48, 20}, {56, 18}, {64, 16}, {72, 14}, {80, 12}, {88, 11}, {96, 10}, {112, 9}, {128, 8}, {144, 7}, {168, 6}, {200, 5}, {256, 4}}},
		{"gfx1030", 32, [][2]int64{{64, 16}, {80, 12}, {96, 10}, {112, 9}, {128, 8}, {144, 7}, {160, 6}, {192, 5}, {256, 4}}},
		{"gfx1100", 32, [][2]int64{{96, 16}, {120, 12}, {144, 10}, {168, 9}, {192, 8}, {216, 7}, {240, 6}}},
		{"gfx1100", 64, [][2]int64{{48, 16}, {60, 12}, {72, 10}, {84, 9}, {96, 8}, {108, 7}, {120, 6}, {144, 5}, {192, 4}}},
		{"gfx1250", 32, [][2]int64{{64, 16}, {128, 8}, {256, 4}, {336, 3}, {512, 2}, {1024, 1}}},
	} {
		h, ok := hardwareOf(Target{Processor: c.processor}, c.wave, false)
		if !ok {
			t.Fatalf("%s is not in the table", c.processor)
		}
		for i, s := range c.steps {
			if got, _ := h.occupancy(demand{vgprs: s[0], wave: c.wave}); got != s[1] {
				t.Errorf("%s wave%d: %d VGPRs give %d waves, want %d", c.processor, c.wave, s[0], got, s[1])
			}
			if i+1 < len(c.steps) {
				if got, _ := h.occupancy(demand{vgprs: s[0] + 1, wave: c.wave}); got >= s[1] {
					t.Errorf("%s wave%d: %d VGPRs still give %d waves", c.processor, c.wave, s[0]+1, got)
				}
			}
		}
	}
}

func TestOccupancyLimiter(t *testing.T) {
	h, _ := hardwareOf(Target{Processor: "gfx90a"}, 64, false)
	for _, c := range []struct {
		reason  string
		d       demand
		waves   int64
		limiter Limiter
	}{
		{"nothing limits", demand{vgprs: 64, sgprs: 100, group: 64, wave: 64}, 8, NoLimiter},
		{"registers", demand{vgprs: 65, sgprs: 100, group: 64, wave: 64}, 7, LimitedByVGPR},
		{"scalars over 100", demand{vgprs: 64, sgprs: 101, group: 64, wave: 64}, 7, LimitedBySGPR},
		{"two groups of 4 waves fit the LDS: 2 waves on each of 4 SIMDs", demand{vgprs: 64, ldsBytes: 32768, group: 256, wave: 64}, 2, LimitedByLDS},
		{"LDS larger than the unit has still runs one group in the model", demand{vgprs: 64, ldsBytes: 100000, group: 64, wave: 64}, 1, LimitedByLDS},
		{"5 waves a group: 6 groups are 30 of 32 slots, which 4 SIMDs share as 8", demand{vgprs: 64, group: 320, wave: 64}, 8, NoLimiter},
		{"no work-group size: LDS says nothing", demand{vgprs: 64, ldsBytes: 32768, wave: 64}, 8, NoLimiter},
	} {
		waves, limiter := h.occupancy(c.d)
		if waves != c.waves || limiter != c.limiter {
			t.Errorf("%s: %d by %s, want %d by %s", c.reason, waves, limiter, c.waves, c.limiter)
		}
	}
}

// TestOccupancyLaws: asking for more never gives more waves, and there is
// always at least one and never more than the hardware has.
func TestOccupancyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		processor := rapid.SampledFrom([]string{"gfx700", "gfx900", "gfx908", "gfx90a", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1200", "gfx1250"}).Draw(t, "processor")
		wave := rapid.SampledFrom([]int64{32, 64}).Draw(t, "wave")
		h, _ := hardwareOf(Target{Processor: processor}, wave, rapid.Bool().Draw(t, "cu"))
		d := demand{
			vgprs: rapid.Int64Range(0, 2048).Draw(t, "vgprs"), sgprs: rapid.Int64Range(0, 200).Draw(t, "sgprs"),
			ldsBytes: rapid.Int64Range(0, 1<<20).Draw(t, "lds"), group: rapid.Int64Range(0, 1024).Draw(t, "group"), wave: wave,
		}
		waves, limiter := h.occupancy(d)
		if waves < 1 || waves > h.maxWaves || (limiter == NoLimiter) != (waves == h.maxWaves) {
			t.Fatalf("%+v: %d waves by %s of at most %d", d, waves, limiter, h.maxWaves)
		}
		more := d
		more.vgprs, more.sgprs, more.ldsBytes = d.vgprs+1, d.sgprs+1, d.ldsBytes+1
		if w, _ := h.occupancy(more); w > waves {
			t.Fatalf("%+v gives %d waves, one more of each gives %d", d, waves, w)
		}
	})
}

// TestOccupancyOfCorpus compares with the occupancy that LLVM itself prints.
func TestOccupancyOfCorpus(t *testing.T) {
	var doc struct {
		Units map[string]struct {
			LLVM    string
			Twin    string
			Kernels map[string]struct {
				LLVMOccupancy *int64 `json:"llvm_occupancy"`
			}
		}
	}
	if err := json.Unmarshal(corpusFile(t, "expected.json"), &doc); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for id, u := range doc.Units {
		s, _ := LoadBytes("twin.o", corpusFile(t, u.Twin))
		for _, k := range s.Kernels {
			want := u.Kernels[k.Name].LLVMOccupancy
			if want == nil || u.LLVM == "14" { // 14 has an older rule for small groups
				continue
			}
			compared++
			if got := k.Metrics[Occupancy]; got.Value != *want {
				t.Errorf("%s: %s: %s waves, LLVM says %d", id, k.Name, got, *want)
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d kernels were compared", compared)
	}
}
