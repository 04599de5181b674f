// Package enginetest is a fake world for planners: repositories without git,
// benchmarks without a GPU, and the noise of real machines. It is imported by
// tests and by the simulator only.
package enginetest
