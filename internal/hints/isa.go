package hints

import (
	"cmp"
	"fmt"
)

// isaEffects says which columns a pattern must move if it is the culprit. A
// pattern is confirmed when one of its columns worsened, and contradicted when
// resources changed for the better, or not at all where they would have to change.
var isaEffects = map[string]struct {
	columns []string // larger is worse, except occupancy
	must    bool     // no change of any resource contradicts the hint
}{
	"tile_size":     {[]string{"vgpr", "lds_static_bytes", "vgpr_spill", "scratch_bytes", "occupancy"}, false},
	"num_stages":    {[]string{"vgpr", "lds_static_bytes", "vgpr_spill", "scratch_bytes", "occupancy"}, false},
	"num_warps":     {[]string{"vgpr", "vgpr_spill", "scratch_bytes", "occupancy"}, false},
	"waves_per_eu":  {[]string{"vgpr_spill", "scratch_bytes", "occupancy", "vgpr"}, true},
	"launch_bounds": {[]string{"vgpr_spill", "scratch_bytes", "occupancy", "vgpr"}, true},
	"unroll":        {[]string{"vgpr", "vgpr_spill", "scratch_bytes", "occupancy"}, false},
	"dtype":         {[]string{"vgpr", "lds_static_bytes", "vgpr_spill", "scratch_bytes", "occupancy"}, false},
	"lds_padding":   {[]string{"lds_static_bytes", "occupancy"}, false},
	"lds_size":      {[]string{"lds_static_bytes", "scratch_bytes", "occupancy"}, true},
	"prefetch":      {[]string{"vgpr_spill", "scratch_bytes"}, false},
}

// applyISA raises or lowers a candidate by what happened to the kernels' resources.
func applyISA(k *candidate, changes []ISAChange) {
	e, ok := isaEffects[k.Pattern]
	if !ok || len(changes) == 0 {
		return
	}
	better, worse := "", ""
	for i := range changes {
		b, w := compareISA(&changes[i], e.columns)
		better, worse = cmp.Or(better, b), cmp.Or(worse, w)
	}
	switch {
	case worse != "":
		k.Score += 30
		k.Reason += "; the machine code confirms it: " + worse
	case better != "":
		k.level = max(k.level-1, 1)
		k.Score -= 30
		k.Reason += "; the machine code speaks against it: " + better
	case e.must:
		k.level = max(k.level-1, 1)
		k.Score -= 20
		k.Reason += "; no kernel's registers, LDS or scratch changed, so it had no effect on them"
	}
}

// compareISA words what became better and what became worse. Registers that grow
// without costing occupancy, spills or scratch are neither.
func compareISA(c *ISAChange, columns []string) (better, worse string) {
	occBefore, ok1 := c.Before["occupancy"]
	occAfter, ok2 := c.After["occupancy"]
	occ := ok1 && ok2
	for _, col := range columns {
		a, ok1 := c.Before[col]
		b, ok2 := c.After[col]
		if !ok1 || !ok2 || a == b {
			continue
		}
		text := fmt.Sprintf("%s of %s %v to %v", col, clip(c.Kernel), a, b)
		up := b > a
		if col == "occupancy" {
			up = b < a
		}
		if (col == "vgpr" || col == "lds_static_bytes") && occ && occBefore == occAfter {
			continue
		}
		if up && worse == "" {
			worse = text
		}
		if !up && better == "" {
			better = text
		} else if !up && col == "occupancy" {
			better += ", " + fmt.Sprintf("occupancy %v to %v", a, b)
		}
	}
	return better, worse
}
