package metric

import (
	"strconv"
	"strings"
)

// emitGroup emits numbers that share the label of the first. It goes to the
// first one with a unit; the others are told apart by unit or place.
func emitGroup(items []item, out func(item, string)) {
	base := items[0].own
	if w := strings.ToLower(base); strings.HasSuffix(w, "eta") || strings.HasSuffix(w, "remaining") {
		out(items[0], base) // the end of a progress display; what follows is not of it
		items, base = items[1:], ""
	}
	if len(items) == 0 {
		return
	}
	if len(items) == 1 {
		out(items[0], loneLabel(base, items[0].tok))
		return
	}
	if sampled(base, items) {
		last := items[len(items)-1].tok
		for _, it := range items {
			it.tok.unit, it.tok.hasUnit = last.unit, last.hasUnit
			out(it, base)
		}
		return
	}
	plain := -1
	for i, it := range items {
		if it.tok.hasUnit && !it.tok.count && plain < 0 {
			plain = i
		}
	}
	var used map[string]int
	if len(items) > 2 {
		used = map[string]int{}
	}
	first := ""
	for i, it := range items {
		name := "#" + strconv.Itoa(i+1)
		switch {
		case i == plain && base != "":
			name = ""
		case it.tok.hasUnit || it.tok.count:
			name = loneLabel("", it.tok)
		}
		if used != nil {
			used[name]++
			if n := used[name]; n > 1 {
				name += " #" + strconv.Itoa(n)
			}
		} else if i == 1 && name == first {
			name += " #2"
		}
		first = name
		out(it, joinParts(base, name))
	}
}

// sampled reports whether the numbers are samples of one thing: a row of them
// whose unit is known and whose label does not name several.
func sampled(base string, items []item) bool {
	for _, it := range items[1:] {
		if !it.tok.again {
			return false
		}
	}
	names := 0
	for _, w := range splitWords(base) {
		if statWords[w] || isWord(w, "real", "user", "sys", "wall", "cpu") {
			names++
		}
	}
	if _, _, ok := labelUnit(stableText(base)); base == "" || names > 1 || !ok && !items[len(items)-1].tok.hasUnit {
		return false
	}
	return true
}

// loneLabel is the label, or what stands for it: the unit, or "value".
func loneLabel(label string, t token) string {
	switch {
	case label != "":
		return label
	case t.count:
		return t.unit.name
	case t.hasUnit && t.unit.name != "":
		return t.unit.name
	}
	return "value"
}

// tailHash returns a hash (FNV-1a) of the words in s; numbers and times that
// stand alone do not count.
func tailHash(s string) uint32 {
	h := uint32(2166136261)
	depth := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch c {
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			depth--
		}
		if depth <= 0 && (isDigit(c) || c == ' ' || c == '.' || c == ':' || c == ',') {
			continue
		}
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// wordHash is FNV-1a.
func wordHash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}
