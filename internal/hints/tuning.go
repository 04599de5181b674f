package hints

import (
	"fmt"
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

func (fc *fileContext) configCalls(r *run) {
	olds, news := configLines(r.old), configLines(r.new)
	e := evidenceOf{pattern: "autotune_config", run: r}
	switch {
	case len(olds) > len(news):
		e.level, e.reason = 3, fmt.Sprintf("%d configurations or tuning decorators removed", len(olds)-len(news))
		e.old, e.new = partners(alone(olds))
	case len(news) > len(olds):
		e.level, e.reason = 2, fmt.Sprintf("%d configurations or tuning decorators added; another one may be chosen", len(news)-len(olds))
		e.old, e.new = partners(alone(news))
		if e.new != nil && e.new.newFn != "" {
			return
		}
	default:
		return
	}
	fc.emit(e)
}

// alone returns the first of some lines that has no partner.
func alone(ls []*srcLine) *srcLine {
	for _, l := range ls {
		if l.twin == nil {
			return l
		}
	}
	return ls[0]
}

// configLines are the lines that make a configuration or ask for tuning.
func configLines(ls []*srcLine) []*srcLine {
	var out []*srcLine
	for _, l := range ls {
		for i, t := range l.toks {
			if t.kind != tokIdent || isImport(l.toks) {
				continue
			}
			n := t.last()
			call := i+1 < len(l.toks) && l.toks[i+1].text == "("
			config := call && (n == "Config" || strings.HasSuffix(n, "TuneConfig")) && (strings.Contains(t.text, "triton") || strings.Contains(l.text, "num_") || strings.Contains(l.text, "{") || strings.Contains(l.call+l.outer, "onfigs"))
			if config || call && (n == "autotune" || n == "heuristics") && i > 0 {
				out = append(out, l)
				break
			}
		}
	}
	return out
}

// configEntries counts the entries of a file of tuned configurations by a key that
// each of them has.
func (fc *fileContext) configEntries(r *run) {
	olds, news := fc.entries(r.old), fc.entries(r.new)
	if len(olds) == len(news) {
		return
	}
	e := evidenceOf{pattern: "autotune_config", level: 3, run: r, reason: fmt.Sprintf("tuned entries: %d removed, %d added", len(olds), len(news))}
	if len(news) > len(olds) {
		e.level = 2
		e.old, e.new = partners(news[0])
	} else {
		e.old, e.new = partners(olds[0])
	}
	fc.emit(e)
}

var tunedTable = rx(`(?i)tun|config|solution|library|logic`)

// tunedRows compares rows of a table that maps shapes to kernels.
func (fc *fileContext) tunedRows(r *run) {
	if !tunedTable.MatchString(fc.path) {
		return
	}
	e := evidenceOf{pattern: "autotune_config", run: r}
	switch {
	case len(r.pairs) > 0:
		var real []pair
		for _, p := range r.pairs {
			if d := diffTokens(p.old.toks, p.new.toks); !onlyDecimals(d.gone) || !onlyDecimals(d.came) {
				real = append(real, p)
			}
		}
		if len(real) == 0 {
			return // other timings of the same kernels
		}
		e.level, e.old, e.new = 3, real[0].old, real[0].new
		e.reason = fmt.Sprintf("%d rows of a table of tuned kernels changed", len(real))
	case len(r.old) > 0:
		e.level, e.old = 3, r.old[0]
		e.reason = fmt.Sprintf("%d rows of a table of tuned kernels removed", len(r.old))
	default:
		e.level, e.new = 1, r.new[0]
		e.reason = fmt.Sprintf("%d rows added to a table of tuned kernels", len(r.new))
	}
	fc.emit(e)
}

// onlyDecimals: measured times and rates, which say nothing of which kernel runs.
func onlyDecimals(ts []token) bool {
	for _, t := range ts {
		if t.text != "," && (t.kind != tokNumber || !strings.Contains(t.text, ".")) {
			return false
		}
	}
	return true
}

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
