// Package metric takes a number out of what a benchmark printed, with its unit
// and with which direction is better.
//
// A [Spec] says which number; [Parse] reads it from the text of --metric. The
// spec "auto" looks at every labelled number of the output ([Candidates]) and
// takes the best one when no other comes close ([Choose]).
//
// One scan serves all: lines are cleaned (colours, redraws, bad bytes), JSON
// documents and tables are recognised, and whatever is left goes through a
// grammar of labels, numbers and units. There is no parser for one tool; a
// tool's format is a file in testdata/output. Read scan.go first, then
// grammar.go, setting.go, table.go and jsonwalk.go.
//
// Memory is bounded whatever the size of the output; the limits are the
// constants in output.go.
//
// The package never runs a command, never writes anything, never guesses when
// two numbers are equally good, and never returns a value that is not finite.
package metric
