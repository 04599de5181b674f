package hints

import (
	"fmt"
	"path"
	"strings"
)

// Limits of what is kept for the whole diff.
const (
	maxCandidates = 4000
	maxHashes     = 200_000
	maxRenames    = 50_000
	maxSkipped    = 50
)

// A candidate is a hint whose confidence may still fall when the rest of the diff
// has been read.
type candidate struct {
	Hint
	level    int // 3 high, 2 medium, 1 low
	faster   bool
	file     int    // number of the file, for what is compared within one file
	net      string // what was counted: "barrier"; "" if nothing
	deeper   bool   // moved into a loop; so being moved is no excuse
	oldHash  uint64
	newHash  uint64
	renames  []rename
	newFn    string
	nameOnly bool
	multiple float64 // how large the change is: the ratio of two numbers, or 1
}

type rename struct{ from, to string }

// A collector takes files one by one and keeps what the report needs.
type collector struct {
	memo    *memo
	cands   []candidate
	removed map[uint64]int32
	added   map[uint64]int32
	renamed map[rename]int32
	firstTo map[string]string // a second target of a name makes it ambiguous
	netSum  map[netKey]int    // per file and kind: added minus removed
	called  map[string]int32  // names used by added lines

	files     int // read
	number    int
	skipped   []SkippedFile
	skippedN  int
	truncated bool
}

type netKey struct {
	file int
	kind string
}

func newCollector() *collector {
	return &collector{
		memo:    newMemo(),
		removed: map[uint64]int32{}, added: map[uint64]int32{},
		renamed: map[rename]int32{}, firstTo: map[string]string{},
		netSum: map[netKey]int{}, called: map[string]int32{},
	}
}

// A fileContext is what the rules know about the file at hand.
type fileContext struct {
	c    *collector
	memo *memo
	d    *diffFile
	path string
	ext  string
	base string
	lang language
	role role
	gpu  bool // its path speaks of GPU code
	// hostOnly: C++ whose name and hunks show nothing of device code.
	hostOnly bool
	compiler bool // C++ of a compiler: it makes kernels and is none
	triton   bool // Python whose hunks name Triton or its language module
	number   int
	// oldDefs are the functions that the removed lines define.
	oldDefs map[string]bool
	newDefs map[string]bool // and those that the added lines define
	consts  [2]constants    // before and after; filled when first asked for
	exprs   [2]map[string][]token
	hunks   []*sourceHunk
}

// deviceOnly tells whether the file's kind holds nothing but device code.
func (fc *fileContext) deviceOnly() bool {
	switch fc.lang {
	case langLLVM, langMLIR, langAsm:
		return true
	}
	return fc.ext == ".cl" || fc.ext == ".opencl" || fc.ext == ".comp" || fc.ext == ".metal"
}

// file is called by the parser for each file.
func (c *collector) file(d *diffFile) {
	if d.part == 0 {
		c.number++
	}
	fc := &fileContext{c: c, memo: c.memo, d: d, path: d.path(), number: c.number, oldDefs: map[string]bool{}, newDefs: map[string]bool{}}
	fc.base = path.Base(fc.path)
	fc.ext = strings.ToLower(path.Ext(fc.path))
	fc.lang, fc.role, fc.gpu = languageOf(fc.path), roleOf(fc.path), gpuPath.MatchString(fc.path)
	if c.submodule(fc) {
		return
	}
	if why := skipReason(fc); why != "" {
		c.skip(fc.path, why, d.part)
		return
	}
	if d.part == 0 {
		c.files++
	}
	fc.read()
}

func skipReason(fc *fileContext) string {
	d := fc.d
	switch {
	case d.combined:
		return "combined diff of a merge: give the diff against one parent"
	case d.binary:
		return "binary"
	case fc.role == roleDoc:
		return "documentation"
	case fc.lang == langNone:
		return "no language with rules"
	case d.deleted:
		return "deleted"
	case len(d.hunks) == 0:
		return "only renamed, or only its mode changed"
	}
	return ""
}

func (c *collector) skip(p, why string, part int) {
	if part > 0 {
		return
	}
	c.skippedN++
	if len(c.skipped) < maxSkipped {
		c.skipped = append(c.skipped, SkippedFile{p, why})
	}
}

// read scans the hunks and applies the rules.
func (fc *fileContext) read() {
	fc.findDefs()
	fc.triton = fc.lang == langPython && fc.mentions("triton", "tl.", "flydsl", "gluon")
	fc.compiler = fc.lang == langC && (compilerFile.MatchString(fc.path) || fc.mentions("mlir::", "llvm::", "rewriter.", "OpBuilder", "getContext()", "LogicalResult", "LLVM_DEBUG"))
	fc.hostOnly = fc.compiler || fc.lang == langC && hostFile.MatchString(fc.path) && !fc.mentions("__global__", "__device__", "threadIdx", "_DEVICE", "__syncthreads", "__shared__", "__kernel")
	for i := range fc.d.hunks {
		h := buildHunk(fc, &fc.d.hunks[i])
		fc.remember(h)
		fc.hunks = append(fc.hunks, h)
	}
	if fc.d.added {
		return // nothing was slow before it existed; its lines count for moves only
	}
	for _, h := range fc.hunks {
		for i := range h.runs {
			fc.apply(h, &h.runs[i])
		}
		fc.movedDeeper(h)
	}
}

// apply runs every rule on one block of changes.
func (fc *fileContext) apply(h *sourceHunk, r *run) {
	if fc.lang == langCSV {
		fc.configRules(r)
		return
	}
	if fc.lang.code() {
		fc.kvRules(h, r)
		fc.netRules(h, r)
		fc.pairRules(h, r)
		if fc.lang == langPython {
			fc.pinRules(h, r)
		}
	} else {
		fc.kvRules(h, r)
		fc.pinRules(h, r)
	}
	fc.configRules(r)
	fc.flagRules(r)
	fc.envRules(h, r)
}

// compilerFile are places where compilers keep their passes.
var compilerFile = rx(`(?i)(^|/)(lib|include)/([^/]+/)*(Analysis|Conversion|Dialect|Target|Transforms?|\w*ToLLVM\w*|CodeGen|IR)/|TableGen|\.td$`)

var hostFile = rx(`\.(cpp|cc|cxx|c)$|/host/|host_utility|/reference`)

// mentions tells whether a hunk holds one of the words.
func (fc *fileContext) mentions(words ...string) bool {
	for i := range fc.d.hunks {
		for _, l := range fc.d.hunks[i].lines {
			for _, w := range words {
				if strings.Contains(l.text, w) {
					return true
				}
			}
		}
	}
	return false
}

// findDefs lists the functions whose headers are among the changed lines.
func (fc *fileContext) findDefs() {
	for i := range fc.d.hunks {
		for _, l := range fc.d.hunks[i].lines {
			if l.kind == ' ' || !strings.Contains(l.text, "(") {
				continue
			}
			sc := scanner{lang: fc.lang}
			sc.scanLine(l.text, 0)
			name := ""
			if fc.lang == langPython {
				for k := range sc.out {
					if sc.out[k].text == "def" && k+1 < len(sc.out) {
						name = sc.out[k+1].text
					}
				}
			} else if fc.lang == langC {
				name = functionHeader(sc.out, indentOf(l.text) == 0)
			}
			if name != "" && l.kind == '-' {
				fc.oldDefs[name] = true
			} else if name != "" {
				fc.newDefs[name] = true
			}
		}
	}
}

// remember keeps what later files need: hashes for moves, names for renames, and
// the names that added lines use.
func (fc *fileContext) remember(h *sourceHunk) {
	c := fc.c
	for i := range h.runs {
		r := &h.runs[i]
		for k := range r.old {
			c.count(c.removed, blockHash(r.old, k))
		}
		for k, l := range r.new {
			c.count(c.added, blockHash(r.new, k))
			fc.noteCalls(l)
		}
		for _, p := range r.pairs {
			for _, rn := range renamesOf(p) {
				c.countRename(rn)
			}
		}
	}
}

// noteCalls notes the names that a line of existing source code uses. Tests,
// imports and other new functions do not make a new function part of a hot path.
func (fc *fileContext) noteCalls(l *srcLine) {
	if l.newFn != "" || fc.d.added || fc.role != roleSource || isImport(l.toks) {
		return
	}
	for _, t := range l.toks {
		if t.kind == tokIdent && len(fc.c.called) < maxRenames {
			fc.c.called[t.last()]++
		}
	}
}

func isImport(ts []token) bool {
	if len(ts) < 2 {
		return false
	}
	switch ts[0].text {
	case "import", "from", "using":
		return !hasText(ts, "=")
	case "#":
		return ts[1].text == "include"
	}
	return false
}

func (c *collector) count(m map[uint64]int32, h uint64) {
	if h == 0 {
		return
	}
	if _, ok := m[h]; !ok && len(m) >= maxHashes {
		c.truncated = true
		return
	}
	m[h]++
}

func (c *collector) countRename(r rename) {
	if len(c.renamed) >= maxRenames {
		return
	}
	c.renamed[r]++
	if to, ok := c.firstTo[r.from]; !ok {
		c.firstTo[r.from] = r.to
	} else if to != r.to {
		c.firstTo[r.from] = ""
	}
}

// shortLine is the number of tokens below which a line needs its neighbour to be
// recognised elsewhere: "__syncthreads();" is everywhere.
const shortLine = 7

// blockHash is the hash by which a line is looked for on the other side.
func blockHash(ls []*srcLine, k int) uint64 {
	h := ls[k].hash
	if len(ls[k].toks) >= shortLine || h == 0 {
		return h
	}
	switch {
	case k > 0:
		return h*31 + ls[k-1].hash
	case k+1 < len(ls):
		return h*37 + ls[k+1].hash
	}
	return 0
}

// renamesOf lists the names in which the lines of a pair differ, or nil if they
// differ in anything else.
func renamesOf(p pair) []rename {
	a, b := p.old.toks, p.new.toks
	if len(a) != len(b) {
		return nil
	}
	var out []rename
	for i := range a {
		if a[i].text == b[i].text {
			continue
		}
		if a[i].kind != b[i].kind || a[i].kind != tokIdent && a[i].kind != tokString {
			return nil
		}
		if _, is := typeOf(a[i]); is || boolOf(a[i:i+1]) != unknown || boolOf(b[i:i+1]) != unknown || a[i].text == "None" || b[i].text == "None" {
			return nil
		}
		if len(out) < 8 {
			out = append(out, rename{a[i].text, b[i].text})
		}
	}
	return out
}

// submodule reports a moved submodule, in either of git's two forms.
func (c *collector) submodule(fc *fileContext) bool {
	d := fc.d
	from, to := d.submodule[0], d.submodule[1]
	var oldLine, newLine diffLine
	for i := range d.hunks {
		for _, l := range d.hunks[i].lines {
			rest, ok := strings.CutPrefix(l.text, "Subproject commit ")
			if !ok {
				continue
			}
			if l.kind == '-' {
				from, oldLine = rest, l
			} else if l.kind == '+' {
				to, newLine = rest, l
			}
		}
	}
	if from == "" && to == "" {
		return false
	}
	c.files++
	if from == "" || to == "" {
		return true
	}
	fc.lang = langPin
	fc.emit(evidenceOf{
		pattern: "dependency_version", level: 3, line: newLine.new, oldLine: oldLine.old,
		before: "Subproject commit " + from, after: "Subproject commit " + to,
		reason: fmt.Sprintf("the submodule moves from %.9s to %.9s; what that brings is not in this diff", from, to),
	})
	return true
}
