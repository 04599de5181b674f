// Package cli is the command line: it translates flags into calls of
// internal/app and what comes back into text or JSON. Answers go to stdout,
// narration and questions to stderr. It decides nothing about hunts.
package cli
