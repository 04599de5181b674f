package hints

import (
	"fmt"
	"slices"
	"strings"
)

// tally counts the features of some lines, and remembers the lines.
type tally map[string]*count

type count struct {
	f     *feature
	n     int
	lines []*srcLine
}

// netRules reports what a run holds more of (or less of) than before.
func (fc *fileContext) netRules(r *run) {
	olds, news := fc.tally(r.old), fc.tally(r.new)
	for _, f := range kindsOf(olds, news) {
		k := f.kind
		net := news.count(k) - olds.count(k)
		more := f.sign(net) * net
		fc.c.netSum[netKey{fc.number, k}] += more
		if f.kind == "slowmath" && olds.count("fastmath") <= news.count("fastmath") && olds.count(k) > 0 {
			continue // no fast function was given up for it
		}
		if more > 0 {
			fc.reportNet(r, f, net, olds, news)
		}
	}
	fc.guards(r)
	fc.newReads(r, olds, news)
}

// kindsOf lists a feature of each kind that was counted, sorted by kind.
func kindsOf(olds, news tally) []*feature {
	var out []*feature
	for _, c := range olds {
		out = append(out, c.f)
	}
	for k, c := range news {
		if olds[k] == nil {
			out = append(out, c.f)
		}
	}
	slices.SortFunc(out, func(a, b *feature) int { return strings.Compare(a.kind, b.kind) })
	return out
}

// sign is the direction in which a feature counts: its own, or for one that counts
// either way that of the change.
func (f *feature) sign(net int) int {
	switch {
	case f.dir != 0:
		return f.dir
	case net < 0:
		return -1
	}
	return 1
}

func (t tally) count(kind string) int {
	if c := t[kind]; c != nil {
		return c.n
	}
	return 0
}

func (t tally) has(kind string, l *srcLine) bool {
	return t[kind] != nil && slices.Contains(t[kind].lines, l)
}

func (fc *fileContext) tally(ls []*srcLine) tally {
	t := tally{}
	for _, l := range ls {
		if isImport(l.toks) || isNameTest(l.toks) {
			continue
		}
		for i := range l.toks {
			if l.toks[i].kind != tokIdent {
				continue
			}
			for _, f := range fc.memo.featuresOf(l.toks[i].text) {
				if fc.holds(f, l, i) {
					t.add(f, l)
				}
			}
		}
	}
	return t
}

// hasFeature tells whether a line holds a counted feature of a kind.
func (fc *fileContext) hasFeature(l *srcLine, kind string) bool {
	for i := range l.toks {
		if l.toks[i].kind != tokIdent {
			continue
		}
		for _, f := range fc.memo.featuresOf(l.toks[i].text) {
			if f.kind == kind && fc.holds(f, l, i) {
				return true
			}
		}
	}
	return false
}

// isNameTest tells whether a line of the preprocessor only asks for a name.
func isNameTest(ts []token) bool {
	return len(ts) > 1 && ts[0].text == "#" && hasText(ts[1:2], "if", "ifdef", "ifndef", "elif", "undef")
}

func (t tally) add(f *feature, l *srcLine) {
	c := t[f.kind]
	if c == nil {
		c = &count{f: f}
		t[f.kind] = c
	}
	c.n++
	if len(c.lines) == 0 || c.lines[len(c.lines)-1] != l {
		c.lines = append(c.lines, l)
	}
}

// reportNet picks the line to show and says what there is more or less of.
func (fc *fileContext) reportNet(r *run, f *feature, net int, olds, news tally) {
	c, verb, times := news[f.kind], "added", net
	if f.sign(net) < 0 {
		c, verb, times = olds[f.kind], "removed", -net
	}
	l := choose(c.lines)
	level, where := fc.netLevel(f, l)
	if r.large() {
		level, where = level-1, where+"; part of a large rewrite"
	}
	if level <= 0 || (f.kind == "downcast" || f.kind == "upcast") && convertsStill(l) {
		return
	}
	if times > 1 {
		verb += fmt.Sprintf(" (%d times)", times)
	}
	e := r.hint(l, f.pattern, level, fmt.Sprintf("%s %s, %s", f.what, verb, where))
	e.net, e.multiple = f.kind, float64(times)
	switch {
	case (f.kind == "constexpr" || f.kind == "restrict") && l.twin == nil:
		return // the parameter itself is gone
	case f.kind == "mask" && slices.ContainsFunc(r.newOnly, hasElse):
		e.weaken("the run adds a branch, so another one may do without")
	case f.kind == "dot" && net > 0:
		e.level = min(e.level, 2)
	}
	if l.twin != nil && times == 1 && olds.has(f.kind, e.old) && news.has(f.kind, e.new) {
		e.weaken("both versions of the line have one")
	}
	fc.emit(e)
}

// weaken lowers the level by one and says why.
func (e *evidenceOf) weaken(why string) {
	e.level--
	e.reason += "; " + why
}

// netLevel is how much a feature says where l stands.
func (fc *fileContext) netLevel(f *feature, l *srcLine) (level int, where string) {
	switch l.loop {
	case yes:
		level, where = f.inLoop, "inside a loop"
	case unknown:
		level, where = f.open, "the hunk does not show whether it is in a loop"
	default:
		level, where = f.outside, "outside any loop that the hunk shows"
	}
	level = fc.placeLevel(f, l, level)
	if f.kind == "prefetch" && !strongPrefetch.MatchString(l.text) || f.kind == "constexpr" && fc.lang == langC {
		level = min(level, 2)
	}
	return level, where
}

// strongPrefetch are words that mean prefetching and nothing else, or a load into
// something called next.
var strongPrefetch = rx(`(?i)prefetch|double_?buf|ping_?pong|async_copy|cp_async|cp\.async|_to_lds|next\w*\s*=.*load|pre\w*\s*=.*load`)

var converter = wordSet("to cast astype static_cast type_convert bitcast convert")

// convertsStill tells whether the line that replaced a conversion converts too.
func convertsStill(l *srcLine) bool { return l.twin != nil && hasAnyLast(l.twin.toks, converter) }

func hasElse(l *srcLine) bool { return hasText(l.toks, "else") }

// choose prefers a line that has no partner and is not part of a new function.
func choose(lines []*srcLine) *srcLine {
	best, top := lines[0], -1
	for _, l := range lines {
		s := 0
		if l.twin == nil {
			s += 2
		}
		if l.loop == yes {
			s++
		}
		if l.newFn == "" {
			s += 4
		}
		if s > top {
			best, top = l, s
		}
	}
	return best
}
