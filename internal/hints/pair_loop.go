package hints

import (
	"fmt"
	"strings"
)

// A loopHead is the header of a loop, cut into what decides how often it runs.
type loopHead struct {
	start, stop, step []token
	cond              []token // what could not be cut
	kind              string  // "static" if the compiler must unroll it
	bare              string  // the loop variable
}

// loopRule compares the headers of a loop that the diff rewrites.
func (fc *fileContext) loopRule(h *sourceHunk, r *run, p pair) {
	a, ok1 := headOf(fc.lang, p.old.toks)
	b, ok2 := headOf(fc.lang, p.new.toks)
	if !ok1 || !ok2 {
		return
	}
	fc.unrollKind(r, p, a, b)
	fc.resolveHead(&a, false)
	fc.resolveHead(&b, true)
	v := compareHeads(a, b)
	if v.level == 0 {
		return
	}
	level := fc.loopPlace(p.new, v.level)
	if level <= 0 {
		return
	}
	fc.emit(evidenceOf{pattern: "loop_bounds", level: level, old: p.old, new: p.new, run: r, faster: v.faster, multiple: ratioOf(v.ratio), reason: v.reason})
}

func (fc *fileContext) resolveHead(h *loopHead, after bool) {
	h.start, h.stop, h.step = fc.resolve(h.start, after), fc.resolve(h.stop, after), fc.resolve(h.step, after)
}

// loopPlace lowers a level for loops of host code.
func (fc *fileContext) loopPlace(l *srcLine, level int) int {
	gpu := fc.gpu || fc.triton || fc.ext == ".cu" || fc.ext == ".hip" || fc.ext == ".cuh"
	switch {
	case l.dev == yes || fc.deviceOnly():
		return level
	case l.dev == unknown && gpu:
		return min(level, 3)
	case gpu:
		return min(level-1, 2)
	}
	return min(level-2, 1)
}

func (fc *fileContext) unrollKind(r *run, p pair, a, b loopHead) {
	if a.kind == b.kind || p.new.dev == no {
		return
	}
	e := evidenceOf{pattern: "unroll", level: 3, old: p.old, new: p.new, run: r, reason: "the loop is no longer unrolled at compile time"}
	if b.kind == "static" {
		e.level, e.reason = 2, "the loop is now unrolled at compile time: code size and registers grow"
	}
	e.level = min(e.level, fc.level3(p.new))
	fc.emit(e)
}

func headOf(l language, ts []token) (loopHead, bool) {
	if len(ts) < 3 {
		return loopHead{}, false
	}
	switch l {
	case langPython:
		return pythonHead(ts)
	case langC:
		return cHead(ts)
	case langMLIR:
		for i := range ts {
			if ts[i].text == "scf.for" || ts[i].text == "affine.for" {
				return mlirHead(ts[i+1:]), true
			}
		}
	}
	return loopHead{}, false
}

func pythonHead(ts []token) (loopHead, bool) {
	if t := statementStart(ts); t.text == "while" {
		return loopHead{cond: ts[1:]}, true
	} else if t.text != "for" {
		return loopHead{}, false
	}
	in := 0
	for i := range ts {
		if ts[i].text == "in" {
			in = i
			break
		}
	}
	if in == 0 || in+1 >= len(ts) {
		return loopHead{}, false
	}
	rest := ts[in+1:]
	if n := len(rest); n > 0 && rest[n-1].text == ":" {
		rest = rest[:n-1]
	}
	h := loopHead{bare: ts[1].text}
	if len(rest) < 3 || !strings.Contains(rest[0].last(), "range") || rest[1].text != "(" {
		h.cond = rest
		return h, true
	}
	if strings.Contains(rest[0].last(), "static") || strings.Contains(rest[0].last(), "constexpr") {
		h.kind = "static"
	}
	end := closing(rest, 1)
	h.setRange(splitArgs(rest[2:end]))
	return h, true
}

// setRange takes the arguments of range; those with a name are not bounds.
func (h *loopHead) setRange(args [][]token) {
	var pos [][]token
	for _, a := range args {
		if len(a) > 1 && a[1].text == "=" {
			continue
		}
		pos = append(pos, a)
	}
	zero, one := []token{{kind: tokNumber, text: "0"}}, []token{{kind: tokNumber, text: "1"}}
	h.start, h.step = zero, one
	switch len(pos) {
	case 1:
		h.stop = pos[0]
	case 2:
		h.start, h.stop = pos[0], pos[1]
	case 3:
		h.start, h.stop, h.step = pos[0], pos[1], pos[2]
	}
}

// splitArgs cuts at the commas outside brackets.
func splitArgs(ts []token) [][]token {
	var out [][]token
	from := 0
	depth := 0
	for i, t := range ts {
		switch t.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				out = append(out, ts[from:i])
				from = i + 1
			}
		}
	}
	if from < len(ts) {
		out = append(out, ts[from:])
	}
	return out
}

func cHead(ts []token) (loopHead, bool) {
	if ts[0].text == "}" {
		ts = ts[1:]
	}
	name := ts[0].text
	switch {
	case len(ts) > 2 && name == "while" && ts[1].text == "(":
		return loopHead{cond: ts[2:closing(ts, 1)]}, true
	case strings.HasSuffix(name, "static_for") && len(ts) > 2 && ts[1].text == "<":
		h := loopHead{kind: "static"}
		end := 2
		for end < len(ts) && ts[end].text != ">" {
			end++
		}
		args := splitArgs(ts[2:end])
		if len(args) == 3 {
			h.start, h.stop, h.step = args[0], args[1], args[2]
		}
		return h, len(args) == 3
	case name != "for" || len(ts) < 4 || ts[1].text != "(":
		return loopHead{}, false
	}
	parts := splitSemicolons(ts[2:closing(ts, 1)])
	if len(parts) != 3 {
		return loopHead{}, false
	}
	return cFor(parts[0], parts[1], parts[2]), true
}

// cFor reads the three parts of a for. A condition that does not speak of the
// loop variable is no bound, and a name in it is not taken for its value: the
// loop may change it.
func cFor(init, cond, step []token) loopHead {
	h := loopHead{}
	h.bare = commonName(step, cond)
	for _, a := range splitArgs(init) {
		for i, t := range a {
			if t.text == "=" && i > 0 && (h.bare == "" || h.bare == a[i-1].text) {
				h.bare, h.start = a[i-1].text, a[i+1:]
				break
			}
		}
	}
	if h.step = stepOf(without(step, h.bare)); h.bare != "" && len(without(cond, h.bare)) < len(cond) {
		h.stop = without(cond, h.bare)
	} else {
		h.cond = cond
	}
	return h
}

// commonName is the first name of a that stands in b too.
func commonName(a, b []token) string {
	for _, t := range a {
		if t.kind == tokIdent && len(without(b, t.text)) < len(b) {
			return t.text
		}
	}
	return ""
}

func splitSemicolons(ts []token) [][]token {
	var out [][]token
	from := 0
	for i, t := range ts {
		if t.text == ";" {
			out = append(out, ts[from:i])
			from = i + 1
		}
	}
	return append(out, ts[from:])
}

// without drops the loop variable, so that its name does not matter.
func without(ts []token, name string) []token {
	var out []token
	for _, t := range ts {
		if t.text != name {
			out = append(out, t)
		}
	}
	return out
}

// stepOf makes i++, ++i and i += 1 the same.
func stepOf(ts []token) []token {
	if len(ts) == 1 && ts[0].text == "++" {
		return []token{{kind: tokNumber, text: "1"}}
	}
	if len(ts) > 1 && ts[0].text == "+=" {
		return ts[1:]
	}
	return ts
}

func mlirHead(ts []token) loopHead {
	h := loopHead{}
	part := &h.cond
	for i, t := range ts {
		switch t.text {
		case "=":
			part = &h.start
			continue
		case "to":
			part = &h.stop
			continue
		case "step":
			part = &h.step
			continue
		case "iter_args", "{", ":", "->":
			return finish(h)
		}
		if i == 0 {
			continue
		}
		*part = append(*part, t)
	}
	return finish(h)
}

func finish(h loopHead) loopHead {
	h.cond = nil
	return h
}

// compareHeads says whether a loop now runs more often.
func compareHeads(a, b loopHead) verdict {
	if (len(a.stop) == 0) != (len(b.stop) == 0) {
		return verdict{level: 2, reason: "the loop is controlled in another way"}
	}
	parts := []struct {
		name string
		a, b []token
		sign int // +1 if larger means more iterations
	}{{"stop", a.stop, b.stop, 1}, {"step", a.step, b.step, -1}, {"start", a.start, b.start, -1}, {"condition", a.cond, b.cond, 1}}
	best := verdict{}
	for _, q := range parts {
		if equalTokens(q.a, q.b) || q.name == "start" && len(q.a)*len(q.b) == 0 { // set before the loop: not known
			continue
		}
		v := comparePart(q.a, q.b, q.sign)
		v.reason = fmt.Sprintf("the loop's %s changed from %s to %s", q.name, textOf(q.a), textOf(q.b)) + v.reason
		if q.name == "condition" && a.bare != "" {
			v.level = min(v.level, 1) // a walk over some collection
		}
		if v.level > best.level || v.level == best.level && best.faster && !v.faster {
			best = v
		}
	}
	return best
}

func comparePart(a, b []token, sign int) verdict {
	x, ok1 := evaluate(a)
	y, ok2 := evaluate(b)
	if ok1 && ok2 && x == y {
		return verdict{}
	}
	if ok1 && ok2 {
		v := verdict{level: 3, ratio: (y + 1) / (x + 1)}
		v.faster = sign > 0 && y < x || sign < 0 && y > x
		return v
	}
	d := diffTokens(a, b)
	if len(d.old) == 0 && len(d.new) == 0 {
		return verdict{}
	}
	v := verdict{level: 3}
	switch g := growth(d) * sign; {
	case g > 0:
		v.ratio, v.reason = 2, "; the expression grew"
	case g < 0:
		v.faster = true
	}
	if len(d.old) == 1 && len(d.new) == 1 && d.old[0].kind == tokIdent && d.new[0].kind == tokIdent {
		v.level, v.reason = 2, "; another name, which may hold the same value"
	}
	if len(d.old) > 0 && len(d.new) > 0 && !hasNumber(d.old) && !hasNumber(d.new) {
		v.level = 2
	}
	if ok1 != ok2 {
		v.level, v.reason = 2, "; a number became a name, or the other way round"
	}
	if isIntegerType(d.old) && isIntegerType(d.new) {
		return verdict{}
	}
	return v
}

// isIntegerType tells whether tokens are only names of integer types and casts to
// them.
func isIntegerType(ts []token) bool {
	for _, t := range ts {
		switch n := strings.ToLower(t.last()); n {
		case "int", "unsigned", "size_t", "auto", "const", "(", ")", "static_cast", "<", ">", "long", "index", "int32", "index_cast":
		default:
			if ti, ok := scalarTypes[n]; !ok || ti.base != 'i' {
				return false
			}
		}
	}
	return true
}

// newLoops reports loops that are added around or between existing device code.
func (fc *fileContext) newLoops(r *run) {
	removed := 0
	for _, l := range r.oldOnly {
		if _, ok := headOf(fc.lang, l.toks); ok {
			removed++
		}
	}
	for _, l := range r.newOnly {
		h, ok := headOf(fc.lang, l.toks)
		if !ok || l.dev == no || l.newFn != "" || l.dev == unknown && !fc.gpu || fc.lang == langPython && l.call != "" {
			continue
		}
		if removed--; removed >= 0 {
			continue
		}
		level, why := 2, "a loop was added"
		if l.loop == yes {
			level, why = 3, "a loop was added inside a loop"
		}
		if h.kind == "static" || l.dev == unknown || fc.lang == langPython && len(h.stop) == 0 || r.large() {
			level--
		}
		fc.emit(evidenceOf{pattern: "loop_bounds", level: level, new: l, run: r, reason: why})
	}
}

// unrollPragmas compares the pragmas of a run: #pragma unroll, _Pragma, clang loop.
func (fc *fileContext) unrollPragmas(r *run) {
	if fc.lang != langC && fc.lang != langLLVM {
		return
	}
	old, new := pragmas(r.old), pragmas(r.new)
	if len(old) == 0 && len(new) == 0 {
		return
	}
	e := evidenceOf{pattern: "unroll", level: 3, run: r}
	switch {
	case len(old) > len(new):
		e.old, e.new = partners(missing(old, new))
		e.reason = "an unroll pragma was removed"
	case len(new) > len(old):
		l := missing(new, old)
		e.old, e.new = partners(l)
		e.reason = "an unroll pragma was added: code size and registers grow"
		e.level = 2
		if f := unrollFactor(l.toks); f == 1 {
			e.level, e.reason = 3, "unrolling is forbidden"
		}
	default:
		i := 0
		for i < len(old) && old[i].hash == new[i].hash {
			i++
		}
		if i == len(old) {
			return
		}
		x, y := unrollFactor(old[i].toks), unrollFactor(new[i].toks)
		e.old, e.new = old[i], new[i]
		e.reason = fmt.Sprintf("the unroll factor changed from %s to %s", factorText(x), factorText(y))
		e.multiple = (y + 1) / (x + 1)
	}
	l := e.new
	if l == nil {
		l = e.old
	}
	if l.newFn != "" || l.dev == no && !fc.gpu {
		return
	}
	fc.emit(e)
}

func missing(more, less []*srcLine) *srcLine {
	n := map[uint64]int{}
	for _, l := range less {
		n[l.hash]++
	}
	for _, l := range more {
		if n[l.hash]--; n[l.hash] < 0 {
			return l
		}
	}
	return more[0]
}

func pragmas(ls []*srcLine) []*srcLine {
	var out []*srcLine
	for _, l := range ls {
		ts := l.toks
		if len(ts) < 2 {
			continue
		}
		is := ts[0].text == "#" && ts[1].text == "pragma" || ts[0].text == "_Pragma" || ts[0].text == "__pragma"
		if is && strings.Contains(strings.ToLower(l.text), "unroll") || strings.Contains(l.text, "llvm.loop.unroll") {
			out = append(out, l)
		}
	}
	return out
}

// unrollFactor is the number in a pragma; 1 for nounroll, 64 for "all".
func unrollFactor(ts []token) float64 {
	for _, t := range ts {
		if t.kind == tokNumber {
			v, _ := parseNumber(t.text)
			return v
		}
		if strings.Contains(t.text, "nounroll") || strings.Contains(t.text, "unroll.disable") || strings.Contains(t.text, "disable") {
			return 1
		}
	}
	return 64
}

func factorText(f float64) string {
	switch f {
	case 64:
		return "all"
	case 1:
		return "none"
	}
	return fmt.Sprint(f)
}
