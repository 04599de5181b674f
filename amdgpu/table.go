package amdgpu

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TableOptions control WriteTable and WriteSummary.
type TableOptions struct {
	// Quiet drops the table and its explanations; the counts and the RESULT
	// line stay.
	Quiet bool
}

const legend = `  * = regression trigger; other columns are informational.
  vgpr = total (arch+acc, LLVM's occupancy number); arch_vgpr/agpr are its split -- do not add them.
  n/a = does not exist here or is not reported, not 0; ? = was not read.
`

// WriteTable writes a Diff for people: the kernels that changed or have a
// problem, why and what to do, the counts, and as the last line the verdict:
// "RESULT: OK", "RESULT: REGRESSION" or "RESULT: NOT TRUSTWORTHY".
// Problems and warnings themselves are for stderr: see WriteDiagnostics.
// The error is the first of w.
func WriteTable(w io.Writer, d *Diff, o TableOptions) error {
	b := bufio.NewWriter(w)
	if !o.Quiet {
		d.writeRows(b)
	}
	if d.Omitted > 0 {
		fmt.Fprintf(b, "%d rows are left out\n", d.Omitted)
	}
	fmt.Fprintf(b, "compared %d of %d kernels; %d unchanged; %d changed; worsened: %d; improved: %d\n",
		d.Compared, d.Total, d.Unchanged, d.Compared-d.Unchanged, d.Worsened, d.Improved)
	if d.Partial > 0 {
		fmt.Fprintf(b, "partial: informational columns of %d kernels were not read; the triggers were\n", d.Partial)
	}
	writeResult(b, len(d.Problems), d.Verdict)
	return b.Flush()
}

// writeRows writes the table and what it means.
func (d *Diff) writeRows(w io.Writer) {
	if len(d.Rows) > 0 {
		t := newTable()
		for i := range d.Rows {
			t.add(d.Rows[i].Key, d.Rows[i].cells())
		}
		t.write(w)
	}
	for i := range d.Rows {
		d.Rows[i].explain(w)
	}
	if len(d.Rows) > 0 {
		io.WriteString(w, "\n")
	}
	for _, n := range d.Notes {
		fmt.Fprintf(w, "note: %s\n", printable(n))
	}
	if len(d.Notes) > 0 {
		io.WriteString(w, "\n")
	}
}

// WriteSummary writes a Snapshot for people: all kernels, the counts, and the
// verdict as the last line, "RESULT: OK" or "RESULT: NOT TRUSTWORTHY". The
// error is the first of w.
func WriteSummary(w io.Writer, s *Snapshot, o TableOptions) error {
	b := bufio.NewWriter(w)
	if !o.Quiet && len(s.Kernels) > 0 {
		t := newTable()
		for i := range s.Kernels {
			k := &s.Kernels[i]
			cells := make([]string, NumColumns)
			for c := range NumColumns {
				cells[c] = k.Metrics[c].String()
			}
			t.add(k.Key, cells)
		}
		t.write(b)
		b.WriteByte('\n')
		for i := range s.Kernels {
			s.Kernels[i].describe(b)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "%d kernels; %d files skipped\n", len(s.Kernels)+s.Omitted, len(s.Skipped))
	writeResult(b, len(s.Problems), s.Verdict())
	return b.Flush()
}

func writeResult(w io.Writer, problems int, v Verdict) {
	if problems > 0 {
		fmt.Fprintf(w, "untrustworthy items: %d\n", problems)
	}
	fmt.Fprintf(w, "RESULT: %s\n", v)
}

// maxDiagnostics is how many problems and how many warnings are printed.
const maxDiagnostics = 20

// WriteDiagnostics writes warnings and problems for people, one a line, up to
// 20 of each. They belong on stderr and never carry the verdict. The error is
// the first of w.
func WriteDiagnostics(w io.Writer, problems []Problem, warnings []string) error {
	b := bufio.NewWriter(w)
	for i, s := range warnings {
		if i == maxDiagnostics {
			fmt.Fprintf(b, "warning: ... and %d more\n", len(warnings)-i)
			break
		}
		fmt.Fprintf(b, "warning: %s\n", printable(s))
	}
	for i, p := range problems {
		if i == maxDiagnostics {
			fmt.Fprintf(b, "problem: ... and %d more\n", len(problems)-i)
			break
		}
		fmt.Fprintf(b, "problem: %s\n", printable(p.String()))
	}
	return b.Flush()
}

// describe is one line on a kernel beside its numbers.
func (k *Kernel) describe(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %s, wave%d", printable(k.Key), k.target().Short(), printable(k.File), k.WavefrontSize)
	if k.Metrics[Occupancy].Known() {
		fmt.Fprintf(w, ", limited by %s", k.Limiter)
	}
	if k.MaxFlatWorkgroupSize > 0 {
		fmt.Fprintf(w, ", up to %d work-items a group", k.MaxFlatWorkgroupSize)
	}
	if k.DisplayName != k.Name {
		fmt.Fprintf(w, ", %s", printable(k.DisplayName))
	}
	fmt.Fprintln(w)
	for _, n := range k.Notes {
		fmt.Fprintf(w, "  note: %s\n", printable(n))
	}
}

// cells are the row's table cells: "64->72(+8)", "64" where nothing moved.
func (r *Row) cells() []string {
	out := make([]string, NumColumns)
	for c := range NumColumns {
		switch {
		case r.Before == nil:
			out[c] = r.After[c].String()
		case r.After == nil:
			out[c] = r.Before[c].String()
		default:
			out[c] = changeCell(r.Before[c], r.After[c], r.Delta != nil)
		}
	}
	return out
}

func changeCell(b, a Cell, comparable bool) string {
	switch {
	case b.String() == a.String():
		return a.String()
	case b.Known() && a.Known() && comparable:
		return fmt.Sprintf("%d->%d(%+d)", b.Value, a.Value, a.Value-b.Value)
	}
	return b.String() + "->" + a.String()
}

// explain writes what a row means.
func (r *Row) explain(w io.Writer) {
	fmt.Fprintf(w, "\n%s", printable(r.Key))
	if r.DisplayName != r.Name {
		fmt.Fprintf(w, " = %s", printable(r.DisplayName))
	}
	switch {
	case r.Side != "":
		fmt.Fprintf(w, ": ONLY IN %s\n", strings.ToUpper(r.Side))
		return
	case r.Delta == nil:
		fmt.Fprintf(w, ": NOT COMPARED: %s\n", classList(r.Blocked))
		return
	case len(r.Blocked) > 0:
		fmt.Fprintf(w, ": PROBLEM: %s", classList(r.Blocked))
	default:
		fmt.Fprintf(w, ": %s", severityWords[r.Severity])
	}
	fmt.Fprintln(w)
	if b, a := r.Before[Occupancy], r.After[Occupancy]; b.Known() && a.Known() {
		fmt.Fprintf(w, "  occupancy: %d waves/SIMD (limit %s) -> %d (limit %s)\n", b.Value, r.Limiters[0], a.Value, r.Limiters[1])
	}
	if r.Cause != "" {
		fmt.Fprintf(w, "  cause: %s\n", r.Cause)
	}
	if r.Advice != "" {
		fmt.Fprintf(w, "  advice: %s\n", r.Advice)
	}
}

func classList(list []Class) string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = string(c)
	}
	return strings.Join(names, ", ")
}

// table lays out cells under the column names, triggers marked with "*".
type table struct {
	names []string
	rows  [][]string
	width [NumColumns]int
}

func newTable() *table {
	t := new(table)
	for c := range NumColumns {
		t.width[c] = len(heading(c))
	}
	return t
}

func heading(c Column) string {
	if c.Trigger() {
		return "*" + c.String()
	}
	return c.String()
}

func (t *table) add(name string, cells []string) {
	t.names = append(t.names, printable(name))
	t.rows = append(t.rows, cells)
	for c, s := range cells {
		t.width[c] = max(t.width[c], len(s))
	}
}

func (t *table) write(w io.Writer) {
	names := shorten(t.names)
	first := len("kernel")
	for _, n := range names {
		first = max(first, utf8.RuneCountInString(n))
	}
	io.WriteString(w, legend)
	head := pad("kernel", first)
	for c := range NumColumns {
		head += fmt.Sprintf(" %*s", t.width[c], heading(c))
	}
	fmt.Fprintf(w, "%s\n%s\n", head, strings.Repeat("-", utf8.RuneCountInString(head)))
	for i, cells := range t.rows {
		io.WriteString(w, pad(names[i], first))
		for c, s := range cells {
			fmt.Fprintf(w, " %*s", t.width[c], s)
		}
		io.WriteString(w, "\n")
	}
}

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// nameWidth is the most characters of a name in the table, of which the last
// nameTail are its end, where mangled names differ.
const (
	nameWidth = 60
	nameTail  = 12
)

// shorten cuts long names in the middle, unless that makes two alike.
func shorten(names []string) []string {
	out, count := make([]string, len(names)), map[string]int{}
	for i, n := range names {
		if r := []rune(n); len(r) > nameWidth {
			n = string(r[:nameWidth-nameTail-3]) + "..." + string(r[len(r)-nameTail:])
		}
		out[i] = n
		count[n]++
	}
	for i := range out {
		if count[out[i]] > 1 {
			out[i] = names[i]
		}
	}
	return out
}

// printable escapes control characters, so that a name from a file cannot
// drive the terminal or forge a RESULT line.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 && utf8.ValidString(s) {
		return s
	}
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}
