package metric

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrSkip says that the command asked to skip the commit: exit status 125, as
// under git bisect run.
var ErrSkip = errors.New("exit status 125: the command asks to skip this commit")

// Extract returns the number that s names in the output of one run. When there
// is none, the error is a *[NoMetricError] that shows what there is instead;
// for the spec "exit" it may be [ErrSkip]. A value of an isa spec is not in
// the output, so that it is an error to ask for it here.
func (s Spec) Extract(out Output) (Value, error) {
	switch s.Kind {
	case KindTime:
		return wallTime(out)
	case KindExit:
		return exitValue(s, out)
	case KindISA:
		return Value{}, fmt.Errorf("metric %q: read from compiled code, not from output", s.String())
	case KindAuto, "":
		return s.auto(out)
	}
	none := &absentError{why: "the command printed nothing"}
	for i, st := range out.streams() {
		v, err := s.fromStream(st)
		if err == nil {
			return v, nil
		}
		var absent *absentError
		if !errors.As(err, &absent) {
			return Value{}, s.unusable(out, err)
		}
		if i == 0 {
			none = absent
		}
	}
	e := noMetric(s, out, none.why)
	if e.Near = none.near; s.Kind != KindName {
		e.Near = near(out)
	}
	return Value{}, e
}

// unusable turns the error of a match that gives no value into a
// *NoMetricError.
func (s Spec) unusable(out Output, err error) *NoMetricError {
	e := noMetric(s, out, err.Error())
	var no *NoMetricError
	if errors.As(err, &no) {
		e.Why, e.Near, e.Ambiguous = no.Why, no.Near, no.Ambiguous
	}
	return e
}

// near returns the likeliest candidates of an output, for an error.
func near(out Output) []Candidate {
	c := Candidates(out)
	return c[:min(len(c), 5)]
}

func wallTime(out Output) (Value, error) {
	if err := finite(out.ElapsedS); err != nil || out.ElapsedS < 0 {
		return Value{}, fmt.Errorf("wall time of %g s", out.ElapsedS)
	}
	return Value{Value: out.ElapsedS, Unit: "s", Better: Lower, Resolution: 1e-6, Matches: 1, Label: "time"}, nil
}

// exitValue is 0 for good and 1 for bad, by the rules of git bisect run.
func exitValue(s Spec, out Output) (Value, error) {
	v := Value{Better: Lower, Resolution: 1, Matches: 1, Label: "exit"}
	switch c := out.ExitCode; {
	case c == 0:
		return v, nil
	case c > 0 && c < 125:
		v.Value = 1
		return v, nil
	case c == 125:
		return Value{}, ErrSkip
	}
	return Value{}, noMetric(s, out, fmt.Sprintf("exit status %d is neither good (0), bad (1 to 124) nor skip (125)", out.ExitCode))
}

// auto takes the best candidate if it is sure.
func (s Spec) auto(out Output) (Value, error) {
	t, st, err := firstTally(out)
	if err != nil {
		return Value{}, s.unusable(out, err)
	}
	c := t.candidates(st.name)
	best, sure := Choose(c)
	switch bad := t.notFinite(best.Score); {
	case bad != "":
		return Value{}, noMetric(s, out, fmt.Sprintf("%q is not a finite number", bad))
	case len(c) == 0:
		return Value{}, noMetric(s, out, "no number with a label in the output")
	case !sure:
		e := noMetric(s, out, "several numbers may be the metric, or which direction is better is not known")
		e.Near, e.Ambiguous = c[:min(len(c), 5)], true
		return Value{}, e
	}
	spec := nameSpec(best.Label)
	if s.Pick != "" {
		spec.Pick = s.Pick
	}
	v, err := spec.fromTally(t, st)
	if err != nil {
		return Value{}, spec.unusable(out, err)
	}
	return v, nil
}

// fromStream extracts from one stream.
func (s Spec) fromStream(st stream) (Value, error) {
	switch s.Kind {
	case KindRegex:
		return s.fromRegex(st)
	case KindJSON:
		return s.fromJSON(st)
	case KindCSV:
		return s.fromTable(st)
	case KindName:
		return s.fromLabel(st)
	}
	return Value{}, fmt.Errorf("unknown kind %q", s.Kind)
}

// fromLabel finds the label: as it is; else without its unit; else as it was
// printed; else as the last or the first parts of one label; else as words of
// one label.
func (s Spec) fromLabel(st stream) (Value, error) {
	t := newTally()
	t.want = map[string]bool{foldLabel(s.Arg): true, readLabel(s.Arg).key: true}
	if err := scan(st, t.labels, t.add); err != nil {
		return Value{}, err
	}
	return s.fromTally(t, st)
}

// fromTally is fromLabel after the scan.
func (s Spec) fromTally(t *tally, st stream) (Value, error) {
	found := t.match(foldLabel(s.Arg), readLabel(s.Arg))
	if len(found) == 0 {
		return Value{}, &absentError{fmt.Sprintf("no label %q in %s", s.Arg, st.name), t.nearest(s.Arg, st.name)}
	}
	if len(found) > 1 {
		e := &NoMetricError{Spec: s, Ambiguous: true, Why: fmt.Sprintf("%d labels fit", len(found))}
		for _, f := range found[:min(len(found), 5)] {
			e.Near = append(e.Near, Candidate{Label: f.info.label, Value: f.value(f.last, st.name)})
		}
		return Value{}, e
	}
	e := found[0]
	if s.Pick == PickMedian && len(e.values) < e.series.count && !t.want[e.info.key] {
		s.Arg = e.info.label
		return s.fromLabel(st)
	}
	v, err := e.pick(s.Pick)
	if err != nil {
		return Value{}, fmt.Errorf("%q: %w", s.Arg, err)
	}
	return e.value(v, st.name), nil
}

// match returns the entries that a label means: read as a label of ours or as
// copied from the output.
func (t *tally) match(exact string, arg labelInfo) []*entry {
	loose := arg.key
	for _, k := range []string{exact, loose} {
		if e := t.entries[k]; e != nil {
			return []*entry{e}
		}
	}
	if loose == "" {
		return nil
	}
	var same, tail, head, words []*entry
	want := splitWords(loose)
	for _, e := range t.list {
		switch {
		case e.inContext != nil:
		case slices.Equal(e.info.all, arg.all):
			same = append(same, e)
		case strings.HasSuffix(e.info.key, partSep+loose):
			tail = append(tail, e)
		case strings.HasPrefix(e.info.key, loose+partSep):
			head = append(head, e)
		case hasAll(e.info.words, want):
			words = append(words, e)
		}
	}
	for _, found := range [][]*entry{same, tail, head} {
		if len(found) > 0 {
			return found
		}
	}
	return words
}

func hasAll(words, want []string) bool {
	for _, w := range want {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return len(want) > 0
}

// nearest returns the candidates whose labels share most words with a label.
func (t *tally) nearest(label, stream string) []Candidate {
	want := splitWords(label)
	c := t.candidates(stream)
	common := func(c Candidate) int {
		n := 0
		for _, w := range want {
			if slices.Contains(c.words, w) {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(c, func(a, b Candidate) int { return common(b) - common(a) })
	return c[:min(len(c), 5)]
}
