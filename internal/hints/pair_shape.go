package hints

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

var layoutCall = rx(`(Layout|Encoding|Swizzle)$|^(\w*[.:])*(make_\w*(layout|descriptor|distribution|coordinate_transform|xor_transform)\w*|transform_tensor_descriptor|tile_distribution_encoding|make_embed_transform|make_pad_transform|make_block_ptr|trans|permute|reshape|transpose|contiguous_layout|\w*swizzle\w*)$|^#?(ttg\.|triton_gpu\.|ttng\.)?(blocked|shared|swizzled_shared|padded_shared|mma|amd_mfma|amd_wmma|dot_op|linear|slice|generic_linear)\d*$`)

// layoutRule finds changed arguments of whatever makes a layout.
func (fc *fileContext) layoutRule(r *run, p pair, d tokenDiff) {
	if r.judged[p.new] || isImport(p.new.toks) || len(d.old)+len(d.new) == 0 {
		return
	}
	name := fc.layoutName(p.new)
	if name == "" || fc.layoutName(p.old) == "" {
		return
	}
	level := 0
	reason := ""
	switch {
	case onlyNumbers(d.old) && onlyNumbers(d.new) && (hasNumber(d.old) || hasNumber(d.new)):
		level, reason = 3, fmt.Sprintf("the numbers of %s changed", name)
	case fc.layoutCtor(d.old) != "" && fc.layoutCtor(d.new) != "":
		level, reason = 3, fmt.Sprintf("%s became %s", fc.layoutCtor(d.old), fc.layoutCtor(d.new))
		if !strings.HasSuffix(fc.layoutCtor(d.old), "Layout") || !strings.HasSuffix(fc.layoutCtor(d.new), "Layout") {
			level = 1
		}
	case hasNumber(d.old) || hasNumber(d.new):
		level, reason = 2, fmt.Sprintf("the arguments of %s changed", name)
	case hasText(p.new.toks, "stride") && !(allNames(d.old) && allNames(d.new)):
		level, reason = 2, fmt.Sprintf("the strides of %s changed", name)
	default:
		return
	}
	low := strings.ToLower(name)
	e := evidenceOf{pattern: "layout", level: min(level, fc.level3(p.new)), old: p.old, new: p.new, run: r, reason: reason}
	if strings.Contains(low, "swizzled") || strings.Contains(low, "padded") || strings.Contains(low, "xor") {
		fc.emit(evidenceOf{pattern: "lds_padding", level: 2, old: p.old, new: p.new, run: r, reason: reason})
	}
	if strings.Contains(low, "naive") || strings.Contains(low, "packed") {
		e.level = min(e.level, 2) // often the sizes of the problem
	}
	if e.level > 1 {
		r.judged[p.new] = true
	}
	fc.emit(e)
}

func (fc *fileContext) layoutName(l *srcLine) string {
	if n := fc.layoutCtor(l.toks); n != "" {
		return n
	}
	for _, n := range []string{l.call, l.outer} {
		if n != "" && fc.memo.word(n).layout {
			return n
		}
	}
	return ""
}

func (fc *fileContext) layoutCtor(ts []token) string {
	for i, t := range ts {
		if t.kind == tokIdent && i+1 < len(ts) && strings.Contains("([{<", ts[i+1].text) && fc.memo.word(t.text).layout {
			return t.text
		}
	}
	return ""
}

// typeParameter is the name of a template parameter that names a layout.
var typeParameter = rx(`^[A-Z]\w?Layout$|^(In|Out|Wei|Bias)Layout$`)

// arrayRule looks at the dimensions of shared and private arrays.
func (fc *fileContext) arrayRule(r *run, p pair, d tokenDiff) {
	shared := isShared(p.new) && isShared(p.old)
	private := fc.lang == langC && p.new.dev == yes && isArrayDeclaration(p.new.toks) && isArrayDeclaration(p.old.toks)
	if !shared && !private {
		return
	}
	a, b := dimensions(p.old.toks), dimensions(p.new.toks)
	if len(a) == 0 || len(b) == 0 || sameDims(a, b) {
		return
	}
	e := evidenceOf{old: p.old, new: p.new, run: r, pattern: "lds_size", level: 2, reason: "the dimensions of an array changed"}
	x, xok := evaluate(a[len(a)-1])
	y, yok := evaluate(b[len(b)-1])
	switch {
	case shared && len(a) > len(b) && isTwo(a[0]), shared && len(a) == len(b) && isTwo(a[0]) && !isTwo(b[0]) && buffersLess(b[0]):
		e.pattern, e.level, e.reason = "prefetch", 3, "the array has fewer buffers"
	case shared && len(a) == len(b) && isPad(a[len(a)-1], b[len(b)-1], x, y, xok && yok):
		e.pattern, e.level, e.reason = "lds_padding", 3, "the padding of the last dimension changed"
		e.faster = xok && yok && y > x
	case xok && yok:
		e.multiple = y / math.Max(x, 1)
	}
	if !shared && e.pattern == "lds_size" {
		e.cause = "more registers or scratch for each work-item"
	}
	fc.emit(e)
}

func isTwo(ts []token) bool {
	v, ok := evaluate(ts)
	return ok && v >= 2 && v <= 4
}

func buffersLess(ts []token) bool {
	v, ok := evaluate(ts)
	return ok && v < 2
}

// isPad: the numbers differ by at most 8 and one is a multiple of 8, or "+ something"
// came or went.
func isPad(a, b []token, x, y float64, numbers bool) bool {
	if numbers {
		return math.Abs(x-y) <= 8 && x != y && (math.Mod(x, 8) == 0 || math.Mod(y, 8) == 0)
	}
	return hasText(a, "+") != hasText(b, "+")
}

func isShared(l *srcLine) bool {
	for _, t := range l.toks {
		switch t.text {
		case "__shared__", "__local", "local", "CK_TILE_SHARED", "threadgroup", "groupshared":
			return true
		}
		if strings.HasSuffix(t.text, "allocate_shared_memory") || strings.HasSuffix(t.text, "local_alloc") || strings.HasSuffix(t.text, "alloc_lds") || strings.HasSuffix(t.text, "SmemAllocator") {
			return true
		}
	}
	return false
}

func isArrayDeclaration(ts []token) bool {
	for i := 1; i+1 < len(ts); i++ {
		if ts[i].kind == tokIdent && ts[i-1].kind == tokIdent && ts[i+1].text == "[" && ts[i-1].text != "return" {
			return !hasText(ts[:i], "=")
		}
	}
	return false
}

// dimensions lists what stands in the square brackets; for a call those of its
// shape argument.
func dimensions(ts []token) [][]token {
	var out [][]token
	for i := 0; i+2 < len(ts); i++ {
		if ts[i].text == "shape" && ts[i+1].text == "=" && ts[i+2].text == "(" {
			return splitArgs(ts[i+3 : closing(ts, i+2)])
		}
	}
	for i := 0; i < len(ts); i++ {
		if ts[i].text != "[" {
			continue
		}
		end := closing(ts, i)
		if parts := splitArgs(ts[i+1 : end]); len(parts) > 1 {
			return parts
		}
		out = append(out, ts[i+1:end])
		i = end
	}
	return out
}

func sameDims(a, b [][]token) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equalTokens(a[i], b[i]) {
			return false
		}
	}
	return true
}

// launchRule compares the launch of a kernel: <<<grid, block, lds, stream>>>.
func (fc *fileContext) launchRule(r *run, p pair) {
	a, b := launchArgs(p.old.toks), launchArgs(p.new.toks)
	if len(a) < 2 || len(b) < 2 {
		fc.dimRule(r, p)
		return
	}
	names := []struct{ pattern, what string }{{"launch_config", "grid"}, {"num_warps", "workgroup size"}, {"lds_size", "dynamic LDS"}, {"stream", "stream"}}
	for i := range min(len(a), len(names)) {
		e := evidenceOf{pattern: names[i].pattern, level: 2, old: p.old, new: p.new, run: r}
		switch {
		case i >= len(b):
			if i < 3 && textOf(a[i]) == "0" {
				continue
			}
			if i < 3 {
				return
			}
			e.level, e.reason = 3, "the launch no longer names its stream: it uses the default one"
		case equalTokens(a[i], b[i]), fc.sameValue(a[i], b[i]):
			continue
		default:
			e.reason = fmt.Sprintf("the %s of the launch changed from %s to %s", names[i].what, textOf(a[i]), textOf(b[i]))
			if len(b[i]) == 1 && b[i][0].kind == tokIdent && hasNumber(a[i]) && i < 3 {
				e.level = 1 // a number got a name
			}
			d := diffTokens(a[i], b[i])
			if onlyNumbers(d.old) && onlyNumbers(d.new) || i == 3 && (textOf(b[i]) == "0" || strings.Contains(textOf(b[i]), "efault") || textOf(b[i]) == "nullptr") {
				e.level = 3
			}
		}
		fc.emit(e)
		return
	}
}

// launchArgs returns the launch arguments, or nil.
func launchArgs(ts []token) [][]token {
	for i := range ts {
		switch ts[i].text {
		case "<<<":
			for j := i; j < len(ts); j++ {
				if ts[j].text == ">>>" {
					return splitArgs(ts[i+1 : j])
				}
			}
		case "hipLaunchKernelGGL":
			if i+1 < len(ts) && ts[i+1].text == "(" {
				if args := splitArgs(ts[i+2 : closing(ts, i+1)]); len(args) > 4 {
					return args[1:5]
				}
			}
		}
	}
	return nil
}

// dimRule compares dim3 block(256).
func (fc *fileContext) dimRule(r *run, p pair) {
	a, b := dim3Of(p.old.toks), dim3Of(p.new.toks)
	if a == nil || b == nil || equalTokens(a, b) || fc.sameValue(a, b) {
		return
	}
	d := diffTokens(a, b)
	e := evidenceOf{pattern: "launch_config", level: 2, old: p.old, new: p.new, run: r, reason: "a dim3 of the launch changed"}
	if onlyNumbers(d.old) && onlyNumbers(d.new) {
		e.level = 3
	}
	for _, t := range p.new.toks {
		if n := strings.ToLower(t.text); t.kind == tokIdent && (strings.Contains(n, "block") || strings.Contains(n, "thread") || n == "tpb") {
			if !strings.Contains(n, "blocks") && !strings.Contains(n, "grid") {
				e.pattern = "num_warps"
			}
			break
		}
	}
	fc.emit(e)
}

func dim3Of(ts []token) []token {
	for i := range ts {
		if ts[i].text == "dim3" {
			for j := i; j < len(ts); j++ {
				if ts[j].text == "(" || ts[j].text == "{" {
					return ts[j+1 : closing(ts, j)]
				}
			}
		}
	}
	return nil
}

var templateName = rx(`(?i)tile|block|gemm|shape|sequence|kernel|launch|dispatch|config|traits|policy|^device|problem|fmha|attention|flash|conv|reduce|norm|pipeline|instance`)

// templateRule finds numbers that changed among template arguments.
func (fc *fileContext) templateRule(r *run, p pair, d tokenDiff) {
	if fc.lang != langC || r.judged[p.new] || len(d.old) == 0 || len(d.new) == 0 || !plainNumbers(withoutCommas(d.old)) || !plainNumbers(withoutCommas(d.new)) || !hasNumber(d.new) {
		return
	}
	name := templateOf(p.new, numbersIn(d.new)[0])
	if name == "" || strings.Contains(name, "static_for") {
		return
	}
	e := evidenceOf{pattern: "tile_size", level: 2, old: p.old, new: p.new, run: r}
	e.reason = fmt.Sprintf("a number among the template arguments of %s changed", name)
	switch low := strings.ToLower(name); {
	case strings.Contains(low, "warpgemm"), strings.Contains(low, "mfma"), strings.Contains(low, "wmma"):
		e.pattern, e.level = "mfma_shape", 3
	case p.new.dev == yes, fc.gpu:
		e.level = 3
	}
	if !fc.gpu && p.new.dev != yes {
		e.level--
	}
	fc.emit(e)
}

func plainNumbers(ts []token) bool {
	for _, t := range ts {
		if t.kind != tokNumber {
			return false
		}
	}
	return true
}

// templateOf returns the name whose <...> holds the token, or "" if none does. A
// line of nothing but numbers, names and commas counts as the middle of a long list.
func templateOf(l *srcLine, at token) string {
	var stack []string
	list := true
	for i, t := range l.toks {
		switch t.text {
		case "<":
			name := ""
			if i > 0 {
				name = l.toks[i-1].last()
			}
			stack = append(stack, name)
		case ">":
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
		if t == at && len(stack) > 0 {
			for k := len(stack) - 1; k >= 0; k-- {
				if templateName.MatchString(stack[k]) {
					return stack[k]
				}
			}
		}
		if t.kind == tokOp && t.text != "," && t.text != "<" && t.text != ">" {
			list = false
		}
	}
	if list && len(l.toks) >= 6 && hasText(l.toks, ",") && l.call == "" {
		return "a template"
	}
	return ""
}

var indexWord = rx(`(?i)stride|threadIdx|tid|lane|offs|get_(local|global)_id|row|col|ld[abc]$|pitch|_ptr`)

// indexRule finds address arithmetic whose terms were exchanged: row * ld + col
// becomes col * ld + row.
func (fc *fileContext) indexRule(r *run, p pair, d tokenDiff) {
	if r.judged[p.new] || p.new.dev == no || len(d.old) == 0 || len(d.old) != len(d.new) || !hasText(p.new.toks, "*") && !hasText(p.new.toks, "None") && !isMapping(p.new.toks) {
		return
	}
	if p.new.dev != yes && !fc.gpu && !fc.triton {
		return
	}
	if isMapping(p.old.toks) && isMapping(p.new.toks) && p.new.dev == yes && !hasNumber(d.old) && !hasNumber(d.new) && len(d.old) > 1 {
		fc.emit(evidenceOf{pattern: "layout", level: 2, old: p.old, new: p.new, run: r, nameOnly: true, reason: "lanes are mapped to elements in another way", cause: "uncoalesced access"})
		return
	}
	if !sameBag(d.old, d.new) || !indexed(d.new) || isCommuted(p.old.toks, p.new.toks) {
		return
	}
	fc.emit(evidenceOf{pattern: "layout", level: 2, old: p.old, new: p.new, run: r, reason: "the terms of an address were exchanged: neighbouring lanes may no longer read neighbouring elements", cause: "uncoalesced access"})
}

// isMapping tells whether a line divides the index of a lane: tid / cols, tid % cols.
func isMapping(ts []token) bool {
	return (hasText(ts, "/") || hasText(ts, "//")) && hasText(ts, "%") && indexed(ts)
}

func sameBag(a, b []token) bool {
	x, y := texts(a), texts(b)
	sort.Strings(x)
	sort.Strings(y)
	return strings.Join(x, "\x00") == strings.Join(y, "\x00")
}

func texts(ts []token) []string {
	out := make([]string, len(ts))
	for i := range ts {
		out[i] = ts[i].text
	}
	return out
}

func indexed(ts []token) bool {
	for _, t := range ts {
		if t.kind == tokIdent && indexWord.MatchString(t.text) || t.text == "None" {
			return true
		}
	}
	return false
}

// isCommuted tells whether two lines are equal when the terms of sums and the
// factors of products are sorted.
func isCommuted(a, b []token) bool { return canonical(a) == canonical(b) }

func canonical(ts []token) string {
	var terms, factors []string
	var out strings.Builder
	word := ""
	flushFactor := func() { factors = append(factors, word); word = "" }
	flushTerm := func() {
		flushFactor()
		sort.Strings(factors)
		terms = append(terms, strings.Join(factors, "*"))
		factors = nil
	}
	flush := func() {
		flushTerm()
		sort.Strings(terms)
		out.WriteString(strings.Join(terms, "+"))
		terms = nil
	}
	for _, t := range ts {
		switch {
		case t.text == "*":
			flushFactor()
		case t.text == "+":
			flushTerm()
		case t.kind == tokOp && t.text != "." && t.text != "[" && t.text != "]":
			flush()
			out.WriteString(t.text)
		default:
			word += " " + t.text
		}
	}
	flush()
	return out.String()
}

// vectorLoss finds vector accesses that a run replaces by scalar ones without a
// partner line: reinterpret_cast<float4*>.
func (fc *fileContext) vectorLoss(r *run) {
	if fc.lang != langC || len(r.new) == 0 {
		return
	}
	var first *srcLine
	olds, news := 0, 0
	for _, l := range r.old {
		if n := vectorCount(l.toks); n > 0 {
			olds += n
			if first == nil {
				first = l
			}
		}
	}
	for _, l := range r.new {
		news += vectorCount(l.toks)
	}
	if olds <= news || first == nil || news > 0 || first.dev == no {
		return
	}
	o, n := partners(first)
	fc.emit(evidenceOf{pattern: "vector_width", level: fc.level3(first), old: o, new: n, run: r, reason: "vector types are gone from the replaced lines"})
}

func vectorCount(ts []token) int {
	n := 0
	for _, t := range ts {
		if ti, ok := typeOf(t); ok && t.kind == tokIdent && ti.lanes > 1 {
			n++
		}
	}
	return n
}
