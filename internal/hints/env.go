package hints

import (
	"cmp"
	"regexp"
	"slices"
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
		e := evidenceOf{pattern: "environment_variable", level: 3, run: r}
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
		if !gpuVariable.MatchString(c.key) || (c.old == nil || c.new == nil) && readsOnly(c.either().line.toks) {
			e.level = 1
		}
		if e.new == nil || e.new.newFn == "" {
			fc.emit(e)
		}
	}
}

// either is the new setting, or the old one if that is gone.
func (c *settingChange) either() *setting { return cmp.Or(c.new, c.old) }

var reader = wordSet("get getenv getEnv pop")

// readsOnly tells whether a line asks for the variable instead of setting it.
func readsOnly(ts []token) bool { return hasAnyLast(ts, reader) }

// isVariable tells whether a setting is one of the environment: by its form in
// code, by its name in shells and images.
func (fc *fileContext) isVariable(c *settingChange) bool {
	if len(c.key) < 4 || strings.ToUpper(c.key) != c.key || !isUpper(c.key[0]) || notBehaviour.MatchString(c.key) {
		return false
	}
	s := c.either()
	ts, gpu := s.line.toks, gpuVariable.MatchString(c.key)
	runtime := gpu && !buildSetting.MatchString(c.key)
	switch fc.lang {
	case langShell:
		return runtime && (fc.ext == ".env" || ts[0].text == "export" || ts[0].text == c.key && len(ts) > len(s.val)+2)
	case langMake:
		return gpu && ts[0].text == "export"
	case langDocker:
		return ts[0].text == "ENV" || gpu && ts[0].text != "ARG"
	case langYAML, langTOML, langJSON:
		return runtime
	case langPython, langC:
		return gpu && hasAnyOf(fc.base, "env") || fc.inEnvironment(s.line, c.key)
	}
	return false
}

// environment are names of the environment and of functions that read or set it.
var environment = rx(`(^|[.:])(environ|getenv|setenv|putenv|getEnv|env)$|environ\.|_env$|(?i:env_var)|(^|[.:])((?i:getenv)|env_)[^.:]*$`)

// inEnvironment tells whether a line of code sets or reads the variable key: a string
// behind a name of the environment.
func (fc *fileContext) inEnvironment(l *srcLine, key string) bool {
	at := len(l.toks) - 1
	for at > 0 && (l.toks[at].kind != tokString || l.toks[at].text != key) {
		at--
	}
	return at > 0 && (strings.Contains(l.call+l.outer, "env") || slices.ContainsFunc(l.toks[:at], func(t token) bool { return environment.MatchString(t.text) }))
}

// envEntries reads the lists of containers: "- name: X" and, below it, "value: 1".
func (fc *fileContext) envEntries(h *sourceHunk, r *run) {
	for _, p := range r.pairs {
		was, is := valueOf(p.old), valueOf(p.new)
		if was == "" || is == "" || was == is {
			continue
		}
		name := ""
		for _, l := range h.all[:slices.Index(h.all, p.new)] {
			for i := 0; i+2 < len(l.toks) && l.kind != '-'; i++ {
				if l.toks[i].text == "name" && l.toks[i+1].text == ":" {
					name = l.toks[i+2].text
				}
			}
		}
		if gpuVariable.MatchString(name) && !notBehaviour.MatchString(name) {
			fc.emit(r.hint(p.new, "environment_variable", 3, name+" changed from "+was+" to "+is))
		}
	}
}

// valueOf is the value of "value: 1", "" if the line is something else.
func valueOf(l *srcLine) string {
	if len(l.toks) != 3 || l.toks[0].text != "value" {
		return ""
	}
	return l.toks[2].text
}
