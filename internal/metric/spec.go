package metric

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Kind is the way a number is found: the part of a spec before the colon.
type Kind string

// The kinds of spec.
const (
	KindAuto  Kind = "auto"
	KindRegex Kind = "regex"
	KindJSON  Kind = "json"
	KindCSV   Kind = "csv"
	KindName  Kind = "name"
	KindTime  Kind = "time"
	KindExit  Kind = "exit"
	KindISA   Kind = "isa"
)

// Pick says which of several matches counts. The empty Pick is PickLast.
type Pick string

// The picks.
const (
	PickLast    Pick = "last"
	PickFirst   Pick = "first"
	PickMin     Pick = "min"
	PickMax     Pick = "max"
	PickMedian  Pick = "median"
	PickMean    Pick = "mean"
	PickGeomean Pick = "geomean"
)

var picks = []Pick{PickLast, PickFirst, PickMin, PickMax, PickMedian, PickMean, PickGeomean}

// Forms names every form of a spec, for errors and help.
const Forms = "auto, regex:RE, json:PATH, csv:COLUMN[;where COL=VALUE], name:LABEL, time, exit or isa:KERNEL:COLUMN, " +
	"each but time, exit and isa with @last, @first, @min, @max, @median, @mean or @geomean if wanted"

// Where is a condition on the rows of a table.
type Where struct {
	Column string
	// Op is "=" (equal as text, or as numbers) or "~" (contains).
	Op    string
	Value string
}

// Spec says which number of the output is the metric. The zero Spec is "auto".
type Spec struct {
	Kind Kind
	// Arg is the regular expression, the JSON path, the column, the label, or
	// the kernel and column of isa, as it was written.
	Arg string
	// Where holds the conditions of a csv spec; a row must meet all.
	Where []Where
	// Pick is empty when none was written.
	Pick Pick

	re *regexp.Regexp
}

// Parse reads a spec. The empty text is "auto". Errors name the allowed forms.
func Parse(spec string) (Spec, error) {
	body, pick := cutPick(spec)
	kind, arg, colon := strings.Cut(body, ":")
	s := Spec{Kind: Kind(kind), Arg: arg, Pick: pick}
	if body == "" {
		s.Kind = KindAuto
	}
	fail := func(why string) (Spec, error) {
		return Spec{}, fmt.Errorf("metric %q: %s; allowed: %s", spec, why, Forms)
	}
	switch s.Kind {
	case KindAuto:
		if colon {
			return fail("auto takes no argument")
		}
		return s, nil
	case KindTime, KindExit:
		if colon || pick != "" {
			return fail(kind + " takes no argument and no pick")
		}
		return s, nil
	case KindRegex, KindJSON, KindCSV, KindName, KindISA:
		if strings.TrimSpace(arg) == "" {
			return fail(kind + ": has nothing after it")
		}
	default:
		return fail("unknown kind " + fmt.Sprintf("%q", kind))
	}
	if err := s.parseArg(); err != nil {
		return fail(err.Error())
	}
	return s, nil
}

// cutPick splits the pick from the end of a spec.
func cutPick(spec string) (string, Pick) {
	i := strings.LastIndexByte(spec, '@')
	if i < 0 {
		return spec, ""
	}
	if p := Pick(spec[i+1:]); slices.Contains(picks, p) {
		return spec[:i], p
	}
	return spec, ""
}

// parseArg checks and splits the argument of the kinds that have one.
func (s *Spec) parseArg() (err error) {
	switch s.Kind {
	case KindRegex:
		s.re, err = compile(s.Arg)
	case KindCSV:
		err = s.parseWhere()
	case KindISA:
		if s.Pick != "" {
			return errors.New("isa takes no pick")
		}
		if k, c := s.ISA(); k == "" || c == "" {
			return errors.New("isa needs a kernel and a column")
		}
	}
	return err
}

// compile compiles a regular expression in RE2 syntax. Perl's \K, which keeps
// what follows it, becomes a group.
func compile(expr string) (*regexp.Regexp, error) {
	if before, after, ok := strings.Cut(expr, `\K`); ok && !strings.HasSuffix(before, `\`) {
		expr = "(?:" + before + ")(?P<K>" + after + ")"
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fmt.Errorf("%w (RE2 syntax: no look-around; put the number in a group)", err)
	}
	return re, nil
}

// parseWhere splits "COLUMN;where COL=VALUE;where …".
func (s *Spec) parseWhere() error {
	parts := strings.Split(s.Arg, ";where ")
	s.Arg = parts[0]
	if strings.TrimSpace(s.Arg) == "" {
		return errors.New("csv: has no column")
	}
	for _, p := range parts[1:] {
		i := strings.IndexAny(p, "=~")
		if i <= 0 {
			return fmt.Errorf("condition %q is not COL=VALUE or COL~PART", p)
		}
		s.Where = append(s.Where, Where{Column: p[:i], Op: p[i : i+1], Value: p[i+1:]})
	}
	return nil
}

// ISA returns the kernel and the column of an isa spec. The column is what
// follows the last colon, since kernel names may hold colons.
func (s Spec) ISA() (kernel, column string) {
	if s.Kind != KindISA {
		return "", ""
	}
	i := strings.LastIndexByte(s.Arg, ':')
	if i < 0 {
		return "", ""
	}
	return s.Arg[:i], s.Arg[i+1:]
}

// String returns the text that Parse reads as s.
func (s Spec) String() string {
	var b strings.Builder
	if s.Kind == "" {
		s.Kind = KindAuto
	}
	b.WriteString(string(s.Kind))
	if s.Arg != "" {
		b.WriteString(":" + s.Arg)
	}
	for _, w := range s.Where {
		b.WriteString(";where " + w.Column + w.Op + w.Value)
	}
	if s.Pick != "" {
		b.WriteString("@" + string(s.Pick))
	}
	return b.String()
}
