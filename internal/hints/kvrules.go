package hints

import (
	"fmt"
	"slices"
	"strings"
)

// kvRules judges the settings that a run changes.
func (fc *fileContext) kvRules(h *sourceHunk, r *run) {
	changes := fc.joinRenamed(slices.Clone(r.changes(fc)))
	for i := range changes {
		c := &changes[i]
		k := fc.classOf(h, c)
		if k == nil || k.pattern == "loop_bounds" && isLoopHeader(fc.lang, c) {
			continue
		}
		switch {
		case c.old != nil && c.new != nil:
			fc.changed(h, r, k, c)
		case c.new != nil && fc.secondValue(r, k, c):
		default:
			fc.presence(r, k, c.either(), c.new != nil)
		}
	}
}

// classOf is the class of a setting by its name, or by what the hunk uses it for.
func (fc *fileContext) classOf(h *sourceHunk, c *settingChange) *keyClass {
	k := fc.memo.key(c.key)
	switch {
	case k != nil || c.old == nil || c.new == nil:
		return k
	case h.bounds[c.key] && fc.lang.code():
		return &boundClass
	case h.derived[c.key] && fc.lang.code():
		return &derivedClass
	case fc.lang == langMLIR && len(c.key) == 1 && strings.Contains(c.new.line.text, "mfma"):
		return &mmaClass
	case h.masks[c.key]:
		return &maskClass
	}
	return nil
}

// isLoopHeader tells whether the setting is the first clause of a loop: loopRule
// judges those.
func isLoopHeader(l language, c *settingChange) bool {
	for _, s := range []*setting{c.old, c.new} {
		if s != nil {
			if _, ok := headOf(l, s.line.toks); ok {
				return true
			}
		}
	}
	return false
}

// boundClass is that of a name in the header of a loop that the hunk shows.
var boundClass = keyClass{pattern: "loop_bounds", worse: 1, what: "a name in a loop header"}

// maskClass is that of a name that the hunk gives as a mask.
var maskClass = keyClass{pattern: "masking", what: "a mask"}

// mmaClass is that of the attributes m, n and k of a matrix instruction.
var mmaClass = keyClass{pattern: "mfma_shape", what: "matrix instruction shape"}

// derivedClass is that of a name from which a bound is computed.
var derivedClass = keyClass{pattern: "loop_bounds", worse: 1, what: "a name behind a loop's bound"}

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
	return slices.DeleteFunc(cs, func(c settingChange) bool { return c.old == nil && c.new == nil })
}

// secondValue reports a tuning parameter that had one value and now, under some
// condition, has another one too.
func (fc *fileContext) secondValue(r *run, k *keyClass, c *settingChange) bool {
	b, ok := evaluate(c.new.val)
	if !ok || k.generic || c.new.line.newFn != "" || !slices.ContainsFunc(r.new, branches) {
		return false
	}
	for _, l := range r.old {
		for _, s := range settingsOf(fc, l) {
			if a, ok := evaluate(s.val); s.key == c.key && ok && a != b {
				level, _ := fc.relevance(k, c.new.line, 2, c.key)
				fc.emit(evidenceOf{pattern: k.pattern, level: level, old: l, new: c.new.line, run: r, reason: fmt.Sprintf("%s: %s is %s under a condition, where it was %s", k.what, c.key, textOf(c.new.val), textOf(s.val))})
				return true
			}
		}
	}
	return false
}

func branches(l *srcLine) bool { return startsIf(l.toks) || hasText(l.toks, "else", "case") }

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
	fc.alsoSwizzle(c, level, r)
	if k.pattern == "host_overhead" && strings.Contains(snake(c.key), "graph") {
		fc.emit(evidenceOf{pattern: "stream", level: min(level, 2), reason: "graph capture changed", old: c.old.line, new: c.new.line, run: r, faster: v.faster})
	}
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

// alsoSwizzle adds the view that the layout is one of shared memory.
func (fc *fileContext) alsoSwizzle(c *settingChange, level int, r *run) {
	switch snake(c.key) {
	case "vec", "per_phase", "max_phase":
		fc.emit(evidenceOf{pattern: "lds_padding", level: min(level, 2), reason: "the swizzle of shared memory changed", old: c.old.line, new: c.new.line, run: r})
	}
}

func ratioOf(r float64) float64 {
	if r <= 0 {
		return 1
	}
	return r
}

// specificPattern are patterns whose parameter names mean nothing but GPU tuning.
var specificPattern = wordSet("waves_per_eu num_stages num_warps launch_bounds mfma_shape unroll vector_width cache_modifier lds_padding prefetch")

// relevance lowers a level where nothing says that the file is about GPUs.
func (fc *fileContext) relevance(k *keyClass, l *srcLine, level int, key string) (int, string) {
	gpu := fc.gpu || l.dev == yes || fc.deviceOnly() || fc.triton
	key = strings.TrimPrefix(key, "-D")
	switch {
	case l.dev == yes:
		return level, "in device code"
	case k.generic && !gpu && k.pattern == "dispatch" && gpuPath.MatchString(key):
		return level - 1, "the name speaks of a kernel or its library"
	case k.generic && !gpu:
		return 0, ""
	case k.generic && l.dev == no:
		return level - 1, "the name is a general one and the code is host code"
	case gpu:
		return level, ""
	case specificPattern[k.pattern], key != "" && isUpper(key[0]) && strings.Contains(key, "_"):
		return level - 1, "nothing else in the diff says that this is about a kernel"
	}
	return min(level-1, 1), "nothing in the diff says that this is about a kernel"
}
