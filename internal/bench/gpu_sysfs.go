package bench

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// readSysfs reads the AMD devices below root, which is /sys outside tests, in
// microseconds and without a process.
// Source: Linux Documentation/gpu/amdgpu/thermal.rst: hwmon tempN_input in
// millidegrees, freq1_input (gfx clock) in hertz, power1_average or power1_input
// in microwatts, gpu_busy_percent, pp_dpm_sclk.
func readSysfs(root string) []GPU {
	cards, _ := filepath.Glob(filepath.Join(root, "class/drm/card[0-9]*"))
	slices.SortFunc(cards, func(a, b string) int { return cardNumber(a) - cardNumber(b) })
	var list []GPU
	for _, card := range cards {
		device := filepath.Join(card, "device")
		if strings.Contains(filepath.Base(card), "-") || readText(device, "vendor") != "0x1002" {
			continue // a connector, or not AMD
		}
		list = append(list, sysfsDevice(cardNumber(card), device))
	}
	return list
}

func sysfsDevice(index int, device string) GPU {
	g := GPU{Source: "sysfs", Index: index, Name: readText(device, "product_name"), BusyPct: readScaled(device, "gpu_busy_percent", 1)}
	g.MaxClockMHz = lastState(readText(device, "pp_dpm_sclk"))
	monitors, _ := filepath.Glob(filepath.Join(device, "hwmon/hwmon*"))
	for _, m := range monitors {
		sensors, _ := filepath.Glob(filepath.Join(m, "temp*_input"))
		for _, s := range sensors {
			g.TempC = hottest(g.TempC, readScaled(m, filepath.Base(s), 1e-3))
		}
		g.ClockMHz = readScaled(m, "freq1_input", 1e-6)
		if g.PowerW = readScaled(m, "power1_average", 1e-6); g.PowerW == nil {
			g.PowerW = readScaled(m, "power1_input", 1e-6)
		}
	}
	return g
}

// lastState returns the clock of the highest of the states, one a line: "2: 2482Mhz *".
func lastState(table string) *float64 {
	fields := strings.Fields(table[strings.LastIndexByte(table, '\n')+1:])
	if len(fields) < 2 {
		return nil
	}
	return rocmNumber(fields[1])
}

func cardNumber(path string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(path), "card"))
	if err != nil {
		return -1
	}
	return n
}

// readText returns the content of a small file without the last newline, or "".
func readText(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// readScaled returns the number in a file, times scale, or nil.
func readScaled(dir, name string, scale float64) *float64 {
	v, err := strconv.ParseFloat(readText(dir, name), 64)
	if err != nil {
		return nil
	}
	return number(v * scale)
}
