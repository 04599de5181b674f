package hints

import (
	"slices"
	"strings"
)

// onlyBrackets tells whether tokens are round brackets, or none.
func onlyBrackets(ts []token) bool {
	return !slices.ContainsFunc(ts, func(t token) bool { return t.text != "(" && t.text != ")" })
}

// shaped tells whether a token carries a number in its name.
func shaped(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool {
		return shapeName.MatchString(t.text) || t.kind == tokString && strings.ContainsAny(t.text, "0123456789")
	})
}

// named tells whether a value is a single name or string: an enumerator.
func named(v []token) bool {
	return len(v) == 1 && (v[0].kind == tokIdent || v[0].kind == tokString) || len(v) > 1 && v[0].kind == tokIdent && v[1].text == "<"
}

var (
	grows   = wordSet("* <<")
	shrinks = wordSet("// / >> min tl.minimum std::min")
	divides = wordSet("// / >>")
)

// growth tells whether a bound became larger (+1), smaller (-1), or neither can
// be seen (0), from the operators that came or went.
func growth(d tokenDiff) int {
	gone := func(set map[string]bool) bool { return hasAny(d.gone, set) && !hasAny(d.came, set) }
	came := func(set map[string]bool) bool { return hasAny(d.came, set) && !hasAny(d.gone, set) }
	switch {
	case came(grows), gone(shrinks):
		return 1
	case came(divides), gone(grows):
		return -1
	}
	return 0
}

// compareSwitch judges a switch that is now q.
func compareSwitch(k *keyClass, key string, q tri) verdict {
	n, on := snake(key), q == yes
	forward := on != hasAnyOf(n, "disable", "no_", "force", "fallback", "eager")
	v := verdict{level: 3}
	switch k.pattern {
	case "dispatch":
		if v.level, v.faster = 2, forward; !forward {
			v.reason = "a code path is switched off"
		}
	case "prefetch", "stream", "unroll", "vector_width", "host_overhead":
		v.faster = forward
	case "specialization":
		v.level, v.faster = 2, on
	case "compiler_flags":
		v.level, v.faster = 2, on && hasAnyOf(n, "fast", "fusion")
	case "masking":
		v.faster = on == (hasAnyOf(n, "even", "divisible") || n == "in_bounds")
	case "host_sync":
		v.faster = on != (n == "blocking" || strings.HasPrefix(n, "sync"))
	case "hot_path_checks":
		v.level, v.faster = 2, !on
	}
	return v
}

// boolOf is the truth value of a switch, or of a list whose items all have it.
func boolOf(v []token) tri {
	if n := len(v); n > 2 && v[0].text == "[" && v[n-1].text == "]" {
		q := boolOf(v[1:2])
		for i := 3; i < n-1; i += 2 {
			if boolOf(v[i:i+1]) != q {
				return unknown
			}
		}
		return q
	}
	if len(v) != 1 {
		return unknown
	}
	return truth[strings.ToLower(v[0].text)]
}

var truth = map[string]tri{"true": yes, "on": yes, "yes": yes, "false": no, "off": no, "no": no}

// onlyNumbers tells whether tokens are numbers, names that carry one, and what may
// stand between them; none at all is too.
func onlyNumbers(ts []token) bool {
	return !slices.ContainsFunc(ts, func(t token) bool {
		switch t.kind {
		case tokOp:
			return !strings.Contains(",*-()", t.text)
		case tokIdent:
			return !shapeName.MatchString(t.text)
		case tokString:
			return !strings.ContainsAny(t.text, "0123456789")
		}
		return false
	})
}

// shapeName is a name that carries its number: V3, M32N32K8, number<4>.
var shapeName = rx(`^(V\d|v\d|[A-Za-z]*\d+x\d+|.*M\d+N\d+K\d+)`)
