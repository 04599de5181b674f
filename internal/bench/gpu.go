package bench

import (
	"fmt"
	"math"
	"strings"
)

// GPU is one reading of one device. A pointer is nil where the source has no
// such value: "unknown" must not look like 0.
type GPU struct {
	// Source is "sysfs", "amd-smi", "rocm-smi" or "nvidia-smi"; readings of
	// different sources are not comparable. Index counts as that source does.
	Source string `json:"source"`
	Index  int    `json:"index"`
	Name   string `json:"name,omitempty"`
	// TempC is the hottest of the sensors read, in degrees Celsius.
	TempC *float64 `json:"temp_c,omitempty"`
	// ClockMHz is the shader clock now, MaxClockMHz its highest state.
	ClockMHz    *float64 `json:"clock_mhz,omitempty"`
	MaxClockMHz *float64 `json:"max_clock_mhz,omitempty"`
	// BusyPct is the share of time in which the device computed, 0 to 100.
	BusyPct *float64 `json:"busy_pct,omitempty"`
	PowerW  *float64 `json:"power_w,omitempty"`
	// Throttle lists why the clock is held down, in the words of the source. A
	// bound that the user chose (locked clocks) and idling are not in it.
	Throttle []string `json:"throttle,omitempty"`
	// Processes are those that hold the device, where the source tells.
	Processes []GPUProcess `json:"processes,omitempty"`
}

// GPUProcess is a process that holds a device.
type GPUProcess struct {
	PID   int    `json:"pid"`
	Name  string `json:"name,omitempty"`
	Bytes int64  `json:"bytes,omitempty"` // device memory, 0 if unknown
}

// idlePct is the load up to which a device counts as idle.
const idlePct = 5

// thermal returns the throttle reasons that heat explains.
func (g GPU) thermal() []string {
	var hot []string
	for _, reason := range g.Throttle {
		if strings.Contains(reason, "thermal") {
			hot = append(hot, reason)
		}
	}
	return hot
}

// hotter reports why g is too hot to measure, "" if it is not, or not known to be.
func (g GPU) hotter(limitC float64) string {
	if g.TempC != nil && *g.TempC > limitC {
		return fmt.Sprintf("hot: GPU %d at %.0f C, limit %.0f C", g.Index, *g.TempC, limitC)
	}
	if reasons := g.thermal(); len(reasons) > 0 {
		return fmt.Sprintf("throttled: GPU %d: %s", g.Index, strings.Join(reasons, ", "))
	}
	return ""
}

// number returns a pointer to v, nil if v is no number.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// hottest returns the greater of two readings, either of which may be missing.
func hottest(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
