package metric

import "strings"

// settle decides which tokens of a line are values: it drops numbers that are
// part of a label, spreads, bounds and progress, and names the members of
// lists such as "min/avg/max = 1/2/3 ms". The tokens are changed in place.
func settle(s string, toks []token) []token {
	for i := range toks {
		t := &toks[i]
		if i+1 < len(toks) && !t.hasUnit && !t.bad && labelAfter(s, t.end) {
			markParts(s, toks[:i+1])
		}
		if next, _, _ := strings.Cut(strings.TrimLeft(s[t.end:], " "), " "); t.unit.si == "%" && percentile("%", next) {
			t.part = true
		}
		if spreadBefore(s, t.start) {
			t.aux = true
			if i > 0 && t.hasUnit && !toks[i-1].hasUnit { // "3.21±0.05 ms"
				toks[i-1].unit, toks[i-1].hasUnit = t.unit, true
			}
		}
	}
	markArguments(s, toks)
	for i := range toks {
		if !toks[i].aux && !toks[i].part {
			markBracket(s, toks, i)
		}
	}
	markFractions(s, toks)
	markSamples(s, toks)
	out, from := toks[:0], 0
	for _, t := range toks {
		t.from = from
		if t.head == 0 {
			t.head = t.start
		}
		if !t.part {
			from = t.end
		}
		if !t.aux && !t.part {
			out = append(out, t)
		}
	}
	return out
}

// markParts makes the last of the tokens, which a colon follows, part of the
// label, and the parameters before it too: "Best for M = 64 N = 64: 1.2 ms".
func markParts(s string, toks []token) {
	last := &toks[len(toks)-1]
	last.part = true
	if s[last.end:][strings.IndexAny(s[last.end:], ":=")] != ':' {
		return
	}
	for i := range toks {
		t := &toks[i]
		if t.hasUnit || t.count || !t.integer || strings.TrimSpace(s[:t.start]) == "" {
			return
		}
		if b := strings.TrimRight(s[:t.start], " "); b[len(b)-1] != '=' {
			return
		}
		t.part = true
	}
}

// markArguments makes the whole numbers in a bracket part of the label when a
// mark and another number follow: "fwd (B=4, H=32): 1.2 ms".
func markArguments(s string, toks []token) {
	for i := 0; i < len(toks); i++ {
		open := strings.LastIndexAny(s[:toks[i].start], "([")
		if open < 0 || strings.ContainsAny(s[open:toks[i].start], ")]") || i > 0 && toks[i-1].end > open {
			continue
		}
		end := closing(s, open)
		n := i
		for n < len(toks) && toks[n].end < end && toks[n].integer && !toks[n].hasUnit && !toks[n].aux {
			n++
		}
		if n == i || n == len(toks) || toks[n].start < end {
			continue
		}
		behind := i > 0 && strings.TrimSpace(s[toks[i-1].end:open]) == ""
		if rest := strings.TrimLeft(s[end:], " "); behind || rest == "" || strings.IndexByte(":=|-", rest[0]) < 0 {
			continue
		}
		for k := i; k < n; k++ {
			toks[k].part = true
		}
		i = n - 1
	}
}

// spreadBefore reports whether the number at i is a spread.
func spreadBefore(s string, i int) bool {
	b := strings.TrimRight(s[:i], " \t")
	return strings.HasSuffix(b, "±") || strings.HasSuffix(b, "+/-") || strings.HasSuffix(b, "+-") ||
		strings.HasSuffix(b, "+/") || strings.HasSuffix(b, "\\pm")
}

// markBracket handles the bracket that token i opens, if it does: an interval
// behind a number, or three estimates of which the middle one counts.
func markBracket(s string, toks []token, i int) {
	before := strings.TrimRight(s[:toks[i].start], " \t")
	if before == "" {
		return
	}
	open := before[len(before)-1]
	if open != '[' && open != '(' {
		return
	}
	closer := byte(']')
	if open == '(' {
		closer = ')'
	}
	end := strings.IndexByte(s[toks[i].end:], closer)
	if end < 0 {
		return
	}
	end += toks[i].end
	n := i
	for n < len(toks) && toks[n].start < end {
		n++
	}
	in := toks[i:n]
	after := strings.TrimRight(before[:len(before)-1], " \t")
	if i > 0 && toks[i-1].end >= len(after) {
		markBehind(s, toks[i-1], in, open, end)
		return
	}
	if open == '(' && i > 0 && len(in) == 1 && in[0].unit.si == "%" && strings.TrimSpace(s[:toks[0].start]) == "" && strings.TrimSpace(s[end+1:]) == "" {
		in[0].aux = true // "1,234 cache-misses (83.33%)": the share of the time that was counted
		return
	}
	if open == '[' && len(in) == 3 && in[0].hasUnit && !strings.Contains(s[in[0].end:end], ",") &&
		in[0].si() <= in[1].si() && in[1].si() <= in[2].si() {
		in[0].part, in[2].aux = true, true
		in[1].head = in[0].start
	}
}

// markSamples finds rows of three or more numbers with a fraction, of which only
// the last may have a unit.
func markSamples(s string, toks []token) {
	for i := 0; i < len(toks); i++ {
		j := i + 1
		for j < len(toks) && !toks[j-1].hasUnit && !toks[j].integer && strings.TrimSpace(s[toks[j-1].end:toks[j].start]) == "" {
			j++
		}
		if j-i < 3 || toks[i].integer {
			continue
		}
		for k := i + 1; k < j; k++ {
			toks[k].again = true
		}
		i = j - 1
	}
}

func (t token) si() float64 {
	if t.hasUnit {
		return t.value * t.unit.scale
	}
	return t.value
}

// markBehind marks the numbers in a bracket right behind the number t.
func markBehind(s string, t token, in []token, open byte, end int) {
	text := s[in[0].end:end]
	if open == '(' {
		one := len(in) == 1 && strings.TrimSpace(text) == ""
		view := in[0].hasUnit && in[0].unit.si != "%" && in[0].unit.si != "x" && in[0].unit.name != t.unit.name
		in[0].aux = one && !view
		return
	}
	for k := range in {
		in[k].aux = true
	}
}

// markFractions finds numbers joined by "/" or "…": named lists get their
// labels' unit, "45/100" is progress, two joined by "…" are a range.
func markFractions(s string, toks []token) {
	for i := 0; i+1 < len(toks); i++ {
		j := i + listLen(s, toks[i:])
		if j == i+1 {
			continue
		}
		list := toks[i:j]
		if j == i+2 && list[0].integer && list[1].integer && !list[0].hasUnit && s[list[0].end:list[1].start] == "/" {
			list[0].aux, list[1].aux = true, true
			if list[1].part { // "Test 1/3:"
				list[0].aux, list[0].part = false, true
			}
		}
		last := list[len(list)-1]
		for k := range list {
			if last.hasUnit && !list[k].hasUnit {
				list[k].unit, list[k].hasUnit = last.unit, true
			}
		}
		i = j - 1
	}
}

// listLen returns how many of the first tokens form a list, at least 1.
func listLen(s string, toks []token) int {
	n := 1
	for n < len(toks) && joined(s[toks[n-1].end:toks[n].start]) {
		n++
	}
	return n
}

// joined reports whether gap joins two numbers of a list.
func joined(gap string) bool {
	g := strings.TrimSpace(gap)
	return g == "/" || g == "…" || g == ".." || g == "..." || gap == "-"
}

// listNames returns the names of a list of n numbers that the text before it
// gives, and the text without them: "rtt min/avg/max" is "rtt" and three
// names.
func listNames(lead string, n int) (rest string, names []string) {
	for _, sep := range []string{"/", "…", "...", ".."} {
		if strings.Count(lead, sep) < n-1 {
			continue
		}
		parts := strings.Split(lead, sep)
		if len(parts) != n {
			continue
		}
		first := strings.FieldsFunc(parts[0], func(r rune) bool { return r == ' ' || r == '(' || r == '[' || r == ',' })
		last := strings.FieldsFunc(parts[n-1], func(r rune) bool { return strings.ContainsRune(" )],:=", r) })
		if len(first) == 0 || len(last) == 0 {
			return "", nil
		}
		names = append(names, first[len(first)-1])
		for _, p := range parts[1 : n-1] {
			names = append(names, strings.TrimSpace(p))
		}
		names = append(names, last[0])
		rest = strings.TrimRight(parts[0], " ")
		rest = rest[:len(rest)-len(names[0])] + " " + parts[n-1][strings.Index(parts[n-1], last[0])+len(last[0]):]
		return strings.TrimSpace(strings.NewReplacer("( )", "", "()", "", "[]", "").Replace(strings.Join(strings.Fields(rest), " "))), names
	}
	return "", nil
}
