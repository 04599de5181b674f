package hints

import (
	"regexp"
	"slices"
	"strings"
)

// codegenFlag are flags that change the machine code. Warnings, include paths and
// libraries do not.
var codegenFlag = regexp.MustCompile(`^(-O([0-3sgz]|fast)|/O[12dx]|-f(?:no-)?(fast-math|unroll\S*|inline\S*|vectorize|slp-vectorize|gpu-\S+|approx-func|associative-math|finite-math-only|signed-zeros|offload-lto|lto\S*|sanitize\S*|profile\S*|omit-frame-pointer|strict-aliasing|exceptions|rtti|contract\S*|ffp-contract\S*|cuda-\S+|hip-\S+|openmp\S*|math-errno|stack-protector\S*|PIC|plugin\S*|ptrauth\S*|uniform-block)|-ffp-contract\S*|-fp-contract\S*|-mllvm|-m(?:no-)?(tune|arch|cpu|code-object-version|wavefrontsize64|cumode|unsafe-fp-atomics|fma|avx\S*|tgsplit|sram-ecc|xnack|amdgpu-\S+|printf-kind)\S*|-march\S*|-mcpu\S*|-G|-g[0-3]?|-ggdb|-g?lineinfo|-lineinfo|-?-amdgpu-\S+|-?-enable-\S+|-?-disable-\S+|-?-offload-arch\S*|--amdgpu-target\S*|--gpu-max-threads-per-block\S*|--?maxrregcount\S*|--?use_fast_math|-cl-\S+|-ftz\S*|--ftz\S*|-prec-(div|sqrt)\S*|--save-temps|-save-temps|-fgpu-\S+|-x?hip-\S+|-Xptxas|-Xclang|-?-misched\S*|-?-greedy\S*|-?-regalloc\S*|-?-unroll-\S+|-?-inline-\S+|-?-sched\S*|-?-lsr\S*|-?-hip-\S+|-DNDEBUG|-DDEBUG\S*|-D_DEBUG|-DUSE_\S+|-DENABLE_\S+|-DDISABLE_\S+|-DCK_\S+|-DGGML_\S+|-DFLASH\S+|--debug|--release|--ptxas-options\S*)$`)

// buildSetting are settings of build systems that choose how code is compiled.
var buildSetting = regexp.MustCompile(`(?i)^(cmake_build_type|build_type|buildtype|cmake_(c|cxx|hip|cuda)_(flags\w*|compiler\w*|architectures)|(gpu|amdgpu|hip|rocm)_(targets|archs?|architectures?)|pytorch_rocm_arch|cmake_interprocedural_optimization|interprocedural_optimization|(hip|cuda|nvcc|cxx|c|hipcc)_?flags\w*|extra_(cflags|cuda_cflags|compile_args|hipcc_flags)\w*|optimization|opt_level|ggml_\w+|llama_\w+|build_(debug|asserts)|llvm_enable_assertions|with_(asserts|debug)|use_fast_math|enable_(asserts|assertions|lto|debug|sanitizer\w*)|torch_cuda_arch_list|cuda_arch\w*)$`)

// notBuild are settings that look like those and only name or count something.
var notBuild = regexp.MustCompile(`(?i)version|_(name|dir|path|url|commit|prefix)$`)

// weakFlag are flags that leave the machine code as it is, or nearly so.
var weakFlag = regexp.MustCompile(`^(-g[0-3]?|-ggdb|-g?lineinfo|-lineinfo|-Xptxas|-Xclang|--ptxas-options\S*|-?-save-temps|-f(no-)?(PIC|exceptions|rtti|openmp\S*|plugin\S*|stack-protector\S*)|-m(no-)?(code-object-version|printf-kind)\S*|--debug|--release|-D\S+)$`)

// oneLetter are flags that other commands have too.
var oneLetter = regexp.MustCompile(`^-(G|g\d?|O([0-3sgz])?)$`)

var compileWords = regexp.MustCompile(`(?i)hipcc|nvcc|clang|gcc|g\+\+|cmake|flags|\bcc\b|\bc\+\+|meson|ninja|setup\.py|compil|options|_opts|\bargs`)

// targetList are settings that list what to build for.
var targetList = regexp.MustCompile(`(?i)(targets|archs?|architectures?|arch_list)$`)

// flagRules compares the compiler flags of a run's two sides as sets, so that their
// order and line do not matter.
func (fc *fileContext) flagRules(r *run) {
	switch fc.lang {
	case langReqs, langPin, langLLVM, langMLIR, langAsm:
		return
	}
	olds, news := fc.flagsOf(r.old), fc.flagsOf(r.new)
	gone, came := missingFlags("-", olds, news), missingFlags("+", news, olds)
	switch {
	case len(came) > 0:
		fc.reportFlags(r, news[came[len(came)-1][1:]], slices.Concat(came, gone))
	case len(gone) > 0:
		fc.reportFlags(r, olds[gone[0][1:]], gone)
	}
	fc.buildSettings(r)
}

// missingFlags are the flags of a that b does not have, sorted, with a sign before.
func missingFlags(sign string, a, b map[string]*srcLine) []string {
	var out []string
	for f := range a {
		if b[f] == nil {
			out = append(out, sign+f)
		}
	}
	slices.Sort(out)
	return out
}

func (fc *fileContext) reportFlags(r *run, l *srcLine, changed []string) {
	e := r.hint(l, "compiler_flags", 3, "flags: "+clip(flagWords(changed)))
	if e.new != nil && e.new.newFn != "" {
		return
	}
	weak := !slices.ContainsFunc(changed, func(f string) bool { return !weakFlag.MatchString(f[1:]) })
	define := slices.ContainsFunc(changed, func(f string) bool { return strings.HasPrefix(f[1:], "-D") })
	if fc.newEntry(r) || weak && !define {
		e.level = 1
	}
	if weak || fc.lang == langC || fc.lang == langPython && !fc.flagContext(l) {
		e.level = min(e.level, 2)
	}
	fc.emit(e)
}

// newEntry tells whether a run only adds a whole entry to a table: nothing that was
// built before is built in another way.
func (fc *fileContext) newEntry(r *run) bool {
	return (fc.lang == langJSON || fc.lang == langYAML) && len(r.old) == 0 &&
		slices.ContainsFunc(r.new, func(l *srcLine) bool { return hasText(l.toks, "{") && l.toks[0].kind == tokString })
}

// flagContext tells whether a Python line is about compiling at all.
func (fc *fileContext) flagContext(l *srcLine) bool {
	return hasAnyOf(l.text+" "+l.call+" "+l.outer, "flag", "arg", "compile", "option", "nvcc", "hipcc", "clang", "cmd") || buildPath.MatchString(fc.path)
}

var buildPath = rx(`(^|/)setup\.py$|compil|build|jit`)

// justText are commands that print their arguments.
var justText = wordSet("message MESSAGE echo print printf info warning error")

// flagsOf lists the flags of some lines. In code they are strings, in build files
// words.
func (fc *fileContext) flagsOf(ls []*srcLine) map[string]*srcLine {
	out := map[string]*srcLine{}
	for _, l := range ls {
		if l.toks[0].kind == tokIdent && justText[l.toks[0].last()] || fc.lang != langCMake && !strings.ContainsAny(l.text, "-/") {
			continue
		}
		for _, w := range fc.flagWordsOf(l) {
			if w = strings.Trim(w, `"',;()>`); fc.isFlag(w, l) {
				out[w] = l
			}
		}
	}
	return out
}

// isFlag tells whether a word of a line is a flag that changes the machine code.
func (fc *fileContext) isFlag(w string, l *srcLine) bool {
	if len(w) < 2 || len(w) > 119 || w[0] != '-' && w[0] != '/' || !codegenFlag.MatchString(w) || strings.HasPrefix(w, "--amdgpu-build") || strings.HasPrefix(w, "--amdgpu-repo") {
		return false
	}
	loose := fc.lang == langDocker || fc.lang == langShell || fc.lang == langYAML // lines are commands of any kind
	return !loose || !oneLetter.MatchString(w) || compileWords.MatchString(l.text) || continued(l)
}

// flagWordsOf lists the words of a line that may be flags.
func (fc *fileContext) flagWordsOf(l *srcLine) []string {
	var out []string
	defines := fc.lang == langCMake && strings.HasSuffix(strings.ToLower(l.toks[0].text), "_definitions")
	for i, t := range l.toks {
		if defines && i > 2 && t.kind == tokIdent && isUpper(t.text[0]) && !cmakeScope[t.text] {
			out = append(out, "-D"+t.text)
		}
		switch {
		case t.kind == tokString && !(fc.lang.code() && prose(t.text)):
			out = append(out, strings.FieldsFunc(t.text, flagSpace)...)
		case t.kind == tokString, t.kind == tokOp, !fc.lang.config(), fc.lang == langYAML && i > 0 && l.toks[i-1].text == "[":
		case i+2 < len(l.toks) && l.toks[i+1].text == "=" && strings.HasPrefix(t.text, "-"):
			out = append(out, t.text+"="+l.toks[i+2].text)
		default:
			out = append(out, t.text)
		}
	}
	return out
}

var cmakeScope = wordSet("PRIVATE PUBLIC INTERFACE")

// flagSpace separates flags: spaces, the lists of CMake, and the colon of its
// generator expressions, $<$<CONFIG:Release>:-O3>.
func flagSpace(c rune) bool { return c == ' ' || c == '\t' || c == ';' || c == ':' }

// continued tells whether a line holds nothing but flags, as the middle of a long
// command does.
func continued(l *srcLine) bool { return strings.HasPrefix(l.toks[0].text, "-") && len(l.toks) > 1 }

// buildSettings compares CMAKE_BUILD_TYPE, GPU_TARGETS and their like.
func (fc *fileContext) buildSettings(r *run) {
	for _, c := range r.changes(fc) {
		key := strings.TrimPrefix(c.key, "-D")
		both := c.old != nil && c.new != nil
		switch {
		case fc.lang == langC || !buildSetting.MatchString(key) || notBuild.MatchString(key):
		case fc.lang == langPython && (!both || c.new.val[0].kind != tokString && c.new.val[0].text != "["):
		case both:
			fc.buildSetting(r, &c, key)
		case c.new != nil && len(r.old) == 0:
			fc.emit(r.hint(c.new.line, "compiler_flags", 2, c.key+" was added"))
		case c.old != nil && len(r.new) == 0:
			fc.emit(r.hint(c.old.line, "compiler_flags", 2, c.key+" was removed"))
		}
	}
}

// buildSetting reports a setting whose value changed.
func (fc *fileContext) buildSetting(r *run, c *settingChange, key string) {
	if hasAnyOf(key, "flags") && sameFlags(c.old.val, c.new.val) {
		return // other warnings, includes or standards; flagRules saw the rest
	}
	was, is := textOf(c.old.val), textOf(c.new.val)
	e := evidenceOf{pattern: "compiler_flags", level: 3, old: c.old.line, new: c.new.line, run: r, reason: c.key + " changed from " + was + " to " + is}
	e.faster = strings.Contains(is, "Release") && !strings.Contains(was, "Release")
	if targetList.MatchString(key) {
		e.level, e.reason = 1, e.reason+"; a list of targets does not change the code for any of them"
	}
	fc.emit(e)
}

// sameFlags tells whether two values hold the same flags, of those that change the
// machine code.
func sameFlags(a, b []token) bool { return strongFlags(a) == strongFlags(b) }

func strongFlags(ts []token) string {
	var out []string
	for _, t := range ts {
		for w := range strings.FieldsFuncSeq(t.text, flagSpace) {
			if w = strings.Trim(w, `"'>`); codegenFlag.MatchString(w) && !weakFlag.MatchString(w) {
				out = append(out, w)
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// prose tells whether most words of a string are plain ones: a message that speaks
// of flags.
func prose(s string) bool {
	plain, all := 0, 0
	for _, w := range strings.Fields(s) {
		all++
		if w[0] >= 'a' && w[0] <= 'z' && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz,.;:") == "" {
			plain++
		}
	}
	return plain >= 3 && 2*plain > all
}
