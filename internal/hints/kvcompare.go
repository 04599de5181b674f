package hints

import (
	"math"
	"strings"
)

// compare says how much the change of a value means for its class.
func (fc *fileContext) compare(h *sourceHunk, k *keyClass, c *settingChange) verdict {
	a, aok := evaluate(fc.resolve(single(c.old.val), false))
	b, bok := evaluate(fc.resolve(single(c.new.val), true))
	switch {
	case k.pattern == "dtype":
		return compareTypes(c.old.val, c.new.val)
	case aok && bok && a == b, fc.sameValue(c.old.val, c.new.val):
		return verdict{}
	case aok && bok:
		v := verdict{level: 3, ratio: b / math.Max(a, 1e-9)}
		v.faster = k.worse > 0 && b < a || k.worse < 0 && b > a
		if k.pattern == "dispatch" {
			v.level = 2
		}
		if k.pattern == "prefetch" {
			v.faster = b > a
		}
		if k.pattern == "masking" {
			v.faster = b == 0
		}
		return v
	}
	if p, q := boolOf(c.old.val), boolOf(c.new.val); p != unknown && q != unknown {
		return compareSwitch(k, c.key, q)
	}
	if q := boolOf(c.new.val); switchPattern[k.pattern] && q != unknown && boolOf(c.old.val) == unknown {
		v := compareSwitch(k, c.key, q)
		v.level, v.reason = 3, "a condition became a constant"
		return v
	}
	d := diffTokens(c.old.val, c.new.val)
	if k.pattern == "loop_bounds" {
		v := compareBounds(h, c, d)
		if k == &derivedClass {
			v.level = min(v.level, 2)
		}
		return v
	}
	return fc.compareTokens(k, c, d)
}

// single takes a value out of a list of one: [8] of YAML.
func single(v []token) []token {
	if len(v) == 3 && v[0].text == "[" && v[2].text == "]" {
		return v[1:2]
	}
	return v
}

// switchPattern are patterns whose parameters may be switches.
var switchPattern = wordSet("dispatch masking prefetch stream unroll vector_width host_overhead specialization compiler_flags")

// compareTokens judges values that are neither numbers nor switches.
func (fc *fileContext) compareTokens(k *keyClass, c *settingChange, d tokenDiff) verdict {
	nums := onlyNumbers(d.old) && onlyNumbers(d.new) && (hasNumber(d.old) || hasNumber(d.new) || shaped(d.new))
	switch {
	case k.pattern == "autotune_config" && c.key == "key":
		list := c.new.val[0].text == "[" && (fc.triton || fc.gpu) && c.old.val[0].text == "["
		if list || strings.Contains(c.new.line.text+c.new.line.call+c.new.line.outer, "autotune") {
			return verdict{level: 2, reason: "results are stored by another key: tuning may run again, or one result serves more shapes"}
		}
		if tuned(c.old.val) && !tuned(c.new.val) {
			return verdict{level: 2, reason: "the configuration is no longer looked up"}
		}
		return verdict{}
	case k.pattern == "lds_padding" && hasText(d.old, "+") != hasText(d.new, "+"):
		return verdict{level: 3, faster: hasText(d.new, "+"), reason: "a pad came or went"}
	case k.pattern == "autotune_config" && tuned(c.old.val) && !tuned(c.new.val):
		return verdict{level: 2, reason: "the configuration is no longer looked up"}
	case onlyBrackets(d.old) && onlyBrackets(d.new):
		return verdict{}
	case k.pattern == "volatile_atomics":
		a, b := orderOf(c.old.val), orderOf(c.new.val)
		if a == 0 || b == 0 || a == b {
			return verdict{}
		}
		return verdict{level: 3, faster: b < a, reason: "the memory order or scope of an atomic changed"}
	case k.pattern == "mfma_shape" && fc.shapeIn(d.old) != "" && fc.shapeIn(d.old) == fc.shapeIn(d.new):
		return verdict{}
	case k.pattern == "dispatch", k.pattern == "hot_path_checks", k.pattern == "masking" && !nums:
		if k.pattern == "masking" && len(c.new.val) > len(c.old.val) && hasCompare(d.new) {
			return verdict{level: 2, reason: "the mask has another term"}
		}
		if k.pattern == "masking" && textOf(c.old.val) == "None" {
			return verdict{level: 2, reason: "there was no mask before"}
		}
		if k.pattern == "dispatch" && archs(d.new) > 0 && archs(d.old) == 0 {
			return verdict{} // more architectures take the path
		}
		if k.pattern == "dispatch" && (nums || hasCompareOp(c.new.val) && (hasNumber(d.old) || hasNumber(d.new))) {
			return verdict{level: 2, reason: "a threshold or choice moved"}
		}
		if k.pattern == "dispatch" && len(d.old) == 1 && len(d.new) == 1 && d.old[0].kind == tokString && d.new[0].kind == tokString {
			return verdict{level: 2, reason: "another implementation is named"}
		}
		return verdict{}
	case nums:
		return verdict{level: 3, reason: "only numbers differ"}
	case hasNumber(d.old) || hasNumber(d.new):
		return verdict{level: 2, reason: "a number became an expression, or the other way round"}
	}
	switch k.pattern {
	case "layout", "prefetch", "mfma_shape", "scheduling", "cache_modifier", "masking":
		if k.pattern == "cache_modifier" || k.pattern == "prefetch" || named(c.new.val) && named(c.old.val) {
			return verdict{level: 2}
		}
	}
	return expressionChanged(k, c)
}

// tuned tells whether a value is looked up by a function of tuning.
func tuned(v []token) bool {
	return len(v) > 1 && v[0].kind == tokIdent && v[1].text == "(" && configFunction.MatchString(v[0].text)
}

// expressionChanged judges a parameter of a name that means nothing but tuning,
// whose value is now computed in another way.
func expressionChanged(k *keyClass, c *settingChange) verdict {
	switch k.pattern {
	case "waves_per_eu", "num_stages", "num_warps", "launch_bounds", "launch_config", "unroll", "vector_width":
	default:
		return verdict{}
	}
	if len(c.old.val) == 1 && len(c.new.val) == 1 && c.old.val[0].kind == tokIdent {
		return verdict{level: 1, reason: "another name, which may hold the same value"}
	}
	if hasBounding(c.old.val) != hasBounding(c.new.val) {
		return verdict{level: 3, reason: "a limit came or went"}
	}
	if !hasNumber(c.old.val) && !hasNumber(c.new.val) || len(c.new.line.text) > 160 || hasText(c.new.val, "{") || c.new.line.dev == no && k.pattern == "launch_config" {
		return verdict{level: 1, reason: "it is computed in another way"}
	}
	return verdict{level: 2, reason: "it is computed in another way"}
}

// hasBounding tells whether an expression takes a minimum or maximum.
func hasBounding(ts []token) bool {
	for _, t := range ts {
		switch t.last() {
		case "min", "max", "minimum", "maximum", "clamp":
			return true
		}
	}
	return false
}

func onlyBrackets(ts []token) bool {
	for _, t := range ts {
		if t.text != "(" && t.text != ")" {
			return false
		}
	}
	return true
}

func shaped(ts []token) bool {
	for _, t := range ts {
		if shapeName.MatchString(t.text) || t.kind == tokString && strings.ContainsAny(t.text, "0123456789") {
			return true
		}
	}
	return false
}

// named tells whether a value is a single name or string: an enumerator.
func named(v []token) bool {
	return len(v) == 1 && (v[0].kind == tokIdent || v[0].kind == tokString) || len(v) > 1 && v[0].kind == tokIdent && v[1].text == "<"
}

func hasCompare(ts []token) bool {
	for _, t := range ts {
		switch t.text {
		case "<", ">", "<=", ">=", "&":
			return true
		}
	}
	return false
}

// compareBounds judges a new expression for a loop's bound.
func compareBounds(h *sourceHunk, c *settingChange, d tokenDiff) verdict {
	v := verdict{level: 2}
	if h.bounds[c.key] {
		v.level = 3
		v.reason = "the hunk shows the loop that uses it"
	}
	if len(d.old) == 1 && len(d.new) == 1 && d.old[0].kind == tokIdent && d.new[0].kind == tokIdent {
		v.level--
	}
	switch growth(d) {
	case 1:
		v.ratio = 2
	case -1:
		v.faster = true
	case 0:
		plain := !hasText(c.old.val, "(") && !hasText(c.new.val, "(")
		if !hasNumber(d.old) && !hasNumber(d.new) && (!h.bounds[c.key] || !plain) {
			v.level = 1
		}
	}
	return v
}

// growth tells whether a bound became larger (+1), smaller (-1), or neither can
// be seen (0), from the operators that came or went.
func growth(d tokenDiff) int {
	has := func(ts []token, ops ...string) bool {
		for _, t := range ts {
			for _, o := range ops {
				if t.text == o {
					return true
				}
			}
		}
		return false
	}
	switch {
	case has(d.new, "*", "<<") && !has(d.old, "*", "<<"), has(d.old, "//", "/", ">>", "min", "tl.minimum", "std::min") && !has(d.new, "//", "/", ">>", "min", "tl.minimum", "std::min"):
		return 1
	case has(d.new, "//", "/", ">>") && !has(d.old, "//", "/", ">>"), has(d.old, "*", "<<") && !has(d.new, "*", "<<"):
		return -1
	}
	return 0
}

// compareSwitch judges a switch that is now q.
func compareSwitch(k *keyClass, key string, q tri) verdict {
	n := snake(key)
	off := strings.Contains(n, "disable") || strings.Contains(n, "no_") || strings.Contains(n, "force") || strings.Contains(n, "fallback") || strings.Contains(n, "eager")
	on := q == yes
	v := verdict{level: 3}
	switch k.pattern {
	case "dispatch":
		v.level = 2
		v.faster = on != off
		if !v.faster {
			v.reason = "a code path is switched off"
		}
	case "specialization":
		v.level, v.faster = 2, on
	case "compiler_flags":
		v.level, v.faster = 2, on && (strings.Contains(n, "fast") || strings.Contains(n, "fusion"))
	case "masking":
		even := strings.Contains(n, "even") || n == "in_bounds" || strings.Contains(n, "divisible")
		v.faster = on == even
	case "prefetch", "stream", "unroll", "vector_width":
		v.faster = on != off
	case "host_sync":
		blocking := n == "blocking" || strings.HasPrefix(n, "sync")
		v.faster = on != blocking
	case "host_overhead":
		v.faster = on != off
	case "hot_path_checks":
		v.level, v.faster = 2, !on
	}
	return v
}

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
	switch strings.ToLower(v[0].text) {
	case "true", "on", "yes":
		return yes
	case "false", "off", "no":
		return no
	}
	return unknown
}

func onlyNumbers(ts []token) bool {
	for _, t := range ts {
		if t.kind == tokOp && t.text != "," && t.text != "*" && t.text != "-" && t.text != "(" && t.text != ")" {
			return false
		}
		if t.kind == tokIdent && !shapeName.MatchString(t.text) || t.kind == tokString && !strings.ContainsAny(t.text, "0123456789") {
			return false
		}
	}
	return true
}

// shapeName is a name that carries its number: V3, M32N32K8, number<4>.
var shapeName = rx(`^(V\d|v\d|[A-Za-z]*\d+x\d+|.*M\d+N\d+K\d+)`)

func hasNumber(ts []token) bool {
	for _, t := range ts {
		if t.kind == tokNumber {
			return true
		}
	}
	return false
}
