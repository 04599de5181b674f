package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reading returns a recorded output; testdata/gpu/README.md says of what.
func reading(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/gpu", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestParseGPUTools(t *testing.T) {
	nvidia := func(text string) ([]GPU, error) {
		list, at, err := parseNvidia(text)
		if err == nil {
			err = addNvidiaProcesses(reading(t, "nvidia-smi-apps.csv"), list, at)
		}
		return list, err
	}
	n := number
	tests := []struct {
		why, file string
		parse     func(string) ([]GPU, error)
		want      []GPU
	}{
		{
			"list after a warning; the hottest sensor is the memory", "amd-smi-metric-list.txt", parseAMDSMI,
			[]GPU{{Source: "amd-smi", TempC: n(62), ClockMHz: n(14), MaxClockMHz: n(2482), BusyPct: n(42), PowerW: n(20)}},
		},
		{
			"gpu_data; violations; a cap for low use is none", "amd-smi-metric-mi300x.json", parseAMDSMI,
			[]GPU{
				{Source: "amd-smi", TempC: n(97), ClockMHz: n(1714), MaxClockMHz: n(2100), BusyPct: n(97), PowerW: n(748), Throttle: []string{"ppt", "socket_thermal"}},
				{Source: "amd-smi", Index: 1, TempC: n(38), ClockMHz: n(132), MaxClockMHz: n(2100), BusyPct: n(0), PowerW: n(141)},
			},
		},
		{
			"THROTTLED at idle is not believed", "amd-smi-metric-idle-throttled.json", parseAMDSMI,
			[]GPU{{Source: "amd-smi", TempC: n(37), ClockMHz: n(5), MaxClockMHz: n(3350), BusyPct: n(0), PowerW: n(1)}},
		},
		{"N/A is unknown, not 0", "amd-smi-metric-na.json", parseAMDSMI, []GPU{{Source: "amd-smi"}}},
		{
			"clock in brackets", "rocm-smi-780m.json", parseROCmSMI,
			[]GPU{{Source: "rocm-smi", TempC: n(31), ClockMHz: n(800), BusyPct: n(19), PowerW: n(7.222)}},
		},
		{
			"(c) in lower case; the junction is hottest", "rocm-smi-2019.json", parseROCmSMI,
			[]GPU{{Source: "rocm-smi", TempC: n(103), PowerW: n(222)}},
		},
		{
			"cards out of order, a die without power, system beside cards", "rocm-smi-mi250.json", parseROCmSMI,
			[]GPU{
				{Source: "rocm-smi", Name: "AMD INSTINCT MI200 (MCM) OAM LC MBA HPE C2", TempC: n(47), ClockMHz: n(1700), BusyPct: n(100), PowerW: n(128)},
				{Source: "rocm-smi", Index: 1, Name: "AMD INSTINCT MI200 (MCM) OAM LC MBA HPE C2", TempC: n(45), ClockMHz: n(1090), BusyPct: n(0)},
			},
		},
		{
			"two reasons; idle is none; processes by uuid, one with commas", "nvidia-smi-a100.csv", nvidia,
			[]GPU{
				{
					Source: "nvidia-smi", Name: "NVIDIA A100-SXM4-80GB", TempC: n(83), ClockMHz: n(1155), MaxClockMHz: n(1410), BusyPct: n(100), PowerW: n(412.31),
					Throttle:  []string{"sw_power_cap", "sw_thermal_slowdown"},
					Processes: []GPUProcess{{PID: 4242, Name: "/usr/bin/python3", Bytes: 38142 << 20}, {PID: 5150, Name: "./bench --sizes 1, 2, 4"}},
				},
				{Source: "nvidia-smi", Index: 1, Name: "NVIDIA A100-SXM4-80GB", TempC: n(31), ClockMHz: n(210), MaxClockMHz: n(1410), BusyPct: n(0), PowerW: n(58.06)},
			},
		},
		{
			"not supported is unknown", "nvidia-smi-limited.csv", nvidia,
			[]GPU{{Source: "nvidia-smi", Name: "NVIDIA GeForce GT 1030", TempC: n(45)}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			got, err := tt.parse(reading(t, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseAMDProcesses(t *testing.T) {
	got, err := parseAMDProcesses(reading(t, "amd-smi-process.json"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[int][]GPUProcess{0: {{PID: 2266127, Bytes: 2040109465}, {PID: 4242, Name: "python3", Bytes: 512 << 20}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What is no reading is an error, never a device at 0 degrees.
func TestParseGPUGarbage(t *testing.T) {
	for _, text := range []string{
		"", "ERROR:root:Unable to detect any GPU devices", "{", "[1", "{\"card0\": 3}",
		"Field \"clocks_event_reasons.active\" is not a valid field to query.",
		"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
	} {
		if list, err := parseAMDSMI(text); err == nil && len(list) > 0 {
			t.Errorf("amd-smi %q: %v", text, list)
		}
		if list, err := parseROCmSMI(text); err == nil && len(list) > 0 {
			t.Errorf("rocm-smi %q: %v", text, list)
		}
		if list, _, err := parseNvidia(text); err == nil && len(list) > 0 {
			t.Errorf("nvidia-smi %q: %v", text, list)
		}
	}
}

func FuzzParseGPUTools(f *testing.F) {
	files, err := filepath.Glob("testdata/gpu/*-*")
	if err != nil || len(files) == 0 {
		f.Fatal("no recorded outputs:", err)
	}
	for _, file := range files {
		f.Add(reading(f, filepath.Base(file)))
	}
	f.Add(`{"card0": {"GPU use (%)": "NaN", "sclk clock speed:": "(infMhz)"}}`)
	f.Add(`[{"gpu": 1e999, "power": {"socket_power": 1e999}}]`)
	f.Fuzz(func(t *testing.T, text string) {
		amd, _ := parseAMDSMI(text)
		rocm, _ := parseROCmSMI(text)
		nvidia, at, _ := parseNvidia(text)
		for _, i := range at {
			if i < 0 || i >= len(nvidia) {
				t.Errorf("device %d of %d", i, len(nvidia))
			}
		}
		_ = addNvidiaProcesses(text, nvidia, at)
		_, _ = parseAMDProcesses(text)
		for _, list := range [][]GPU{amd, rocm, nvidia} {
			if _, err := json.Marshal(list); err != nil {
				t.Error(err)
			}
			for _, g := range list {
				if g.Source == "" {
					t.Error("a device without source")
				}
				_ = g.hotter(90)
				_ = MixedStates(Conditions{GPUs: list}, Conditions{GPUs: []GPU{g}})
			}
		}
	})
}

// tree writes files below a new folder, and returns it.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestReadSysfs(t *testing.T) {
	root := tree(t, map[string]string{
		"class/drm/card0/device/vendor":                           "0x8086\n", // the display adapter of the board
		"class/drm/card1-DP-1/device/vendor":                      "0x1002\n",
		"class/drm/card10/device/vendor":                          "0x1002\n",
		"class/drm/card1/device/vendor":                           "0x1002\n",
		"class/drm/card1/device/gpu_busy_percent":                 "97\n",
		"class/drm/card1/device/pp_dpm_sclk":                      "0: 500Mhz\n1: 1714Mhz *\n2: 2482Mhz\n",
		"class/drm/card1/device/hwmon/hwmon3/temp1_input":         "51000\n",
		"class/drm/card1/device/hwmon/hwmon3/temp2_input":         "64000\n",
		"class/drm/card1/device/hwmon/hwmon3/temp3_input":         "\n", // as read when the device sleeps
		"class/drm/card1/device/hwmon/hwmon3/freq1_input":         "1714000000\n",
		"class/drm/card1/device/hwmon/hwmon3/power1_average":      "212000000\n",
		"class/drm/card1/device/hwmon/hwmon3/power1_average_min":  "0\n",
		"class/drm/renderD128/device/vendor":                      "0x1002\n",
		"class/drm/version":                                       "drm 1.1.0 20060810\n",
		"class/drm/card1/device/hwmon/hwmon3/temp1_input_garbage": "x",
	})
	want := []GPU{
		{Source: "sysfs", Index: 1, TempC: number(64), ClockMHz: number(1714), MaxClockMHz: number(2482), BusyPct: number(97), PowerW: number(212)},
		{Source: "sysfs", Index: 10},
	}
	if diff := cmp.Diff(want, readSysfs(root)); diff != "" {
		t.Error(diff)
	}
	if got := readSysfs(t.TempDir()); got != nil {
		t.Errorf("a machine without devices: %v", got)
	}
}
