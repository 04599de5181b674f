package metric

import (
	"slices"
	"strconv"
)

// durationColumn is the heading of the column that derive adds.
const durationColumn = "Duration_ns"

// derive adds a column for the time between two columns that a kernel trace
// has instead of a duration. Source: rocprofv3 kernel_trace.csv
// (Start_Timestamp, End_Timestamp) and rocprof results.csv (BeginNs, EndNs),
// all in nanoseconds.
func (t *table) derive() {
	for _, p := range [][2]string{{"Start_Timestamp", "End_Timestamp"}, {"BeginNs", "EndNs"}} {
		i, j := slices.Index(t.cols, p[0]), slices.Index(t.cols, p[1])
		if i < 0 || j < 0 || slices.Contains(t.cols, "DurationNs") {
			continue
		}
		t.begin, t.finish = i+1, j+1
		t.cols = append(slices.Clone(t.cols), durationColumn)
		return
	}
}

// withDuration adds the derived cell to a row, empty when the times are none.
func (t *table) withDuration(cells []string) []string {
	if t.begin == 0 {
		return cells
	}
	a, errA := strconv.ParseUint(cells[t.begin-1], 10, 64)
	b, errB := strconv.ParseUint(cells[t.finish-1], 10, 64)
	if errA != nil || errB != nil || b < a {
		return append(cells, "")
	}
	return append(cells, strconv.FormatUint(b-a, 10))
}
