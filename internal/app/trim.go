package app

import (
	"fmt"
	"io"
	"os"

	"github.com/google/renameio/v2"

	"perfbisect/engine/search"
)

const (
	longLog = 1 << 20   // bytes above which an output is cut once its metric is known
	logEnd  = 128 << 10 // bytes that are kept of either end
)

// trimLogs cuts the middle out of what a good run printed, after its numbers
// were read: a hunt makes many runs, and some print 100 MB. What a failed run
// printed stays whole.
func trimLogs(t *trial) {
	if t == nil || t.outcome != search.OK {
		return
	}
	for _, path := range []string{t.run.Stdout.Path, t.run.Stderr.Path} {
		if path != "" {
			_ = trimFile(path) // a log that stays long harms nothing that was measured
		}
	}
}

func trimFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() <= longLog {
		return err
	}
	out, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	defer out.Cleanup() //nolint:errcheck // what is pending is gone either way
	_, err = io.Copy(out, io.NewSectionReader(f, 0, logEnd))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "\n[perfbisect left out %d bytes here]\n", info.Size()-2*logEnd); err != nil {
		return err
	}
	if _, err := io.Copy(out, io.NewSectionReader(f, info.Size()-logEnd, logEnd)); err != nil {
		return err
	}
	return out.CloseAtomicallyReplace()
}
