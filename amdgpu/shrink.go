package amdgpu

import (
	"encoding/json"
	"slices"
)

// minBudget is the least that a shortened document can keep to: its counts and
// verdict, a row, and a word on what is missing.
const minBudget = 2048

// Shrink returns a copy of the Diff whose JSON takes at most budget bytes
// (at least 2 KiB): verdict and counts, then problems, then the worst rows.
// Omitted says how many rows are left out; lists that were cut say so in their
// last line. Long texts and names are clipped. The verdict never changes.
func (d *Diff) Shrink(budget int) *Diff {
	budget = max(budget, minBudget)
	out := *d
	for level := range len(shrinkLevels) {
		l := shrinkLevels[level]
		out.Problems = shortProblems(d.Problems, l.list, l.text)
		out.Warnings, out.Notes = shortTexts(d.Warnings, l.list, l.text), shortTexts(d.Notes, l.list, l.text)
		out.Renames = shortRenames(d.Renames, l.list, l.text)
		out.Rows, out.Omitted = nil, d.Omitted+len(d.Rows)
		rows := make([]Row, len(d.Rows))
		for i, r := range d.Rows[:min(len(d.Rows), budget/100)] {
			rows[i] = r.short(l.text)
		}
		keep := largest(min(len(d.Rows), budget/100), func(n int) bool {
			out.Rows, out.Omitted = rows[:n], d.Omitted+len(d.Rows)-n
			return jsonSize(&out) <= budget
		})
		if keep > 0 || len(d.Rows) == 0 && keep == 0 || level == len(shrinkLevels)-1 {
			out.Rows, out.Omitted = rows[:max(keep, 0)], d.Omitted+len(d.Rows)-max(keep, 0)
			break
		}
	}
	return &out
}

// Shrink returns a copy of the Snapshot whose JSON takes at most budget bytes
// (at least 2 KiB): verdict, problems, then the worst kernels. Omitted says how
// many kernels are left out.
func (s *Snapshot) Shrink(budget int) *Snapshot {
	budget = max(budget, minBudget)
	kernels := slices.Clone(s.Kernels)
	slices.SortStableFunc(kernels, compareKernels)
	kernels = kernels[:min(len(kernels), budget/100)]
	var out Snapshot
	for level, l := range shrinkLevels {
		short := make([]Kernel, len(kernels))
		for i := range kernels {
			short[i] = kernels[i].short(l.text)
		}
		out = Snapshot{
			Problems: shortProblems(s.Problems, l.list, l.text), Warnings: shortTexts(s.Warnings, l.list, l.text),
			Skipped: shortSkips(s.Skipped, l.list, l.text),
		}
		fits := func(n int) bool {
			out.Kernels, out.Omitted = short[:n], s.Omitted+len(s.Kernels)-n
			return jsonSize(&out) <= budget
		}
		keep := largest(len(short), fits)
		if keep > 0 || len(short) == 0 && keep == 0 || level == len(shrinkLevels)-1 {
			fits(max(keep, 0))
			break
		}
	}
	return &out
}

// shrinkLevels are tried in turn until a row fits: how many texts a list
// keeps, and how long a text may be.
var shrinkLevels = []struct{ list, text int }{{20, 300}, {8, 160}, {3, 80}, {1, 40}}

// largest finds the most items that fit, -1 if not even none do.
func largest(n int, fits func(int) bool) int {
	lo, hi := -1, n
	for lo < hi {
		mid := lo + (hi-lo+1)/2
		if fits(mid) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

func jsonSize(v json.Marshaler) int {
	b, err := v.MarshalJSON()
	if err != nil {
		return 1 << 30
	}
	return len(b)
}

// compareKernels orders by what costs most: problems, scratch, then waves.
func compareKernels(a, b Kernel) int {
	for _, less := range []int{
		len(b.Problems) - len(a.Problems),
		sign(b.Metrics[ScratchBytes].Value - a.Metrics[ScratchBytes].Value),
		sign(b.Metrics[VGPRSpill].Value - a.Metrics[VGPRSpill].Value),
		sign(a.Metrics[Occupancy].Value - b.Metrics[Occupancy].Value),
		sign(b.Metrics[VGPR].Value - a.Metrics[VGPR].Value),
	} {
		if less != 0 {
			return less
		}
	}
	return 0
}

func sign(v int64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// short is the row with its texts clipped.
func (r Row) short(n int) Row {
	r.Key, r.Name, r.DisplayName = clip(r.Key, n), clip(r.Name, n), clip(r.DisplayName, n)
	r.Cause, r.Advice, r.Target = clip(r.Cause, n), clip(r.Advice, n), clip(r.Target, 80)
	return r
}

// short is the kernel with its texts clipped, and without what the full
// document has beside: the sources of values, other files, the mix.
func (k Kernel) short(n int) Kernel {
	k.Key, k.Name, k.DisplayName = clip(k.Key, n), clip(k.Name, n), clip(k.DisplayName, n)
	k.File, k.Target, k.Compiler = clip(k.File, n), clip(k.Target, 80), clip(k.Compiler, min(n, 60))
	k.Notes, k.Problems = shortTexts(k.Notes, 4, min(n, 100)), shortTexts(k.Problems, 4, min(n, 100))
	k.Files, k.Mix = nil, nil
	for c := range k.Metrics {
		k.Metrics[c].Source = ""
		if k.Metrics[c].State != Unparsed {
			k.Metrics[c].Reason = ""
		}
		k.Metrics[c].Reason = clip(k.Metrics[c].Reason, min(n, 40))
	}
	return k
}

func shortTexts(list []string, n, length int) []string {
	out := make([]string, 0, min(len(list), n)+1)
	for i, s := range list {
		if i == n {
			return append(out, more(len(list)-n))
		}
		out = append(out, clip(s, length))
	}
	return out
}

func more(n int) string { return "... and " + value(int64(n), "").String() + " more" }

func shortProblems(list []Problem, n, length int) []Problem {
	out := make([]Problem, 0, min(len(list), n)+1)
	for i, p := range list {
		if i == n {
			return append(out, Problem{Class: "more", Text: more(len(list) - n)})
		}
		p.File, p.Kernel, p.Text = clip(p.File, length), clip(p.Kernel, length), clip(p.Text, length)
		p.Class, p.Side = Class(clip(string(p.Class), 40)), clip(p.Side, 10)
		out = append(out, p)
	}
	return out
}

func shortSkips(list []Skip, n, length int) []Skip {
	out := make([]Skip, 0, min(len(list), n)+1)
	for i, s := range list {
		if i == n {
			return append(out, Skip{Reason: more(len(list) - n)})
		}
		out = append(out, Skip{clip(s.File, length), clip(s.Reason, length)})
	}
	return out
}

func shortRenames(list []Rename, n, length int) []Rename {
	var out []Rename
	for _, r := range list[:min(len(list), n)] {
		r.Before, r.After = clip(r.Before, length), clip(r.After, length)
		out = append(out, r)
	}
	return out
}
