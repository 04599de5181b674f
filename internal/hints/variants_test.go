package hints

import (
	"strings"
	"testing"
)

// TestVariants are the many ways to write one change. Each must be found with at
// least medium confidence.
func TestVariants(t *testing.T) {
	const py, hip, cl, ll, mlir = "kernels/a.py", "src/kernels/a.hip", "src/a.cl", "kernels/a.ll", "kernels/a.mlir"
	const kernel = "__global__ void k(const float* x, float* y, int n) {"
	for _, tt := range []struct{ file, section, old, new, want string }{
		{py, "def k(", "    BLOCK_SIZE_M = 128", "    BLOCK_SIZE_M = 64", "tile_size"},
		{py, "def k(", "    BLOCK_M: tl.constexpr = 128,", "    BLOCK_M: tl.constexpr = 64,", "tile_size"},
		{py, "def f(", "    BLOCK_M, BLOCK_N = 128, 64", "    BLOCK_M, BLOCK_N = 128, 32", "tile_size"},
		{py, "def f(", "    cfg = dict(BLOCK_M=128, num_warps=4)", "    cfg = dict(BLOCK_M=32, num_warps=4)", "tile_size"},
		{py, "def f(", `    cfg = {"BLOCK_M": 128}`, `    cfg = {"BLOCK_M": 32}`, "tile_size"},
		{py, "def f(", "    BLOCK_M = 64 if is_hip() else 128", "    BLOCK_M = 32 if is_hip() else 128", "tile_size"},
		{hip, "", "#define TILE_M 64", "#define TILE_M 32", "tile_size"},
		{hip, "", "static constexpr index_t kTileM = 128;", "static constexpr index_t kTileM = 64;", "tile_size"},
		{hip, "", "constexpr int BM{128};", "constexpr int BM{64};", "tile_size"},
		{hip, "void launch(", "  gemm_kernel<128, 64, 32><<<grid, block, 0, stream>>>(a, b, c);", "  gemm_kernel<64, 64, 32><<<grid, block, 0, stream>>>(a, b, c);", "tile_size"},
		{hip, "", "using Tile = ck_tile::sequence<128, 128, 32>;", "using Tile = ck_tile::sequence<64, 64, 32>;", "tile_size"},
		{"cmake/opts.cmake", "", "add_definitions(-DTILE_M=64)", "add_definitions(-DTILE_M=32)", "tile_size"},
		{py, "def k(", "    for k in range(0, K, BLOCK_K):", "    for k in range(0, 2 * K, BLOCK_K):", "loop_bounds"},
		{py, "def k(", "    for k in range(N):", "    for k in range(N*2):", "loop_bounds"},
		{hip, kernel, "  for (int i = 0; i < n; ++i) y[i] = x[i];", "  for (int i = 0; i < n + 64; ++i) y[i] = x[i];", "loop_bounds"},
		{hip, kernel, "  for (int i = tid; i < n; i += 4 * 64)", "  for (int i = tid; i < n; i += 64)", "loop_bounds"},
		{hip, kernel, "  y[0] = x[0];", "  y[0] = x[0];\n  __builtin_amdgcn_s_barrier();", "synchronization"},
		{hip, kernel, `  asm volatile("s_waitcnt vmcnt(2)" ::: "memory");`, `  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");`, "synchronization"},
		{hip, kernel, "  cp_async_wait_group<1>();", "  cp_async_wait_group<0>();", "synchronization"},
		{cl, "__kernel void k(__global float* x)", "  x[0] = 1;", "  x[0] = 1;\n  barrier(CLK_LOCAL_MEM_FENCE);", "synchronization"},
		{mlir, "gpu.func @k", "  %0 = memref.load %a[%i] : memref<?xf32>", "  %0 = memref.load %a[%i] : memref<?xf32>\n  gpu.barrier", "synchronization"},
		{py, "def k(", "    rocdl.sched_barrier(0)", "    rocdl.s_barrier()", "synchronization"},
		{ll, "define amdgpu_kernel void @k", "  %a = load float, ptr addrspace(1) %p", "  %a = load float, ptr addrspace(1) %p\n  call void @llvm.amdgcn.s.waitcnt(i32 0)", "synchronization"},
		{py, "def k(", `    x = tl.load(p, cache_modifier=".cg")`, `    x = tl.load(p, cache_modifier=".ca")`, "cache_modifier"},
		{py, "def k(", `    x = tl.load(p, eviction_policy="evict_first")`, `    x = tl.load(p)`, "cache_modifier"},
		{hip, kernel, "  float v = __builtin_nontemporal_load(&x[i]);", "  float v = x[i];", "cache_modifier"},
		{hip, kernel, "  acc = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, acc, 0, 0, 0);", "  acc = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, acc, 0, 0, 0);", "mfma_shape"},
		{py, "def f(", `    cfg["matrix_instr_nonkdim"] = 32`, `    cfg["matrix_instr_nonkdim"] = 16`, "mfma_shape"},
		{py, "def k(", "    x = tl.load(p)", "    x = tl.load(p).to(tl.float32)", "dtype"},
		{py, "def f(", "    y = torch.empty(n, dtype=torch.float16)", "    y = torch.empty(n, dtype=torch.float32)", "dtype"},
		{hip, kernel, "  half acc = 0;", "  float acc = 0;", "dtype"},
		{hip, "", "__attribute__((amdgpu_waves_per_eu(2,2)))", "__attribute__((amdgpu_waves_per_eu(1,1)))", "waves_per_eu"},
		{ll, "", `attributes #0 = { "amdgpu-waves-per-eu"="2" }`, `attributes #0 = { "amdgpu-waves-per-eu"="1" }`, "waves_per_eu"},
		{hip, "", "__attribute__((amdgpu_flat_work_group_size(1, 256)))", "__attribute__((amdgpu_flat_work_group_size(1, 1024)))", "launch_bounds"},
		{py, "def f(", "    triton.Config({'BLOCK_M': 128}, num_warps=8, num_stages=3),", "    triton.Config({'BLOCK_M': 128}, num_warps=8, num_stages=1),", "num_stages"},
		{py, "def f(", "    k[grid](x, num_warps=8)", "    k[grid](x, num_warps=4)", "num_warps"},
		{hip, kernel, "#pragma unroll 4", "#pragma unroll 1", "unroll"},
		{py, "def k(", "    for i in tl.static_range(0, 4):", "    for i in range(0, 4):", "unroll"},
		{hip, kernel, "  float4 v = reinterpret_cast<const float4*>(x)[i];", "  float2 v = reinterpret_cast<const float2*>(x)[i];", "vector_width"},
		{py, "def k(", "    l: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])", "    l: gl.constexpr = gl.BlockedLayout([8, 1], [8, 8], [4, 1], [1, 0])", "layout"},
		{hip, kernel, "  __shared__ float t[32][33];", "  __shared__ float t[32][32];", "lds_padding"},
		{py, "def k(", "    a = smem.index(0)", "    a = smem.index(0)\n    tl.atomic_add(p, a)", "volatile_atomics"},
		{"configs/a.yaml", "", "BLOCK_M: 128", "BLOCK_M: 32", "tile_size"},
		{"kernels/a.toml", "", "num_stages = 2", "num_stages = 1", "num_stages"},
	} {
		body := "-" + tt.old + "\n+" + strings.ReplaceAll(tt.new, "\n", "\n+")
		r := fromLines(t, tt.file, tt.section, body, Options{})
		ok := false
		for _, h := range r.Hints {
			ok = ok || h.Pattern == tt.want && h.Confidence != Low
		}
		if !ok {
			t.Errorf("%s: %q -> %q: want %s, got %s", tt.file, tt.old, tt.new, tt.want, brief(r))
		}
	}
}
