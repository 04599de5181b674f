package hints

import (
	"regexp"
	"sort"
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

// flagRules compares the compiler flags of a run's two sides as bags, so that their
// order and line do not matter.
func (fc *fileContext) flagRules(r *run) {
	if fc.lang == langReqs || fc.lang == langPin || fc.lang == langLLVM || fc.lang == langMLIR || fc.lang == langAsm {
		return
	}
	olds, news := fc.flagsOf(r.old), fc.flagsOf(r.new)
	var changed []string
	var l *srcLine
	for f, at := range olds {
		if _, ok := news[f]; !ok {
			changed = append(changed, "-"+f)
			l = lineBefore(l, at)
		}
	}
	for f, at := range news {
		if _, ok := olds[f]; !ok {
			changed = append(changed, "+"+f)
			l = at
		}
	}
	if len(changed) > 0 {
		fc.reportFlags(r, l, changed)
	}
	fc.buildSettings(r)
}

func lineBefore(a, b *srcLine) *srcLine {
	if a == nil {
		return b
	}
	return a
}

func (fc *fileContext) reportFlags(r *run, l *srcLine, changed []string) {
	sort.Strings(changed)
	e := evidenceOf{pattern: "compiler_flags", level: 3, run: r, reason: "flags: " + clip(flagWords(changed))}
	e.old, e.new = partners(l)
	if e.new != nil && e.new.newFn != "" {
		return
	}
	weak, define := true, false
	for _, c := range changed {
		weak = weak && weakFlag.MatchString(c[1:])
		define = define || strings.HasPrefix(c[1:], "-D")
	}
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
	if fc.lang != langJSON && fc.lang != langYAML || len(r.old) > 0 {
		return false
	}
	for _, l := range r.new {
		if hasText(l.toks, "{") && l.toks[0].kind == tokString {
			return true
		}
	}
	return false
}

// flagContext tells whether a Python line is about compiling at all.
func (fc *fileContext) flagContext(l *srcLine) bool {
	for _, w := range []string{"flag", "arg", "compile", "option", "nvcc", "hipcc", "clang", "cmd"} {
		if strings.Contains(strings.ToLower(l.text+" "+l.call+" "+l.outer), w) {
			return true
		}
	}
	return fc.base == "setup.py" || strings.Contains(fc.path, "compil") || strings.Contains(fc.path, "build") || strings.Contains(fc.path, "jit")
}

// justText are commands that print their arguments.
var justText = wordSet("message MESSAGE echo print printf info warning error")

// flagsOf lists the flags of some lines. In code they are strings, in build files
// words.
func (fc *fileContext) flagsOf(ls []*srcLine) map[string]*srcLine {
	out := map[string]*srcLine{}
	add := func(s string, l *srcLine) {
		s = strings.Trim(s, `"',;()>`)
		if oneLetter.MatchString(s) && fc.looseCommands() && !compileWords.MatchString(l.text) && !fc.continued(l) {
			return
		}
		if len(s) > 1 && len(s) < 120 && (s[0] == '-' || s[0] == '/') && codegenFlag.MatchString(s) && !strings.HasPrefix(s, "--amdgpu-build") && !strings.HasPrefix(s, "--amdgpu-repo") {
			out[s] = l
		}
	}
	for _, l := range ls {
		if l.toks[0].kind == tokIdent && justText[l.toks[0].last()] {
			continue
		}
		prev := token{}
		defines := fc.lang == langCMake && strings.HasSuffix(strings.ToLower(l.toks[0].text), "_definitions")
		for i, t := range l.toks {
			if defines && i > 2 && t.kind == tokIdent && isUpper(t.text[0]) && t.text[0] != '-' && t.text != "PRIVATE" && t.text != "PUBLIC" && t.text != "INTERFACE" {
				add("-D"+t.text, l)
			}
			switch {
			case t.kind == tokString:
				if fc.lang.code() && prose(t.text) {
					continue
				}
				for _, w := range strings.FieldsFunc(t.text, flagSpace) {
					add(w, l)
				}
			case fc.lang.config() && t.kind != tokOp:
				w := t.text
				if i+2 < len(l.toks) && l.toks[i+1].text == "=" && strings.HasPrefix(w, "-") {
					w += "=" + l.toks[i+2].text
				}
				if prev.text != "[" || fc.lang != langYAML {
					add(w, l)
				}
			}
			prev = t
		}
	}
	return out
}

// flagSpace separates flags: spaces, the lists of CMake, and the colon of its
// generator expressions, $<$<CONFIG:Release>:-O3>.
func flagSpace(c rune) bool { return c == ' ' || c == '\t' || c == ';' || c == ':' }

// looseCommands are languages whose lines are commands of any kind.
func (fc *fileContext) looseCommands() bool {
	return fc.lang == langDocker || fc.lang == langShell || fc.lang == langYAML
}

// continued tells whether a line holds nothing but flags, as the middle of a long
// command does.
func (fc *fileContext) continued(l *srcLine) bool {
	return strings.HasPrefix(l.toks[0].text, "-") && len(l.toks) > 1
}

// buildSettings compares CMAKE_BUILD_TYPE, GPU_TARGETS and their like.
func (fc *fileContext) buildSettings(r *run) {
	for _, c := range r.changes(fc) {
		key := strings.TrimPrefix(c.key, "-D")
		if !buildSetting.MatchString(key) || fc.lang == langC || notBuild.MatchString(key) {
			continue
		}
		e := evidenceOf{pattern: "compiler_flags", run: r}
		switch {
		case fc.lang == langPython && (c.old == nil || c.new == nil || c.new.val[0].kind != tokString && c.new.val[0].text != "["):
			continue
		case c.old != nil && c.new != nil:
			e.level, e.old, e.new = 3, c.old.line, c.new.line
			if targetList.MatchString(key) {
				e.level, e.reason = 1, e.reason+"; a list of targets does not change the code for any of them"
			}
			if strings.Contains(strings.ToLower(key), "flags") && sameFlags(c.old.val, c.new.val) {
				continue // other warnings, includes or standards; flagRules saw the rest
			}
			e.reason = c.key + " changed from " + textOf(c.old.val) + " to " + textOf(c.new.val)
			e.faster = strings.Contains(textOf(c.new.val), "Release") && !strings.Contains(textOf(c.old.val), "Release")
		case c.new != nil && len(r.old) == 0:
			e.level, e.new = 2, c.new.line
			e.reason = c.key + " was added"
		case c.old != nil && len(r.new) == 0:
			e.level, e.old = 2, c.old.line
			e.reason = c.key + " was removed"
		default:
			continue
		}
		fc.emit(e)
	}
}

// sameFlags tells whether two values hold the same flags, of those that change the
// machine code.
func sameFlags(a, b []token) bool { return strongFlags(a) == strongFlags(b) }

func strongFlags(ts []token) string {
	var out []string
	for _, t := range ts {
		for _, w := range strings.FieldsFunc(t.text, flagSpace) {
			if w = strings.Trim(w, `"'>`); codegenFlag.MatchString(w) && !weakFlag.MatchString(w) {
				out = append(out, w)
			}
		}
	}
	sort.Strings(out)
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
