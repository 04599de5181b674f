package bench

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

// nvidiaFields are asked of `nvidia-smi --query-gpu`. The last one was called
// clocks_throttle_reasons.active before driver 535; older drivers refuse the
// whole query for an unknown field.
var nvidiaFields = []string{
	"index", "uuid", "name", "temperature.gpu", "clocks.sm", "clocks.max.sm",
	"utilization.gpu", "power.draw", "clocks_event_reasons.active",
}

// nvidiaQuery returns the argv that reads all devices; old asks for the field
// name of older drivers.
func nvidiaQuery(old bool) []string {
	fields := strings.Join(nvidiaFields, ",")
	if old {
		fields = strings.Replace(fields, "clocks_event_reasons", "clocks_throttle_reasons", 1)
	}
	return []string{"nvidia-smi", "--query-gpu=" + fields, "--format=csv,noheader,nounits"}
}

// nvidiaProcessQuery returns the argv that reads all processes.
func nvidiaProcessQuery() []string {
	return []string{"nvidia-smi", "--query-compute-apps=gpu_uuid,pid,process_name,used_memory", "--format=csv,noheader,nounits"}
}

// nvidiaReasons names the bits of clocks_event_reasons.active that mean a clock
// below what was asked for. Idle (0x1), application clocks (0x2) and display
// clocks (0x100) are no such reason. Source: nvml.h, nvmlClocksEventReason*.
var nvidiaReasons = []struct {
	bit  uint64
	name string
}{
	{0x4, "sw_power_cap"},
	{0x8, "hw_slowdown"},
	{0x10, "sync_boost"},
	{0x20, "sw_thermal_slowdown"},
	{0x40, "hw_thermal_slowdown"},
	{0x80, "hw_power_brake"},
}

// parseNvidia reads the answer to nvidiaQuery, and names the devices by uuid.
func parseNvidia(text string) ([]GPU, map[string]int, error) {
	rows, err := nvidiaRows(text, len(nvidiaFields))
	if err != nil {
		return nil, nil, fmt.Errorf("reading nvidia-smi: %w", err)
	}
	var list []GPU
	at := map[string]int{}
	for _, row := range rows {
		index, err := strconv.Atoi(row[0])
		if err != nil {
			return nil, nil, fmt.Errorf("reading nvidia-smi: index %q", row[0])
		}
		at[row[1]] = len(list)
		list = append(list, GPU{
			Source: "nvidia-smi", Index: index, Name: row[2],
			TempC: nvidiaNumber(row[3]), ClockMHz: nvidiaNumber(row[4]), MaxClockMHz: nvidiaNumber(row[5]),
			BusyPct: nvidiaNumber(row[6]), PowerW: nvidiaNumber(row[7]), Throttle: nvidiaThrottle(row[8]),
		})
	}
	return list, at, nil
}

// addNvidiaProcesses reads the answer to nvidiaProcessQuery into list.
func addNvidiaProcesses(text string, list []GPU, at map[string]int) error {
	rows, err := nvidiaRows(text, 4)
	if err != nil {
		return fmt.Errorf("reading nvidia-smi processes: %w", err)
	}
	for _, row := range rows {
		i, ok := at[row[0]]
		pid, err := strconv.Atoi(row[1])
		if !ok || err != nil {
			continue
		}
		p := GPUProcess{PID: pid, Name: row[2]}
		if mib := nvidiaNumber(row[3]); mib != nil {
			p.Bytes = int64(*mib) << 20
		}
		list[i].Processes = append(list[i].Processes, p)
	}
	return nil
}

// nvidiaRows splits CSV lines of n fields. A process name may hold commas: then
// the surplus belongs to the third field, the only text that is free.
func nvidiaRows(text string, n int) ([][]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = -1, true, true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if len(row) < n {
			return nil, fmt.Errorf("line %d has %d fields, not %d: %q", i+1, len(row), n, strings.Join(row, ", "))
		}
		if extra := len(row) - n; extra > 0 {
			name := strings.Join(row[2:3+extra], ", ")
			row = append(append(row[:2:2], name), row[3+extra:]...)
		}
		for k := range row {
			row[k] = strings.TrimSpace(row[k])
		}
		rows[i] = row
	}
	return rows, nil
}

// nvidiaNumber reads a number, and returns nil for "[N/A]" and "[Not Supported]".
func nvidiaNumber(s string) *float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return number(v)
}

// nvidiaThrottle names the bits of a mask such as 0x0000000000000044.
func nvidiaThrottle(mask string) []string {
	bits, err := strconv.ParseUint(strings.TrimPrefix(mask, "0x"), 16, 64)
	if err != nil {
		return nil
	}
	var names []string
	for _, r := range nvidiaReasons {
		if bits&r.bit != 0 {
			names = append(names, r.name)
		}
	}
	return names
}
