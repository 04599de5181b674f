package bench

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// parseAMDSMI reads the output of `amd-smi metric --json`: a list of devices up
// to ROCm 6.4, {"gpu_data": [...]} from ROCm 7 on, either after lines of warnings.
// A value is {"value": 42, "unit": "%"}, a bare number, or "N/A".
func parseAMDSMI(text string) ([]GPU, error) {
	devices, err := amdDevices(text)
	if err != nil {
		return nil, fmt.Errorf("reading amd-smi metric: %w", err)
	}
	var list []GPU
	for _, d := range devices {
		g := GPU{Source: "amd-smi", Index: int(d.Get("gpu").Int())}
		for _, sensor := range []string{"edge", "hotspot", "mem"} {
			g.TempC = hottest(g.TempC, amdValue(d.Get("temperature."+sensor)))
		}
		clock := amdClock(d)
		g.ClockMHz, g.MaxClockMHz = amdValue(clock.Get("clk")), amdValue(clock.Get("max_clk"))
		g.BusyPct = amdValue(d.Get("usage.gfx_activity"))
		g.PowerW = amdValue(d.Get("power.socket_power"))
		g.Throttle = amdThrottle(d, g.BusyPct)
		list = append(list, g)
	}
	return list, nil
}

// warningLines bounds how many lines in front of the JSON may look like its start.
const warningLines = 8

// jsonIn returns the JSON that begins at the start of a line of text and reaches
// to its end, or "".
func jsonIn(text string) string {
	for tries := 0; tries < warningLines && text != ""; {
		line, _, _ := strings.Cut(text, "\n")
		if s := strings.TrimSpace(line); s != "" && (s[0] == '[' || s[0] == '{') {
			if gjson.Valid(text) {
				return text
			}
			tries++
		}
		text = strings.TrimPrefix(text[len(line):], "\n")
	}
	return ""
}

// amdDevices returns the list of devices in text.
func amdDevices(text string) ([]gjson.Result, error) {
	text = jsonIn(text)
	if text == "" {
		return nil, errors.New("no JSON in it")
	}
	root := gjson.Parse(text)
	if data := root.Get("gpu_data"); data.Exists() {
		root = data
	}
	if !root.IsArray() {
		return nil, errors.New("no list of devices in it")
	}
	return root.Array(), nil
}

// amdClock returns the clock entry of the first shader engine, "gfx_0" or "GFX_0".
func amdClock(device gjson.Result) (clock gjson.Result) {
	device.Get("clock").ForEach(func(name, value gjson.Result) bool {
		if strings.EqualFold(name.Str, "gfx_0") || strings.EqualFold(name.Str, "gfx") {
			clock = value
			return false
		}
		return true
	})
	return clock
}

// amdValue returns a number with or without its unit, or nil for "N/A".
func amdValue(v gjson.Result) *float64 {
	if v.IsObject() {
		v = v.Get("value")
	}
	if v.Type != gjson.Number {
		return nil
	}
	return number(v.Num)
}

// amdThrottle lists the reasons: on MI300 and later the violations that are
// active, before that one word. Radeon firmware sets that word at idle too, for a
// hotspot that is cool (ROCm/rocm-systems#11781), so it is believed under load only.
func amdThrottle(d gjson.Result, busy *float64) []string {
	var reasons []string
	d.Get("throttle").ForEach(func(name, value gjson.Result) bool {
		kind, isStatus := strings.CutSuffix(name.Str, "_violation_status")
		if isStatus && value.Str == "ACTIVE" && !strings.Contains(kind, "low_utilization") {
			reasons = append(reasons, kind)
		}
		return true
	})
	if d.Get("power.throttle_status").Str == "THROTTLED" && busy != nil && *busy > idlePct {
		reasons = append(reasons, "throttled")
	}
	return reasons
}

// parseAMDProcesses reads the output of `amd-smi process --json` into processes
// by device index. Where there is none, process_info is a sentence.
func parseAMDProcesses(text string) (map[int][]GPUProcess, error) {
	devices, err := amdDevices(text)
	if err != nil {
		return nil, fmt.Errorf("reading amd-smi process: %w", err)
	}
	found := map[int][]GPUProcess{}
	for _, d := range devices {
		index := int(d.Get("gpu").Int())
		for _, p := range d.Get("process_list").Array() {
			info := p.Get("process_info")
			if pid := info.Get("pid").Int(); pid > 0 {
				found[index] = append(found[index], GPUProcess{PID: int(pid), Name: known(info.Get("name").Str), Bytes: amdBytes(info)})
			}
		}
	}
	return found, nil
}

// amdBytes returns the device memory of a process.
func amdBytes(info gjson.Result) int64 {
	for _, path := range []string{"memory_usage.vram_mem", "mem_usage"} {
		v := info.Get(path)
		if n := amdValue(v); n != nil {
			unit := map[string]float64{"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}[v.Get("unit").Str]
			return int64(*n * max(unit, 1))
		}
	}
	return 0
}

// known returns "" for the ways to say that a name is not known.
func known(name string) string {
	if name == "N/A" || name == "UNKNOWN" {
		return ""
	}
	return name
}

// parseROCmSMI reads the output of `rocm-smi --showtemp --showclocks --showuse
// --showpower --showproductname --json`: one object per card whose values are
// strings, and on some releases "system" beside them.
func parseROCmSMI(text string) ([]GPU, error) {
	root := gjson.Parse(jsonIn(text))
	if !root.IsObject() {
		return nil, errors.New("reading rocm-smi: no JSON object in it")
	}
	var list []GPU
	root.ForEach(func(name, card gjson.Result) bool {
		index, err := strconv.Atoi(strings.TrimPrefix(name.Str, "card"))
		if err == nil && card.IsObject() { // not "system"
			list = append(list, rocmCard(index, card))
		}
		return true
	})
	slices.SortFunc(list, func(a, b GPU) int { return a.Index - b.Index })
	return list, nil
}

// rocmCard reads one card. The keys changed case and wording over the releases:
// "(c)" and "(C)", "Average Graphics Package Power" and "Current Socket Graphics
// Package Power", "Card series" and "Card Series".
func rocmCard(index int, card gjson.Result) GPU {
	g := GPU{Source: "rocm-smi", Index: index}
	card.ForEach(func(name, field gjson.Result) bool {
		value := field.String()
		switch key := strings.ToLower(name.Str); {
		case strings.HasPrefix(key, "temperature"):
			g.TempC = hottest(g.TempC, rocmNumber(value))
		case strings.HasPrefix(key, "sclk clock speed"):
			g.ClockMHz = rocmNumber(value)
		case strings.HasPrefix(key, "gpu use"):
			g.BusyPct = rocmNumber(value)
		case strings.Contains(key, "package power") && !strings.HasPrefix(key, "max"):
			g.PowerW = rocmNumber(value)
		case key == "card series":
			g.Name = known(value)
		}
		return true
	})
	return g
}

// rocmNumber reads "59.0", "(2100Mhz)" or "68%", and returns nil for anything else.
func rocmNumber(s string) *float64 {
	s = strings.ToLower(strings.Trim(s, " ()%"))
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "mhz"), 64)
	if err != nil {
		return nil
	}
	return number(v)
}
