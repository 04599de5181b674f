package hints

import (
	"regexp"
	"strings"
)

// gpuVariable are environment variables that steer the GPU stack.
var gpuVariable = regexp.MustCompile(`^(HIP|HSA|ROCR?|ROCM|AMD|AMDGCN|AMDGPU|GPU|TRITON|MIOPEN|HIPBLASLT|ROCBLAS|TENSILE|PYTORCH|TORCH|TORCHINDUCTOR|CUDA|NCCL|RCCL|VLLM|SGLANG|SGL|AITER|CK|FLASH_ATTENTION|OMP|MLIR|LLVM|FLYDSL|DEBUG_CLR|GGML|LLAMA|XLA|HCC|KMP|OMPI|UCX|NVTE|DISABLE|ENABLE|LD_PRELOAD|MALLOC|OPENBLAS|MKL)(_[A-Z0-9_]+|$)`)

// notBehaviour are variables of the same families that only say where things lie.
var notBehaviour = regexp.MustCompile(`(_PATH|_HOME|_DIR|_ROOT|_VERSION|_ARCH|_TOKEN|_URL|_COMMIT|_TAG|_BRANCH|_HASH|_IMAGE|_REPO|_LOG_DIR|_FILE)$|^(AMD|ROCM|CUDA|TORCH|LLVM|MLIR|HIP)_(VERSION|HOME|PATH|DIR|ROOT)|_H_?$|_HPP_?$`)

// envRules finds environment variables set to something else.
func (fc *fileContext) envRules(h *sourceHunk, r *run) {
	if fc.lang == langYAML {
		fc.envEntries(h, r)
	}
	for _, c := range r.changes(fc) {
		if !fc.isVariable(&c) {
			continue
		}
		e := evidenceOf{pattern: "environment_variable", level: 2, run: r}
		gpu := gpuVariable.MatchString(c.key) && !notBehaviour.MatchString(c.key)
		if gpu {
			e.level = 3
		}
		switch {
		case c.old != nil && c.new != nil:
			e.old, e.new = c.old.line, c.new.line
			e.reason = c.key + " changed from " + textOf(c.old.val) + " to " + textOf(c.new.val)
		case c.new != nil:
			e.old, e.new = partners(c.new.line)
			e.reason = c.key + " is now set"
		default:
			e.old, e.new = partners(c.old.line)
			e.reason = c.key + " is no longer set"
		}
		if l := e.new; l != nil && l.newFn != "" {
			continue
		}
		if !gpu || (c.old == nil || c.new == nil) && readsOnly(&c) {
			e.level = 1
		}
		fc.emit(e)
	}
}

// readsOnly tells whether the line asks for the variable instead of setting it.
func readsOnly(c *settingChange) bool {
	s := c.new
	if s == nil {
		s = c.old
	}
	for _, t := range s.line.toks {
		if n := t.last(); t.kind == tokIdent && (n == "get" || n == "getenv" || n == "getEnv" || n == "pop") {
			return true
		}
	}
	return false
}

// isVariable tells whether a setting is one of the environment: by its form in
// code, by its name in shells and images.
func (fc *fileContext) isVariable(c *settingChange) bool {
	if len(c.key) < 4 || strings.ToUpper(c.key) != c.key || !isUpper(c.key[0]) || notBehaviour.MatchString(c.key) {
		return false
	}
	s := c.new
	if s == nil {
		s = c.old
	}
	ts := s.line.toks
	switch fc.lang {
	case langShell:
		exported := fc.ext == ".env" || ts[0].text == "export" || ts[0].text == c.key && len(ts) > len(s.val)+2
		return exported && gpuVariable.MatchString(c.key) && !buildSetting.MatchString(c.key)
	case langMake:
		return ts[0].text == "export" && gpuVariable.MatchString(c.key)
	case langDocker:
		return ts[0].text == "ENV" || gpuVariable.MatchString(c.key) && ts[0].text != "ARG"
	case langYAML, langTOML, langJSON:
		return gpuVariable.MatchString(c.key) && !buildSetting.MatchString(c.key)
	case langPython, langC:
		if strings.Contains(strings.ToLower(fc.base), "env") && gpuVariable.MatchString(c.key) {
			return true
		}
		for i, t := range ts {
			if t.kind != tokString || t.text != c.key || i == 0 {
				continue
			}
			for _, u := range ts[:i] {
				if n := u.last(); n == "environ" || n == "getenv" || n == "setenv" || n == "putenv" || strings.Contains(u.text, "environ.") || n == "getEnv" || n == "env" || strings.HasSuffix(n, "_env") || strings.Contains(strings.ToLower(n), "env_var") || strings.HasPrefix(strings.ToLower(n), "getenv") || strings.HasPrefix(n, "env_") {
					return true
				}
			}
			if strings.Contains(s.line.call+s.line.outer, "env") {
				return true
			}
		}
	}
	return false
}

// envEntries reads the lists of containers: "- name: X" and, below it, "value: 1".
func (fc *fileContext) envEntries(h *sourceHunk, r *run) {
	for _, p := range r.pairs {
		ts, os := p.new.toks, p.old.toks
		if len(ts) != 3 || ts[0].text != "value" || len(os) != 3 || os[0].text != "value" || ts[2].text == os[2].text {
			continue
		}
		name := ""
		for _, l := range h.all {
			if l == p.new {
				break
			}
			for i := 0; i+2 < len(l.toks) && l.kind != '-'; i++ {
				if l.toks[i].text == "name" && l.toks[i+1].text == ":" {
					name = l.toks[i+2].text
				}
			}
		}
		if gpuVariable.MatchString(name) && !notBehaviour.MatchString(name) {
			fc.emit(evidenceOf{pattern: "environment_variable", level: 3, old: p.old, new: p.new, run: r, reason: name + " changed from " + os[2].text + " to " + ts[2].text})
		}
	}
}
