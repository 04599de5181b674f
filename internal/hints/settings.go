package hints

import (
	"slices"
	"strings"
)

// A setting is a name with a value, in whatever way the language writes it:
// BLOCK_M = 64, "BLOCK_M": 64, BLOCK_M: tl.constexpr = 64, #define BLOCK_M 64,
// __launch_bounds__(256), "amdgpu-waves-per-eu"="2".
type setting struct {
	key  string
	val  []token
	line *srcLine
	kw   bool // key=value inside a call, or an attribute
	item bool // config["key"] = value: it overrides what was there
}

// settingsOf finds the settings of a line.
func settingsOf(fc *fileContext, l *srcLine) []setting {
	ts := l.toks
	if len(ts) < 2 || isImport(ts) {
		return nil
	}
	if s := tupleSettings(fc, l); s != nil {
		return s
	}
	s, ok := define(ts)
	if !ok {
		s, ok = command(fc, ts)
	}
	if s.line = l; ok {
		return []setting{s}
	}
	out := returned(fc, l)
	depth := 0
	for i := 0; i < len(ts); i++ {
		depth += nesting(ts[i])
		s, next := settingAt(fc, ts, i)
		if next > i {
			s.line = l
			s.kw = s.kw || depth > 0 || l.call != ""
			out = append(out, s)
			i = max(i, next-1-nested(s.val))
		}
	}
	return out
}

// nested is how much of a value must be read again because it holds settings of
// its own: "configs=[Config(num_warps=4)]".
func nested(val []token) int {
	for _, t := range val {
		if t.text == "=" || t.text == ":" {
			return len(val)
		}
	}
	return 0
}

// settingAt reads a setting whose key is at i; next is the index behind its value,
// or i if there is none.
func settingAt(fc *fileContext, ts []token, i int) (s setting, next int) {
	k := ts[i]
	if k.kind != tokIdent && k.kind != tokString || i+1 >= len(ts) || k.text == "" {
		return s, i
	}
	if s, next, ok := bracketed(fc, ts, i); ok {
		return s, next
	}
	s.key = k.text
	if fc.lang == langPython && k.text == "block" && hasText(ts, "grid") {
		s.key = "launch_block" // launch(grid=..., block=...)
	}
	from := assigned(fc, ts, i)
	if from == 0 && k.kind == tokString && ts[i+1].text == "]" && i+2 < len(ts) && ts[i+2].text == "=" {
		from, s.kw, s.item = i+3, true, i > 1 && ts[i-1].text == "["
	}
	if from == 0 || from >= len(ts) {
		return s, i
	}
	if fc.lang == langPython {
		from = behindLambda(ts, from)
	}
	end := valueEnd(fc.lang, ts, from)
	if s.val = ts[from:end]; len(s.val) == 0 {
		return s, i
	}
	return s, end
}

// assigned is where the value begins that stands behind the key at i and a sign of
// assignment; 0 if there is none.
func assigned(fc *fileContext, ts []token, i int) int {
	k, n := ts[i], ts[i+1]
	switch {
	case n.kind == tokOp && (n.text == "=" || n.text == ":="):
		return i + 2
	case n.text == ":" && (k.kind == tokString || fc.lang.config() || fc.lang == langMLIR):
		return i + 2
	case n.text == ":" && fc.lang == langPython:
		return annotated(ts, i+2)
	case n.text == "," && k.kind == tokString && i > 1 && ts[i-1].text == "(" && isGetter(ts[i-2]):
		return i + 2
	}
	return 0
}

// bracketed reads a setting whose value stands in brackets behind its key at i.
func bracketed(fc *fileContext, ts []token, i int) (s setting, next int, ok bool) {
	k, n := ts[i], ts[i+1]
	s.key = k.text
	switch {
	case k.kind != tokIdent:
	case n.text == "[" && fc.lang == langMLIR:
		if c := fc.memo.key(k.text); c == nil || c.generic {
			return s, i, true
		}
		end := closing(ts, i+1)
		s.val = ts[i+1 : min(end+1, len(ts))]
		return s, end + 1, true
	case n.text == "[" && fc.lang == langC:
		key, from := sizeArray(ts, i)
		if from == 0 {
			return s, i, true
		}
		end := valueEnd(fc.lang, ts, from)
		return setting{key: key, val: ts[from:end]}, end, true
	case n.text == "{" && fc.lang == langC && i+3 < len(ts) && ts[i+2].kind == tokNumber && ts[i+3].text == "}":
		s.val = ts[i+2 : i+3]
		return s, i + 4, true
	case n.text == "(" && attribute(fc, k.text):
		end := closing(ts, i+1)
		s.val, s.kw = ts[i+2:end], true
		return s, end, true
	}
	return s, i, false
}

// behindLambda skips the arguments of a lambda: what follows is what it gives.
func behindLambda(ts []token, from int) int {
	if ts[from].text != "lambda" {
		return from
	}
	if i := slices.IndexFunc(ts[from:], func(t token) bool { return t.text == ":" }); i > 0 && from+i+1 < len(ts) {
		return from + i + 1
	}
	return from
}

// sizeArray reads "size_t local[] = {" of OpenCL's host code: the sizes of a launch.
func sizeArray(ts []token, i int) (key string, from int) {
	end := closing(ts, i+1)
	if end+2 >= len(ts) || ts[end+1].text != "=" || ts[end+2].text != "{" || i == 0 || ts[i-1].text != "size_t" {
		return "", 0
	}
	switch n := strings.ToLower(ts[i].text); {
	case strings.HasPrefix(n, "local"), strings.HasPrefix(n, "lws"):
		return "cl_local", end + 2
	case strings.HasPrefix(n, "global"), strings.HasPrefix(n, "gws"):
		return "cl_global", end + 2
	}
	return "", 0
}

// getters are functions that take a name and a value, or its default.
var getters = wordSet(`get setdefault getenv pop setenv putenv getEnv get_int env_int
	add_fn_attr addFnAttr addAttribute setAttr set_attr addFnAttribute setDefault`)

func isGetter(t token) bool { return getters[t.last()] || hasAnyOf(t.last(), "env") }

// attribute tells names that take their value like a call.
func attribute(fc *fileContext, name string) bool {
	k := fc.memo.key(name)
	if k == nil {
		return false
	}
	switch k.pattern {
	case "num_warps":
		return strings.Contains(name, "reqd_sub_group_size")
	case "launch_bounds", "waves_per_eu", "unroll":
		return fc.lang == langC || fc.lang == langPython
	}
	return false
}

// annotated finds the value of "name: type = value".
func annotated(ts []token, i int) int {
	depth := 0
	for ; i < len(ts); i++ {
		if depth += nesting(ts[i]); depth < 0 {
			return 0
		}
		switch {
		case depth > 0:
		case ts[i].text == ",":
			return 0
		case ts[i].text == "=":
			return i + 1
		}
	}
	return 0
}

// valueEnd finds the end of the value that starts at i, on the same line.
func valueEnd(l language, ts []token, i int) int {
	depth, angle := 0, 0
	for ; i < len(ts); i++ {
		if ts[i].kind != tokOp {
			continue
		}
		switch ts[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return i
			}
		case "<":
			if l == langC && ts[i-1].kind == tokIdent {
				angle++
			}
		case ">":
			if l == langC && depth == 0 {
				if angle--; angle < 0 && hasText(ts[i:], "?") {
					angle = 0
				} else if angle < 0 {
					return i
				}
			}
		case ",", ";":
			if depth == 0 && angle <= 0 {
				return i
			}
		}
	}
	return len(ts)
}
