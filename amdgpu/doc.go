// Package amdgpu reads what compiled AMD GPU kernels need (registers, spills,
// scratch, LDS, occupancy) and compares two builds, so that a resource
// regression is seen without running anything.
//
// It never runs code, never disassembles, never writes a file, and never
// reports a comparison as clean that it could not make.
package amdgpu
