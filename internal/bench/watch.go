package bench

import (
	"context"
	"time"
)

// watchEvery is the time between two readings while a benchmark runs.
const watchEvery = time.Second

// watch reads the state of the machine while a command runs, from sysfs and, where
// that knows no clocks, by nvidia-smi; the AMD tools are Python programs and would
// disturb what is measured. It goes on until the returned
// function is called, which returns for each device the reading under the highest
// load, with the highest temperature of all.
func (g *Guard) watch(ctx context.Context) (stop func() Conditions) {
	ctx, cancel := context.WithCancel(ctx)
	peak := make(chan Conditions, 1)
	go func() {
		var c Conditions
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c = busiest(c, g.read(ctx, "nvidia-smi"))
			case <-ctx.Done():
				peak <- c
				return
			}
		}
	}()
	return func() Conditions {
		cancel()
		return <-peak
	}
}

// busiest merges a later reading into c.
func busiest(c, later Conditions) Conditions {
	merged := Conditions{CPU: later.CPU, GPUs: append([]GPU(nil), c.GPUs...)}
	for _, g := range later.GPUs {
		i := indexOf(merged.GPUs, g)
		if i < 0 {
			merged.GPUs = append(merged.GPUs, g)
			continue
		}
		temp := hottest(merged.GPUs[i].TempC, g.TempC)
		if load(g) >= load(merged.GPUs[i]) {
			merged.GPUs[i] = g
		}
		merged.GPUs[i].TempC = temp
	}
	return merged
}

// indexOf returns where list has the device of g as the same source reads it.
func indexOf(list []GPU, g GPU) int {
	for i, other := range list {
		if other.Source == g.Source && other.Index == g.Index {
			return i
		}
	}
	return -1
}

// load returns the share of time in which g computed, -1 if unknown.
func load(g GPU) float64 {
	if g.BusyPct == nil {
		return -1
	}
	return *g.BusyPct
}
