// Package app holds the use cases: start a hunt, wait for it, mark, answer,
// report, compare machine code. The command line and the MCP tools call the
// same functions here and only translate, so they cannot drift apart. It is the
// only package that knows all the others.
//
// It never prints, never reads a terminal and never touches the user's checkout
// except through gitrepo's in-place mode.
package app
