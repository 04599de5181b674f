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

func (fc *fileContext) movedIntoLoop(o, n *srcLine) {
	if n.loop != yes || o.loop == yes || n.indent <= o.indent {
		return
	}
	for _, kind := range loopSensitive {
		if !fc.hasFeature(n, kind) {
			continue
		}
		level := 3
		if o.loop == unknown {
			level = 2
		}
		f := featureByKind[kind]
		if f.where == yes && n.dev == no || f.where == no && n.dev == yes {
			continue
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
	if !fc.hasFeature(l, "load") {
		if moved, other = "dot", "load"; !fc.hasFeature(l, "dot") || j > i {
			return
		}
	} else if j < i {
		return
	}
	for k := min(i, j) + 1; k < max(i, j); k++ {
		if all[k].kind == ' ' && moved == "load" && fc.hasFeature(all[k], "wait") {
			fc.emit(evidenceOf{
				pattern: "prefetch", level: 2, old: all[i], new: l, deeper: true, reason: "the load is now issued after a wait",
				cause: "the load no longer overlaps with compute: its latency is exposed",
			})
			return
		}
		if all[k].kind == ' ' && fc.hasFeature(all[k], other) {
			fc.emit(evidenceOf{
				pattern: "prefetch", level: 3, old: all[i], new: l, deeper: true, reason: "the " + moved + " moved so that loads are issued after the matrix instructions",
				cause: "the load no longer overlaps with compute: its latency is exposed",
			})
			return
		}
	}
}

var featureByKind = func() map[string]*feature {
	m := map[string]*feature{}
	for i := range features {
		m[features[i].kind] = &features[i]
	}
	return m
}()
