package bench

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWaitCool(t *testing.T) {
	tests := []struct {
		why   string
		temps []float64 // one a reading, the last one for ever
		maxW  time.Duration
		mark  string
		took  time.Duration
		reads int
	}{
		{"cool at once", []float64{60}, time.Minute, "", 0, 1},
		{"cools down", []float64{90, 80, 70}, time.Minute, "", 4 * time.Second, 3},
		{"stays hot: run all the same, marked", []float64{90}, 5 * time.Second, "hot: GPU 0 at 90 C, limit 75 C, after 5s of waiting", 5 * time.Second, 4},
		{"no wait allowed", []float64{90}, 0, "hot: GPU 0 at 90 C, limit 75 C, after 0s of waiting", 0, 1},
		{"exactly the limit is cool", []float64{75}, time.Minute, "", 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reads := 0
				read := func(context.Context) Conditions {
					reads++
					return Conditions{GPUs: []GPU{{TempC: number(tt.temps[min(reads, len(tt.temps))-1])}}}
				}
				start := time.Now()
				c := waitCool(t.Context(), read, 75, tt.maxW, 0)
				if c.Mark != tt.mark || time.Since(start) != tt.took || reads != tt.reads {
					t.Errorf("mark %q after %v and %d readings, want %q, %v, %d", c.Mark, time.Since(start), reads, tt.mark, tt.took, tt.reads)
				}
			})
		})
	}
}

func TestWaitCoolCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		hot := func(context.Context) Conditions {
			return Conditions{GPUs: []GPU{{Index: 2, TempC: number(20), Throttle: []string{"sw_power_cap", "hw_thermal_slowdown"}}}}
		}
		if c := waitCool(ctx, hot, 75, time.Hour, 0); c.Mark != "throttled: GPU 2: hw_thermal_slowdown" {
			t.Errorf("mark %q", c.Mark)
		}
	})
}

func TestReadCPU(t *testing.T) {
	files := map[string]string{
		"proc/loadavg": "12.50 8.00 3.00 3/812 4711\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":  "powersave\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq":  "1200000\n",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":  "performance\n",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq":  "3600000\n",
		"sys/devices/system/cpu/cpufreq/policy0/scaling_driver": "amd-pstate\n",
	}
	root := tree(t, files)
	got := readCPU(root+"/sys", root+"/proc")
	want := CPU{Count: got.Count, Load1: number(12.5), Governor: "mixed", MeanMHz: number(2400)}
	if diff := cmp.Diff(want, got); diff != "" || got.Count < 1 {
		t.Errorf("%s, %d processors", diff, got.Count)
	}
	if got := readCPU("/nowhere", "/nowhere"); got.Load1 != nil || got.Governor != "" || got.MeanMHz != nil {
		t.Errorf("a machine that tells nothing: %+v", got)
	}
}

func TestMixedStates(t *testing.T) {
	cpu := CPU{Count: 8, Load1: number(1), Governor: "performance"}
	gpu := GPU{Source: "sysfs", TempC: number(50), ClockMHz: number(2000), BusyPct: number(99)}
	base := Conditions{CPU: cpu, GPUs: []GPU{gpu}}
	change := func(f func(*Conditions, *GPU)) Conditions {
		c := Conditions{CPU: cpu, GPUs: []GPU{gpu}}
		f(&c, &c.GPUs[0])
		return c
	}
	tests := []struct {
		why  string
		c    Conditions
		want string // substring of the only sentence; "" means none
	}{
		{"the same", base, ""},
		{"a little warmer", change(func(_ *Conditions, g *GPU) { g.TempC = number(64) }), ""},
		{"much warmer", change(func(_ *Conditions, g *GPU) { g.TempC = number(66) }), "50 C, then 66 C"},
		{"slower clock under load", change(func(_ *Conditions, g *GPU) { g.ClockMHz = number(1700) }), "2000 MHz, then 1700 MHz"},
		{"slower clock, but idle", change(func(_ *Conditions, g *GPU) { g.ClockMHz, g.BusyPct = number(100), number(0) }), ""},
		{"unknown clock is not another one", change(func(_ *Conditions, g *GPU) { g.ClockMHz, g.TempC, g.BusyPct = nil, nil, nil }), ""},
		{"throttled", change(func(_ *Conditions, g *GPU) { g.Throttle = []string{"ppt"} }), `throttled by "", then "ppt"`},
		{"somebody else", change(func(_ *Conditions, g *GPU) { g.Processes = []GPUProcess{{PID: 1}} }), "held by 0 processes, then 1"},
		{"another source says nothing", change(func(_ *Conditions, g *GPU) { g.Source, g.TempC = "amd-smi", number(99) }), ""},
		{"governor", change(func(c *Conditions, _ *GPU) { c.CPU.Governor = "powersave" }), `"performance", then "powersave"`},
		{"load", change(func(c *Conditions, _ *GPU) { c.CPU.Load1 = number(9) }), "load of 8 CPUs 1.0, then 9.0"},
		{"unknown load", change(func(c *Conditions, _ *GPU) { c.CPU.Load1 = nil }), ""},
	}
	for _, tt := range tests {
		got := MixedStates(base, tt.c)
		switch {
		case tt.want == "" && len(got) == 0:
		case tt.want != "" && len(got) == 1 && strings.Contains(got[0], tt.want):
		default:
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
}

// The tools are asked in their order, as seldom as told, and an old driver's
// field name is tried.
func TestGuardAsksTools(t *testing.T) {
	bin := tree(t, map[string]string{"nvidia-smi": `#!/bin/sh
case "$1" in
*clocks_event_reasons*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2;;
--query-gpu*) echo "0, GPU-1, Test, 50, 1000, 2000, 10, 30.5, 0x0000000000000000";;
--query-compute-apps*) echo "GPU-1, 7, other, 12";;
esac
`, "amd-smi": "#!/bin/sh\necho 'ERROR: no driver'\nexit 1\n"})
	g := &Guard{Supervisor: supervisor(t), Env: []string{"PATH=" + bin + ":/bin:/usr/bin"}, Sys: "/nowhere", Proc: "/nowhere"}
	want := []GPU{{
		Source: "nvidia-smi", Name: "Test", TempC: number(50), ClockMHz: number(1000), MaxClockMHz: number(2000), BusyPct: number(10), PowerW: number(30.5),
		Processes: []GPUProcess{{PID: 7, Name: "other", Bytes: 12 << 20}},
	}}
	if diff := cmp.Diff(want, g.Read(t.Context()).GPUs); diff != "" {
		t.Error(diff)
	}
	if again := g.Read(t.Context()).GPUs; again != nil {
		t.Errorf("asked again at once: %v", again)
	}
	off := &Guard{Supervisor: g.Supervisor, Env: g.Env, Sys: "/nowhere", Proc: "/nowhere", ToolEvery: -1}
	if got := off.Read(t.Context()).GPUs; got != nil {
		t.Errorf("asked although it is off: %v", got)
	}
}
