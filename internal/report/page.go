package report

// page is a report before it has a form. All its strings are clean; what stands
// in code, tables and preformatted text came from outside, prose is our own but
// may quote.
type page struct {
	title string
	parts []part
}

// part is a titled piece of a page. Its blocks are shown in the order of the
// fields.
type part struct {
	title string
	prose []string
	pairs []pair
	table *table
	lines []string // what the text form shows in place of the table
	list  []string
	pre   string
	chart bool // the HTML form shows the chart here
}

// pair is a name and a value.
type pair struct {
	name, value string
	code        bool // came from outside, verbatim
}

func (p *page) add(one part) {
	if len(one.prose)+len(one.pairs)+len(one.list)+len(one.lines) > 0 || one.pre != "" || one.table != nil && len(one.table.rows) > 0 {
		p.parts = append(p.parts, one)
	}
}
