package amdgpu

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// A Snapshot is what was read from one path. Its JSON is the document of
// "isa summarize --json", schema 1.
type Snapshot struct {
	// Kernels are in the order of their keys.
	Kernels []Kernel
	// Problems make the snapshot untrustworthy: exit code 2.
	Problems []Problem
	// Warnings never change the verdict. Each starts with its kind and a colon.
	Warnings []string
	// Skipped lists the files that were not read, and why.
	Skipped []Skip
	// Omitted counts the kernels that Shrink left out.
	Omitted int

	unread string // a device image that was skipped, if any
}

// A Kernel is one kernel of one module.
type Kernel struct {
	// Key is the name where that is unique in the snapshot, else
	// "directory::name", "target::name" or "file::name".
	Key string `json:"key"`
	// Name is the symbol, mangled as in the file. It is the identity.
	Name string `json:"name"`
	// DisplayName is the demangled name, for people only.
	DisplayName string `json:"display_name"`
	// File is relative to the loaded path, with slashes, and "#member" for an
	// entry of a bundle. Files are the others that hold the same kernel.
	File  string   `json:"file"`
	Files []string `json:"files,omitempty"`
	// Target is the canonical target ID, empty if unknown.
	Target string `json:"target"`
	// WavefrontSize is 32 or 64, and 0 if unknown.
	WavefrontSize int64 `json:"wavefront_size"`
	// CodeObjectVersion is 3 to 6, and 0 if unknown.
	CodeObjectVersion int `json:"code_object_version"`
	// Compiler is what .ident or .comment says, empty if neither does.
	Compiler string `json:"compiler"`
	// MaxFlatWorkgroupSize is the launch bound in work-items, 0 if unknown.
	MaxFlatWorkgroupSize int64 `json:"max_flat_workgroup_size"`
	// WGPMode is true in WGP mode, false in CU mode, nil where neither exists.
	WGPMode *bool `json:"workgroup_processor_mode,omitempty"`
	// DynamicStack is nil if the input does not say.
	DynamicStack *bool `json:"uses_dynamic_stack,omitempty"`
	// DynamicLDS says that LDS is used whose size the code does not state.
	DynamicLDS bool `json:"dynamic_lds,omitempty"`
	// LDSLaunchBytes is LDS per work-group that a launcher's side-car file
	// states (Triton's "shared"), 0 if none does.
	LDSLaunchBytes int64 `json:"lds_launch_bytes,omitempty"`
	// Limiter is what keeps Metrics[Occupancy] from being higher.
	Limiter Limiter `json:"occupancy_limiter,omitempty"`
	// SpillsTo says where spills go: "memory", "agprs", "vgpr_lanes".
	SpillsTo []string `json:"spills_to,omitempty"`
	// Metrics has a cell for each Column, in the column's unit.
	Metrics Metrics `json:"metrics"`
	// Mix is nil where no text was read.
	Mix *Mix `json:"mix,omitempty"`
	// Notes say what a reader of the numbers must know: a kind, a colon, a text.
	Notes []string `json:"notes"`
	// Problems are texts of those in Snapshot.Problems that concern it.
	Problems []string `json:"problems"`

	kind   kind
	linked bool   // of an object: not relocatable
	hash   string // of the normalised code, only when CodeHashes asked for it
}

func (k *Kernel) target() Target { return ParseTarget(k.Target) }

// splitMember separates "file#entry", where entry is the ID of a bundle's
// entry, perhaps with "@n" for the n-th bundle of its file.
func splitMember(file string) (name, member string) {
	i := strings.LastIndexByte(file, '#')
	if i < 0 || deviceTriple(file[i+1:]) < 0 || strings.Contains(file[i:], "/") {
		return file, ""
	}
	return file[:i], file[i+1:]
}

// container is the outermost file of a kernel: "lib.a" of
// "lib.a(gemm.o)#hip-amdgcn-amd-amdhsa--gfx90a". packed says that there is one
// around the kernel's own.
func (k *Kernel) container() (file string, packed bool) {
	file, entry := splitMember(k.File)
	for packed = entry != ""; ; packed = true {
		outer, member := splitArchive(file)
		if member == "" {
			return file, packed
		}
		file = outer
	}
}

// dir is the directory of the kernel's file, "" at the top.
func (k *Kernel) dir() string {
	file, _ := k.container()
	if d := path.Dir(file); d != "." {
		return d
	}
	return ""
}

// stem is the file's name without stage number and extension, which name
// another stage or kind of the same thing; with the member of an archive.
func (k *Kernel) stem() string {
	name, entry := splitMember(k.File)
	file, _ := k.container()
	base := path.Base(file) + name[len(file):]
	if file == name {
		if stage, rest, ok := strings.Cut(base, "_"); ok && stage != "" && strings.Trim(stage, "0123456789") == "" {
			base = rest
		}
		base = strings.TrimSuffix(base, path.Ext(base))
	}
	if _, n, ok := strings.Cut(entry, "@"); ok {
		base += "@" + n
	}
	return base
}

// displayName demangles for people; identity stays with the mangled name.
func displayName(name string) string {
	if len(name) > 1<<12 {
		return name
	}
	return demangle.Filter(name)
}

// Verdict is "OK" or "NOT TRUSTWORTHY".
func (s *Snapshot) Verdict() Verdict {
	if len(s.Problems) > 0 {
		return NotTrustworthy
	}
	return OK
}

// ExitCode is 0, or 2 when there is any problem.
func (s *Snapshot) ExitCode() int { return s.Verdict().ExitCode() }

func (s *Snapshot) problem(c Class, file, kernel, text string) {
	s.Problems = append(s.Problems, Problem{Class: c, File: file, Kernel: kernel, Text: text})
}

// add appends what a module holds.
func (s *Snapshot) add(m *module) {
	first := len(s.Kernels)
	if kernels := m.kernels(); first == 0 {
		s.Kernels = kernels // one module is the common case, and may be big
	} else {
		s.Kernels = append(s.Kernels, kernels...)
	}
	s.Problems = append(s.Problems, m.problems...)
	s.Warnings = append(s.Warnings, m.warnings...)
	for i := first; i < len(s.Kernels); i++ {
		k := &s.Kernels[i]
		if t := k.target(); t.Known() && !t.recognised() {
			s.warnOnce("unknown_processor: " + t.Processor + " is not in this reader's tables; occupancy is n/a")
		}
	}
}

func (s *Snapshot) warnOnce(w string) {
	if !slices.Contains(s.Warnings, w) {
		s.Warnings = append(s.Warnings, w)
	}
}

// finish gives the kernels their keys and order and ties problems to them.
func (s *Snapshot) finish() {
	s.assignKeys()
	slices.SortStableFunc(s.Kernels, func(a, b Kernel) int { return strings.Compare(a.Key, b.Key) })
	byPlace := map[[2]string][]string{}
	for _, p := range s.Problems {
		if p.Kernel != "" {
			at := [2]string{p.File, p.Kernel}
			byPlace[at] = append(byPlace[at], string(p.Class)+": "+p.Text)
		}
	}
	for i := range s.Kernels {
		k := &s.Kernels[i]
		for _, f := range append([]string{k.File}, k.Files...) {
			k.Problems = append(k.Problems, byPlace[[2]string{f, k.Name}]...)
		}
	}
}

// assignKeys makes keys unique: the bare name if it can be, then with the
// directory, the target, both, the file and at last a number.
func (s *Snapshot) assignKeys() {
	ways := []func(*Kernel) string{
		func(k *Kernel) string { return k.Name },
		func(k *Kernel) string { return prefixed(k.dir(), k.Name) },
		func(k *Kernel) string { return prefixed(k.target().Short(), k.Name) },
		func(k *Kernel) string { return prefixed(path.Join(k.dir(), k.stem()), k.Name) },
		func(k *Kernel) string { return prefixed(k.File, k.Name) },
		func(k *Kernel) string { return prefixed(k.File+"@"+k.target().Short(), k.Name) },
	}
	groups := map[string][]*Kernel{}
	for i := range s.Kernels {
		k := &s.Kernels[i]
		groups[k.Name] = append(groups[k.Name], k)
	}
	for _, k := range pointers(s) { // in order, so that problems are too
		if g := groups[k.Name]; g[0] == k {
			s.keyGroup(g, ways)
		}
	}
}

func prefixed(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "::" + name
}

// keyGroup names kernels of one name by the first way that tells them apart.
// What no way tells apart, one file holds twice.
func (s *Snapshot) keyGroup(g []*Kernel, ways []func(*Kernel) string) {
	for _, way := range ways {
		seen := map[string]bool{}
		for _, k := range g {
			k.Key = way(k)
			seen[k.Key] = true
		}
		if len(seen) == len(g) {
			return
		}
	}
	seen := map[string]int{}
	for _, k := range g {
		if seen[k.Key]++; seen[k.Key] > 1 {
			s.problem(DuplicateKernel, k.File, k.Name, "the file holds it more than once for one target")
			k.Key = fmt.Sprintf("%s (%d)", k.Key, seen[k.Key])
		}
	}
}
