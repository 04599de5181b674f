package hints

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
