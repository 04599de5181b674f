package bench

import (
	"fmt"
	"math"
	"strings"
)

// What two readings may differ by and still be the same state: the run-to-run
// spread of an idle machine, seen in ROCm/rocm-libraries#7201 (a hold within
// 10 C costs nothing) and tensara/tensara#226 (37 C and 8 % of clock are not the
// same state).
const (
	sameTempC    = 15
	sameClockPct = 10
)

// MixedStates says in which ways the machine was in another state at b than at
// a, one sentence each; nil means that they can be compared. Only what both
// readings know is compared.
func MixedStates(a, b Conditions) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if a.CPU.Governor != b.CPU.Governor {
		say("CPU governor %q, then %q", a.CPU.Governor, b.CPU.Governor)
	}
	if a.CPU.Load1 != nil && b.CPU.Load1 != nil && busyCPU(a.CPU) != busyCPU(b.CPU) {
		say("load of %d CPUs %.1f, then %.1f", b.CPU.Count, *a.CPU.Load1, *b.CPU.Load1)
	}
	for _, x := range a.GPUs {
		for _, y := range b.GPUs {
			if x.Source != y.Source || x.Index != y.Index {
				continue
			}
			if apart(x.TempC, y.TempC) > sameTempC {
				say("GPU %d at %.0f C, then %.0f C", x.Index, *x.TempC, *y.TempC)
			}
			if bothBusy(x, y) && apart(x.ClockMHz, y.ClockMHz) > sameClock(x.ClockMHz) {
				say("GPU %d at %.0f MHz, then %.0f MHz", x.Index, *x.ClockMHz, *y.ClockMHz)
			}
			if p, q := strings.Join(x.Throttle, "+"), strings.Join(y.Throttle, "+"); p != q {
				say("GPU %d throttled by %q, then %q", x.Index, p, q)
			}
			if len(x.Processes) != len(y.Processes) {
				say("GPU %d held by %d processes, then %d", x.Index, len(x.Processes), len(y.Processes))
			}
		}
	}
	return out
}

// busyCPU reports whether more processes want to run than there are processors.
func busyCPU(c CPU) bool { return *c.Load1 > float64(c.Count) }

// sameClock returns the difference up to which a clock counts as unchanged.
func sameClock(mhz *float64) float64 {
	if mhz == nil {
		return 0
	}
	return *mhz * sameClockPct / 100
}

// bothBusy reports whether both clocks were read under load: an idle clock says
// nothing.
func bothBusy(x, y GPU) bool {
	return x.BusyPct != nil && y.BusyPct != nil && *x.BusyPct > idlePct && *y.BusyPct > idlePct
}

// apart returns the distance of two readings, 0 if one is missing.
func apart(a, b *float64) float64 {
	if a == nil || b == nil {
		return 0
	}
	return math.Abs(*a - *b)
}
