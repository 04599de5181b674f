package hints

import (
	"cmp"
	"slices"
	"strings"
)

// evidenceOf is what a rule found. grade turns it into a candidate.
type evidenceOf struct {
	pattern       string
	level         int // before the surroundings are weighed: 3 high, 2 medium, 1 low
	reason        string
	cause         string // "" takes the pattern's
	old, new      *srcLine
	line, oldLine int    // without old and new
	before, after string // without old and new
	net           string
	faster        bool // would speed up
	deeper        bool
	wantDevice    bool // means little in host code
	multiple      float64
	nameOnly      bool // a consistent rename explains it
	run           *run
}

// emit weighs the surroundings of a find and keeps it as a candidate.
func (fc *fileContext) emit(e evidenceOf) {
	c := candidate{level: e.level, file: fc.number, net: e.net, deeper: e.deeper, faster: e.faster, multiple: max(e.multiple, 1)}
	c.Pattern, c.File, c.Cause = e.pattern, fc.path, e.cause
	if c.Cause == "" {
		c.Cause = patternByName[e.pattern].Cause
	}
	reasons := []string{e.reason}
	fc.setLines(&c, &e)
	c.level, reasons = fc.surroundings(&e, c.level, reasons)
	if c.level <= 0 || c.newFn != "" && fc.d.added {
		return
	}
	c.Reason = strings.Join(reasons, "; ")
	fc.c.keep(c)
}

func (fc *fileContext) setLines(c *candidate, e *evidenceOf) {
	c.OldLine, c.NewLine, c.Before, c.After = e.oldLine, e.line, clip(e.before), clip(e.after)
	if e.old != nil {
		c.OldLine, c.Before, c.oldHash = e.old.old, clip(e.old.text), e.old.hash
	}
	if e.new != nil {
		c.NewLine, c.After, c.newHash, c.newFn = e.new.new, clip(e.new.text), e.new.hash, e.new.newFn
	}
	if e.new == nil && e.old != nil {
		c.newFn = e.old.newFn
	}
	c.nameOnly = e.nameOnly
	if e.run != nil {
		c.newHash, c.oldHash = hashIn(e.run.new, e.new), hashIn(e.run.old, e.old)
	}
	if e.old != nil && e.new != nil {
		c.renames = renamesOf(pair{e.old, e.new})
	}
	c.Line = c.NewLine
	if c.Line == 0 && c.After != "" {
		c.Line = c.OldLine
	}
}

// hashIn is the hash by which a line of a run is looked for, 0 if it is not in it.
func hashIn(ls []*srcLine, l *srcLine) uint64 {
	if k := slices.Index(ls, l); k >= 0 {
		return blockHash(ls, k)
	}
	return 0
}

// surroundings lowers a level for what speaks against it.
func (fc *fileContext) surroundings(e *evidenceOf, level int, why []string) (int, []string) {
	l := cmp.Or(e.new, e.old)
	switch fc.role {
	case roleTest:
		return min(level, 1), append(why, "test code: it matters only if the benchmark runs it")
	case roleCI:
		return min(level, 1), append(why, "CI configuration: it matters only if the benchmark runs there")
	case roleBench:
		if level = min(level, 2); level > 0 {
			why = append(why, "benchmark code: it changes what is measured, not the kernel")
		}
	}
	if e.faster {
		return min(level, 1), append(why, "by itself this would speed up")
	}
	if l == nil {
		return level, why
	}
	if l.doubt {
		level, why = level-1, append(why, "the hunk does not show whether this is inside a docstring")
	}
	if e.wantDevice && l.dev == no {
		level, why = level-1, append(why, "looks like host code")
	}
	return level, why
}

func clip(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "?"))
	if len(s) <= 200 {
		return s
	}
	s = s[:197]
	for s != "" && s[len(s)-1]&0xc0 == 0x80 {
		s = s[:len(s)-1]
	}
	if s != "" && s[len(s)-1] >= 0xc0 {
		s = s[:len(s)-1]
	}
	return s + "..."
}

// keep adds a candidate; when there are too many, the least likely go.
func (c *collector) keep(k candidate) {
	k.Score = score(&k)
	c.cands = append(c.cands, k)
	if len(c.cands) < 2*maxCandidates {
		return
	}
	sortHints(c.cands)
	c.cands = c.cands[:maxCandidates]
	c.truncated = true
}
