// Package report writes the answer of a hunt for people and programs: text for
// a terminal, Markdown for an issue, JSON for scripts, an SVG chart, and one
// HTML file that needs no network.
//
// One page is composed from a Document and rendered in each form, so that no
// form says what another does not. The package never measures, decides or reads
// anything, and it trusts no string that it is given: names, messages and paths
// come from repositories and programs that may be hostile.
package report
