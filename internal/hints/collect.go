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
		fc.netRules(r)
		fc.codeRules(h, r)
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
			ts, name := tokensOf(fc.lang, l.text), ""
			switch fc.lang {
			case langPython:
				name = definedName(ts)
			case langC:
				name = functionHeader(ts, indentOf(l.text) == 0)
			}
			switch {
			case name == "":
			case l.kind == '-':
				fc.oldDefs[name] = true
			default:
				fc.newDefs[name] = true
			}
		}
	}
}

// isImport tells whether a line brings in names of other files.
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
