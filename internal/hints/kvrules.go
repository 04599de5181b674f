package hints

import (
	"fmt"
	"math"
	"strings"
)

// kvRules judges the settings that a run changes.
func (fc *fileContext) kvRules(h *sourceHunk, r *run) {
	changes := fc.joinRenamed(append([]settingChange(nil), r.changes(fc)...))
	for i := range changes {
		c := &changes[i]
		k := fc.memo.key(c.key)
		if k == nil && h.bounds[c.key] && c.old != nil && c.new != nil && fc.lang.code() {
			k = &boundClass
		}
		if k == nil || k.pattern == "loop_bounds" && isLoopHeader(fc.lang, c) {
			continue
		}
		switch {
		case c.old != nil && c.new != nil:
			fc.changed(h, r, k, c)
		case c.new != nil:
			fc.presence(r, k, c.new, true)
		default:
			fc.presence(r, k, c.old, false)
		}
	}
}

// isLoopHeader tells whether the setting is the first clause of a loop: loopRule
// judges those.
func isLoopHeader(l language, c *settingChange) bool {
	for _, s := range []*setting{c.old, c.new} {
		if s == nil {
			continue
		}
		if _, ok := headOf(l, s.line.toks); ok {
			return true
		}
	}
	return false
}

// boundClass is that of a name in the header of a loop that the hunk shows.
var boundClass = keyClass{pattern: "loop_bounds", worse: 1, what: "a name in a loop header"}

// maxJoin is the number of changes beyond which renames among them are not looked
// for: the search is quadratic.
const maxJoin = 300

// joinRenamed turns one setting removed and one of the same class added into a
// change, if their values are numbers that differ. Equal values are a rename.
func (fc *fileContext) joinRenamed(cs []settingChange) []settingChange {
	if len(cs) > maxJoin {
		return cs
	}
	for i := range cs {
		if cs[i].old == nil || cs[i].new != nil {
			continue
		}
		k := fc.memo.key(cs[i].key)
		for j := range cs {
			if k == nil || cs[j].new == nil || cs[j].old != nil || fc.memo.key(cs[j].key) != k {
				continue
			}
			if equalTokens(cs[i].old.val, cs[j].new.val) {
				cs[i].old, cs[j].new = nil, nil
				break
			}
			_, a := evaluate(cs[i].old.val)
			_, b := evaluate(cs[j].new.val)
			if a && b {
				cs[i].new = cs[j].new
				cs[j].new = nil
				break
			}
		}
	}
	out := cs[:0]
	for _, c := range cs {
		if c.old != nil || c.new != nil {
			out = append(out, c)
		}
	}
	return out
}

// A verdict is what the comparison of two values says.
type verdict struct {
	level  int
	ratio  float64 // new / old where both are numbers
	faster bool
	reason string
}

func (fc *fileContext) changed(h *sourceHunk, r *run, k *keyClass, c *settingChange) {
	v := fc.compare(h, k, c)
	if v.level == 0 {
		return
	}
	level, where := fc.relevance(k, c.new.line, v.level, c.key)
	if level <= 0 {
		return
	}
	reason := fmt.Sprintf("%s: %s changed from %s to %s", k.what, c.key, textOf(c.old.val), textOf(c.new.val))
	if v.reason != "" {
		reason += "; " + v.reason
	}
	if where != "" {
		reason += "; " + where
	}
	r.judged[c.new.line] = true
	fc.emit(evidenceOf{pattern: k.pattern, level: level, reason: reason, old: c.old.line, new: c.new.line, run: r, faster: v.faster, multiple: ratioOf(v.ratio)})
	fc.alsoConfig(k, c, level, r)
}

// alsoConfig adds the view that a tuning configuration was changed.
func (fc *fileContext) alsoConfig(k *keyClass, c *settingChange, level int, r *run) {
	switch k.pattern {
	case "tile_size", "num_warps", "num_stages", "waves_per_eu", "mfma_shape", "vector_width", "launch_config":
	default:
		return
	}
	in := c.new.line.call + " " + c.new.line.outer
	for _, t := range c.new.line.toks {
		if t.kind == tokIdent && t.last() == "Config" {
			in += " Config"
		}
	}
	if fc.lang == langJSON || fc.lang == langYAML || strings.Contains(in, "Config") || strings.Contains(in, "configs") {
		fc.emit(evidenceOf{pattern: "autotune_config", level: min(level, 2), reason: "the value is part of a tuning configuration", old: c.old.line, new: c.new.line, run: r})
	}
}

func ratioOf(r float64) float64 {
	if r <= 0 {
		return 1
	}
	return r
}

func textOf(ts []token) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && (ts[i-1].text == "," || t.kind != tokOp && ts[i-1].kind != tokOp) {
			b.WriteByte(' ')
		}
		if t.kind == tokString {
			b.WriteString(`"` + t.text + `"`)
		} else {
			b.WriteString(t.text)
		}
		if b.Len() > 60 {
			return clip(b.String()[:60]) + "..."
		}
	}
	return b.String()
}

// compare says how much the change of a value means for its class.
func (fc *fileContext) compare(h *sourceHunk, k *keyClass, c *settingChange) verdict {
	a, aok := evaluate(fc.resolve(c.old.val, false))
	b, bok := evaluate(fc.resolve(c.new.val, true))
	switch {
	case k.pattern == "dtype":
		return compareTypes(c.old.val, c.new.val)
	case aok && bok && a == b:
		return verdict{}
	case aok && bok:
		v := verdict{level: 3, ratio: b / math.Max(a, 1e-9)}
		v.faster = k.worse > 0 && b < a || k.worse < 0 && b > a
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
	if q := boolOf(c.new.val); k.pattern == "dispatch" && q != unknown && boolOf(c.old.val) == unknown {
		v := compareSwitch(k, c.key, q)
		v.level, v.reason = 3, "a condition became a constant"
		return v
	}
	d := diffTokens(c.old.val, c.new.val)
	if k.pattern == "loop_bounds" {
		return compareBounds(h, c, d)
	}
	return fc.compareTokens(k, c, d)
}

// compareTokens judges values that are neither numbers nor switches.
func (fc *fileContext) compareTokens(k *keyClass, c *settingChange, d tokenDiff) verdict {
	nums := onlyNumbers(d.old) && onlyNumbers(d.new) && (hasNumber(d.old) || hasNumber(d.new) || shaped(d.new))
	switch {
	case k.pattern == "autotune_config" && c.key == "key":
		if strings.Contains(c.new.line.text+c.new.line.call+c.new.line.outer, "autotune") {
			return verdict{level: 2, reason: "results are stored by another key: tuning may run again, or one result serves more shapes"}
		}
		return verdict{}
	case onlyBrackets(d.old) && onlyBrackets(d.new):
		return verdict{}
	case k.pattern == "mfma_shape" && fc.shapeIn(d.old) != "" && fc.shapeIn(d.old) == fc.shapeIn(d.new):
		return verdict{}
	case k.pattern == "dispatch", k.pattern == "hot_path_checks", k.pattern == "masking" && !nums:
		if k.pattern == "masking" && len(c.new.val) > len(c.old.val) && hasCompare(d.new) {
			return verdict{level: 2, reason: "the mask has another term"}
		}
		if k.pattern == "masking" && textOf(c.old.val) == "None" {
			return verdict{level: 2, reason: "there was no mask before"}
		}
		if k.pattern == "dispatch" && nums {
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
	return verdict{}
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
	case "masking":
		even := strings.Contains(n, "even") || strings.Contains(n, "divisible")
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

// specificPattern are patterns whose parameter names mean nothing but GPU tuning.
var specificPattern = wordSet("waves_per_eu num_stages num_warps launch_bounds mfma_shape unroll vector_width cache_modifier lds_padding prefetch")

// relevance lowers a level where nothing says that the file is about GPUs.
func (fc *fileContext) relevance(k *keyClass, l *srcLine, level int, key string) (int, string) {
	gpu := fc.gpu || l.dev == yes || fc.deviceOnly() || fc.triton
	switch {
	case l.dev == yes:
		return level, "in device code"
	case k.generic && !gpu:
		return 0, ""
	case k.generic && l.dev == no:
		return level - 1, "the name is a general one and the code is host code"
	case gpu:
		return level, ""
	case specificPattern[k.pattern], isUpper(key[0]) && strings.Contains(key, "_"):
		return level - 1, "nothing else in the diff says that this is about a kernel"
	}
	return min(level-1, 1), "nothing in the diff says that this is about a kernel"
}

// presence judges a setting that was added to, or removed from, something that
// exists: a keyword of a call, an attribute of a function.
func (fc *fileContext) presence(r *run, k *keyClass, s *setting, added bool) {
	if !s.kw || !fc.attached(r, s.line) && (!s.item || s.line.newFn != "") {
		return
	}
	_, num := evaluate(s.val)
	sw := boolOf(s.val)
	level, faster := 2, false
	switch k.pattern {
	case "launch_bounds", "waves_per_eu":
		if !num && !(onlyNumbers(s.val) && (hasNumber(s.val) || shaped(s.val))) && fc.lang == langPython {
			return
		}
		level = 3
	case "unroll":
		faster = added && num
		level = 3
	case "cache_modifier":
		if len(s.val) != 1 || s.val[0].kind != tokString && !num && sw == unknown {
			return
		}
		level = 3
	case "num_stages", "num_warps", "mfma_shape", "vector_width":
		if !num {
			return
		}
	case "tile_size", "launch_config", "prefetch":
		if !num || !s.item || !added {
			return
		}
	case "dtype":
		if tl := strings.ToLower(textOf(s.val)); !added || sw != no && tl != `"ieee"` && !strings.Contains(tl, "32") {
			return
		}
	case "host_sync":
		faster = added == (sw == yes)
	case "host_overhead", "hot_path_checks":
		if sw != yes || !added {
			return
		}
	default:
		return
	}
	verb := "added"
	if !added {
		verb = "removed"
	}
	e := evidenceOf{pattern: k.pattern, reason: fmt.Sprintf("%s: %s was %s", k.what, s.key, verb), faster: faster, run: r}
	var where string
	e.level, where = fc.relevance(k, s.line, level, s.key)
	if where != "" {
		e.reason += "; " + where
	}
	e.old, e.new = partners(s.line)
	fc.emit(e)
}

// attached tells whether a line belongs to code that was there before: it has a
// partner, or it is one argument of a call whose start did not change.
func (fc *fileContext) attached(r *run, l *srcLine) bool {
	if l.newFn != "" {
		return false
	}
	o, n := partners(l)
	if o != nil && n != nil {
		return true
	}
	return l.call != "" && len(l.toks) <= 12 || len(l.toks) <= 12 && fc.lang == langC && len(r.old)+len(r.new) <= 2 || fc.lang == langLLVM
}

// partners returns the pair of a line, with nil for a side that has none.
func partners(l *srcLine) (o, n *srcLine) {
	if l.kind == '-' {
		return l, l.twin
	}
	return l.twin, l
}
