package hints

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// inString is a requirement inside a list of strings.
var inString = regexp.MustCompile(`["']([A-Za-z][\w.\-]*(?:\[[\w,\-]*\])?)\s*(?:===|==|>=|<=|~=)\s*([^\s,;"']+)["']`)

// matchRequirement finds "name==version" in a line, as [all, name, version].
func (fc *fileContext) matchRequirement(s string) []string {
	if fc.lang == langPython {
		return inString.FindStringSubmatch(s)
	}
	return requirement.FindStringSubmatch(s)
}

var (
	requirement = regexp.MustCompile(`^\s*["'\-]*\s*["']?([A-Za-z0-9][\w.\-]*(?:\[[\w,\-]*\])?)\s*(?:@|===|==|>=|<=|~=|!=|>|<|\^|=|\s*=\s*["'{])\s*["']?([^\s,;#"']+)`)
	fromImage   = regexp.MustCompile(`(?i)^\s*FROM\s+(?:--\S+\s+)?(\S+)`)
	hexHash     = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)
	pinKey      = regexp.MustCompile(`(?i)(version|commit|hash|branch|tag|sha|revision|\brev|_ref|image|\burl)s?\d*$`)
	installCmd  = regexp.MustCompile(`(?i)\b(pip3?|conda|apt(-get)?|uv|dnf|yum|mamba)\s+.*install\b|git\s+(clone|checkout)|wget|curl`)
	versionWord = regexp.MustCompile(`_\d+_\d+$|\d+(\.\d+)+|\b[0-9a-f]{7,40}\b|\bv?\d+\.\d+|-\d+-`)
)

// gpuPackages decide about the code on the device.
var gpuPackages = rx(`(?i)torch|triton|rocm|hip|llvm|clang|aiter|composable|(^|[^a-z])ck([^a-z]|$)|flash|cuda|xformers|rccl|nccl|miopen|rocblas|tensile|cutlass|jax|vllm|flydsl|iree|mlir|cupy|apex|sglang|sgl|deepspeed|transformer.?engine|amd|gpu|tilelang|flashinfer|onnxruntime|migraphx|gcc|ninja`)

// devPackages run beside the code, never in it.
var devPackages = rx(`(?i)^(pytest|ruff|black|mypy|isort|flake8|pylint|pre-?commit|sphinx|myst|yapf|codespell|coverage|tox|nox|types-|mkdocs|docutils|twine|build$|wheel$|setuptools|parameterized|expecttest|hypothesis|lm-eval|matplotlib|pandas|tabulate|rich|tqdm|requests|actions/|clang-format|jinja2|furo|breathe|rocm-docs)`)

// pinRules finds moved versions in build files, images and pin files.
func (fc *fileContext) pinRules(h *sourceHunk, r *run) {
	if fc.lang == langReqs || fc.lang == langTOML {
		fc.lockedVersion(h, r)
	}
	if fc.base == ".gitmodules" {
		fc.submoduleBranch(r)
		return
	}
	switch fc.lang {
	case langPin:
		fc.pinFile(r)
	case langReqs, langTOML:
		fc.requirements(r)
	case langPython:
		if fc.base == "setup.py" || fc.mentions("install_requires", "requires=", "REQUIREMENTS") {
			fc.requirements(r)
		}
	case langDocker, langShell, langCMake, langMake, langYAML, langJSON:
		fc.pinLines(r)
		fc.requirements(r)
	}
}

// pinFile reads a file that holds a version or a hash and little else.
func (fc *fileContext) pinFile(r *run) {
	if len(r.old) == 0 || len(r.new) == 0 || !isPin(r.old[0]) || !isPin(r.new[0]) {
		return
	}
	e := evidenceOf{
		pattern: "dependency_version", level: 3, old: r.old[0], new: r.new[0], run: r,
		reason: "the file pins a version; what came with it is not in this diff",
	}
	if own := strings.ToLower(fc.base); (own == "version" || own == "version.txt") && !hexHash.MatchString(r.new[0].text) {
		e.level, e.reason = 1, "a version, most likely the project's own"
	}
	fc.emit(e)
}

// lockedVersion reads lock files that name a package and its version on two lines.
func (fc *fileContext) lockedVersion(h *sourceHunk, r *run) {
	for _, p := range r.pairs {
		m, o := versionLine.FindStringSubmatch(p.new.text), versionLine.FindStringSubmatch(p.old.text)
		if m == nil || o == nil || m[1] == o[1] {
			continue
		}
		name := ""
		for _, l := range h.all[:slices.Index(h.all, p.new)] {
			if n := nameLine.FindStringSubmatch(l.text); n != nil && l.kind != '-' {
				name = n[1]
			}
		}
		if gpuPackages.MatchString(name) && !devPackages.MatchString(name) {
			fc.emitPin(r, p.old, p.new, name, o[1], m[1])
		}
	}
}

var (
	versionLine = regexp.MustCompile(`^\s*version\s*=\s*"([^"]+)"`)
	nameLine    = regexp.MustCompile(`^\s*name\s*=\s*"([^"]+)"`)
)

// submoduleBranch reports a submodule that follows another branch.
func (fc *fileContext) submoduleBranch(r *run) {
	for _, p := range r.pairs {
		if ts := p.new.toks; len(ts) > 2 && ts[0].text == "branch" && p.old.toks[0].text == "branch" {
			fc.emit(r.hint(p.new, "dependency_version", 2, "a submodule follows another branch"))
		}
	}
}

// isPin tells whether a line is a version or a hash and little else.
func isPin(l *srcLine) bool {
	return len(strings.Fields(l.text)) <= 3 && (versionWord.MatchString(l.text) || hexHash.MatchString(l.text) || hasNumber(l.toks) || isBranch(strings.TrimSpace(l.text)))
}

// A pinned is a line "name==version".
type pinned struct {
	line    *srcLine
	version string
}

// requirements compares lines "name==version" by name.
func (fc *fileContext) requirements(r *run) {
	olds := map[string]pinned{}
	for _, l := range r.old {
		if m := fc.matchRequirement(l.text); m != nil {
			olds[strings.ToLower(m[1])] = pinned{l, m[2]}
		}
	}
	if len(olds) == 0 {
		return
	}
	for _, l := range r.new {
		m := fc.matchRequirement(l.text)
		if m == nil || !fc.isRequirement(l.text, m[2]) {
			continue
		}
		name := strings.ToLower(m[1])
		if o := olds[name]; o.line != nil && o.version != m[2] && !devPackages.MatchString(name) && !languageOrOwn[name] {
			fc.emitPin(r, o.line, l, name, o.version, m[2])
		}
	}
}

// languageOrOwn are names that no package has: of the language, of the project.
var languageOrOwn = wordSet("version python requires-python")

// isRequirement tells whether a line that looks like one pins a package in a file of
// this kind.
func (fc *fileContext) isRequirement(text, version string) bool {
	switch fc.lang {
	case langReqs:
		return true
	case langTOML:
		return versionWord.MatchString(version)
	}
	return strings.Contains(text, "==")
}

func (fc *fileContext) emitPin(r *run, o, n *srcLine, name, from, to string) {
	e := evidenceOf{pattern: "dependency_version", level: 2, old: o, new: n, run: r}
	e.reason = fmt.Sprintf("%s moves from %s to %s", name, from, to)
	if gpuPackages.MatchString(name) {
		e.level = 3
		e.reason += "; it holds or compiles device code"
	}
	if hasAnyOf(fc.base, "dev", "doc", "lint", "test") {
		e.level = 1
	}
	fc.emit(e)
}

// pinLines compares images, installs and settings named ..._VERSION, ..._COMMIT.
func (fc *fileContext) pinLines(r *run) {
	for _, p := range r.pairs {
		if a, b := fromImage.FindStringSubmatch(p.old.text), fromImage.FindStringSubmatch(p.new.text); a != nil && b != nil && fc.lang == langDocker {
			if a[1] != b[1] {
				fc.emit(r.hint(p.new, "dependency_version", 3, fmt.Sprintf("the base image moves from %s to %s", a[1], b[1])))
			}
			continue
		}
		d := diffTokens(p.old.toks, p.new.toks)
		if !slices.ContainsFunc(d.gone, isVersion) || !slices.ContainsFunc(d.came, isVersion) {
			continue
		}
		name := pinnedName(p.new.toks)
		switch {
		case pinKey.MatchString(name) && !strings.EqualFold(name, "version"):
		case !smallNumbers(d.came) && (installCmd.MatchString(p.new.text) || gpuPackages.MatchString(p.new.text) && hasText(p.new.toks, "=")):
			name = strings.Trim(textOf(p.new.toks), `"`)
		default:
			continue
		}
		fc.emitPin(r, p.old, p.new, name, textOf(d.gone), textOf(d.came))
	}
}

// pinnedName is the name that a line gives a value to, without -D.
func pinnedName(ts []token) string {
	for i, t := range ts {
		if t.kind == tokOp || i > 3 {
			continue
		}
		switch strings.ToUpper(t.text) {
		case "ARG", "ENV", "SET", "EXPORT", "-":
			continue
		case "GIT_TAG", "URL_HASH":
			return t.text
		}
		return strings.TrimPrefix(t.text, "-D")
	}
	return ""
}

// smallNumbers: a switch or a count, no version.
func smallNumbers(ts []token) bool {
	return len(ts) > 0 && !slices.ContainsFunc(ts, func(t token) bool { return t.kind != tokNumber || len(t.text) > 3 || strings.Contains(t.text, ".") })
}

func isVersion(t token) bool {
	return t.kind == tokNumber || versionWord.MatchString(t.text) || hexHash.MatchString(t.text) || isBranch(t.text)
}

var branchName = wordSet("main master develop nightly latest")

func isBranch(s string) bool { return branchName[s] || strings.HasPrefix(s, "release/") }
