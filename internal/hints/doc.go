// Package hints reads the text of a unified diff and names the changes in it
// that are known to make GPU kernels slow: a doubled loop bound, a new barrier,
// a smaller tile, a wider type.
//
// The method, in the order of the files:
//
//   - diff.go parses git's output as a stream, one file at a time.
//   - lang.go and token.go turn lines into tokens of the file's language, so
//     that comments, strings and white space are never taken for code.
//   - context.go finds out, as far as a hunk shows it, whether a line lies in a
//     loop, in device code, or in a function that the diff itself adds.
//   - align.go pairs removed with added lines.
//   - expr.go, consts.go and number.go tell expressions that only look different.
//   - the rules propose hints: settings by name (kv*.go, settings.go), what there is
//     more or less of (net*.go), what became of a line and what a run of lines lost
//     (pairrules.go lists these rules), and what builds or surrounds the code
//     (flags.go, pins.go, env.go, tuning.go). Most of what they know is in tables.
//   - grade.go turns evidence into a confidence with its reason; rank.go drops
//     what was only moved or renamed, reorders by the ISA difference and sorts.
//
// A hint is a reading of the text, not a measurement. The package never runs
// anything, never reads a file or a repository, never sees more of the source
// than the hunks show, and never says that a diff is harmless.
package hints
