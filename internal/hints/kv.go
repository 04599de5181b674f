package hints

import "strings"

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
	if s, ok := define(ts); ok {
		s.line = l
		return []setting{s}
	}
	if fc.lang.config() {
		if s, ok := command(fc, ts); ok {
			s.line = l
			return []setting{s}
		}
	}
	out := returned(fc, l)
	depth := 0
	for i := 0; i < len(ts); i++ {
		switch ts[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
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

// returned reads "return 64" of a function that is named after what it gives.
func returned(fc *fileContext, l *srcLine) []setting {
	for i, t := range l.toks {
		if t.text != "return" || i+1 >= len(l.toks) {
			continue
		}
		fn := l.fn
		if h := functionHeader(l.toks, l.indent == 0); h != "" && i > 3 {
			fn = h // all of it on one line
		}
		key := fc.givenName(fn)
		end := valueEnd(fc.lang, l.toks, i+1)
		if key == "" || !hasNumber(l.toks[i+1:end]) {
			return nil
		}
		return []setting{{key: key, val: l.toks[i+1 : end], line: l}}
	}
	return nil
}

// givenName is what a function gives, by its name: calc_nwarps, GetVectorSizeA,
// ggml_cuda_get_max_block_size. "" if that is no parameter of the tables.
func (fc *fileContext) givenName(fn string) string {
	if fn == "" {
		return ""
	}
	n := snake(fn)
	if i := strings.LastIndex(n, "get_"); i > 0 {
		n = n[i:]
	}
	for _, p := range []string{"get_", "calc_", "compute_", "select_", "choose_", "pick_", "default_", "fa_", "host_", "device_"} {
		n = strings.TrimPrefix(n, p)
	}
	if k := fc.memo.key(n); k == nil || k.generic {
		return ""
	}
	return n
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
	s.key = k.text
	if fc.lang == langPython && k.text == "block" && hasText(ts, "grid") {
		s.key = "launch_block" // launch(grid=..., block=...)
	}
	from := 0
	switch n := ts[i+1]; {
	case n.kind == tokOp && (n.text == "=" || n.text == ":="):
		from = i + 2
	case n.text == ":" && (k.kind == tokString || fc.lang.config() || fc.lang == langMLIR):
		from = i + 2
	case n.text == ":" && fc.lang == langPython:
		from = annotated(ts, i+2)
	case n.text == "]" && k.kind == tokString && i+2 < len(ts) && ts[i+2].text == "=":
		from = i + 3
		s.kw, s.item = true, i > 1 && ts[i-1].text == "["
	case n.text == "," && k.kind == tokString && i > 1 && ts[i-1].text == "(" && isGetter(ts[i-2]):
		from = i + 2
	case n.text == "[" && fc.lang == langMLIR && k.kind == tokIdent:
		if c := fc.memo.key(k.text); c == nil || c.generic {
			return s, i
		}
		end := closing(ts, i+1)
		s.val = ts[i+1 : min(end+1, len(ts))]
		return s, end + 1
	case n.text == "[" && fc.lang == langC:
		if s.key, from = sizeArray(ts, i); from == 0 {
			return s, i
		}
	case n.text == "{" && fc.lang == langC && i+3 < len(ts) && ts[i+2].kind == tokNumber && ts[i+3].text == "}":
		s.val = ts[i+2 : i+3]
		return s, i + 4
	case n.text == "(" && k.kind == tokIdent && attribute(fc, k.text):
		end := closing(ts, i+1)
		s.val, s.kw = ts[i+2:end], true
		return s, end
	}
	if from == 0 || from >= len(ts) {
		return s, i
	}
	if fc.lang == langPython && ts[from].text == "lambda" {
		for j := from; j+1 < len(ts); j++ {
			if ts[j].text == ":" {
				from = j + 1 // what a heuristic gives
				break
			}
		}
	}
	end := valueEnd(fc.lang, ts, from)
	s.val = ts[from:end]
	if len(s.val) == 0 {
		return s, i
	}
	return s, end
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

func isGetter(t token) bool {
	switch t.last() {
	case "get", "setdefault", "getenv", "pop", "setenv", "putenv", "getEnv", "get_int", "env_int",
		"add_fn_attr", "addFnAttr", "addAttribute", "setAttr", "set_attr", "addFnAttribute", "setDefault":
		return true
	}
	return strings.Contains(strings.ToLower(t.last()), "env")
}

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
		switch ts[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth < 0 {
				return 0
			}
		case ",":
			if depth == 0 {
				return 0
			}
		case "=":
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

func closing(ts []token, open int) int {
	depth := 0
	for i := open; i < len(ts); i++ {
		switch ts[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(ts)
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

// tupleSettings reads "A, B = 1, 2" of Python.
func tupleSettings(fc *fileContext, l *srcLine) []setting {
	ts := l.toks
	if fc.lang != langPython || ts[1].text != "," {
		return nil
	}
	var keys []string
	i := 0
	for ; i+1 < len(ts) && ts[i].kind == tokIdent; i += 2 {
		keys = append(keys, ts[i].text)
		if ts[i+1].text == "=" {
			break
		}
		if ts[i+1].text != "," {
			return nil
		}
	}
	if i+2 >= len(ts) || ts[i+1].text != "=" {
		return nil
	}
	var out []setting
	at := i + 2
	for _, k := range keys {
		if at >= len(ts) {
			return nil
		}
		end := valueEnd(fc.lang, ts, at)
		out = append(out, setting{key: k, val: ts[at:end], line: l})
		at = end + 1
	}
	return out
}

// define reads "#define KEY VALUE".
func define(ts []token) (setting, bool) {
	if len(ts) < 4 || ts[0].text != "#" || ts[1].text != "define" || ts[2].kind != tokIdent {
		return setting{}, false
	}
	if ts[3].text == "(" && len(ts) > 4 && ts[4].kind == tokIdent && closing(ts, 3) < len(ts)-1 {
		return setting{}, false // a macro with arguments
	}
	return setting{key: ts[2].text, val: ts[3:]}, true
}

// command reads the settings of build files: set(K V), option(K "text" ON),
// ENV K V, export K=V.
func command(fc *fileContext, ts []token) (setting, bool) {
	switch fc.lang {
	case langCMake:
		if len(ts) < 5 || ts[1].text != "(" || ts[2].kind == tokOp {
			return setting{}, false
		}
		end := closing(ts, 1)
		if end < 4 {
			return setting{}, false
		}
		switch ts[0].text {
		case "set", "SET":
			return setting{key: ts[2].text, val: ts[3:end]}, true
		case "option", "OPTION":
			return setting{key: ts[2].text, val: ts[end-1 : end]}, true
		}
	case langDocker:
		if len(ts) >= 3 && (ts[0].text == "ENV" || ts[0].text == "env") && ts[2].text != "=" {
			return setting{key: ts[1].text, val: ts[2:]}, true
		}
	}
	return setting{}, false
}

// A settingChange is a setting that the diff changes; old or new is nil if it was
// added or removed.
type settingChange struct {
	key      string
	old, new *setting
}

// changes returns the changed settings of a run, compared once.
func (r *run) changes(fc *fileContext) []settingChange {
	if !r.compared {
		r.settings, r.compared = settingChanges(fc, r), true
	}
	return r.settings
}

// settingChanges compares the settings of the two sides of a run: first within
// paired lines, then by name over the rest. So a call that was cut into other
// lines still compares value by value.
func settingChanges(fc *fileContext, r *run) []settingChange {
	news := map[*srcLine][]setting{}
	olds := map[*srcLine][]setting{}
	for _, l := range r.new {
		news[l] = settingsOf(fc, l)
	}
	for _, l := range r.old {
		olds[l] = settingsOf(fc, l)
	}
	var out []settingChange
	var restOld, restNew []setting
	for _, p := range r.pairs {
		c, o, n := matchSettings(olds[p.old], news[p.new])
		out = append(out, c...)
		restOld, restNew = append(restOld, o...), append(restNew, n...)
	}
	for _, l := range r.oldOnly {
		restOld = append(restOld, olds[l]...)
	}
	for _, l := range r.newOnly {
		restNew = append(restNew, news[l]...)
	}
	c, o, n := matchSettings(restOld, restNew)
	out = append(out, c...)
	for i := range o {
		out = append(out, settingChange{key: o[i].key, old: &o[i]})
	}
	for i := range n {
		out = append(out, settingChange{key: n[i].key, new: &n[i]})
	}
	return out
}

// maxSame bounds how many settings of one name are tried for a partner.
const maxSame = 100

// matchSettings pairs settings of equal name, equal values first.
func matchSettings(olds, news []setting) (changes []settingChange, restOld, restNew []setting) {
	used := make([]bool, len(news))
	byKey := map[string][]int{}
	for j := range news {
		byKey[news[j].key] = append(byKey[news[j].key], j)
	}
	partner := make([]int, len(olds))
	for pass := range 2 {
		for i := range olds {
			if partner[i] > 0 {
				continue
			}
			for n, j := range byKey[olds[i].key] {
				if n > maxSame {
					break
				}
				if !used[j] && (pass == 1 || equalTokens(olds[i].val, news[j].val)) {
					used[j], partner[i] = true, j+1
					break
				}
			}
		}
	}
	for i := range olds {
		switch {
		case partner[i] == 0:
			restOld = append(restOld, olds[i])
		case !equalTokens(olds[i].val, news[partner[i]-1].val):
			changes = append(changes, settingChange{olds[i].key, &olds[i], &news[partner[i]-1]})
		}
	}
	for j := range news {
		if !used[j] {
			restNew = append(restNew, news[j])
		}
	}
	return changes, restOld, restNew
}

func equalTokens(a, b []token) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].text != b[i].text {
			return false
		}
	}
	return true
}
