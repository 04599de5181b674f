// Package amdgpu reads what compiled AMD GPU kernels need (registers, spills,
// scratch, LDS, occupancy) from any build output, and compares two builds, so
// that a resource regression is seen without running anything.
//
// It never runs or disassembles code, never writes a file, and never calls a
// comparison clean that it could not make: whatever it does not understand is a
// [Problem], and one problem makes the verdict [NotTrustworthy] (exit code 2).
// It measures resources, not time: OK means unchanged pressure, not unchanged
// speed.
//
// # Reading order
//
// [Load] walks a path (load.go, walk.go) and gives each file to a reader by its
// content (sniff.go): assembly text (asm*.go, with the metadata in yaml.go and
// yamlplain.go and the expressions of LLVM 20 and later in expr.go), code
// objects v3 to v6 (elf.go, elfheader.go, msgpack.go), host objects, programs
// and libraries (hostelf.go), static archives (archive.go), offload bundles and
// fat binaries (bundle.go, unpack.go, loadbundle.go), offload binaries
// (offload.go), snapshots (jsonread.go). Bitcode and what is compiled for object
// linking is skipped, and a
// problem if nothing else is there. A reader fills a module;
// kernel.go and kernelcheck.go make kernels of it, each number with its source,
// and cross-check the sources. [Compare] pairs kernels (pair.go), computes the
// verdict (compare.go), and says what the changes cost (severity.go,
// context.go). table.go, json.go and shrink.go write for people, programs and
// small contexts. [CodeHashes] says whether two builds hold the same device code.
//
// # Columns
//
// The six triggers, of which a rise is a regression: vgpr, sgpr, vgpr_spill,
// sgpr_spill, scratch_bytes, lds_static_bytes. All others are informational: a
// "?" in one of them says "partial" and hides nothing. See [Column].
//
//   - vgpr, sgpr, spills, scratch, LDS: the metadata. LDS and scratch must
//     equal the kernel descriptor's.
//   - arch_vgpr, agpr, numbered_sgpr: resource symbols (.set in text, absolute
//     symbols in objects), else the metadata or LLVM's comments, else n/a.
//     vgpr is alignTo(arch, 4) + agpr on a unified register file and
//     max(arch, agpr) on others.
//   - lds_*, scratch_*, matrix_ops: instruction lines of the kernel's own body,
//     so text only. Macros and repetitions make them "?".
//   - vgpr_alloc: the kernel descriptor, rounded up to the target's granule.
//   - occupancy: computed as LLVM does, from vgpr_alloc, sgpr, LDS and the
//     largest work-group; an upper bound for that size. It equals LLVM's own
//     number for every kernel of the test corpus compiled by LLVM 15 to 22.
//     LLVM 20 and later state the best over all sizes up to the largest, which
//     is more where 1,024 work-items do not divide a SIMD's waves: gfx8, gfx9
//     before gfx90a (10, not 8) and gfx10.1 (20, not 16).
//   - code_bytes: the symbol's size, so objects only.
//
// # Cost
//
// Measured on one core of a shared two-core x86-64 machine, as processor time,
// with texts of 25 MB (BenchmarkText, BenchmarkObject, BenchmarkYAML,
// BenchmarkCompare):
//
//	534 kernels of 47 KB            380 to 500 MB/s of text
//	5,703 kernels of 5 KB           120 to 160 MB/s of text
//	peak memory of either           2.3 to 2.5 times the file, the file included
//	objects                         58,000 kernels/s
//	comparing                       290,000 kernels/s
//	metadata, plain reader          340 MB/s; yaml.v3 8.4 MB/s, 40 times slower
//
// No length is taken from a file without the file bounding it, nesting is
// capped, and compressed input that unpacks to over 200 times its size (and over
// 16 MiB), or over 1 GiB, is refused.
package amdgpu
