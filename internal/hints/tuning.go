package hints

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// configRules compares lists of tuning configurations: entries that came or went,
// the decorator itself, and the key by which results are stored.
func (fc *fileContext) configRules(r *run) {
	switch fc.lang {
	case langPython:
		fc.configCalls(r)
	case langJSON, langYAML:
		fc.configEntries(r)
	case langCSV:
		fc.tunedRows(r)
	}
}

// configCalls counts the configurations and tuning decorators of Python.
func (fc *fileContext) configCalls(r *run) {
	olds, news := linesWith(r.old, makesConfig), linesWith(r.new, makesConfig)
	switch more := len(news) - len(olds); {
	case more < 0:
		fc.emit(r.hint(alone(olds), "autotune_config", 3, fmt.Sprintf("%d configurations or tuning decorators removed", -more)))
	case more > 0:
		if l := alone(news); l.newFn == "" {
			fc.emit(r.hint(l, "autotune_config", 2, fmt.Sprintf("%d configurations or tuning decorators added; another one may be chosen", more)))
		}
	}
}

// alone returns the first of some lines that has no partner, or else the first.
func alone(ls []*srcLine) *srcLine {
	return cmp.Or(firstLine(ls, func(l *srcLine) bool { return l.twin == nil }), ls[0])
}

// makesConfig tells whether a line makes a configuration or asks for tuning.
func makesConfig(l *srcLine) bool {
	if isImport(l.toks) {
		return false
	}
	for i := 0; i+1 < len(l.toks); i++ {
		t, n := l.toks[i], l.toks[i].last()
		switch {
		case t.kind != tokIdent || l.toks[i+1].text != "(":
		case (n == "autotune" || n == "heuristics") && i > 0,
			(n == "Config" || strings.HasSuffix(n, "TuneConfig")) && (strings.Contains(t.text, "triton") || configLine.MatchString(l.text) || strings.Contains(l.call+l.outer, "onfigs")):
			return true
		}
	}
	return false
}

var configLine = rx(`num_|\{`)

// configEntries counts the entries of a file of tuned configurations by a key that
// each of them has.
func (fc *fileContext) configEntries(r *run) {
	olds, news := fc.entries(r.old), fc.entries(r.new)
	reason := fmt.Sprintf("tuned entries: %d removed, %d added", len(olds), len(news))
	switch {
	case len(news) > len(olds):
		fc.emit(r.hint(news[0], "autotune_config", 2, reason))
	case len(news) < len(olds):
		fc.emit(r.hint(olds[0], "autotune_config", 3, reason))
	}
}

var tunedTable = rx(`(?i)tun|config|solution|library|logic`)

// tunedRows compares rows of a table that maps shapes to kernels.
func (fc *fileContext) tunedRows(r *run) {
	if !tunedTable.MatchString(fc.path) {
		return
	}
	switch {
	case len(r.pairs) > 0:
		timings := func(p pair) bool { // other timings of the same kernels
			d := diffTokens(p.old.toks, p.new.toks)
			return onlyDecimals(d.gone) && onlyDecimals(d.came)
		}
		if real := slices.DeleteFunc(slices.Clone(r.pairs), timings); len(real) > 0 {
			fc.emit(r.hint(real[0].new, "autotune_config", 3, fmt.Sprintf("%d rows of a table of tuned kernels changed", len(real))))
		}
	case len(r.old) > 0:
		fc.emit(r.hint(r.old[0], "autotune_config", 3, fmt.Sprintf("%d rows of a table of tuned kernels removed", len(r.old))))
	default:
		fc.emit(r.hint(r.new[0], "autotune_config", 1, fmt.Sprintf("%d rows added to a table of tuned kernels", len(r.new))))
	}
}

// onlyDecimals: measured times and rates, which say nothing of which kernel runs.
func onlyDecimals(ts []token) bool {
	return !slices.ContainsFunc(ts, func(t token) bool {
		return t.text != "," && (t.kind != tokNumber || !strings.Contains(t.text, "."))
	})
}

// entries lists the lines with the key of a tile or workgroup size that comes first
// among them.
func (fc *fileContext) entries(ls []*srcLine) []*srcLine {
	var out []*srcLine
	first := ""
	for _, l := range ls {
		for i, t := range l.toks {
			if t.kind == tokOp || i+1 >= len(l.toks) || l.toks[i+1].text != ":" {
				continue
			}
			k := fc.memo.key(t.text)
			if k == nil || k.pattern != "tile_size" && k.pattern != "num_warps" {
				continue
			}
			if first == "" {
				first = t.text
			}
			if t.text == first {
				out = append(out, l)
			}
		}
	}
	return out
}
