package hints

import (
	"fmt"
	"sort"
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
func (fc *fileContext) netRules(h *sourceHunk, r *run) {
	olds, news := fc.tally(r.old), fc.tally(r.new)
	kinds := map[string]*feature{}
	for k, c := range olds {
		kinds[k] = c.f
	}
	for k, c := range news {
		kinds[k] = c.f
	}
	names := make([]string, 0, len(kinds))
	for k := range kinds {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		f := kinds[k]
		net := news.count(k) - olds.count(k)
		fc.c.netSum[netKey{fc.number, k}] += f.sign(net) * net
		if net == 0 || f.kind == "slowmath" && olds.count("fastmath") <= news.count("fastmath") && olds.count(k) > 0 {
			continue
		}
		if f.sign(net)*net > 0 {
			fc.reportNet(r, f, net, olds, news)
		}
	}
	fc.guards(r)
	fc.newReads(r, olds, news)
}

// sign is the direction in which a feature counts: its own, or for one that counts
// either way that of the change.
func (f *feature) sign(net int) int {
	if f.dir != 0 {
		return f.dir
	}
	if net < 0 {
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

// isNameTest tells whether a line of the preprocessor only asks for a name.
func isNameTest(ts []token) bool {
	if len(ts) < 2 || ts[0].text != "#" {
		return false
	}
	switch ts[1].text {
	case "if", "ifdef", "ifndef", "elif", "undef":
		return true
	}
	return false
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

// holds checks what the name alone does not tell.
func (fc *fileContext) holds(f *feature, l *srcLine, i int) bool {
	next := token{}
	if i+1 < len(l.toks) {
		next = l.toks[i+1]
	}
	prev := token{}
	if i > 0 {
		prev = l.toks[i-1]
	}
	if prev.text == "def" || prev.text == "define" || prev.text == "declare" {
		return false
	}
	calls := fc.lang == langC || fc.lang == langPython
	if f.kind == "launch" {
		return fc.lang == langPython && next.text == "[" || fc.lang == langC && (next.text == "<<<" || next.text == "(" && !kernelName.MatchString(l.toks[i].text)) || fc.lang == langC && next.text == "<" && hasText(l.toks, "<<<")
	}
	if f.call && calls && next.text != "(" && next.text != "<" && !(prev.kind == tokString) && f.kind != "log" && f.kind != "heap" && !fc.inAsm(l) {
		return false
	}
	switch f.kind {
	case "printf":
		return l.toks[i].text != "assert" || fc.lang != langPython && !constantArgs(l.toks, i+1)
	case "volatile":
		return prev.text != "asm" && prev.text != "__asm__" && prev.text != "__asm"
	case "mask":
		return next.text == "=" && l.toks[i].text != "other" && (l.call != "" || i > 0)
	case "barrier":
		return !(fc.lang == langC && i > 0 && next.text == "(" && prev.kind == tokIdent && !cKeywords[prev.text])
	case "graph":
		if l.toks[i].text == ".replay" && !strings.Contains(strings.ToLower(l.text), "graph") {
			return false
		}
		return fc.lang == langC || fc.lang == langPython
	case "constexpr":
		return fc.lang == langPython && prev.text == ":" || fc.lang == langC && l.dev == yes && prev.text != "if" && fc.deviceLike()
	case "prefetch":
		return fc.lang != langPython || l.dev == yes
	case "load", "store":
		bare := l.toks[i].text == "load" || l.toks[i].text == "store"
		return !bare || fc.lang != langPython && fc.lang != langC
	}
	return true
}

// constantArgs tells whether the arguments of a call are constants by their names:
// capitals, kNames and numbers.
func constantArgs(ts []token, open int) bool {
	for _, t := range ts[open:min(closing(ts, open), len(ts))] {
		if t.kind == tokIdent && t.text != strings.ToUpper(t.text) && !kName.MatchString(t.last()) {
			return false
		}
	}
	return true
}

var kName = rx(`^k[A-Z]`)

// inAsm tells whether a line is operands of an asm statement.
func (fc *fileContext) inAsm(l *srcLine) bool {
	switch l.call {
	case "asm", "__asm__", "volatile", "inline_asm", "_llvm.inline_asm", "llvm.inline_asm":
		return true
	}
	return false
}

func (fc *fileContext) deviceLike() bool { return fc.ext != ".cpp" && fc.ext != ".cc" }

// reportNet picks the line to show and its level.
func (fc *fileContext) reportNet(r *run, f *feature, net int, olds, news tally) {
	c, verb := news[f.kind], "added"
	if f.sign(net) < 0 {
		c, verb = olds[f.kind], "removed"
	}
	l := choose(c.lines)
	level := f.outside
	where := "outside any loop that the hunk shows"
	switch l.loop {
	case yes:
		level, where = f.inLoop, "inside a loop"
	case unknown:
		level, where = f.open, "the hunk does not show whether it is in a loop"
	}
	level = fc.placeLevel(f, l, level)
	if f.kind == "prefetch" && !strongPrefetch.MatchString(l.text) {
		level = min(level, 2)
	}
	if f.kind == "constexpr" && fc.lang == langC {
		level = min(level, 2)
	}
	if r.large() {
		level, where = level-1, where+"; part of a large rewrite"
	}
	if level <= 0 {
		return
	}
	e := evidenceOf{pattern: f.pattern, level: level, net: f.kind, run: r}
	e.reason = fmt.Sprintf("%s %s, %s", f.what, verb, where)
	if net > 1 || net < -1 {
		e.reason = fmt.Sprintf("%s %s (%d times), %s", f.what, verb, max(net, -net), where)
	}
	if (f.kind == "downcast" || f.kind == "upcast") && convertsStill(l) {
		return
	}
	if f.kind == "mask" && addsBranch(r) {
		e.level--
		e.reason += "; the run adds a branch, so another one may do without"
	}
	if f.kind == "dot" && net > 0 {
		e.level = min(e.level, 2)
	}
	e.multiple = float64(max(net, -net))
	e.old, e.new = partners(l)
	if e.old != nil && e.new != nil && olds.has(f.kind, e.old) && news.has(f.kind, e.new) && max(net, -net) == 1 {
		e.level--
		e.reason += "; both versions of the line have one"
	}
	if (f.kind == "constexpr" || f.kind == "restrict") && (e.old == nil || e.new == nil) {
		return // the parameter itself is gone
	}
	fc.emit(e)
}

// convertsStill tells whether the line that replaced a conversion converts too.
func convertsStill(l *srcLine) bool {
	for _, t := range tokensOf(l.twin) {
		switch t.last() {
		case "to", "cast", "astype", "static_cast", "type_convert", "bitcast", "convert":
			return true
		}
	}
	return false
}

func tokensOf(l *srcLine) []token {
	if l == nil {
		return nil
	}
	return l.toks
}

// deviceHeap tells whether a line allocates in a way that kernels can.
func deviceHeap(ts []token) bool {
	for i, t := range ts {
		if t.text == "new" && i > 0 && ts[i-1].text == "=" || (t.text == "malloc" || t.text == "calloc") && i+1 < len(ts) && ts[i+1].text == "(" {
			return true
		}
	}
	return false
}

func addsBranch(r *run) bool {
	for _, l := range r.newOnly {
		if hasText(l.toks, "else") {
			return true
		}
	}
	return false
}

func (t tally) has(kind string, l *srcLine) bool {
	c := t[kind]
	if c == nil {
		return false
	}
	for _, x := range c.lines {
		if x == l {
			return true
		}
	}
	return false
}

// strongPrefetch are words that mean prefetching and nothing else, or a load into
// something called next.
var strongPrefetch = rx(`(?i)prefetch|double_?buf|ping_?pong|async_copy|cp_async|cp\.async|_to_lds|next\w*\s*=.*load|pre\w*\s*=.*load`)

// placeLevel weighs whether the line is on the side where the feature matters.
func (fc *fileContext) placeLevel(f *feature, l *srcLine, level int) int {
	gpu := fc.gpu || fc.triton || fc.deviceOnly() || fc.ext == ".cu" || fc.ext == ".cuh" || fc.ext == ".hip"
	switch f.where {
	case yes:
		if l.dev == no && f.kind != "restrict" {
			return 0
		}
		if l.dev == unknown {
			if !gpu {
				return level - 2
			}
			if f.kind != "barrier" && f.kind != "prefetch" {
				return level - 1
			}
		}
	case no:
		if l.dev == yes {
			return 0
		}
		if f.kind == "python" && strings.Contains(l.text, "std::") && !hotName.MatchString(l.fn) {
			return level - 2
		}
		if f.kind == "python" && buildTool.MatchString(fc.path) {
			return level - 2
		}
		if f.kind == "log" && l.loop != yes && !hotName.MatchString(l.fn) {
			return 0
		}
		if f.pattern == "alloc" && l.loop != yes && setupName.MatchString(l.fn) {
			return min(level-1, 1)
		}
		if !gpu && !hotName.MatchString(l.fn) {
			return level - 1
		}
	default:
		if f.kind == "heap" && l.dev == yes && deviceHeap(l.toks) {
			return 3
		}
		if f.kind == "heap" && !gpu && !hotName.MatchString(l.fn) {
			return 0
		}
		if l.dev == no && l.loop != yes && (f.kind == "upcast" || f.kind == "downcast") {
			return level - 1
		}
	}
	return level
}

// setupName is the name of a function that runs once.
var setupName = rx(`(?i)(^|_)(__init__|init|initialize|setup|create|warmup|allocate)(_|$)`)

// buildTool are places of code that runs before kernels do.
var buildTool = rx(`(?i)(^|/)(setup\.py|conf\.py|compiler|jit|codegen|build|scripts?|tools?|generate\w*|gen_\w*|\w*_gen)(/|$|\.py$|_)`)

// hotName is the name of a function that runs for every batch or token.
var hotName = rx(`(?i)(^|_)(forward|fwd|bwd|backward|apply|launch|run|step|decode|prefill|attention|execute|invoke|dispatch|compute|gemm|matmul|call|__call__|kernel|moe|norm|impl)(_|$)|(Forward|Launch|Run|Execute|Invoke|Step)`)

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

// guards reports bounds checks added in C device code: if (i < n).
func (fc *fileContext) guards(r *run) {
	if fc.lang != langC {
		return
	}
	for _, l := range r.newOnly {
		if l.dev != yes || !isGuard(l.toks) {
			continue
		}
		level := 2
		where := "the hunk does not show a loop around it"
		if l.loop == yes {
			level, where = 3, "inside a loop"
		}
		fc.emit(evidenceOf{pattern: "masking", level: level, new: l, run: r, net: "guard", reason: "bounds check added, " + where})
		fc.c.netSum[netKey{fc.number, "guard"}]++
	}
	for _, l := range r.oldOnly {
		if isGuard(l.toks) {
			fc.c.netSum[netKey{fc.number, "guard"}]--
		}
	}
}

func isGuard(ts []token) bool {
	if len(ts) < 5 || ts[0].text != "if" || ts[1].text != "(" {
		return false
	}
	for i := 2; i < len(ts); i++ {
		switch ts[i].text {
		case "<", ">", "<=", ">=":
			return true
		}
	}
	return false
}

// newReads reports arrays that device code did not read before: C has no word for
// a load.
func (fc *fileContext) newReads(r *run, olds, news tally) {
	if fc.lang != langC || news.count("load") > olds.count("load") {
		return
	}
	before := map[string]bool{}
	total := 0
	for _, l := range r.old {
		for _, n := range subscripts(l.toks) {
			before[n] = true
			total--
		}
	}
	var hit *srcLine
	for _, l := range r.new {
		for _, n := range subscripts(l.toks) {
			total++
			if !before[n] && hit == nil && l.dev == yes && l.newFn == "" {
				hit = l
			}
		}
	}
	if hit == nil || total <= 0 {
		return
	}
	level, where := 1, "outside any loop that the hunk shows"
	if hit.loop == yes {
		level, where = 2, "inside a loop"
	}
	e := evidenceOf{pattern: "memory_ops", level: level, run: r, net: "subscript", reason: "device code reads or writes another array, " + where}
	fc.c.netSum[netKey{fc.number, "subscript"}]++
	e.old, e.new = partners(hit)
	fc.emit(e)
}

// subscripts lists the names that are indexed, without declarations of arrays.
func subscripts(ts []token) []string {
	var out []string
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind != tokIdent || ts[i+1].text != "[" || cKeywords[ts[i].text] {
			continue
		}
		if i > 0 && ts[i-1].kind == tokIdent && ts[i-1].text != "return" {
			continue // a declaration
		}
		out = append(out, ts[i].text)
	}
	return out
}
