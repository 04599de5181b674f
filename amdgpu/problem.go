package amdgpu

// A Class names a kind of problem. Any problem makes the answer untrustworthy
// (exit code 2), whatever else was found.
type Class string

// The classes of problems.
const (
	InputMissing          Class = "input_missing"               // the path does not exist
	InputEmpty            Class = "input_empty"                 // a directory without files
	NoISAFound            Class = "no_isa_found"                // files, but none with AMDGPU code
	NoKernels             Class = "no_kernels"                  // AMDGPU modules, but no kernel in them
	Unreadable            Class = "unreadable"                  // the operating system refused
	TooLarge              Class = "too_large"                   // over a size bound, or a decompression bomb
	NotAMDGPU             Class = "not_amdgpu"                  // named as AMDGPU code, but is something else
	UnsupportedCodeObject Class = "unsupported_code_object"     // code object v2, PAL, Mesa
	Unlinked              Class = "unlinked"                    // only code that the linker finishes, such as bitcode
	Truncated             Class = "truncated"                   // the end is missing
	Undecodable           Class = "undecodable"                 // not UTF-8, or NUL bytes
	BadBundle             Class = "bad_bundle"                  // an offload bundle or archive that does not parse
	BadMetadata           Class = "bad_metadata"                // the metadata does not parse
	MetadataMissing       Class = "metadata_missing"            // no metadata in the module
	MetadataMissingFor    Class = "metadata_missing_for_kernel" // descriptor without an entry
	BodyMissing           Class = "body_missing"                // entry without code
	KernelWithoutIdentity Class = "kernel_without_identity"     // neither .name nor .symbol
	IdentityConflict      Class = "identity_conflict"           // .name and .symbol disagree
	DuplicateKernel       Class = "duplicate_kernel"            // one module declares it twice
	BadValue              Class = "bad_value"                   // negative, no integer, or over 63 bits
	MissingField          Class = "missing_field"               // a required key is absent
	ValueConflict         Class = "value_conflict"              // two sources disagree
	TargetUnknown         Class = "target_unknown"              // no target named
	TargetConflict        Class = "target_conflict"             // two targets named for one module
	TargetDiffers         Class = "target_differs"              // another processor on the other side
	FeaturesDiffer        Class = "features_differ"             // xnack or sramecc differ
	WavefrontSizeDiffers  Class = "wavefront_size_differs"      // wave32 against wave64
	OneSidedValue         Class = "one_sided_value"             // a trigger that only one side reports
	UnparsedValue         Class = "unparsed_value"              // a trigger that is "?"
	OnlyInBefore          Class = "only_in_before"              // the kernel is gone
	OnlyInAfter           Class = "only_in_after"               // the kernel is new
	UnsupportedSnapshot   Class = "unsupported_snapshot"        // unknown schema, or not JSON
	UntrustedSnapshot     Class = "untrusted_snapshot"          // says of itself that it has problems
)

// A Problem is something that makes the answer untrustworthy.
type Problem struct {
	Class Class `json:"class"`
	// Side is "before" or "after" in a Diff and empty in a Snapshot, or when
	// both sides are concerned.
	Side string `json:"side,omitempty"`
	// File is relative to the loaded path, with "#member" for a bundle's entry.
	File string `json:"file,omitempty"`
	// Kernel is a name in a Snapshot and a key in a Diff, empty if none is meant.
	Kernel string `json:"kernel,omitempty"`
	// Text says what was seen.
	Text string `json:"text"`
}

// String is one line: side, class, where and what.
func (p Problem) String() string {
	s := string(p.Class)
	if p.Side != "" {
		s = p.Side + ": " + s
	}
	if p.File != "" {
		s += ": " + p.File
	}
	if p.Kernel != "" {
		s += ": " + p.Kernel
	}
	return s + ": " + p.Text
}

// A Skip is a file that was not read, relative to the loaded path, and why.
type Skip struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}
