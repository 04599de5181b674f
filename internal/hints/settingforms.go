package hints

import (
	"strings"
)

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
// ENV K V.
func command(fc *fileContext, ts []token) (setting, bool) {
	switch {
	case fc.lang == langDocker:
		if len(ts) > 2 && hasText(ts[:1], "ENV", "env") && ts[2].text != "=" {
			return setting{key: ts[1].text, val: ts[2:]}, true
		}
	case fc.lang == langCMake && len(ts) > 4 && ts[1].text == "(" && ts[2].kind != tokOp:
		end := closing(ts, 1)
		switch {
		case end < 4:
		case hasText(ts[:1], "set", "SET"):
			return setting{key: ts[2].text, val: ts[3:end]}, true
		case hasText(ts[:1], "option", "OPTION"):
			return setting{key: ts[2].text, val: ts[end-1 : end]}, true
		}
	}
	return setting{}, false
}
