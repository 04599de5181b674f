package session

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Presence says to other hunts on this machine that a run builds or measures now,
// so that each can tell which others took a part of the machine meanwhile. It
// keeps nobody waiting.
//
// It is a file that is locked as long as it lasts. Of two that overlap, the later
// one finds the file of the earlier one, and writes its own name into it.
type Presence struct {
	run    string
	path   string
	file   *os.File
	others []string // that were there when it began
}

// busyPrefix begins the names of the files: "busy-HOST-RANDOM-RUN".
const busyPrefix = "busy-"

// Enter begins the presence of a run.
func (s *Store) Enter(run string) (*Presence, error) {
	if err := os.MkdirAll(s.locks, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of locks: %w", err)
	}
	for range 100 {
		path := filepath.Join(s.locks, busyPrefix+hostTag()+randomHex(4)+"-"+run)
		f, err := newLocked(path)
		if err != nil {
			return nil, fmt.Errorf("telling other hunts of run %s: %w", run, err)
		}
		if f != nil {
			return &Presence{run: run, file: f, path: path, others: s.meet(path, run)}, nil
		}
	}
	return nil, fmt.Errorf("telling other hunts of run %s: its file was removed again and again", run)
}

// hostTag stands for this machine in the names of files, where several share the
// folder.
func hostTag() string {
	host, _ := os.Hostname()
	sum := fnv.New32a()
	sum.Write([]byte(host))
	return fmt.Sprintf("%08x-", sum.Sum32())
}

// meet lists the runs that are present beside the one at path, tells them of it,
// and removes what dead ones left.
func (s *Store) meet(path, run string) (others []string) {
	entries, _ := os.ReadDir(s.locks) // unreadable: nobody is seen, and nothing is broken by that
	for _, e := range entries {
		there := filepath.Join(s.locks, e.Name())
		if strings.HasPrefix(e.Name(), busyPrefix+hostTag()) && there != path && alive(there, run) {
			_, other, _ := strings.Cut(strings.TrimPrefix(e.Name(), busyPrefix+hostTag()), "-")
			others = append(others, other)
		}
	}
	return others
}

// alive reports whether somebody holds the presence at path, and writes a name
// into it then.
func alive(path, name string) bool {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return false // it ended
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil {
		_ = os.Remove(path)
		return false
	}
	_, _ = f.WriteString(name + "\n") // on a full disk it is not told
	return true
}

// Leave ends the presence and returns the other runs that were present at any
// moment of it, sorted.
func (p *Presence) Leave() []string {
	others := p.others
	_ = os.Remove(p.path) // first: nobody meets it any more
	if data, err := io.ReadAll(io.NewSectionReader(p.file, 0, 1<<20)); err == nil {
		others = append(others, strings.Fields(string(data))...)
	}
	_ = p.file.Close() // read only, and gone
	slices.Sort(others)
	return slices.DeleteFunc(slices.Compact(others), func(o string) bool { return o == p.run })
}
