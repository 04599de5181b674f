package amdgpu

import (
	"encoding/json"
	"fmt"
	"strings"
)

// readJSON reads a snapshot: ours of schema 1, or the schema 2 of ROCm's
// isa_resource_table.py. Anything else is a problem.
func (s *Snapshot) readJSON(file string, data []byte) {
	var head struct {
		Schema *json.Number `json:"schema"`
		Tool   string       `json:"tool"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		s.problem(UnsupportedSnapshot, file, "", "not a JSON snapshot: "+err.Error())
		return
	}
	schema := ""
	if head.Schema != nil {
		schema = head.Schema.String()
	}
	switch {
	case schema == "1" && head.Tool == toolName:
		s.readOurs(file, data)
	case schema == "2" && head.Tool != toolName:
		s.readROCm(file, data)
	default:
		s.problem(UnsupportedSnapshot, file, "", fmt.Sprintf("schema %q of tool %q; schema 1 of %s and schema 2 of isa_resource_table are read", schema, clip(head.Tool, 40), toolName))
	}
}

func (s *Snapshot) readOurs(file string, data []byte) {
	var j snapshotJSON
	if err := json.Unmarshal(data, &j); err != nil {
		s.problem(UnsupportedSnapshot, file, "", err.Error())
		return
	}
	s.Kernels = append(s.Kernels, j.Kernels...)
	s.Problems = append(s.Problems, j.Problems...)
	s.Warnings = append(s.Warnings, j.Warnings...)
	s.Skipped = append(s.Skipped, j.Skipped...)
	switch {
	case j.Omitted > 0:
		s.problem(UntrustedSnapshot, file, "", fmt.Sprintf("it was shortened: %d kernels are missing", j.Omitted))
	case len(j.Problems) > 0:
	case j.Verdict != OK || j.ExitCode != 0:
		s.problem(UntrustedSnapshot, file, "", fmt.Sprintf("its verdict is %q", clip(string(j.Verdict), 40)))
	}
	for i := range s.Kernels {
		s.checkRead(file, &s.Kernels[i])
	}
}

// checkRead refuses what no reader of ours would have written.
func (s *Snapshot) checkRead(file string, k *Kernel) {
	k.Problems = nil
	if k.File == "" {
		k.File = file
	}
	if k.Name == "" {
		s.problem(KernelWithoutIdentity, file, "", "a kernel without name")
	}
	if k.Target != "" {
		k.Target = ParseTarget(k.Target).String()
	}
	if k.Target == "" {
		s.problem(TargetUnknown, k.File, k.Name, "no target is named")
	}
	for c := range NumColumns {
		if cell := k.Metrics[c]; cell.State == Unparsed && strings.HasPrefix(cell.Reason, "snapshot column") {
			s.problem(BadValue, k.File, k.Name, cell.Reason)
		}
	}
}

// rocmSnapshot is schema 2 of ROCm's isa_resource_table.py.
type rocmSnapshot struct {
	Trustworthy *bool                 `json:"trustworthy"`
	Warnings    []string              `json:"warnings"`
	Kernels     map[string]rocmKernel `json:"kernels"`
}

type rocmKernel struct {
	Source string `json:"source"`
	Arch   struct {
		TargetID string `json:"target_id"`
	} `json:"arch"`
	Notes    []string `json:"notes"`
	Problems []string `json:"problems"`
	Metrics  Metrics  `json:"metrics"`
}

func (s *Snapshot) readROCm(file string, data []byte) {
	var j rocmSnapshot
	if err := json.Unmarshal(data, &j); err != nil {
		s.problem(UnsupportedSnapshot, file, "", err.Error())
		return
	}
	if j.Trustworthy == nil || !*j.Trustworthy {
		s.problem(UntrustedSnapshot, file, "", "it says of itself that it is not trustworthy")
	}
	s.Warnings = append(s.Warnings, j.Warnings...)
	for key, r := range j.Kernels {
		s.Kernels = append(s.Kernels, r.kernel(key))
		k := &s.Kernels[len(s.Kernels)-1]
		s.checkRead(file, k)
		for _, p := range r.Problems {
			s.problem(UntrustedSnapshot, k.File, k.Name, p)
		}
	}
}

// kernel splits the key "relative/dir::kernel" at its first "::": names may
// hold one too, directories hardly. The directory stands for the file, whose
// stage number would only be in the way of pairing.
func (r *rocmKernel) kernel(key string) Kernel {
	dir, name, ok := strings.Cut(key, "::")
	if !ok {
		dir, name = "", key
	}
	k := Kernel{
		Name: name, DisplayName: displayName(name), File: strings.Trim(dir+"/final_isa.s", "/"), Notes: r.Notes,
		Target: r.Arch.TargetID, Metrics: r.Metrics,
	}
	if dir == "." {
		k.File = "final_isa.s"
	}
	k.setSpillsTo()
	return k
}
