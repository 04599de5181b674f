package hints

import (
	"slices"
	"strings"
)

// A loopHead is the header of a loop, cut into what decides how often it runs.
type loopHead struct {
	start, stop, step []token
	cond              []token // what could not be cut
	kind              string  // "static" if the compiler must unroll it
	bare              string  // the loop variable
}

func headOf(l language, ts []token) (loopHead, bool) {
	if len(ts) < 3 {
		return loopHead{}, false
	}
	switch l {
	case langPython:
		return pythonHead(ts)
	case langC:
		return cHead(ts)
	case langMLIR:
		for i := range ts {
			if ts[i].text == "scf.for" || ts[i].text == "affine.for" {
				return mlirHead(ts[i+1:]), true
			}
		}
	}
	return loopHead{}, false
}

func pythonHead(ts []token) (loopHead, bool) {
	if t := statementStart(ts); t.text == "while" {
		return loopHead{cond: ts[1:]}, true
	} else if t.text != "for" {
		return loopHead{}, false
	}
	in := slices.IndexFunc(ts, func(t token) bool { return t.text == "in" })
	if in <= 0 || in+1 >= len(ts) {
		return loopHead{}, false
	}
	rest := ts[in+1:]
	if n := len(rest); n > 0 && rest[n-1].text == ":" {
		rest = rest[:n-1]
	}
	h := loopHead{bare: ts[1].text}
	if len(rest) < 3 || !strings.Contains(rest[0].last(), "range") || rest[1].text != "(" {
		h.cond = rest
		return h, true
	}
	if strings.Contains(rest[0].last(), "static") || strings.Contains(rest[0].last(), "constexpr") {
		h.kind = "static"
	}
	end := closing(rest, 1)
	h.setRange(splitArgs(rest[2:end]))
	return h, true
}

// setRange takes the arguments of range; those with a name are not bounds.
func (h *loopHead) setRange(args [][]token) {
	pos := slices.DeleteFunc(args, func(a []token) bool { return len(a) > 1 && a[1].text == "=" })
	zero, one := []token{{kind: tokNumber, text: "0"}}, []token{{kind: tokNumber, text: "1"}}
	h.start, h.step = zero, one
	switch len(pos) {
	case 1:
		h.stop = pos[0]
	case 2:
		h.start, h.stop = pos[0], pos[1]
	case 3:
		h.start, h.stop, h.step = pos[0], pos[1], pos[2]
	}
}

func cHead(ts []token) (loopHead, bool) {
	if ts[0].text == "}" {
		ts = ts[1:]
	}
	name := ts[0].text
	switch {
	case len(ts) > 2 && name == "while" && ts[1].text == "(":
		cond := ts[2:closing(ts, 1)]
		if len(cond) == 1 && (cond[0].text == "0" || cond[0].text == "false") {
			return loopHead{}, false // a macro's do { } while (0)
		}
		return loopHead{cond: cond}, true
	case strings.HasSuffix(name, "static_for") && len(ts) > 2 && ts[1].text == "<":
		h := loopHead{kind: "static"}
		end := 2
		for end < len(ts) && ts[end].text != ">" {
			end++
		}
		args := splitArgs(ts[2:end])
		if len(args) == 3 {
			h.start, h.stop, h.step = args[0], args[1], args[2]
		}
		return h, len(args) == 3
	case name != "for" || len(ts) < 4 || ts[1].text != "(":
		return loopHead{}, false
	}
	parts := splitSemicolons(ts[2:closing(ts, 1)])
	if len(parts) != 3 {
		return loopHead{}, false
	}
	return cFor(parts[0], parts[1], parts[2]), true
}

// cFor reads the three parts of a for. A condition that does not speak of the
// loop variable is no bound, and a name in it is not taken for its value: the
// loop may change it.
func cFor(init, cond, step []token) loopHead {
	h := loopHead{}
	h.bare = commonName(step, cond)
	for _, a := range splitArgs(init) {
		for i, t := range a {
			if t.text == "=" && i > 0 && (h.bare == "" || h.bare == a[i-1].text) {
				h.bare, h.start = a[i-1].text, a[i+1:]
				break
			}
		}
	}
	if h.step = stepOf(without(step, h.bare)); h.bare != "" && len(without(cond, h.bare)) < len(cond) {
		h.stop = without(cond, h.bare)
	} else {
		h.cond = cond
	}
	return h
}

// commonName is the first name of a that stands in b too.
func commonName(a, b []token) string {
	for _, t := range a {
		if t.kind == tokIdent && len(without(b, t.text)) < len(b) {
			return t.text
		}
	}
	return ""
}

func splitSemicolons(ts []token) [][]token {
	var out [][]token
	from := 0
	for i, t := range ts {
		if t.text == ";" {
			out = append(out, ts[from:i])
			from = i + 1
		}
	}
	return append(out, ts[from:])
}

// without drops the loop variable, so that its name does not matter.
func without(ts []token, name string) []token {
	return only(ts, func(t token) bool { return t.text != name })
}

// stepOf makes i++, ++i and i += 1 the same.
func stepOf(ts []token) []token {
	if len(ts) == 1 && ts[0].text == "++" {
		return []token{{kind: tokNumber, text: "1"}}
	}
	if len(ts) > 1 && ts[0].text == "+=" {
		return ts[1:]
	}
	return ts
}

// mlirHead reads "%i = %lb to %ub step %s".
func mlirHead(ts []token) loopHead {
	h := loopHead{}
	var part *[]token
	for _, t := range ts[min(1, len(ts)):] {
		switch t.text {
		case "=":
			part = &h.start
		case "to":
			part = &h.stop
		case "step":
			part = &h.step
		case "iter_args", "{", ":", "->":
			return h
		default:
			if part != nil {
				*part = append(*part, t)
			}
		}
	}
	return h
}
