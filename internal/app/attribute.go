package app

import (
	"context"
	"fmt"
	"strings"

	"perfbisect/amdgpu"
	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/hints"
)

// The notes about machine code: at the ends of the range, and around the culprit.
const (
	noteEndsCode = "ends_machine_code"
	noteCode     = "machine_code"
)

// codeTableBytes bounds what a report shows of a comparison; the whole is in the
// run's folder.
const codeTableBytes = 16 << 10

// attribute notes what the culprit changed in the machine code.
func (h *hunt) attribute(ctx context.Context, f *search.Finding) (bool, error) {
	from, to := h.change(f)
	if from == "" || !h.seesCode() && !h.isa() || h.state.Note(noteCode) != nil {
		return false, nil
	}
	if ends := h.state.Note(noteEndsCode); ends != nil && ends.Blind {
		return false, nil
	}
	note, err := h.codeNote(ctx, noteCode, from, to)
	if err != nil {
		return false, err
	}
	return false, h.note(note)
}

// change is the commits before and after what f found, "" when it found none.
// Of a set that is the whole set.
func (h *hunt) change(f *search.Finding) (from, to string) {
	if f.Outcome != search.Found && f.Outcome != search.FoundAmong || f.LastGood < 0 || len(f.Candidates) == 0 {
		return "", ""
	}
	p := h.state.Plan.Positions
	return p[f.LastGood].Commit, p[f.Candidates[len(f.Candidates)-1]].Commit
}

// note journals n, once.
func (h *hunt) note(n engine.Note) error {
	if h.state.Note(n.Kind) != nil {
		return nil
	}
	return h.append(engine.Event{Kind: engine.EventNoted, Note: &n})
}

// codeNote compares the machine code of two commits.
func (h *hunt) codeNote(ctx context.Context, kind, from, to string) (engine.Note, error) {
	n := engine.Note{Kind: kind, Title: fmt.Sprintf("Machine code, %s to %s", short(from), short(to))}
	var sides []*amdgpu.Snapshot
	for _, commit := range []string{from, to} {
		s, why, err := h.codeAt(ctx, commit)
		if err != nil {
			return n, err
		}
		if why != "" {
			n.Blind = strings.HasPrefix(why, noKernel)
			n.Prose = []string{fmt.Sprintf("It could not be compared: at %s %s.", short(commit), strings.TrimSuffix(why, "."))}
			return n, nil
		}
		sides = append(sides, s)
	}
	d := amdgpu.Compare(sides[0], sides[1], amdgpu.Options{})
	if err := h.keepDiff(kind, d); err != nil {
		return n, err
	}
	describeCode(&n, d)
	return n, nil
}

// keepDiff leaves the whole comparison in the run's folder.
func (h *hunt) keepDiff(kind string, d *amdgpu.Diff) error {
	var b strings.Builder
	if err := d.WriteJSON(&b); err != nil {
		return err
	}
	_, err := h.run.WriteFile(kind+".json", []byte(b.String()))
	return err
}

// describeCode words a comparison.
func describeCode(n *engine.Note, d *amdgpu.Diff) {
	for i := range d.Rows {
		if c, ok := kernelChange(&d.Rows[i]); ok {
			n.Kernels = append(n.Kernels, c)
		}
	}
	switch {
	case len(n.Kernels) == 0 && d.Verdict == amdgpu.OK:
		n.Prose = []string{fmt.Sprintf("No kernel's registers, spills, scratch or LDS differ (%d compared).", d.Compared)}
		return
	case d.Verdict == amdgpu.NotTrustworthy && len(d.Problems) > 0:
		n.Prose = []string{fmt.Sprintf("Part of it is not trustworthy: %s", d.Problems[0])}
	}
	var b strings.Builder
	if err := amdgpu.WriteTable(&b, d.Shrink(codeTableBytes), amdgpu.TableOptions{}); err == nil {
		n.Pre = strings.TrimRight(b.String(), "\n")
	}
}

// kernelChange is what a row knows of both sides.
func kernelChange(r *amdgpu.Row) (engine.KernelChange, bool) {
	c := engine.KernelChange{Kernel: r.Key, Before: map[string]float64{}, After: map[string]float64{}}
	if r.Before == nil || r.After == nil || len(r.Delta) == 0 || len(r.Blocked) > 0 {
		return c, false
	}
	for i := range r.Before {
		before, after := r.Before[i], r.After[i]
		if before.Known() && after.Known() {
			name := amdgpu.Column(i).String()
			c.Before[name], c.After[name] = float64(before.Value), float64(after.Value)
		}
	}
	return c, true
}

// isaChanges is what the hints are ordered by.
func isaChanges(s *engine.State) []hints.ISAChange {
	n := s.Note(noteCode)
	if n == nil {
		return nil
	}
	list := make([]hints.ISAChange, len(n.Kernels))
	for i, k := range n.Kernels {
		list[i] = hints.ISAChange{Kernel: k.Kernel, Before: k.Before, After: k.After}
	}
	return list
}

// worstChange is the resource whose change costs most, in words: "spills of
// gemm 0 to 128".
func worstChange(kernels []engine.KernelChange) (kernel, column string, words string) {
	for _, column := range costlyColumns {
		for _, k := range kernels {
			before, ok1 := k.Before[column]
			after, ok2 := k.After[column]
			worse := after > before
			if column == "occupancy" {
				worse = after < before
			}
			if ok1 && ok2 && worse {
				return k.Kernel, column, fmt.Sprintf("%s %v to %v in kernel %s", column, before, after, k.Kernel)
			}
		}
	}
	return "", "", ""
}

// costlyColumns are the resources that cost speed, the worst first.
var costlyColumns = []string{"vgpr_spill", "scratch_bytes", "sgpr_spill", "occupancy", "lds_static_bytes", "vgpr"}
