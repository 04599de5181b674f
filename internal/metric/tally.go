package metric

import "strings"

// entry is everything known of one label.
type entry struct {
	series
	info      labelInfo
	unit      unit
	better    Polarity
	line      int
	group     int // of the last occurrence
	text      string
	lastText  []byte
	order     int
	hasUnit   bool
	count     bool // a number of things
	inContext *entry
	contexts  int // entries that qualify this one
	fraction  bool
	tail      uint32
	varied    bool // the lines with it end in different words
}

// tally gathers readings by label.
type tally struct {
	labels  labels
	entries map[string]*entry
	list    []*entry
	dropped int
	// want holds keys whose entries keep all values and are never dropped.
	want map[string]bool
}

func newTally() *tally {
	return &tally{labels: labels{}, entries: map[string]*entry{}}
}

// add counts a reading under its label and, when it has parameters before it,
// under the label qualified by them too.
func (t *tally) add(r reading) {
	e := t.put(r, r.label, nil)
	if r.ctx != "" && e != nil {
		t.put(r, verbatim+r.ctx+partSep+r.label, e)
	}
}

func (t *tally) put(r reading, label string, in *entry) *entry {
	info := t.labels.of(label)
	if info.key == "" {
		return nil
	}
	if e := t.entries[info.key]; e != nil && in == nil && e.clashes(r, info) {
		info = t.labels.of(verbatim + info.label + partSep + r.unitOf(info).name)
	}
	e := t.entries[info.key]
	if e != nil && e.clashes(r, info) {
		t.dropped++ // no series mixes units
		return nil
	}
	if e == nil {
		if len(t.list) >= maxLabels && !t.want[info.key] {
			t.dropped++
			return nil
		}
		if in != nil && in.info.key == info.key {
			return nil
		}
		e = &entry{
			info: info, line: r.line, order: len(t.list), inContext: in,
			text: strings.Clone(clip(r.text)),
		}
		e.keep = 64
		if t.want[info.key] {
			e.keep = maxValues
		}
		if in != nil {
			in.contexts++
		}
		t.entries[info.key] = e
		t.list = append(t.list, e)
	}
	e.record(r, info)
	return e
}

// clashes reports whether a reading measures another thing than the entry:
// both have units and these differ by more than scale.
func (e *entry) clashes(r reading, info labelInfo) bool {
	u := r.unitOf(info)
	return e.series.count > 0 && e.unit.si != "" && u.si != "" && u.si != e.unit.si
}

// record adds one occurrence to the entry.
func (e *entry) record(r reading, info labelInfo) {
	e.group, e.line = r.group, r.line
	e.lastText = append(e.lastText[:0], clip(r.text)...)
	if r.tok.bad {
		e.addBad(r.line)
		return
	}
	e.varied = e.varied || e.series.count > 0 && e.tail != r.tail
	e.tail = r.tail
	u := r.unitOf(info)
	if e.series.count == 0 {
		e.unit = u
		e.hasUnit = u.si != ""
		e.count = r.tok.count
		e.better = polarityOf(info.words, u)
	}
	e.fraction = e.fraction || !r.tok.integer
	rawUnit := r.rawUnit
	if rawUnit == "" {
		rawUnit = u.text
	}
	scale := u.scale
	if scale == 0 {
		scale = 1
	}
	e.add(sample{v: r.tok.value * scale, res: r.tok.res * scale, raw: r.raw, rawUnit: rawUnit, line: r.line})
}

// unitOf returns the unit of a reading: the one printed with the number, or
// the one that its label names, or the table's.
func (r reading) unitOf(info labelInfo) unit {
	t := r.tok
	switch {
	case t.count:
		return t.unit
	case t.hasUnit && t.unit.si == "" && info.hasUnit: // "time_us: 1.5k"
		u := info.unit
		u.scale *= t.unit.scale
		return u
	case t.hasUnit && t.unit.name == "1/s" && info.hasUnit && strings.HasSuffix(info.unit.si, "/s"):
		u := info.unit
		u.scale = t.unit.scale
		return u
	case t.hasUnit:
		return t.unit
	case info.hasUnit:
		return info.unit
	case r.hasDef:
		return r.def
	}
	return unit{}
}

func clip(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}
