package hints

import (
	"path"
	"regexp"
	"strings"
)

// A language decides how lines are cut into tokens and which rules look at them.
type language int

const (
	langNone language = iota // prose, data or unknown: not read
	langPython
	langC // C, C++, HIP, CUDA, OpenCL, CK
	langLLVM
	langMLIR
	langAsm
	langCMake
	langYAML
	langJSON
	langTOML
	langDocker
	langReqs
	langShell
	langMake
	langPin // a small text file that holds a version or a hash
)

// config tells languages whose words may hold '-', '.' and '/'.
func (l language) config() bool { return l >= langCMake }

// code tells languages that hold kernels or their launch.
func (l language) code() bool { return l >= langPython && l <= langAsm }

var langByExt = map[string]language{
	".py": langPython, ".pyi": langPython,
	".c": langC, ".cc": langC, ".cpp": langC, ".cxx": langC, ".h": langC, ".hh": langC, ".hpp": langC, ".hxx": langC,
	".inc": langC, ".inl": langC, ".ipp": langC, ".cu": langC, ".cuh": langC, ".hip": langC, ".cl": langC, ".opencl": langC,
	".comp": langC, ".metal": langC, ".glsl": langC,
	".ll": langLLVM, ".mlir": langMLIR, ".ttir": langMLIR, ".ttgir": langMLIR,
	".s": langAsm, ".asm": langAsm, ".amdgcn": langAsm, ".ptx": langAsm,
	".cmake": langCMake, ".yaml": langYAML, ".yml": langYAML, ".json": langJSON, ".jsonc": langJSON, ".toml": langTOML,
	".cfg": langTOML, ".ini": langTOML, ".dockerfile": langDocker, ".sh": langShell, ".bash": langShell, ".zsh": langShell,
	".env": langShell, ".mk": langMake, ".make": langMake, ".lock": langReqs,
	".csv": langNone,
}

// deviceExt are files that hold device code by their name alone.
var deviceExt = map[string]bool{
	".cu": true, ".cuh": true, ".hip": true, ".cl": true, ".opencl": true, ".ll": true, ".mlir": true, ".ttir": true,
	".ttgir": true, ".s": true, ".amdgcn": true, ".ptx": true, ".comp": true, ".metal": true,
}

var pinName = regexp.MustCompile(`(?i)(hash|commit|version|revision|pin|sha|tag)s?(\.txt|\.ref|\.rev|\.json)?$`)

// languageOf names the language of a path.
func languageOf(p string) language {
	base := path.Base(p)
	low := strings.ToLower(base)
	for _, suffix := range []string{".in", ".j2", ".jinja", ".jinja2", ".template", ".tpl"} {
		low = strings.TrimSuffix(low, suffix)
	}
	ext := path.Ext(low)
	switch {
	case low == "cmakelists.txt":
		return langCMake
	case strings.HasPrefix(low, "dockerfile"), strings.HasPrefix(low, "containerfile"):
		return langDocker
	case low == "makefile", low == "gnumakefile":
		return langMake
	case reqName.MatchString(low), strings.Contains(p, "requirements/") && ext == ".txt", strings.Contains(p, "requirements/") && ext == ".in":
		return langReqs
	case low == "setup.cfg", low == "pipfile":
		return langTOML
	}
	if l, ok := langByExt[ext]; ok {
		return l
	}
	if pinName.MatchString(low) && (ext == "" || ext == ".txt" || ext == ".ref" || ext == ".rev") {
		return langPin
	}
	return langNone
}

var reqName = regexp.MustCompile(`^(.*requirements?.*\.(txt|in)|constraints.*\.txt|environment.*\.ya?ml|conda.*\.ya?ml|go\.mod|cargo\.lock|poetry\.lock|uv\.lock|pipfile\.lock|requirements)$`)

// A role is what a file is for, by its path.
type role int

const (
	roleSource role = iota
	roleBench       // measures; a change alters what is measured
	roleTest
	roleDoc
	roleCI
)

var (
	testDir  = regexp.MustCompile(`(?i)(^|/)(tests?|unittests?|unit_tests?|op_tests?|testing|testdata|lit|fixtures|mocks?|e2e|conformance)(/|$)`)
	testFile = regexp.MustCompile(`(?i)(^|/)(test_[^/]*|conftest\.py|[^/]*_(unit)?tests?\.[a-z]+|[^/]*[._-]spec\.[a-z]+|test\.[a-z]+)$`)
	benchRe  = regexp.MustCompile(`(?i)(^|/)(bench(es|mark|marks|marking)?|perf|profil(e|er|ing))(/|$)|(^|/)(bench|benchmark|profile)(_[^/]*)?\.[a-z]+$|(^|/)[^/]*_(bench|benchmark|perf)\.[a-z]+$`)
	docRe    = regexp.MustCompile(`(?i)(^|/)(docs?|documentation|man|changelog|licenses?)(/|$)|\.(md|rst|adoc|html?|svg|ipynb|tex)$|(^|/)(readme|changelog|license|notice|authors|contributing|codeowners)[^/]*$`)
	ciRe     = regexp.MustCompile(`(?i)(^|/)(\.github|\.gitlab|\.circleci|\.buildkite|\.azuredevops|\.azure-pipelines|jenkins)(/|$)|(^|/)(\.gitlab-ci\.ya?ml|jenkinsfile[^/]*|\.pre-commit-config\.yaml|\.travis\.yml|azure-pipelines\.ya?ml|tox\.ini|noxfile\.py|\.clang-format|\.clang-tidy|\.editorconfig)$`)
)

func roleOf(p string) role {
	switch {
	case ciRe.MatchString(p):
		return roleCI
	case docRe.MatchString(p):
		return roleDoc
	case testDir.MatchString(p), testFile.MatchString(p):
		return roleTest
	case benchRe.MatchString(p):
		return roleBench
	}
	return roleSource
}

// gpuPath finds words in a path that speak of GPU code.
var gpuPath = regexp.MustCompile(`(?i)kernel|triton|gluon|flydsl|gpu|cuda|hip|rocm|amd|opencl|(^|[/_.-])(ck|ck_tile|cutlass|gemm|matmul|attn|attention|mha|fmha|mla|moe|conv|softmax|norm|rmsnorm|layernorm|quant|rope|csrc|aiter|ops?|tuned?|tuning|mmq|mmvq|fattn|flash|wmma|mfma|inductor|xformers)([/_.-]|\d|$)`)
