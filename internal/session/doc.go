// Package session keeps hunts on disk: one folder a run, with what was asked
// (spec.json), what was observed (journal.jsonl, one fact a line, appended and
// synced before anything is done because of it), logs and reports.
//
// A journal has one writer, the holder of the run's lock, and any number of
// readers. A line that a kill or a full disk left half written is cut off by
// the next writer and ignored by readers. Other processes leave requests for
// the writer in the inbox.
//
// The package never decides anything: what the facts mean is engine's business.
package session
