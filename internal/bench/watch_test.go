package bench

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBusiest(t *testing.T) {
	n := number
	var c Conditions
	for _, g := range []GPU{
		{Source: "sysfs", BusyPct: n(0), ClockMHz: n(100), TempC: n(40)},
		{Source: "sysfs", BusyPct: n(99), ClockMHz: n(2100), TempC: n(60)},
		{Source: "amd-smi", BusyPct: n(98), ClockMHz: n(2090), TempC: n(70)},
		{Source: "sysfs", Index: 1, TempC: n(30)},
		{Source: "sysfs", BusyPct: n(99), ClockMHz: n(1900), TempC: n(66)}, // as busy, later
		{Source: "sysfs", BusyPct: n(3), ClockMHz: n(500), TempC: n(67)},
	} {
		c = busiest(c, Conditions{CPU: CPU{Count: len(c.GPUs)}, GPUs: []GPU{g}})
	}
	want := Conditions{CPU: CPU{Count: 3}, GPUs: []GPU{
		{Source: "sysfs", BusyPct: n(99), ClockMHz: n(1900), TempC: n(67)},
		{Source: "amd-smi", BusyPct: n(98), ClockMHz: n(2090), TempC: n(70)},
		{Source: "sysfs", Index: 1, TempC: n(30)},
	}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

func TestWatch(t *testing.T) {
	device := "class/drm/card0/device/"
	root := tree(t, map[string]string{device + "vendor": "0x1002", device + "gpu_busy_percent": "97"})
	synctest.Test(t, func(t *testing.T) {
		g := &Guard{Sys: root, Proc: root}
		if c := g.watch(t.Context())(); c.GPUs != nil {
			t.Errorf("nothing ran: %+v", c)
		}
		stop := g.watch(t.Context())
		<-time.After(2500 * time.Millisecond) // of the bubble's clock
		want := []GPU{{Source: "sysfs", BusyPct: number(97)}}
		if diff := cmp.Diff(want, stop().GPUs); diff != "" {
			t.Error(diff)
		}
	})
}
