package amdgpu

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
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
	source := d.Rows[:min(len(d.Rows), budget/100)]
	fitLevels(len(source), len(d.Rows) == 0, func(list, text int) func(int) bool {
		out.Problems, out.Renames = shortProblems(d.Problems, list, text), shortRenames(d.Renames, list, text)
		out.Warnings, out.Notes = shortTexts(d.Warnings, list, text), shortTexts(d.Notes, list, text)
		rows := make([]Row, len(source))
		for i, r := range source {
			rows[i] = r.short(text)
		}
		return func(n int) bool {
			out.Rows, out.Omitted = rows[:n], d.Omitted+len(d.Rows)-n
			return jsonSize(&out) <= budget
		}
	})
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
	fitLevels(len(kernels), len(kernels) == 0, func(list, text int) func(int) bool {
		short := make([]Kernel, len(kernels))
		for i := range kernels {
			short[i] = kernels[i].short(text)
		}
		out = Snapshot{
			Problems: shortProblems(s.Problems, list, text), Warnings: shortTexts(s.Warnings, list, text),
			Skipped: shortSkips(s.Skipped, list, text),
		}
		return func(n int) bool {
			out.Kernels, out.Omitted = short[:n], s.Omitted+len(s.Kernels)-n
			return jsonSize(&out) <= budget
		}
	})
	return &out
}

// fitLevels shortens a document level by level until one of n items fits in it, or
// none where empty says that there are none. at prepares a level and returns what
// puts in so many items and says whether they fit.
func fitLevels(n int, empty bool, at func(list, text int) func(int) bool) {
	for level, l := range shrinkLevels {
		fits := at(l.list, l.text)
		keep := largest(n, fits)
		if keep > 0 || empty && keep == 0 || level == len(shrinkLevels)-1 {
			fits(max(keep, 0))
			return
		}
	}
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
	more := func(c Column) int { return cmp.Compare(b.Metrics[c].Value, a.Metrics[c].Value) }
	return cmp.Or(cmp.Compare(len(b.Problems), len(a.Problems)), more(ScratchBytes), more(VGPRSpill), -more(Occupancy), more(VGPR))
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

// shortList is at most n items of a list, each shortened, and if there are more, one
// that says how many.
func shortList[T any](list []T, n int, short func(T) T, rest func(text string) T) []T {
	out := make([]T, 0, min(len(list), n)+1)
	for _, x := range list[:min(len(list), n)] {
		out = append(out, short(x))
	}
	if len(list) > n {
		out = append(out, rest("... and "+strconv.Itoa(len(list)-n)+" more"))
	}
	return out
}

func shortTexts(list []string, n, length int) []string {
	return shortList(list, n, func(s string) string { return clip(s, length) }, func(text string) string { return text })
}

func shortProblems(list []Problem, n, length int) []Problem {
	return shortList(list, n, func(p Problem) Problem {
		p.File, p.Kernel, p.Text = clip(p.File, length), clip(p.Kernel, length), clip(p.Text, length)
		p.Class, p.Side = Class(clip(string(p.Class), 40)), clip(p.Side, 10)
		return p
	}, func(text string) Problem { return Problem{Class: "more", Text: text} })
}

func shortSkips(list []Skip, n, length int) []Skip {
	return shortList(list, n, func(s Skip) Skip { return Skip{clip(s.File, length), clip(s.Reason, length)} }, func(text string) Skip { return Skip{Reason: text} })
}

func shortRenames(list []Rename, n, length int) []Rename {
	var out []Rename
	for _, r := range list[:min(len(list), n)] {
		r.Before, r.After = clip(r.Before, length), clip(r.After, length)
		out = append(out, r)
	}
	return out
}
