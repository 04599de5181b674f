package hints

import (
	"math"
	"strings"
)

// compare says how much the change of a value means for its class.
func (fc *fileContext) compare(h *sourceHunk, k *keyClass, c *settingChange) verdict {
	if k.pattern == "dtype" {
		return compareTypes(c.old.val, c.new.val)
	}
	a, aok := evaluate(fc.resolve(single(c.old.val), false))
	b, bok := evaluate(fc.resolve(single(c.new.val), true))
	was, is := boolOf(c.old.val), boolOf(c.new.val)
	d := diffTokens(c.old.val, c.new.val)
	switch {
	case aok && bok && a == b, fc.sameValue(c.old.val, c.new.val):
		return verdict{}
	case aok && bok:
		return compareNumbers(k, a, b)
	case was != unknown && is != unknown:
		return compareSwitch(k, c.key, is)
	case is != unknown && switchPattern[k.pattern]:
		v := compareSwitch(k, c.key, is)
		v.level, v.reason = 3, "a condition became a constant"
		return v
	case k == &derivedClass:
		v := compareBounds(h, c, d)
		v.level = min(v.level, 2)
		return v
	case k.pattern == "loop_bounds":
		return compareBounds(h, c, d)
	}
	return fc.compareTokens(k, c, d)
}

func compareNumbers(k *keyClass, a, b float64) verdict {
	v := verdict{level: 3, ratio: b / math.Max(a, 1e-9), faster: k.better(a, b)}
	switch k.pattern {
	case "dispatch":
		v.level = 2
	case "masking":
		v.faster = b == 0
	}
	return v
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
	nums := onlyNumbers(d.gone) && onlyNumbers(d.came) && (hasNumber(d.gone) || hasNumber(d.came) || shaped(d.came))
	switch {
	case k.pattern == "autotune_config" && c.key == "key" && fc.tuningKey(c):
		return verdict{level: 2, reason: "results are stored by another key: tuning may run again, or one result serves more shapes"}
	case k.pattern == "autotune_config" && tuned(c.old.val) && !tuned(c.new.val):
		return verdict{level: 2, reason: "the configuration is no longer looked up"}
	case k.pattern == "lds_padding" && hasText(d.gone, "+") != hasText(d.came, "+"):
		return verdict{level: 3, faster: hasText(d.came, "+"), reason: "a pad came or went"}
	case k.pattern == "autotune_config" && c.key == "key", onlyBrackets(d.gone) && onlyBrackets(d.came), k.pattern == "hot_path_checks":
		return verdict{}
	case k.pattern == "volatile_atomics":
		return compareOrders(c)
	case k.pattern == "mfma_shape" && fc.shapeIn(d.gone) != "" && fc.shapeIn(d.gone) == fc.shapeIn(d.came):
		return verdict{}
	case k.pattern == "dispatch":
		return compareDispatch(c, d, nums)
	case nums:
		return verdict{level: 3, reason: "only numbers differ"}
	case k.pattern == "masking":
		return compareMasks(c, d)
	case hasNumber(d.gone) || hasNumber(d.came):
		return verdict{level: 2, reason: "a number became an expression, or the other way round"}
	case k.pattern == "cache_modifier", k.pattern == "prefetch", enumerated[k.pattern] && named(c.new.val) && named(c.old.val):
		return verdict{level: 2}
	case computed[k.pattern]:
		return expressionChanged(k, c)
	}
	return verdict{}
}

// enumerated are patterns whose parameters may be enumerators, computed those whose
// parameters mean nothing but tuning, so that another expression matters.
var (
	enumerated = wordSet("layout mfma_shape scheduling")
	computed   = wordSet("waves_per_eu num_stages num_warps launch_bounds launch_config unroll vector_width")
)

func compareOrders(c *settingChange) verdict {
	a, b := orderOf(c.old.val), orderOf(c.new.val)
	if a == 0 || b == 0 || a == b {
		return verdict{}
	}
	return verdict{level: 3, faster: b < a, reason: "the memory order or scope of an atomic changed"}
}

func compareMasks(c *settingChange, d tokenDiff) verdict {
	switch {
	case len(c.new.val) > len(c.old.val) && hasText(d.came, "<", ">", "<=", ">=", "&"):
		return verdict{level: 2, reason: "the mask has another term"}
	case textOf(c.old.val) == "None":
		return verdict{level: 2, reason: "there was no mask before"}
	}
	return verdict{}
}

func compareDispatch(c *settingChange, d tokenDiff, nums bool) verdict {
	switch {
	case archs(d.came) > 0 && archs(d.gone) == 0:
		return verdict{} // more architectures take the path
	case nums || hasCompareOp(c.new.val) && (hasNumber(d.gone) || hasNumber(d.came)):
		return verdict{level: 2, reason: "a threshold or choice moved"}
	case len(d.gone) == 1 && len(d.came) == 1 && d.gone[0].kind == tokString && d.came[0].kind == tokString:
		return verdict{level: 2, reason: "another implementation is named"}
	}
	return verdict{}
}

// tuningKey tells whether a setting called "key" is that by which results of tuning
// are stored.
func (fc *fileContext) tuningKey(c *settingChange) bool {
	lists := c.new.val[0].text == "[" && c.old.val[0].text == "["
	return lists && (fc.triton || fc.gpu) || strings.Contains(c.new.line.text+c.new.line.call+c.new.line.outer, "autotune")
}

// tuned tells whether a value is looked up by a function of tuning.
func tuned(v []token) bool {
	return len(v) > 1 && v[0].kind == tokIdent && v[1].text == "(" && configFunction.MatchString(v[0].text)
}

// expressionChanged judges a parameter whose value is now computed in another way.
func expressionChanged(k *keyClass, c *settingChange) verdict {
	was, is := c.old.val, c.new.val
	switch {
	case len(was) == 1 && len(is) == 1 && was[0].kind == tokIdent:
		return verdict{level: 1, reason: "another name, which may hold the same value"}
	case hasAnyLast(was, bounding) != hasAnyLast(is, bounding):
		return verdict{level: 3, reason: "a limit came or went"}
	case !hasNumber(was) && !hasNumber(is) || len(c.new.line.text) > 160 || hasText(is, "{") || c.new.line.dev == no && k.pattern == "launch_config":
		return verdict{level: 1, reason: "it is computed in another way"}
	}
	return verdict{level: 2, reason: "it is computed in another way"}
}

// bounding are functions that limit a value.
var bounding = wordSet("min max minimum maximum clamp")

// compareBounds judges a new expression for a loop's bound.
func compareBounds(h *sourceHunk, c *settingChange, d tokenDiff) verdict {
	v := verdict{level: 2}
	if h.bounds[c.key] {
		v.level, v.reason = 3, "the hunk shows the loop that uses it"
	}
	if len(d.gone) == 1 && len(d.came) == 1 && d.gone[0].kind == tokIdent && d.came[0].kind == tokIdent {
		v.level--
	}
	switch growth(d) {
	case 1:
		v.ratio = 2
	case -1:
		v.faster = true
	case 0:
		plain := !hasText(c.old.val, "(") && !hasText(c.new.val, "(")
		if !hasNumber(d.gone) && !hasNumber(d.came) && (!h.bounds[c.key] || !plain) {
			v.level = 1
		}
	}
	return v
}
