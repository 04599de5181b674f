package bench

import (
	"bytes"

	"perfbisect/internal/proc"
)

// Fault is the evidence that a GPU, not just the program, ended a command.
type Fault struct {
	// Pattern is the text that was found, Line the line that holds it.
	Pattern string `json:"pattern"`
	Line    string `json:"line"`
}

// faultPatterns are looked for only in the output of a command that ended
// abnormally: a test suite may print them and pass. Left out on purpose, since
// the device is well after them: out of memory, HSA_STATUS_ERROR_INVALID_ISA and
// hipErrorNoBinaryForGpu (built for another chip), device-side asserts.
var faultPatterns = []string{
	// ROCR-Runtime, runtime.cpp and amd_gpu_agent.cpp: memory faults and hardware
	// exceptions, as in ROCm/ROCm#6137 ("reason :GPU Hang").
	"Memory access fault by GPU node",
	"HW Exception by GPU node",
	"GPU core dump",
	"GPU coredump",
	// hsa_ext_amd.h and hsa.h, as printed by the HIP runtime with "Queue error".
	"HSA_STATUS_ERROR_EXCEPTION",
	"HSA_STATUS_ERROR_MEMORY_FAULT",
	"HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION",
	"HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION",
	// hip_runtime_api.h.
	"hipErrorIllegalAddress",
	"hipErrorLaunchFailure",
	"hipErrorLaunchTimeOut",
	"hipErrorECCNotCorrectable",
	// cuda.h and cudaGetErrorString; HIP prints the same sentences.
	"CUDA_ERROR_ILLEGAL_ADDRESS",
	"CUDA_ERROR_LAUNCH_FAILED",
	"CUDA_ERROR_ECC_UNCORRECTABLE",
	"cudaErrorIllegalAddress",
	"cudaErrorLaunchFailure",
	"an illegal memory access was encountered",
	"an illegal instruction was encountered",
	"unspecified launch failure",
	"uncorrectable ECC error encountered",
	"the launch timed out and was terminated",
	// Kernel log lines that some harnesses copy: NVIDIA "XID Errors", amdgpu.
	"NVRM: Xid",
	"GPU has fallen off the bus",
	"amdgpu: GPU reset",
	"ring gfx timeout",
}

// findFault looks for the first pattern, by its place in the list, in the kept
// output.
func findFault(streams ...proc.Capture) *Fault {
	for _, pattern := range faultPatterns {
		for _, s := range streams {
			for _, text := range [][]byte{s.Head, s.Tail} {
				if i := bytes.Index(text, []byte(pattern)); i >= 0 {
					return &Fault{Pattern: pattern, Line: lineAt(text, i)}
				}
			}
		}
	}
	return nil
}

// lineAt returns the line of text around i, cut to a length that can be quoted.
func lineAt(text []byte, i int) string {
	start := bytes.LastIndexAny(text[:i], "\n\r") + 1
	end := len(text)
	if n := bytes.IndexAny(text[i:], "\n\r"); n >= 0 {
		end = i + n
	}
	return plain(text[max(start, i-200):min(end, i+300)])
}
