package amdgpu_test

import (
	"fmt"
	"os"

	"perfbisect/amdgpu"
)

// A kernel as hand-written assembly; any compiler's output reads the same.
const source = `.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.type scale,@function
scale:
  s_endpgm
.size scale, .-scale
.amdhsa_kernel scale
  .amdhsa_next_free_vgpr %[1]d
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 72
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - {.name: scale, .symbol: scale.kd, .vgpr_count: %[1]d, .agpr_count: 0, .sgpr_count: 16, .wavefront_size: 64,
     .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .max_flat_workgroup_size: 256}
.end_amdgpu_metadata
`

func Example() {
	before, _ := amdgpu.LoadBytes("scale.s", fmt.Appendf(nil, source, 64))
	after, _ := amdgpu.LoadBytes("scale.s", fmt.Appendf(nil, source, 65))
	d := amdgpu.Compare(before, after, amdgpu.Options{})
	row := d.Rows[0]
	fmt.Println(row.Key, "vgpr", row.Before[amdgpu.VGPR], "->", row.After[amdgpu.VGPR], row.Severity)
	if err := amdgpu.WriteTable(os.Stdout, d, amdgpu.TableOptions{Quiet: true}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// scale vgpr 64 -> 65 occupancy_step
	// compared 1 of 1 kernels; 0 unchanged; 1 changed; worsened: 1; improved: 0
	// RESULT: REGRESSION
}
