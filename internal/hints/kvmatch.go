package hints

// A settingChange is a setting that the diff changes; old or new is nil if it was
// added or removed.
type settingChange struct {
	key      string
	old, new *setting
}

// changes returns the changed settings of a run, compared once.
func (r *run) changes(fc *fileContext) []settingChange {
	if !r.compared {
		r.settings, r.compared = settingChanges(fc, r), true
	}
	return r.settings
}

// settingChanges compares the settings of the two sides of a run: first within
// paired lines, then by name over the rest. So a call that was cut into other
// lines still compares value by value.
func settingChanges(fc *fileContext, r *run) []settingChange {
	news := map[*srcLine][]setting{}
	olds := map[*srcLine][]setting{}
	for _, l := range r.new {
		news[l] = settingsOf(fc, l)
	}
	for _, l := range r.old {
		olds[l] = settingsOf(fc, l)
	}
	var out []settingChange
	var restOld, restNew []setting
	for _, p := range r.pairs {
		c, o, n := matchSettings(olds[p.old], news[p.new])
		out = append(out, c...)
		restOld, restNew = append(restOld, o...), append(restNew, n...)
	}
	for _, l := range r.oldOnly {
		restOld = append(restOld, olds[l]...)
	}
	for _, l := range r.newOnly {
		restNew = append(restNew, news[l]...)
	}
	c, o, n := matchSettings(restOld, restNew)
	out = append(out, c...)
	for i := range o {
		out = append(out, settingChange{key: o[i].key, old: &o[i]})
	}
	for i := range n {
		out = append(out, settingChange{key: n[i].key, new: &n[i]})
	}
	return out
}

// maxSame bounds how many settings of one name are tried for a partner.
const maxSame = 100

// matchSettings pairs settings of equal name, equal values first.
func matchSettings(olds, news []setting) (changes []settingChange, restOld, restNew []setting) {
	byKey := map[string][]int{}
	for j := range news {
		byKey[news[j].key] = append(byKey[news[j].key], j)
	}
	used := make([]bool, len(news))
	partner := make([]*setting, len(olds))
	for _, exact := range []bool{true, false} {
		for i := range olds {
			if partner[i] == nil {
				partner[i] = partnerOf(&olds[i], news, byKey[olds[i].key], used, exact)
			}
		}
	}
	for i, p := range partner {
		switch {
		case p == nil:
			restOld = append(restOld, olds[i])
		case !equalTokens(olds[i].val, p.val):
			changes = append(changes, settingChange{olds[i].key, &olds[i], p})
		}
	}
	for j := range news {
		if !used[j] {
			restNew = append(restNew, news[j])
		}
	}
	return changes, restOld, restNew
}

// partnerOf takes the first of news at some places that is not used yet, and with
// exact of equal value; nil if there is none.
func partnerOf(s *setting, news []setting, at []int, used []bool, exact bool) *setting {
	for _, j := range at[:min(len(at), maxSame+1)] {
		if !used[j] && (!exact || equalTokens(s.val, news[j].val)) {
			used[j] = true
			return &news[j]
		}
	}
	return nil
}
