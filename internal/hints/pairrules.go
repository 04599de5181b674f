package hints

// A change is a replaced line with what differs in it.
type change struct {
	pair
	tokenDiff
	h *sourceHunk
	r *run
}

// hint starts what a rule says of the change.
func (c *change) hint(pattern string, level int, reason string) evidenceOf {
	return evidenceOf{pattern: pattern, level: level, old: c.old, new: c.new, run: c.r, reason: reason}
}

// explain marks the change as explained, so that later rules leave it alone.
func (c *change) explain() { c.r.judged[c.new] = true }

// hint starts what a rule says of a line of the run, beside its partner.
func (r *run) hint(l *srcLine, pattern string, level int, reason string) evidenceOf {
	e := evidenceOf{pattern: pattern, level: level, run: r, reason: reason}
	e.old, e.new = partners(l)
	return e
}

// A langSet holds languages; the empty one holds all.
type langSet uint32

func languages(ls ...language) langSet {
	var s langSet
	for _, l := range ls {
		s |= 1 << l
	}
	return s
}

func (s langSet) has(l language) bool { return s == 0 || s>>l&1 == 1 }

var (
	inC      = languages(langC)
	inPython = languages(langPython)
	inBoth   = languages(langC, langPython)
)

// A place is where a rule looks.
type place int8

const (
	anywhere  place = iota
	inDevice        // device code
	notHost         // device code, or code that may be
	notDevice       // host code, or code that may be
)

func (p place) holds(dev tri) bool {
	switch p {
	case inDevice:
		return dev == yes
	case notHost:
		return dev != no
	case notDevice:
		return dev != yes
	}
	return true
}

// pairRules look at what became of each replaced line, in this order.
var pairRules = []struct {
	find func(*fileContext, *change)
	in   langSet
	at   place
	open bool // not where a setting or an earlier rule explains the change
}{
	{(*fileContext).typeRule, 0, anywhere, true},
	{(*fileContext).widthRule, 0, anywhere, false},
	{(*fileContext).matrixRule, 0, anywhere, false},
	{(*fileContext).llvmRule, languages(langLLVM), anywhere, false},
	{(*fileContext).mlirRule, languages(langMLIR), anywhere, false},
	{(*fileContext).waitRule, 0, notHost, false},
	{(*fileContext).orderRule, 0, notHost, true},
	{(*fileContext).cacheFlagRule, 0, anywhere, true},
	{(*fileContext).loopRule, 0, anywhere, false},
	{(*fileContext).layoutRule, 0, anywhere, true},
	{(*fileContext).arrayRule, 0, anywhere, false},
	{(*fileContext).launchRule, 0, anywhere, false},
	{(*fileContext).labelRule, inC, anywhere, true},
	{(*fileContext).ckRule, inC, anywhere, true},
	{(*fileContext).elementsRule, inC, anywhere, true},
	{(*fileContext).sizedCallRule, 0, anywhere, true},
	{(*fileContext).templateRule, inC, anywhere, true},
	{(*fileContext).constArgRule, 0, anywhere, true},
	{(*fileContext).syncArgRule, 0, notHost, true},
	{(*fileContext).outRule, inPython, notDevice, false},
	{(*fileContext).indexRule, 0, notHost, true},
	{(*fileContext).ldsIndexRule, 0, notHost, true},
	{(*fileContext).cacheArgRule, 0, notHost, true},
	{(*fileContext).swapRule, 0, anywhere, true},
	{(*fileContext).divideRule, inBoth, inDevice, true},
	{(*fileContext).doubleRule, inC, inDevice, false},
	{(*fileContext).staticRule, inC, notDevice, false},
	{(*fileContext).wideIndexRule, inPython, inDevice, true},
	{(*fileContext).ternaryRule, inC, inDevice, false},
	{(*fileContext).sharedLoss, 0, notHost, false},
	{(*fileContext).registerLoss, inC, inDevice, false},
	{(*fileContext).constLoss, inC, anywhere, false},
	{(*fileContext).streamIndexRule, 0, notDevice, false},
	{(*fileContext).exitRule, 0, anywhere, false},
	{(*fileContext).orderOfCalls, inPython, anywhere, false},
	{(*fileContext).choiceRule, inBoth, notDevice, true},
	{(*fileContext).spaceRule, inPython, anywhere, true},
}

// runRules look at a run as a whole.
var runRules = []struct {
	find func(*fileContext, *sourceHunk, *run)
	in   langSet
}{
	{(*fileContext).guardRules, inBoth},
	{(*fileContext).lostRules, 0},
	{(*fileContext).passRule, inPython},
	{(*fileContext).staticLoopLoss, inBoth},
	{(*fileContext).choiceLines, inBoth},
	{(*fileContext).scalarRule, inPython},
	{(*fileContext).launchLoops, inBoth},
	{(*fileContext).swizzleLoss, inBoth},
	{(*fileContext).newLoops, 0},
	{(*fileContext).unrollPragmas, languages(langC, langLLVM)},
	{(*fileContext).vectorLoss, inC},
	{(*fileContext).casts, 0},
}

func (fc *fileContext) codeRules(h *sourceHunk, r *run) {
	for _, p := range r.pairs {
		c := &change{p, diffTokens(p.old.toks, p.new.toks), h, r}
		if len(c.gone)+len(c.came) == 0 {
			fc.loopRule(c) // its names may stand for other numbers
			continue
		}
		for i := range pairRules {
			q := &pairRules[i]
			if q.in.has(fc.lang) && q.at.holds(p.new.dev) && !(q.open && r.judged[p.new]) {
				q.find(fc, c)
			}
		}
	}
	for i := range runRules {
		if runRules[i].in.has(fc.lang) {
			runRules[i].find(fc, h, r)
		}
	}
}
