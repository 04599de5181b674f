package amdgpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Options control Compare.
type Options struct {
	// AllRows keeps unchanged kernels as rows.
	AllRows bool
}

// A Diff is the comparison of two snapshots. Its JSON is the document of
// "isa diff --json", schema 1.
type Diff struct {
	Verdict  Verdict
	ExitCode int // 0, 1 or 2, always Verdict.ExitCode()
	// Compared counts the kernels present and comparable on both sides, Total
	// those of either, Unchanged those compared in which nothing moved.
	Compared, Total, Unchanged int
	// Worsened and Improved count triggers, over all compared kernels.
	Worsened, Improved int
	// Partial counts compared kernels with a "?" in an informational column.
	// Such a cell hides nothing of the verdict.
	Partial int
	// Rows are the kernels that changed or have a problem, worst first.
	Rows []Row
	// Problems are those of both sides and of the comparison; any at all makes
	// the verdict NotTrustworthy. Warnings and Notes never change it, and each
	// starts with its kind and a colon.
	Problems []Problem
	Warnings []string
	Notes    []string
	// Renames are guesses about one-sided kernels.
	Renames []Rename
	// Omitted counts the rows that Shrink left out.
	Omitted int
}

// A Row is one kernel of a Diff.
type Row struct {
	// Key is the longer one of the two sides' Kernel.Key; Name and DisplayName
	// are as in Kernel, of the after side where it exists.
	Key         string
	Name        string
	DisplayName string
	// Side is "before" or "after" for a kernel that exists there only.
	Side string
	// Target is the canonical target ID, empty if unknown.
	Target string
	// Before and After are nil on the side where the kernel is missing.
	Before, After *Metrics
	// Delta is after minus before, in the column's unit, for the columns that
	// moved. It is nil if the sides could not be compared.
	Delta map[Column]int64
	// Worsened and Improved are the triggers that rose and that fell, in order.
	Worsened, Improved []Column
	Severity           Severity
	// Limiters are what keeps occupancy from being higher, before and after.
	Limiters [2]Limiter
	// Cause and Advice are sentences for people; empty if no trigger rose.
	Cause, Advice string
	// Blocked says why the row takes no part in the verdict, or what is wrong
	// with it: classes of problems.
	Blocked []Class
	// SpillsTo is where the after side's spills go.
	SpillsTo []string
	// Partial lists informational columns that are "?" on a side.
	Partial []Column
}

// Changed reports whether a column moved.
func (r *Row) Changed() bool { return len(r.Delta) > 0 }

// Compare compares two snapshots, neither of them nil, and changes none. The verdict is NotTrustworthy whenever
// anything at all is in Problems, else Regression if a trigger of any kernel
// rose, else OK.
func Compare(before, after *Snapshot, o Options) *Diff {
	d := &Diff{Problems: append(sided(before.Problems, "before"), sided(after.Problems, "after")...)}
	d.Warnings = append(sidedText(before.Warnings, "before"), sidedText(after.Warnings, "after")...)
	pairs := pairKernels(before, after)
	group := &grouped{index: map[string]int{}}
	for _, p := range pairs {
		row := d.row(p, group)
		if o.AllRows || row.Changed() || row.Side != "" || len(row.Blocked) > 0 {
			d.Rows = append(d.Rows, row)
		}
	}
	if d.Total = len(pairs); d.Total == 0 && len(d.Problems) == 0 {
		d.problem(NoKernels, "", "", "there is no kernel on either side")
	}
	d.Renames = renames(pairs)
	for _, r := range d.Renames {
		group.note("renamed?", r.Before, "%s may be its new name (similarity %.2f, %s)", r.After, r.Similarity, sameWords(r.SameValues))
	}
	warnings, notes := group.texts()
	d.Warnings, d.Notes = append(d.Warnings, warnings...), append(d.Notes, notes...)
	slices.SortStableFunc(d.Rows, compareRows)
	d.settle()
	return d
}

func sameWords(same bool) string {
	if same {
		return "same values"
	}
	return "other values"
}

func (d *Diff) settle() {
	switch {
	case len(d.Problems) > 0:
		d.Verdict = NotTrustworthy
	case d.Worsened > 0:
		d.Verdict = Regression
	default:
		d.Verdict = OK
	}
	d.ExitCode = d.Verdict.ExitCode()
}

func sided(list []Problem, side string) []Problem {
	out := slices.Clone(list)
	for i := range out {
		out[i].Side = side
	}
	return out
}

func sidedText(list []string, side string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		kind, text, _ := strings.Cut(s, ": ")
		out[i] = kind + ": " + side + ": " + text
	}
	return out
}

func (d *Diff) problem(c Class, side, kernel, format string, args ...any) {
	d.Problems = append(d.Problems, Problem{Class: c, Side: side, Kernel: kernel, Text: fmt.Sprintf(format, args...)})
}

// row compares one pair.
func (d *Diff) row(p pair, group *grouped) Row {
	if p.before == nil || p.after == nil {
		return d.oneSided(p)
	}
	b, a := p.before, p.after
	r := Row{
		Key: a.Key, Name: a.Name, DisplayName: a.DisplayName, Target: a.Target, Before: &b.Metrics, After: &a.Metrics,
		Limiters: [2]Limiter{b.Limiter, a.Limiter}, SpillsTo: a.SpillsTo,
	}
	if len(b.Key) > len(a.Key) {
		r.Key = b.Key
	}
	r.Blocked = d.identity(r.Key, b, a)
	if len(r.Blocked) == 0 {
		d.Compared++
		d.columns(&r)
		compareContext(&r, p, group)
		if !r.Changed() && len(r.Blocked) == 0 {
			d.Unchanged++
		}
	}
	r.Blocked = append(r.Blocked, problemClasses(b, a)...)
	r.judge(a)
	return r
}

// problemClasses lists the problems that loading found in either kernel.
func problemClasses(kernels ...*Kernel) []Class {
	var out []Class
	for _, k := range kernels {
		for _, p := range k.Problems {
			c, _, _ := strings.Cut(p, ":")
			if !slices.Contains(out, Class(c)) {
				out = append(out, Class(c))
			}
		}
	}
	return out
}

func (d *Diff) oneSided(p pair) Row {
	k, side, class, other := p.before, "before", OnlyInBefore, "after"
	if k == nil {
		k, side, class, other = p.after, "after", OnlyInAfter, "before"
	}
	d.problem(class, "", k.Key, "the kernel is not on the %s side", other)
	r := Row{
		Key: k.Key, Name: k.Name, DisplayName: k.DisplayName, Target: k.Target, Side: side,
		Blocked: append([]Class{class}, problemClasses(k)...), Severity: SeverityUnknown,
	}
	if side == "before" {
		r.Before, r.Limiters[0] = &k.Metrics, k.Limiter
	} else {
		r.After, r.Limiters[1] = &k.Metrics, k.Limiter
	}
	return r
}

// identity says why two kernels are not the same thing on both sides. Every
// number has another meaning then, so no column is compared.
func (d *Diff) identity(key string, b, a *Kernel) (blocked []Class) {
	block := func(c Class, format string, args ...any) {
		blocked = append(blocked, c)
		d.problem(c, "", key, format, args...)
	}
	tb, ta := b.target(), a.target()
	switch {
	case !tb.Known() || !ta.Known():
		block(TargetUnknown, "the target is %q before and %q after", b.Target, a.Target)
	case tb.Processor != ta.Processor:
		block(TargetDiffers, "%s before, %s after", tb.Processor, ta.Processor)
	case !tb.sameFeatures(ta):
		block(FeaturesDiffer, "%s before, %s after; a feature that is not written means any", tb.Short(), ta.Short())
	}
	if b.WavefrontSize != a.WavefrontSize && b.WavefrontSize != 0 && a.WavefrontSize != 0 {
		block(WavefrontSizeDiffers, "wave%d before, wave%d after: a register is another quantity", b.WavefrontSize, a.WavefrontSize)
	}
	return blocked
}

// columns compares the cells. A trigger that cannot be compared is a problem,
// an informational column is not.
func (d *Diff) columns(r *Row) {
	r.Delta = map[Column]int64{}
	for c := range NumColumns {
		b, a := r.Before[c], r.After[c]
		switch {
		case b.Known() && a.Known():
			d.delta(r, c, a.Value-b.Value)
		case !c.Trigger():
			if b.State == Unparsed || a.State == Unparsed {
				r.Partial = append(r.Partial, c)
			}
		case b.State == Unparsed || a.State == Unparsed:
			r.Blocked = append(r.Blocked, UnparsedValue)
			d.problem(UnparsedValue, "", r.Key, "%s is %s before and %s after: %s", c, b, a, cmp.Or(b.Reason, a.Reason))
		case b.Known() != a.Known():
			r.Blocked = append(r.Blocked, OneSidedValue)
			d.problem(OneSidedValue, "", r.Key, "%s is %s before and %s after: %s", c, b, a, cmp.Or(b.Reason, a.Reason))
		}
	}
	if len(r.Partial) > 0 {
		d.Partial++
	}
}

func (d *Diff) delta(r *Row, c Column, delta int64) {
	if delta == 0 {
		return
	}
	r.Delta[c] = delta
	switch {
	case !c.Trigger():
	case delta > 0:
		r.Worsened = append(r.Worsened, c)
		d.Worsened++
	default:
		r.Improved = append(r.Improved, c)
		d.Improved++
	}
}

// compareRows orders the worst first: blocked rows, then by severity, by how
// much occupancy is lost, and by key.
func compareRows(a, b Row) int {
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Delta[Occupancy], b.Delta[Occupancy]),
		cmp.Compare(b.Delta[ScratchBytes], a.Delta[ScratchBytes]), cmp.Compare(b.Delta[VGPR], a.Delta[VGPR]), strings.Compare(a.Key, b.Key))
}

func (r *Row) rank() int {
	if len(r.Blocked) > 0 {
		return -1
	}
	return slices.Index(severities, r.Severity)
}
