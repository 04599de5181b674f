package hints

import (
	"path"
	"regexp"
	"slices"
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
	langCSV // tables of tuned kernels
	langPin // a small text file that holds a version or a hash
)

// config tells languages whose words may hold '-', '.' and '/'.
func (l language) config() bool { return l >= langCMake }

// code tells languages that hold kernels or their launch.
func (l language) code() bool { return l >= langPython && l <= langAsm }

var langByExt = map[string]language{
	".py": langPython, ".pyi": langPython,
	".c": langC, ".go": langC, ".cc": langC, ".cpp": langC, ".cxx": langC, ".h": langC, ".hh": langC, ".hpp": langC, ".hxx": langC,
	".inc": langC, ".inl": langC, ".ipp": langC, ".cu": langC, ".cuh": langC, ".hip": langC, ".cl": langC, ".opencl": langC,
	".comp": langC, ".metal": langC, ".glsl": langC,
	".ll": langLLVM, ".mlir": langMLIR, ".ttir": langMLIR, ".ttgir": langMLIR,
	".s": langAsm, ".asm": langAsm, ".amdgcn": langAsm, ".ptx": langAsm,
	".cmake": langCMake, ".yaml": langYAML, ".yml": langYAML, ".json": langJSON, ".jsonc": langJSON, ".toml": langTOML,
	".cfg": langTOML, ".ini": langTOML, ".dockerfile": langDocker, ".sh": langShell, ".bash": langShell, ".zsh": langShell,
	".env": langShell, ".mk": langMake, ".make": langMake, ".bzl": langMake, ".bazel": langMake, ".nix": langMake, ".gn": langMake, ".hcl": langTOML, ".gitmodules": langTOML, ".lock": langReqs,
	".csv": langCSV,
}

var pinName = regexp.MustCompile(`(?i)(^|[a-z_.]|llvm-|triton-)(hash|commit|version|revision|pin|sha|tag)s?(\.txt|\.ref|\.rev|\.json)?$`)

// pinDir is a directory of files that each pin one thing.
var pinDir = regexp.MustCompile(`(?i)(^|/)[\w-]*(pins?|commits?|hashes|versions?)/[^/]+$`)

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
	case low == "makefile", low == "gnumakefile", low == "meson.build", low == "workspace", low == "build", low == "module.bazel":
		return langMake
	case reqName.MatchString(low), strings.Contains(p, "requirements/") && ext == ".txt", strings.Contains(p, "requirements/") && ext == ".in":
		return langReqs
	case low == "setup.cfg", low == "pipfile":
		return langTOML
	}
	if l, ok := langByExt[ext]; ok {
		return l
	}
	plainText := ext == "" || ext == ".txt" || ext == ".ref" || ext == ".rev" || ext == ".version"
	if plainText && (pinName.MatchString(low) || pinDir.MatchString(p)) {
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
	testDirs  = wordSet(`test tests unittest unittests unit_test unit_tests op_test op_tests testing testdata lit fixtures mock mocks e2e conformance`)
	benchDirs = wordSet(`bench benches benchmark benchmarks benchmarking op_benchmarks perf profile profiler profiling`)
	docDirs   = wordSet(`doc docs documentation man changelog license licenses`)
	ciDirs    = wordSet(`.github .gitlab .circleci .buildkite .azuredevops .azure-pipelines jenkins`)
	ciFiles   = wordSet(`.gitlab-ci.yml .gitlab-ci.yaml .pre-commit-config.yaml .travis.yml azure-pipelines.yml tox.ini noxfile.py .clang-format .clang-tidy .editorconfig`)
	docExts   = wordSet(`.md .rst .adoc .html .htm .svg .ipynb .tex`)
)

// roleOf reads the role from the names of the directories and of the file.
func roleOf(p string) role {
	dirs := strings.Split(strings.ToLower(p), "/")
	base := dirs[len(dirs)-1]
	dirs = dirs[:len(dirs)-1]
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	in := func(set map[string]bool) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return set[d] })
	}
	switch {
	case in(ciDirs), ciFiles[base], strings.HasPrefix(base, "jenkinsfile"):
		return roleCI
	case docExts[ext], in(docDirs), hasAnyPrefix(base, "readme", "changelog", "license", "notice", "authors", "contributing", "codeowners"):
		return roleDoc
	case in(testDirs), stem == "test", base == "conftest.py", strings.HasPrefix(stem, "test_"), hasAnySuffix(stem, "_test", "_tests", "_unittest", ".spec"):
		return roleTest
	case in(benchDirs), hasAnyPrefix(stem, "bench_", "benchmark_", "profile_", "tune"), stem == "bench", stem == "benchmark", hasAnySuffix(stem, "_bench", "_benchmark", "_perf", "_tune", "_tuner"):
		if ext == ".json" || ext == ".csv" {
			return roleSource // a table of tuned kernels
		}
		return roleBench
	}
	return roleSource
}

func hasAnyPrefix(s string, ps ...string) bool {
	return slices.ContainsFunc(ps, func(p string) bool { return strings.HasPrefix(s, p) })
}

func hasAnySuffix(s string, ps ...string) bool {
	return slices.ContainsFunc(ps, func(p string) bool { return strings.HasSuffix(s, p) })
}

// gpuPath finds words in a path that speak of GPU code.
var gpuPath = regexp.MustCompile(`(?i)kernel|tensile|rocblas|hipblas|miopen|gfx\d|triton|gluon|flydsl|gpu|cuda|hip|rocm|amd|opencl|(^|[/_.-])(ck|ck_tile|cutlass|gemm|matmul|attn|attention|mha|fmha|mla|moe|conv|softmax|norm|rmsnorm|layernorm|quant|rope|csrc|aiter|ops?|tuned?|tuning|mmq|mmvq|fattn|flash|wmma|mfma|inductor|xformers)([/_.-]|\d|$)`)
