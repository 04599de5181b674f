package hints

// movedDeeper looks at lines that a hunk moves. A moved line is no new code, but
// where it stands can matter: a load moved into a loop runs more often, and one
// moved behind the matrix instructions no longer overlaps with them.
func (fc *fileContext) movedDeeper(h *sourceHunk) {
	if !fc.lang.code() || len(h.all) > 4000 {
		return
	}
	olds := map[uint64]int{}
	for i, l := range h.all {
		if l.kind == '-' && len(l.toks) >= 3 {
			if _, ok := olds[l.hash]; !ok {
				olds[l.hash] = i
			}
		}
	}
	if len(olds) == 0 {
		return
	}
	for j, l := range h.all {
		if l.kind != '+' || len(l.toks) < 3 || l.newFn != "" {
			continue
		}
		i, ok := olds[l.hash]
		if !ok {
			continue
		}
		fc.movedIntoLoop(h.all[i], l)
		fc.movedBehind(h.all, i, j)
	}
}

var loopSensitive = []string{"load", "store", "barrier", "wait", "atomic", "malloc", "hostsync", "tensor", "fence", "upcast", "slowmath", "check"}

// movedIntoLoop reports a line that costs more where it is repeated.
func (fc *fileContext) movedIntoLoop(o, n *srcLine) {
	if n.loop != yes || o.loop == yes || n.indent <= o.indent {
		return
	}
	for _, kind := range loopSensitive {
		f := featureByKind[kind]
		if !fc.hasFeature(n, kind) || f.elsewhere(n.dev) {
			continue
		}
		level := 3
		if o.loop == unknown {
			level = 2
		}
		fc.emit(evidenceOf{pattern: f.pattern, level: level, old: o, new: n, deeper: true, reason: f.what + " moved into a loop"})
		return
	}
	if fc.lang == langC && n.dev == yes && len(subscripts(n.toks)) > 0 && !subscripted(n.toks) {
		fc.emit(evidenceOf{pattern: "memory_ops", level: 2, old: o, new: n, deeper: true, reason: "an access to an array moved into a loop"})
	}
}

// movedBehind finds a load that now comes after a matrix instruction, or a matrix
// instruction that now comes before a load. i and j are the places in the diff of
// the removed and of the added line.
func (fc *fileContext) movedBehind(all []*srcLine, i, j int) {
	l := all[j]
	if l.dev == no {
		return
	}
	moved, other := "load", "dot"
	switch {
	case fc.hasFeature(l, "load"):
		if j < i {
			return
		}
	case fc.hasFeature(l, "dot") && j < i:
		moved, other = "dot", "load"
	default:
		return
	}
	e := evidenceOf{pattern: "prefetch", old: all[i], new: l, deeper: true, cause: "the load no longer overlaps with compute: its latency is exposed"}
	for _, x := range all[min(i, j)+1 : max(i, j)] {
		switch {
		case x.kind != ' ':
			continue
		case moved == "load" && fc.hasFeature(x, "wait"):
			e.level, e.reason = 2, "the load is now issued after a wait"
		case fc.hasFeature(x, other):
			e.level, e.reason = 3, "the "+moved+" moved so that loads are issued after the matrix instructions"
		default:
			continue
		}
		fc.emit(e)
		return
	}
}

var featureByKind = func() map[string]*feature {
	m := map[string]*feature{}
	for i := range features {
		m[features[i].kind] = &features[i]
	}
	return m
}()
