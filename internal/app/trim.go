package app

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"perfbisect/engine/search"
	"perfbisect/internal/bench"
)

// A hunt makes many builds and runs, and some print 100 MB. So outputs are cut in
// the middle once what is wanted of them was read.

// logLimit is from where on an output is cut, and what is kept then of either
// end, in bytes.
type logLimit struct{ long, end int64 }

var (
	goodLog   = logLimit{1 << 20, 128 << 10} // its numbers are in the journal
	failedLog = logLimit{4 << 20, 1 << 20}   // people look for the cause in it
	tightLog  = logLimit{64 << 10, 16 << 10} // when the hunt has manyLogs already
)

// manyLogs is the size of all outputs of a hunt, in bytes, from which on little is
// kept of each.
const manyLogs = 256 << 20

// logs counts what the outputs of a run take on the disk.
type logs struct {
	counted bool
	bytes   int64
}

// trimLogs cuts the outputs of a run.
func (h *hunt) trimLogs(t *trial) {
	if t != nil {
		h.trim(t.outcome == search.OK, t.run.Stdout.Path, t.run.Stderr.Path)
	}
}

// trim cuts the middle out of outputs. A log that stays long harms nothing that
// was measured, so errors are no matter.
func (h *hunt) trim(good bool, paths ...string) {
	if !h.logs.counted {
		h.logs = logs{true, sizeOf(h.run.LogDir())} // these too: a little too much at first
	}
	limit := failedLog
	if good {
		limit = goodLog
	}
	if h.logs.bytes > manyLogs {
		limit = tightLog
	}
	for _, path := range paths {
		if path != "" {
			_ = trimFile(path, limit)
			h.logs.bytes += sizeOf(path)
		}
	}
}

// sizeOf is the size of a file, or of all files below a folder.
func sizeOf(path string) (size int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

func trimFile(path string, limit logLimit) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() <= limit.long {
		return err
	}
	out, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	defer out.Cleanup() //nolint:errcheck // what is pending is gone either way
	if err := writeEnds(out, f, info.Size(), limit.end); err != nil {
		return err
	}
	return out.CloseAtomicallyReplace()
}

// writeEnds writes both ends of an output, and the last lines between them that
// tell of an error.
func writeEnds(out io.Writer, f io.ReaderAt, size, end int64) error {
	if _, err := io.Copy(out, io.NewSectionReader(f, 0, end)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "\n[perfbisect left out %d bytes here]\n", size-2*end); err != nil {
		return err
	}
	for _, line := range bench.ErrorLines(io.NewSectionReader(f, end, size-2*end), 0) {
		if _, err := fmt.Fprintf(out, "[among them] %s\n", line); err != nil {
			return err
		}
	}
	_, err := io.Copy(out, io.NewSectionReader(f, size-end, end))
	return err
}
