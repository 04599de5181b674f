package hints

import (
	"fmt"
	"strings"
)

// pairRules looks at what became of each replaced line.
func (fc *fileContext) pairRules(h *sourceHunk, r *run) {
	for _, p := range r.pairs {
		d := diffTokens(p.old.toks, p.new.toks)
		fc.typeRule(r, p, d)
		fc.widthRule(r, p, d)
		fc.matrixRule(r, p, d)
		fc.llvmRule(r, p, d)
		fc.mlirRule(r, p, d)
		fc.waitRule(r, p, d)
		fc.orderRule(r, p, d)
		fc.cacheFlagRule(r, p, d)
		fc.loopRule(h, r, p)
		fc.layoutRule(r, p, d)
		fc.arrayRule(r, p, d)
		fc.launchRule(r, p)
		fc.labelRule(r, p, d)
		fc.ckRule(h, r, p, d)
		fc.elementsRule(r, p, d)
		fc.sizedCallRule(r, p, d)
		fc.templateRule(r, p, d)
		fc.constArgRule(r, p, d)
		fc.syncArgRule(r, p, d)
		fc.outRule(r, p)
		fc.indexRule(r, p, d)
		fc.ldsIndexRule(r, p, d)
		fc.cacheArgRule(r, p, d)
		fc.swapRule(r, p, d)
		fc.divideRule(r, p, d)
		fc.doubleRule(r, p, d)
		fc.staticRule(r, p)
		fc.wideIndexRule(r, p, d)
		fc.ternaryRule(r, p, d)
		fc.sharedLoss(r, p, d)
		fc.registerLoss(h, r, p, d)
		fc.constLoss(r, p, d)
		fc.streamIndexRule(r, p, d)
		fc.exitRule(h, r, p, d)
		fc.orderOfCalls(r, p, d)
		fc.choiceRule(h, r, p, d)
		fc.spaceRule(h, r, p, d)
	}
	fc.guardRules(r)
	fc.lostRules(h, r)
	fc.passRule(r)
	fc.bufferLoss(r)
	fc.staticLoopLoss(r)
	fc.choiceLines(r)
	fc.scalarRule(r)
	fc.launchLoops(r)
	fc.swizzleLoss(r)
	fc.newLoops(r)
	fc.unrollPragmas(r)
	fc.vectorLoss(r)
	fc.casts(r)
}

// level3 is 3 where the code is surely about kernels, else 2.
func (fc *fileContext) level3(l *srcLine) int {
	if l.dev == yes || fc.deviceOnly() || l.dev == unknown && (fc.gpu || fc.triton) {
		return 3
	}
	return 2
}

// isAnnotation tells whether a Python line only changes in type hints.
func isAnnotation(l *srcLine) bool {
	return l.lang == langPython && (hasText(l.toks, "->") || len(l.toks) > 0 && statementStart(l.toks).text == "def")
}

// isCondition tells whether a line asks for a type instead of using one.
func isCondition(ts []token) bool {
	switch ts[0].text {
	case "if", "elif", "while", "assert", "static_assert", "case", "}":
		return true
	}
	return hasText(ts, "==") || hasText(ts, "!=")
}

func (fc *fileContext) typeRule(r *run, p pair, d tokenDiff) {
	if r.judged[p.new] || isAnnotation(p.new) || isImport(p.new.toks) || isCondition(p.new.toks) {
		return
	}
	x, y := typesIn(fc.lang, d.old), typesIn(fc.lang, d.new)
	if fc.lang == langC && p.new.dev == yes && has64(d.new) && !has64(d.old) && !has64(p.old.toks) {
		fc.emit(evidenceOf{
			pattern: "dtype", level: 2, old: p.old, new: p.new, run: r, reason: "index arithmetic became 64 bits wide",
			cause: "64-bit address arithmetic takes two instructions and two registers",
		})
		return
	}
	if len(x) == 0 || len(y) == 0 {
		return
	}
	a, b := widest(x), widest(y)
	v := widening(a, b)
	if v.level == 0 && a.lanes == b.lanes {
		return
	}
	e := evidenceOf{pattern: "dtype", level: v.level, old: p.old, new: p.new, run: r, faster: v.faster, multiple: ratioOf(v.ratio), reason: v.reason}
	if a.bits == b.bits && a.lanes != b.lanes {
		if fc.lang == langPython && (a.lanes == 1 || b.lanes == 1) {
			return // two ways to spell a vector's type
		}
		e.pattern, e.level, e.faster = "vector_width", 3, b.lanes > a.lanes
		e.multiple = float64(max(a.lanes, b.lanes)) / float64(min(a.lanes, b.lanes))
		e.reason = fmt.Sprintf("%d to %d elements of %d bits for each access", a.lanes, b.lanes, b.bits)
	}
	if a.lanes > 1 && a.bits*a.lanes > b.bits*b.lanes && fc.lang == langC && pointerCast(p.old.toks) {
		e.pattern, e.level, e.faster = "vector_width", 3, false
		e.reason = fmt.Sprintf("%d to %d bits for each access", a.bits*a.lanes, b.bits*b.lanes)
	}
	integer := a.base == 'i' && b.base == 'i'
	if integer && e.pattern == "dtype" {
		e.level = min(e.level, 2)
		e.cause = "64-bit address arithmetic takes two instructions and two registers"
		if b.bits < 64 {
			e.level = 1
		}
	}
	if p.new.dev != yes && (integer || bareFloat(d.new)) {
		e.level--
		e.reason += "; the hunk does not show that this is device code"
	}
	if p.new.dev == no && fc.lang == langC && !fc.gpu {
		e.level--
	}
	e.level = min(e.level, fc.level3(p.new)+b2i(fc.lang == langPython && e.level == 3))
	fc.emit(e)
}

// pointerCast tells whether a line reads memory through a pointer of another type.
func pointerCast(ts []token) bool {
	return hasText(ts, "reinterpret_cast") || hasText(ts, "*")
}

// has64 finds 64-bit integer types.
func has64(ts []token) bool {
	for _, t := range ts {
		switch t.last() {
		case "int64_t", "uint64_t", "size_t", "ptrdiff_t", "long_index_t", "ulong", "int64":
			return true
		}
	}
	return false
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// bareFloat tells whether the only types are float and double, which host code
// uses as well.
func bareFloat(ts []token) bool {
	for _, t := range ts {
		if t.text == "double" || t.text == "float" {
			return true
		}
	}
	return false
}

func widest(ts []typeInfo) typeInfo {
	w := ts[0]
	for _, t := range ts[1:] {
		if t.bits > w.bits {
			w = t
		}
	}
	return w
}

// widthRule compares access widths in names, and "<4 x float>" of LLVM.
func (fc *fileContext) widthRule(r *run, p pair, d tokenDiff) {
	a, b := widthOf(d.old, p.old.toks), widthOf(d.new, p.new.toks)
	if strings.Contains(p.new.text, "mfma") || strings.Contains(p.new.text, "wmma") {
		return
	}
	if a == 0 || b == 0 || a == b {
		return
	}
	fc.emit(evidenceOf{
		pattern: "vector_width", level: fc.level3(p.new), old: p.old, new: p.new, run: r, faster: b > a,
		multiple: float64(max(a, b)) / float64(min(a, b)), reason: fmt.Sprintf("%d to %d bits (or elements) for each access", a, b),
	})
}

func widthOf(diff, line []token) int {
	w := 0
	for _, t := range diff {
		if t.kind == tokIdent {
			w = max(w, accessBits(t.last()))
		}
		if m := shapedType.FindStringSubmatch(t.text); t.kind == tokNumber && m != nil && hasPrefixToken(line, "vector") {
			n, _ := parseNumber(m[1])
			w = max(w, int(n))
		}
	}
	if w > 0 {
		return w
	}
	for i := 0; i+2 < len(line); i++ { // LLVM
		if line[i].text == "<" && line[i+1].kind == tokNumber && line[i+2].text == "x" {
			n, _ := parseNumber(line[i+1].text)
			return int(n)
		}
	}
	if len(line) > 3 && (hasText(line, "load") || hasText(line, "store")) && (hasText(line, "ptr") || hasText(line, "addrspace")) {
		return 1
	}
	return 0
}

func hasPrefixToken(ts []token, p string) bool {
	for _, t := range ts {
		if strings.HasPrefix(t.text, p) {
			return true
		}
	}
	return false
}

var matrixShape = rx(`(?i)(?:mfma|wmma|smfmac|mma|gemm|xdl)[\w.]*?[_x.]?(\d+x\d+(?:x\d+)?)|M(\d+N\d+(?:K\d+)?)`)

// matrixRule compares the shapes in the names of matrix instructions.
func (fc *fileContext) matrixRule(r *run, p pair, d tokenDiff) {
	a, b := fc.shapeIn(d.old), fc.shapeIn(d.new)
	if a == "" || b == "" || a == b {
		return
	}
	fc.emit(evidenceOf{
		pattern: "mfma_shape", level: 3, old: p.old, new: p.new, run: r,
		reason: fmt.Sprintf("matrix instruction %s became %s", a, b),
	})
}

func (fc *fileContext) shapeIn(ts []token) string {
	for _, t := range ts {
		if t.kind == tokOp || t.kind == tokString && strings.Contains(t.text, " ") {
			continue
		}
		if s := fc.memo.word(t.text).shape; s != "" {
			return s
		}
	}
	return ""
}

// waitRule compares what a wait waits for.
func (fc *fileContext) waitRule(r *run, p pair, d tokenDiff) {
	both := func(kind string) bool { return fc.hasFeature(p.old, kind) && fc.hasFeature(p.new, kind) }
	if p.new.dev == no || !both("wait") && !both("fence") && !both("sync") {
		return
	}
	a, b := withoutStrings(d.old), withoutStrings(d.new)
	if len(a)+len(b) == 0 {
		return
	}
	e := evidenceOf{pattern: "synchronization", level: 3, old: p.old, new: p.new, run: r, reason: "the wait changed"}
	x, y, ok := numbersOf(a, b)
	switch {
	case ok && x < 64 && y < 64:
		e.faster = y > x
		e.reason = fmt.Sprintf("it waits until %v instead of %v operations are in flight", y, x)
	case len(b) == 1 && b[0].text == "0" && len(a) > 1:
		e.reason = "it waits until nothing is in flight"
	case len(a) == 1 && a[0].text == "0" && len(b) > 1:
		e.faster = true
		e.reason = "it no longer waits until nothing is in flight"
	case hasCounter(b) && !hasCounter(a):
		e.reason = "it waits for another counter as well"
	case hasCounter(a) && !hasCounter(b):
		e.faster = true
		e.reason = "it waits for fewer counters"
	default:
		e.level = 2
	}
	fc.emit(e)
}

func hasCounter(ts []token) bool {
	for _, t := range ts {
		if strings.HasSuffix(t.text, "cnt") {
			return true
		}
	}
	return false
}

func withoutStrings(ts []token) []token {
	var out []token
	for _, t := range ts {
		if t.kind != tokString {
			out = append(out, t)
		}
	}
	return out
}

// numbersOf returns the two numbers if they are all that differs.
func numbersOf(a, b []token) (x, y float64, ok bool) {
	if len(a) != 1 || len(b) != 1 || a[0].kind != tokNumber || b[0].kind != tokNumber {
		return 0, 0, false
	}
	x, ok1 := parseNumber(a[0].text)
	y, ok2 := parseNumber(b[0].text)
	return x, y, ok1 && ok2
}

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

// memoryOrders ranks orders and scopes; a higher one costs more.
var memoryOrders = map[string]int{
	"relaxed": 1, "monotonic": 1, "unordered": 1, "acquire": 2, "release": 2, "acq_rel": 3, "seq_cst": 4,
	"wavefront": 11, "singlethread": 11, "workgroup": 12, "cta": 12, "block": 12, "agent": 13, "gpu": 13, "device": 13, "system": 14, "sys": 14, "all_svm_devices": 14,
}

// orderRule finds atomics whose memory order or scope was raised.
func (fc *fileContext) orderRule(r *run, p pair, d tokenDiff) {
	if p.new.dev == no || r.judged[p.new] {
		return
	}
	a, b := orderOf(d.old), orderOf(d.new)
	if fc.lang == langLLVM && isAtomic(p.new.toks) && isAtomic(p.old.toks) {
		a, b = orderOf(p.old.toks), orderOf(p.new.toks)
		if a/10 == 1 && b/10 == 0 {
			b = memoryOrders["system"] // LLVM's scope when none is named
		}
	}
	if a == 0 || b == 0 || a == b || a/10 != b/10 {
		return
	}
	fc.emit(evidenceOf{pattern: "volatile_atomics", level: 3, old: p.old, new: p.new, run: r, faster: b < a, reason: "the memory order or scope of an atomic or fence changed"})
}

func isAtomic(ts []token) bool {
	return hasText(ts, "atomicrmw") || hasText(ts, "cmpxchg") || hasText(ts, "atomic") || hasText(ts, "fence")
}

func orderOf(ts []token) int {
	top := 0
	for _, t := range ts {
		n := strings.ToLower(t.last())
		for _, pre := range []string{"__atomic_", "memory_order_", "memory_scope_", "__hip_memory_scope_", "__memory_scope_", "memory_order::", "__opencl_memory_scope_"} {
			n = strings.TrimPrefix(n, pre)
		}
		top = max(top, memoryOrders[strings.TrimSuffix(n, "_one_as")])
		if v, ok := strings.CutSuffix(n, "-one-as"); ok {
			top = max(top, memoryOrders[v])
		}
	}
	return top
}

var cacheFlag = wordSet("glc slc dlc scc nt sc0 sc1 nontemporal")

func hasCoherence(ts []token) bool {
	for _, t := range ts {
		if strings.Contains(strings.ToLower(t.text), "coherence") {
			return true
		}
	}
	return false
}

// cacheFlagRule compares the flags at the end of an instruction.
func (fc *fileContext) cacheFlagRule(r *run, p pair, d tokenDiff) {
	asm := fc.lang == langAsm || fc.hasFeature(p.new, "load") || fc.hasFeature(p.new, "store") || hasCoherence(d.old) && hasCoherence(d.new)
	if !asm || r.judged[p.new] {
		return
	}
	for _, ts := range [][]token{d.old, d.new} {
		for _, t := range ts {
			n := strings.ToLower(t.last())
			if cacheFlag[n] || strings.HasPrefix(t.text, "th:") || strings.Contains(strings.ToLower(t.text), "coherence") {
				fc.emit(evidenceOf{pattern: "cache_modifier", level: 3, old: p.old, new: p.new, run: r, reason: "cache flags of an access changed: " + t.text})
				return
			}
		}
	}
}

// casts reports added and removed conversions: x.to(tl.float32), static_cast<float>.
func (fc *fileContext) casts(r *run) {
	up, down := map[*srcLine]int{}, map[*srcLine]int{}
	tallyCasts := func(ls []*srcLine) (int, int) {
		nu, nd := 0, 0
		for _, l := range ls {
			for _, ti := range castsIn(fc.lang, l.toks) {
				if ti.bits >= 32 && ti.base == 'f' {
					up[l]++
					nu++
				} else if ti.bits < 32 && ti.base != 'i' {
					down[l]++
					nd++
				}
			}
		}
		return nu, nd
	}
	ou, od := tallyCasts(r.old)
	nu, nd := tallyCasts(r.new)
	if nu > ou {
		fc.reportCast(r, r.new, up, "conversion to a wider type added", "upcast")
	}
	if nd < od && nu >= ou && len(r.new) > 0 {
		fc.reportCast(r, r.old, down, "conversion to a narrower type removed", "downcast")
	}
}

func (fc *fileContext) reportCast(r *run, ls []*srcLine, n map[*srcLine]int, what, net string) {
	for _, l := range ls {
		if n[l] == 0 || l.dev == no && !fc.gpu && !hotName.MatchString(l.fn) {
			continue
		}
		o, nw := partners(l)
		if net == "upcast" && o != nil && nw != nil && (fc.hasFeature(o, "upcast") || hasLast(o.toks, "extf") || hasLast(o.toks, "extsi")) {
			continue // it was written in another way
		}
		if o != nil && nw != nil && len(castsIn(fc.lang, o.toks)) >= len(castsIn(fc.lang, nw.toks)) && net == "upcast" {
			continue
		}
		level := 2
		if l.dev == yes && (l.loop == yes && net == "upcast" || o != nil && nw != nil) && !r.large() {
			level = 3
		}
		fc.emit(evidenceOf{pattern: "dtype", level: level, old: o, new: nw, run: r, reason: what})
		return
	}
}

// castsIn lists the target types of conversions.
func castsIn(l language, ts []token) []typeInfo {
	var out []typeInfo
	for i := 0; i+2 < len(ts); i++ {
		if l == langC && ts[i].text == "(" && ts[i+2].text == ")" && ts[i+1].kind == tokIdent && (i == 0 || ts[i-1].kind == tokOp || cKeywords[ts[i-1].text] && ts[i-1].text != "sizeof") {
			out = append(out, typesIn(l, ts[i+1:i+2])...)
		}
		name := ts[i].last()
		ok := false
		if l == langC && ts[i+1].text == "(" && i > 0 && ts[i-1].kind == tokOp && ts[i].kind == tokIdent {
			out = append(out, typesIn(l, ts[i:i+1])...) // float(x)
		}
		switch l {
		case langPython:
			ok = (name == "to" || name == "cast" || name == "astype" || name == "type_as") && ts[i+1].text == "("
		case langC:
			ok = (name == "static_cast" || name == "type_convert" || name == "bit_convert" || name == "convert") && ts[i+1].text == "<"
		}
		if !ok {
			continue
		}
		end := min(i+6, len(ts))
		if ty := typesIn(l, ts[i+2:end]); len(ty) > 0 {
			out = append(out, ty[0])
		}
	}
	return out
}
