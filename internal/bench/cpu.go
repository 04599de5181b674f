package bench

import (
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// CPU is one reading of the processor.
type CPU struct {
	// Count is the number of logical processors that we may use.
	Count int `json:"count"`
	// Load1 is the mean number of runnable processes over the last minute.
	Load1 *float64 `json:"load1,omitempty"`
	// Governor is the frequency policy of the processors read, "mixed" if they
	// differ; "" if unknown, as in most virtual machines.
	Governor string `json:"governor,omitempty"`
	// MeanMHz is the mean clock of the processors read.
	MeanMHz *float64 `json:"mean_mhz,omitempty"`
}

// cpusRead bounds how many processors are looked at, so that a reading stays
// cheap on a machine with hundreds.
const cpusRead = 16

// readCPU reads the files below the roots, /sys and /proc outside tests.
// Source: Linux Documentation/admin-guide/pm/cpufreq.rst, scaling_cur_freq in kHz.
func readCPU(sys, procfs string) CPU {
	c := CPU{Count: runtime.NumCPU()}
	if load, _, ok := strings.Cut(readText(procfs, "loadavg"), " "); ok {
		if v, err := strconv.ParseFloat(load, 64); err == nil {
			c.Load1 = number(v)
		}
	}
	policies, _ := filepath.Glob(filepath.Join(sys, "devices/system/cpu/cpu[0-9]*/cpufreq"))
	var governors []string
	sum, n := 0.0, 0
	for i := 0; i < len(policies); i += (len(policies)-1)/cpusRead + 1 {
		governors = append(governors, readText(policies[i], "scaling_governor"))
		if mhz := readScaled(policies[i], "scaling_cur_freq", 1e-3); mhz != nil {
			sum, n = sum+*mhz, n+1
		}
	}
	if n > 0 {
		c.MeanMHz = number(sum / float64(n))
	}
	slices.Sort(governors)
	switch governors = slices.Compact(governors); len(governors) {
	case 0:
	case 1:
		c.Governor = governors[0]
	default:
		c.Governor = "mixed"
	}
	return c
}
