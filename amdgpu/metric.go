package amdgpu

import (
	"fmt"
	"strings"
)

// Metric is one column of one kernel, in the column's unit. kernel is a key, a
// name, or a demangled name with or without its arguments; "*" is the worst of
// all kernels (the highest, for occupancy the lowest). ok is false, with the
// reason, when there is no such kernel or column, when the cell is n/a or
// "?", or when a problem of the snapshot concerns what was asked.
func (s *Snapshot) Metric(kernel, column string) (v float64, ok bool, reason string) {
	c, known := ParseColumn(column)
	if !known {
		return 0, false, fmt.Sprintf("no column %q; the columns are %s", column, strings.Join(ColumnNames(), ", "))
	}
	list := s.find(kernel)
	if len(list) == 0 {
		return 0, false, fmt.Sprintf("no kernel %q among %d", kernel, len(s.Kernels))
	}
	for _, p := range s.Problems {
		if kernel == "*" || p.Kernel == "" || p.Kernel == list[0].Name {
			return 0, false, "not trustworthy: " + p.String()
		}
	}
	return worst(list, c)
}

// find returns the kernels that a name means.
func (s *Snapshot) find(name string) []*Kernel {
	all := pointers(s)
	if name == "*" {
		return all
	}
	for _, matches := range []func(*Kernel) bool{
		func(k *Kernel) bool { return k.Key == name },
		func(k *Kernel) bool { return k.Name == name },
		func(k *Kernel) bool { return k.DisplayName == name },
		func(k *Kernel) bool { head, _, _ := strings.Cut(k.DisplayName, "("); return head == name },
	} {
		var list []*Kernel
		for _, k := range all {
			if matches(k) {
				list = append(list, k)
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// worst is the worst known value; a "?" could be worse than any.
func worst(list []*Kernel, c Column) (float64, bool, string) {
	best, found, why := int64(0), false, ""
	for _, k := range list {
		cell := k.Metrics[c]
		switch {
		case cell.State == Unparsed:
			return 0, false, fmt.Sprintf("%s of %s was not read: %s", c, k.Key, cell.Reason)
		case !cell.Known():
			why = fmt.Sprintf("%s of %s is n/a: %s", c, k.Key, cell.Reason)
		case !found, c.HigherIsBetter() == (cell.Value < best):
			best, found = cell.Value, true
		}
	}
	if !found {
		return 0, false, why
	}
	return float64(best), true, ""
}
